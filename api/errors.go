package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"relais/api/endpoint"
	"relais/auth/access"
	"relais/market"
)

// An Error is a failure as the API reports it: one status, one code, one sentence. Its
// cause is logged and never sent.
type Error struct {
	Status     int
	Code       string
	Message    string
	RetryAfter int // seconds; 0 is unset
	// Parameter is the name of the wrong parameter, or "". Allowed lists its allowed
	// values, nil if they are not listed.
	Parameter string
	Allowed   []string
	cause     error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, for the log.
func (e *Error) Unwrap() error { return e.cause }

// NotReady reports whether the data is not loaded. Such a request is not charged.
func (e *Error) NotReady() bool { return e.Code == codeNotReady }

// Codes of the API.
const (
	codeInvalidParameter = "INVALID_PARAMETER"
	codeInvalidBBox      = "INVALID_BBOX"
	codeInvalidOperator  = "INVALID_OPERATOR"
	codeMissingRadio     = "MISSING_RADIO_VALUE"
	codeNoAntenna        = "ANTENNA_NOT_FOUND"
	codeNoSite           = "SITE_NOT_FOUND"
	codeNotFound         = "NOT_FOUND"
	codeNotAllowed       = "METHOD_NOT_ALLOWED"
	codeNotReady         = "NOT_READY"
	codeInternal         = "EXTERNAL_REQUEST_FAILED" // of a route that is not an operation
	codeKeyRequired      = "API_KEY_REQUIRED"
	codeInvalidKey       = "INVALID_API_KEY"
	codeSignature        = "SIGNATURE_REQUIRED"
	codeAttestation      = "FIRST_PARTY_TOKEN_REQUIRED"
	codeAddress          = "IP_NOT_ALLOWED"
	codeOrigin           = "ORIGIN_NOT_ALLOWED"
	codeScope            = "INSUFFICIENT_SCOPE"
	codeRateLimited      = "RATE_LIMITED"
	codeTooLarge         = "PAYLOAD_TOO_LARGE"
	codeMediaType        = "UNSUPPORTED_MEDIA_TYPE"
	codeTooSlow          = "REQUEST_TIMEOUT"
	codeBusy             = "BUSY"
	codeMissingFile      = "MISSING_FILE"
	codeUnsupportedImage = "UNSUPPORTED_IMAGE_FORMAT"
	codeImageTooLarge    = "IMAGE_TOO_LARGE"
	codeHEIC             = "HEIC_CONVERSION_FAILED"
	codeUploadFailed     = "PHOTO_UPLOAD_FAILED"
	codeNoPhoto          = "PHOTO_NOT_FOUND"
	codeInvalidDate      = "INVALID_DATE"
	codeNoArchive        = "ARCHIVE_NOT_FOUND"
	codeNoIdentifier     = "MISSING_ANTENNA_IDENTIFIER"
	codeNotWritable      = "NOT_WRITABLE"
)

const internal = "an internal error: the server's log has it under this request id"

// Problems explains every code that this version can answer.
func Problems() []endpoint.Problem {
	list := []endpoint.Problem{
		{Code: codeInvalidParameter, Status: 400,
			When: "A parameter cannot be used; the message names it and what is allowed."},
		{Code: codeInvalidBBox, Status: 400, When: "north, south, east, west are incomplete or not a box."},
		{Code: codeInvalidOperator, Status: 400, When: "The market does not have the operator."},
		{Code: codeMissingRadio, Status: 400, When: "The value to look up is missing."},
		{Code: codeNoIdentifier, Status: 400, When: "An identifier of a site, an eNB or a gNB is missing."},
		{Code: codeNoAntenna, Status: 404, When: "No antenna has this identifier."},
		{Code: codeNoSite, Status: 404, When: "No site has this identifier."},
		{Code: codeNotFound, Status: 404, When: "The path does not exist."},
		{Code: codeNotAllowed, Status: 405, When: "The path has no such method."},
		{Code: codeKeyRequired, Status: 401, When: "The API key is missing."},
		{Code: codeInvalidKey, Status: 401, When: "The API key is unknown, expired or revoked."},
		{Code: codeSignature, Status: 401,
			When: "The client signs its requests, and the signature is missing or not valid."},
		{Code: codeAttestation, Status: 401,
			When: "The client needs a device attestation, and it is missing or not valid."},
		{Code: codeOrigin, Status: 403, When: "The origin is not one of the client's."},
		{Code: codeAddress, Status: 403,
			When: "The address is not one of the client's, or may not ask for this."},
		{Code: codeScope, Status: 403, When: "The key lacks the scope of the route."},
		{Code: codeRateLimited, Status: 429,
			When: "The quota of the minute or of the day is used up, or too many authentications failed. Retry-After says when to come back."},
		{Code: codeMissingFile, Status: 400, When: "The form has no part file."},
		{Code: codeUnsupportedImage, Status: 400,
			When: "The file is not an image of a supported format, or is damaged."},
		{Code: codeImageTooLarge, Status: 400, When: "The file has more than 20 MiB or 120 megapixels."},
		{Code: codeHEIC, Status: 400, When: "The HEIC or HEIF file cannot be converted."},
		{Code: codeNoPhoto, Status: 404, When: "No photo that is shown has this id."},
		{Code: codeInvalidDate, Status: 400, When: "The date is invalid or not written as YYYY-MM-DD."},
		{Code: codeNoArchive, Status: 404, When: "No archive has this date."},
		{Code: codeTooLarge, Status: 413, When: "The body is too large."},
		{Code: codeMediaType, Status: 415,
			When: "The body has another type than the route takes, or a Content-Encoding."},
		{Code: codeTooSlow, Status: 408, When: "The body did not arrive in time."},
		{Code: codeBusy, Status: 503,
			When: "Too many bodies, images or large answers are being processed at the moment, or the database that several servers share cannot be reached. Retry-After says when to come back."},
		{Code: codeNotReady, Status: 503,
			When: "The data is still loading, the market's inventory is not loaded on this server, or its measurements, photos, outages, archives or API keys cannot be read."},
		{Code: codeNotWritable, Status: 503,
			When: "The server's folder cannot be written to, its disk is full, or it takes no photos. The message says which."},
	}
	when := "An internal error. The server's log has it under the request id."
	list = append(list, endpoint.Problem{Code: codeInternal, Status: 500, When: when})
	for _, op := range Operations() {
		failed := endpoint.Problem{Code: op.FailureCode, Status: 500, When: when}
		if !slices.Contains(list, failed) { // two operations may have the same code
			list = append(list, failed)
		}
	}
	return list
}

// CommonCodes are the codes that every operation may answer.
func CommonCodes() []string {
	return []string{codeInvalidParameter, codeNotAllowed, codeNotReady, codeTooSlow, codeBusy, codeRateLimited}
}

// KeyedCodes are the codes that operations may answer which need a key.
func KeyedCodes() (codes []string) {
	for _, r := range refusals {
		codes = append(codes, r.code)
	}
	return codes
}

// BodyCodes are the codes that an operation may answer for its body, nil if it takes none:
// a signed request may have a small body even then.
func BodyCodes(body *endpoint.Body) (codes []string) {
	if body == nil || body.TooLarge == "" {
		codes = append(codes, codeTooLarge)
	}
	if body != nil {
		codes = append(codes, codeMediaType, codeNotWritable)
	}
	return codes
}

// refusals are the errors of package access.
var refusals = []struct {
	err    error
	status int
	code   string
}{
	{access.ErrKeyRequired, 401, codeKeyRequired},
	{access.ErrInvalidKey, 401, codeInvalidKey},
	{access.ErrOrigin, 403, codeOrigin},
	{access.ErrAddress, 403, codeAddress},
	{access.ErrAttestation, 401, codeAttestation},
	{access.ErrSignature, 401, codeSignature},
	{access.ErrRateLimited, 429, codeRateLimited},
	{access.ErrScope, 403, codeScope},
}

// refusal returns the answer to an error of package access, nil for another error. The
// details are only logged, since they would help an attacker; a Hint is sent, as it helps
// only an honest caller.
func refusal(err error) *Error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			e := &Error{Status: r.status, Code: r.code, Message: r.err.Error(), cause: err}
			if hint, ok := errors.AsType[*access.Hint](err); ok {
				e.Message = hint.Message
			}
			return e
		}
	}
	return nil
}

// Errors that are the same for every request.
var (
	errLoading    = &Error{Status: 503, Code: codeNotReady, Message: "the data is still loading", RetryAfter: 2}
	errNoMeasures = &Error{Status: 503, Code: codeNotReady,
		Message:    "the measurements are still being opened, or cannot be opened: the server's log says which",
		RetryAfter: 10}
	ErrNotFound = &Error{Status: 404, Code: codeNotFound, Message: "this path does not exist"}
	ErrInternal = &Error{Status: 500, Code: codeInternal, Message: internal}
	ErrBusy     = &Error{Status: 503, Code: codeBusy, Message: "too many request bodies are being received at the moment: try again later",
		RetryAfter: 5}
	// ErrTooManyAnswers is for a client that reads slowly, or asks for too much at once.
	ErrTooManyAnswers = &Error{Status: 503, Code: codeBusy, RetryAfter: 5,
		Message: "too many large answers are being sent at the moment, to this client or to all: read at most four at a time to their end, and try again"}
	// ErrMakingFile is for a client whose file is being made, or when too many are.
	ErrMakingFile = &Error{Status: 503, Code: codeBusy, RetryAfter: 5,
		Message: "another Parquet or KMZ file is being made, for this client or for all: one at a time, try again"}
	// ErrTooManyWaiting is for a caller who asks much at once of what takes computing.
	ErrTooManyWaiting = &Error{Status: 503, Code: codeBusy, RetryAfter: 5,
		Message: "too many questions of this caller or its network wait for their answers: ask fewer at a time, and try again"}
	ErrTooSlow = &Error{Status: 408, Code: codeTooSlow, Message: "the body did not arrive in time"}
	// ErrOperatorsOnly is the error of /metrics on a public address.
	ErrOperatorsOnly = &Error{Status: 403, Code: codeAddress,
		Message: "this path is for the operator of the server: ask from the machine itself, or start the server with --ops-listen"}
	// ErrGone is only logged: its client has gone away.
	ErrGone       = &Error{Status: 400, Code: codeInvalidParameter, Message: "the client went away"}
	ErrBrokenBody = &Error{Status: 400, Code: codeInvalidParameter,
		Message: "the body: it ends before its stated length, or its chunks are malformed"}
	errNoAntenna = &Error{Status: 404, Code: codeNoAntenna, Message: "no antenna has this identifier"}
	// ErrNoPhoto is also the error of an image's address.
	ErrNoPhoto = &Error{Status: 404, Code: codeNoPhoto, Message: "no photo that is shown has this id"}
	// ErrMissingFile is also the error of a body that is not a form.
	ErrMissingFile = &Error{Status: 400, Code: codeMissingFile, Message: "the form has no part named file"}
	errImagesBusy  = &Error{Status: 503, Code: codeBusy, Message: "too many images are being processed at the moment: try again later",
		RetryAfter: 10}
	errNoUploads = &Error{Status: 503, Code: codeNotWritable, RetryAfter: failedRetry,
		Message: "this server takes no photos, because its system cannot confine what decodes them: " +
			"its operator may accept that with relais serve --accept-unconfined-uploads"}
	// errRestricted is for callers without a key.
	errRestricted = &Error{Status: 401, Code: codeKeyRequired,
		Message: "the publisher of this market's register does not let everybody have its rows: ask with a key"}
	errNoArchive = &Error{Status: 404, Code: codeNoArchive,
		Message: "no archive has this date: /anfr/archives lists the dates"}
	errNoSite = &Error{Status: 404, Code: codeNoSite, Message: "no site has this identifier"}
)

// NotAllowed returns the error for a method that a path does not have.
func NotAllowed(methods []string) *Error {
	return &Error{Status: 405, Code: codeNotAllowed,
		Message: "this path answers " + strings.Join(methods, ", ") + " only"}
}

// TooLarge returns the error for a body of more than limit bytes. A code of "" means the
// common one.
func TooLarge(code string, limit int64) *Error {
	e := &Error{Status: 400, Code: code, Message: fmt.Sprintf("the body: at most %d bytes", limit)}
	if code == "" {
		e.Status, e.Code = 413, codeTooLarge
	}
	return e
}

// UnsupportedMedia returns the error for a body of the wrong type.
func UnsupportedMedia(want string) *Error {
	return &Error{Status: 415, Code: codeMediaType, Message: want}
}

func notLoaded(c market.Code) *Error {
	return &Error{Status: 503, Code: codeNotReady, RetryAfter: 60,
		Message: fmt.Sprintf("the inventory of %s is not loaded on this server: its operator loads it with relais ingest --data DIR %s FILE…", c, c)}
}

// PublicError turns any error of an operation into the one that the client sees.
func PublicError(op *endpoint.Op[*Env], err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e := refusal(err); e != nil {
		return e
	}
	if p, ok := errors.AsType[*endpoint.ParamError](err); ok {
		for _, absent := range []*Error{errNoAntenna, errNoSite, ErrNoPhoto} {
			if p.Code == absent.Code { // the id in the path is malformed
				return absent
			}
		}
		code := p.Code
		if code == "" {
			code = codeInvalidParameter
		}
		return &Error{Status: 400, Code: code, Message: p.Error(), Parameter: p.Name(), Allowed: p.Allowed}
	}
	if e := questionFailure(op, err); e != nil {
		return e
	}
	if e := storeFailure(op, err); e != nil {
		return e
	}
	return &Error{Status: 500, Code: op.FailureCode, Message: internal, cause: err}
}

// NotFound returns the error of something that does not exist.
func NotFound(message string) *Error {
	return &Error{Status: 404, Code: codeNotFound, Message: message}
}

// PublicMessage returns the message of an operation's error for the caller, and the cause
// for the log, which may be nil.
func PublicMessage(err error) (message string, cause error) {
	e := PublicError(&endpoint.Op[*Env]{}, err)
	if e.Status >= 500 && e.Code != codeNotReady && e.Code != codeBusy && e.Code != codeNotWritable {
		return "an internal error: the server's log has it", fmt.Errorf("%s: %w", e.Message, err)
	}
	return e.Message, nil
}
