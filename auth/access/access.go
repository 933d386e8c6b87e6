// Package access decides who may call: API clients with their keys, modes,
// signatures, scopes and quotas. It knows no routes and no HTTP server; it
// takes a Request and returns a Grant or one of the errors below.
package access

import "errors"

// The reasons for refusing a request, in the order of the checks.
var (
	ErrKeyRequired = errors.New("no API key: send it as Authorization: Bearer KEY")
	ErrInvalidKey  = errors.New("the API key is unknown, expired or revoked")
	ErrOrigin      = errors.New("the origin is not one of the client's")
	ErrHost        = errors.New("the host name is not one of this server's")
	ErrAddress     = errors.New("the address is not one of the client's")
	ErrAttestation = errors.New("a device attestation is required, or the one given is not valid")
	ErrSignature   = errors.New("the signature is missing or not valid")
	ErrRateLimited = errors.New("the quota is spent")
	// ErrUnavailable says that no key can be looked up, because the file cannot be used.
	ErrUnavailable = errors.New("the API keys cannot be read")
	ErrScope       = errors.New("the key lacks the scope of this route")
)

// A Hint is a refusal whose reason may be told: it helps an honest caller and does not help
// to guess a key.
type Hint struct {
	Message string
	err     error
}

// Error implements error.
func (h *Hint) Error() string { return h.Message }

// Unwrap returns the refusal.
func (h *Hint) Unwrap() error { return h.err }

// Errors of the administration of clients.
var (
	ErrNoClient  = errors.New("no such client")
	errNameTaken = errors.New("another client has this name: choose another one")
	errNoKey     = errors.New("the client has no such live key")
	ErrReadOnly  = errors.New("the folder cannot be written to")
)
