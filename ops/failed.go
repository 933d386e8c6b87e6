package ops

import (
	"errors"
	"io/fs"
	"syscall"

	"relais/access"
	"relais/endpoint"
	"relais/photos"
	"relais/store"
)

// Datasets that a server may be unable to use while it answers from the others.
const (
	DataPhotos   = dataPhotos
	DataOutages  = dataOutages // and validations and bugs, which are in the same file
	DataArchives = dataArchives
	DataPeople   = "accounts of people"
)

// CheckUsable returns an error when this server cannot use one of the datasets: it would
// otherwise answer as if they were empty.
func (r *Env) CheckUsable(data ...string) error {
	for _, name := range data {
		if r.Failed[name] != nil {
			return unusable(name)
		}
	}
	return nil
}

const failedRetry = 60 // seconds until it is worth asking again

func unusable(data string) *Error {
	return &Error{Status: 503, Code: codeNotReady, RetryAfter: failedRetry,
		Message: "this server cannot read its " + data +
			" at the moment; its operator finds the cause in its log, or with relais check"}
}

// storeFailure is the answer to an error of the stores that is not the request's fault, nil for
// another one.
func storeFailure(op *endpoint.Op[*Env], err error) *Error {
	writes := op.Method != "" && op.Method != "GET"
	message := ""
	switch {
	case errors.Is(err, access.ErrUnavailable):
		return unusable("API keys")
	case errors.Is(err, photos.ErrMonthLost):
		return unusable(dataPhotos)
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrUnreadable):
		e := unusable("data")
		e.cause = err
		return e
	case writes && errors.Is(err, syscall.ENOSPC):
		message = "the disk of this server is full: it serves, and takes nothing until there is space"
	case writes && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		message = "this server's folder cannot be written to: it serves, and takes nothing"
	default:
		return nil
	}
	return &Error{Status: 503, Code: codeNotWritable, Message: message, RetryAfter: failedRetry, cause: err}
}
