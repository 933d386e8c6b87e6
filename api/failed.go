package api

import (
	"errors"
	"io/fs"
	"syscall"

	"relais/api/endpoint"
	"relais/auth/access"
	"relais/internal/store"
	"relais/photos"
)

// Datasets that a server may be unable to use while it answers from the others.
const (
	DataPhotos   = dataPhotos
	DataOutages  = dataOutages // with validations and bugs, which are in the same file
	DataArchives = dataArchives
	DataPeople   = "accounts of people"
)

// CheckUsable returns an error if this server cannot use one of the datasets. Without it,
// answers would look as if the dataset were empty.
func (r *Env) CheckUsable(data ...string) error {
	for _, name := range data {
		if r.Failed != nil && r.Failed(name) != nil {
			return unusable(name)
		}
	}
	return nil
}

// Seconds until it is worth asking again.
const (
	failedRetry = 60
	awayRetry   = 2
)

func unusable(data string) *Error {
	return &Error{Status: 503, Code: codeNotReady, RetryAfter: failedRetry,
		Message: "this server cannot read its " + data +
			" at the moment: its operator finds the cause in the log, or with relais check"}
}

// storeFailure returns the answer to an error of the stores that the request did not cause,
// nil for another error.
func storeFailure(op *endpoint.Op[*Env], err error) *Error {
	writes := op.Method != "" && op.Method != "GET" && !op.Asks
	message := ""
	switch {
	case errors.Is(err, access.ErrUnavailable):
		return unusable("API keys")
	case errors.Is(err, photos.ErrMonthLost):
		return unusable(dataPhotos)
	case errors.Is(err, store.ErrUnknown):
		return &Error{Status: 503, Code: codeBusy, RetryAfter: awayRetry, cause: err,
			Message: "the database that this server shares did not answer: the change may have been done; look before you send it again"}
	case errors.Is(err, store.ErrAway), errors.Is(err, store.ErrRewound):
		return &Error{Status: 503, Code: codeBusy, RetryAfter: awayRetry, cause: err,
			Message: "this server cannot reach the database that it shares at the moment: nothing was done; try again"}
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrUnreadable):
		e := unusable("data")
		e.cause = err
		return e
	case writes && errors.Is(err, syscall.ENOSPC):
		message = "the disk of this server is full: it answers, but stores nothing until space is free"
	case writes && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		message = "the folder of this server cannot be written to: it answers, but stores nothing"
	default:
		return nil
	}
	return &Error{Status: 503, Code: codeNotWritable, Message: message, RetryAfter: failedRetry, cause: err}
}
