package api

import (
	"errors"
	"io/fs"
	"slices"

	"relais/api/endpoint"
	"relais/auth/access"
	"relais/catalog"
	"relais/internal/store"
	"relais/internal/system"
	"relais/photos"
)

// DataPeople is a dataset that is not of package catalog.
const DataPeople = "accounts of people"

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

// Invalid reports whether an operation failed because of a value that was given.
func Invalid(err error) bool {
	_, param := errors.AsType[*endpoint.ParamError](err)
	_, unknown := errors.AsType[*catalog.UnknownError](err)
	return param || unknown
}

// questionFailure returns the answer to an error of package catalog, nil for another error.
func questionFailure(op *endpoint.Op[*Env], err error) *Error {
	for _, known := range []struct {
		err    error
		answer *Error
	}{
		{catalog.ErrLoading, errLoading}, {catalog.ErrRestricted, errRestricted}, {catalog.ErrNoMeasures, errNoMeasures},
	} {
		if errors.Is(err, known.err) {
			return known.answer
		}
	}
	if errors.Is(err, catalog.ErrNoSite) {
		if slices.Contains(op.ErrorCodes, codeNoAntenna) {
			return errNoAntenna
		}
		return errNoSite
	}
	if e, ok := errors.AsType[*catalog.NotLoadedError](err); ok {
		return notLoaded(e.Market.Code)
	}
	if e, ok := errors.AsType[*catalog.UnusableError](err); ok {
		return unusable(e.Data)
	}
	if e, ok := errors.AsType[*catalog.UnknownError](err); ok {
		p := &endpoint.ParamError{Param: e.Filter, Value: e.Value, Want: e.Want(), Allowed: e.Known}
		code := codeInvalidParameter
		if e.Filter == catalog.Operator {
			code = codeInvalidOperator
		}
		return &Error{Status: 400, Code: code, Message: p.Error(), Parameter: p.Name(), Allowed: p.Allowed}
	}
	if e, ok := errors.AsType[*catalog.EarlyError](err); ok {
		p := &endpoint.ParamError{Param: "since", Value: e.Date.String(), Want: e.Want()}
		if e.End {
			p.Param = "until"
		}
		return &Error{Status: 400, Code: codeInvalidDate, Message: p.Error(), Parameter: p.Param}
	}
	if e, ok := errors.AsType[*catalog.NoEditionError](err); ok {
		return &Error{Status: 404, Code: codeNoArchive, Parameter: changedSince, Message: e.Error() + ": leave changedSince out"}
	}
	return nil
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
		return unusable(catalog.DataPhotos)
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
	case writes && system.Full(err):
		message = "the disk of this server is full: it answers, but stores nothing until space is free"
	case writes && (errors.Is(err, fs.ErrPermission) || system.WriteProtected(err)):
		message = "the folder of this server cannot be written to: it answers, but stores nothing"
	default:
		return nil
	}
	return &Error{Status: 503, Code: codeNotWritable, Message: message, RetryAfter: failedRetry, cause: err}
}
