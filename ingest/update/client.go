package update

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Limits bound how long a download may take.
type Limits struct {
	Connect time.Duration // for the connection, and again for TLS
	Header  time.Duration // from the request to the header of the answer
	Idle    time.Duration // without receiving a byte
	Whole   time.Duration // for a file or catalogue, retries included
	// Tries is how often a file or catalogue is asked for. After a failure relais waits:
	// first Pause, then twice as long each time, or as long as the server asks. It gives
	// up when the server asks for more than MaxPause.
	Tries           int
	Pause, MaxPause time.Duration
	// Pace is the least time between the starts of two requests of a source that is asked page by page.
	Pace time.Duration
}

// DefaultLimits suit files of some hundred megabytes from slow servers.
var DefaultLimits = Limits{
	Connect: 30 * time.Second, Header: time.Minute, Idle: time.Minute, Whole: 2 * time.Hour,
	Tries: 5, Pause: 2 * time.Second, MaxPause: 5 * time.Minute, Pace: time.Second,
}

const maxRedirects = 10

// A client asks the authorities' servers.
type client struct {
	Limits
	agent string
	http  http.Client
	guard *guard
	// offline, if not nil, is the error of every request: there is no network.
	offline error
	// retrying, which may be nil, is told of each wait before another try.
	retrying func(err error, wait time.Duration)
}

// newClient returns a client that connects to public addresses and to the named hosts.
func newClient(agent string, l Limits, named map[string]bool) *client {
	g := newGuard(named, l)
	return &client{Limits: l, agent: agent, guard: g, http: http.Client{CheckRedirect: checkRedirect, Transport: g}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// A temporary error may not happen again at the next try.
type temporary struct {
	error
	after time.Duration // the wait that the server asks for
}

// retry calls try until it succeeds, fails with an error that is not temporary, or the
// limits are reached.
func (c *client) retry(ctx context.Context, try func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Whole, fmt.Errorf("not done after %s", c.Whole))
	defer cancel()
	pause := c.Pause
	for tries := 1; ; tries++ {
		err := try(ctx)
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return cause
		}
		p, ok := errors.AsType[temporary](err)
		switch {
		case !ok:
			return err
		case tries >= c.Tries:
			return fmt.Errorf("%w (after %d tries)", p.error, tries)
		case p.after > c.MaxPause:
			return fmt.Errorf("%w; it asks to be left alone for %s", p.error, p.after)
		}
		wait := max(pause+rand.N(pause/4+1), p.after)
		pause = min(2*pause, c.MaxPause)
		if c.retrying != nil {
			c.retrying(p.error, wait)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// busy are the answers that may be others at the next try.
var busy = []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// send sends a request. A status that is not wanted is an error.
func (c *client) send(ctx context.Context, r *http.Request, wanted []int) (*http.Response, error) {
	if c.offline != nil {
		return nil, c.offline
	}
	r = r.WithContext(ctx)
	r.Header.Set("User-Agent", c.agent)
	a, err := c.http.Do(r)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address, which may contain a key
	}
	if err != nil {
		_, refused := errors.AsType[redirectError](err)
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		if refused || untrusted {
			return nil, err
		}
		return nil, temporary{error: cause(ctx, err)}
	}
	if slices.Contains(wanted, a.StatusCode) {
		return a, nil
	}
	head, _ := io.ReadAll(io.LimitReader(a.Body, sniffed))
	a.Body.Close()
	err = statusError{a.StatusCode}
	if slices.Contains(busy, a.StatusCode) || isOverrun(head) {
		return nil, temporary{err, retryAfter(a.Header.Get("Retry-After"), time.Now())}
	}
	return nil, err
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// A statusError is an answer with a status that was not wanted.
type statusError struct{ code int }

func (e statusError) Error() string {
	return fmt.Sprintf("the server answers %d %s", e.code, http.StatusText(e.code))
}

// ofOne reports whether the answer is about one file alone: others may be asked for.
func (e statusError) ofOne() bool {
	return e.code == http.StatusNotFound || e.code == http.StatusForbidden || e.code == http.StatusGone
}

// isOverrun reports whether the beginning of an answer says that the service has too many questions at once. Readers of
// the Flemish query service met these words.
func isOverrun(head []byte) bool {
	return bytes.Contains(bytes.ToLower(head), []byte("too many sessions"))
}

// ask sends a GET request, and has read take the answer. It ends when no byte comes for c.Idle.
func (c *client) ask(ctx context.Context, address string, header http.Header, wanted []int,
	read func(a *http.Response, body io.Reader) error,
) error {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header = header
	return c.exchange(ctx, r, wanted, read)
}

// exchange is ask for any request.
func (c *client) exchange(ctx context.Context, r *http.Request, wanted []int,
	read func(a *http.Response, body io.Reader) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := c.Idle + c.Header // until the first byte, the transport watches the header
	timer := time.AfterFunc(silence, func() { cancel(fmt.Errorf("no byte for %s", c.Idle)) })
	defer timer.Stop()
	a, err := c.send(ctx, r, wanted)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	return read(a, &body{a.Body, ctx, func() { timer.Reset(c.Idle) }})
}

// A body reads an answer. Its errors are temporary.
type body struct {
	io.Reader
	ctx   context.Context // of the request
	awake func()          // is called when bytes came
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 {
		b.awake()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = temporary{error: cause(b.ctx, err)}
	}
	return n, err
}

// cause returns why ctx ended, or err if it did not end.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}
