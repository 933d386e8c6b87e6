package httpapi

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"relais/auth/access"
)

// maxClientNames bounds how many clients have a count of their own.
const maxClientNames = 200

// otherClients counts the clients beyond that.
const otherClients = "(others)"

// A clientCounter counts requests by the names of clients.
type clientCounter struct {
	*prometheus.CounterVec
	mu    sync.Mutex
	names map[string]bool
}

func newClientCounter() *clientCounter {
	return &clientCounter{names: map[string]bool{}, CounterVec: counters("relais_client_requests_total",
		"Answered requests of known clients, by name and class of status; pages of this server are the client map.",
		"client", "class")}
}

// count counts an answer to a client.
func (c *clientCounter) count(name string, status int) {
	c.mu.Lock()
	if !c.names[name] {
		if len(c.names) < maxClientNames {
			c.names[name] = true
		} else {
			name = otherClients
		}
	}
	c.mu.Unlock()
	c.WithLabelValues(name, strconv.Itoa(status/100)+"xx").Inc()
}

// refusalReasons are the reasons of relais_refusals_total, each with its error.
var refusalReasons = []struct {
	reason string
	err    error
}{
	{"key_missing", access.ErrKeyRequired},
	{"key_invalid", access.ErrInvalidKey},
	{"keys_unavailable", access.ErrUnavailable},
	{"preflight", errPreflight}, // wraps ErrOrigin
	{"origin", access.ErrOrigin},
	{"host", access.ErrHost},
	{"address", access.ErrAddress},
	{"attestation", access.ErrAttestation},
	{"signature", access.ErrSignature},
	{"limit", access.ErrRateLimited},
	{"scope", access.ErrScope},
}

const otherRefusal = "other"

// reasonOf returns the label of a refusal.
func reasonOf(refusal error) string {
	for _, r := range refusalReasons {
		if errors.Is(refusal, r.err) {
			return r.reason
		}
	}
	return otherRefusal
}

// CountTool counts a call of a tool for the metrics.
func (s *Server) CountTool(tool string, ok bool) {
	result := "ok"
	if !ok {
		result = "error"
	}
	s.meters.tools.WithLabelValues(tool, result).Inc()
}

// NoteTools notes for the log the tools that a request to a mounted handler calls. ctx is the context
// of the request.
func NoteTools(ctx context.Context, tools string) {
	if w, ok := ctx.Value(contextKey{}).(*answer); ok {
		w.tools = tools
	}
}
