package update

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

// Limits bound how long a download may take.
type Limits struct {
	Connect time.Duration // for the connection, and again for TLS
	Header  time.Duration // from the request to the header of the answer
	Idle    time.Duration // without receiving a byte
	Whole   time.Duration // for a file or catalogue, retries included
	// Tries is how many tries in a row may receive nothing. After a failure relais
	// waits: first Pause, then twice as long each time, or as long as the server asks.
	// It gives up when the server asks for more than MaxPause.
	Tries           int
	Pause, MaxPause time.Duration
}

// DefaultLimits suit files of some hundred megabytes from slow servers.
var DefaultLimits = Limits{
	Connect: 30 * time.Second, Header: time.Minute, Idle: time.Minute, Whole: 2 * time.Hour,
	Tries: 5, Pause: 2 * time.Second, MaxPause: 5 * time.Minute,
}

const (
	maxRedirects = 10
	maxTries     = 100      // in total
	maxDocument  = 16 << 20 // bytes of a catalogue
)

// A client asks the authorities' servers.
type client struct {
	Limits
	agent  string
	http   http.Client
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// offline, if not nil, is the error of every request: there is no network.
	offline error
	reached bool // a server has answered
	// retrying, which may be nil, is told of each wait before another try.
	retrying func(err error, wait time.Duration)
}

// newClient returns a client that connects to public addresses and to the named hosts.
func newClient(agent string, l Limits, named map[string]bool) *client {
	g := newGuard(named, net.Dialer{Timeout: l.Connect})
	return &client{Limits: l, agent: agent, lookup: g.lookup, http: http.Client{
		CheckRedirect: checkRedirect,
		Transport: transport{guarded{&http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: g.dialContext, TLSHandshakeTimeout: l.Connect,
			ResponseHeaderTimeout: l.Header, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 256 << 10,
			IdleConnTimeout: time.Minute,
		}, g}},
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// A redirectError is a refused redirect or address.
type redirectError struct{ text string }

func (e redirectError) Error() string { return e.text }

// A transport refuses redirects with an invalid address. The error of net/http would
// contain the address, and would look like a failure of the network.
type transport struct{ guarded }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := t.guarded.RoundTrip(r)
	if err != nil || a.StatusCode/100 != 3 || a.StatusCode == http.StatusNotModified {
		return a, err
	}
	if _, err := r.URL.Parse(a.Header.Get("Location")); err != nil {
		a.Body.Close()
		return nil, redirectError{fmt.Sprintf("a redirect from %s whose address cannot be read", bareURL(r.URL))}
	}
	return a, nil
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return redirectError{fmt.Sprintf("over %d redirects", maxRedirects)}
	}
	if _, err := parseAddress(r.URL.String()); err != nil {
		return redirectError{fmt.Sprintf("a redirect to %q, which is not an http or https address", bareURL(r.URL))}
	}
	return checkSecure(via[len(via)-1].URL, r.URL)
}

// checkSecure returns an error for a change from https to http.
func checkSecure(from, to *url.URL) error {
	if from.Scheme == "https" && to.Scheme == "http" {
		return redirectError{fmt.Sprintf("%s leads away from https, to %s", bareURL(from), bareURL(to))}
	}
	return nil
}

// A temporary error may not happen again at the next try.
type temporary struct {
	error
	after time.Duration // the wait that the server asks for
}

func (p temporary) Unwrap() error { return p.error }

// retry calls try until it succeeds, fails with an error that is not temporary, or the
// limits are reached. try returns how many bytes it received.
func (c *client) retry(ctx context.Context, try func(ctx context.Context) (came int64, err error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Whole, fmt.Errorf("not done after %s", c.Whole))
	defer cancel()
	pause, failures := c.Pause, 0
	for tries := 1; ; tries++ {
		came, err := try(ctx)
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return cause
		}
		p, ok := errors.AsType[temporary](err)
		if !ok {
			return err
		}
		if failures++; came > 0 {
			pause, failures = c.Pause, 0
		}
		if failures >= c.Tries || tries >= maxTries {
			return fmt.Errorf("%w (after %d tries)", p.error, tries)
		}
		wait := pause + rand.N(pause/4+1)
		if p.after > c.MaxPause {
			return fmt.Errorf("%w; it asks to be left alone for %s", p.error, p.after)
		}
		wait = max(wait, p.after)
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

// get sends a GET request. A status that is not wanted is an error.
func (c *client) get(ctx context.Context, address string, header http.Header, wanted ...int) (*http.Response, error) {
	if c.offline != nil {
		return nil, c.offline
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	r.Header.Set("User-Agent", c.agent)
	a, err := c.http.Do(r)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address, which may contain a key
	}
	if err != nil {
		_, refused := errors.AsType[redirectError](err)
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		unreachable := errors.Is(err, syscall.ENETUNREACH) && !c.reached // waiting makes no network
		if refused || untrusted || unreachable {
			return nil, err
		}
		return nil, temporary{error: cause(ctx, err)}
	}
	c.reached = true
	for _, status := range wanted {
		if a.StatusCode == status {
			return a, nil
		}
	}
	a.Body.Close()
	err = fmt.Errorf("the server answers %d %s", a.StatusCode, http.StatusText(a.StatusCode))
	switch a.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
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

// document downloads a catalogue. It also returns the address after redirects.
func (c *client) document(ctx context.Context, address string) (text []byte, at *url.URL, err error) {
	err = c.retry(ctx, func(ctx context.Context) (int64, error) {
		ctx, awake, stop := c.watch(ctx)
		defer stop()
		a, err := c.get(ctx, address, http.Header{"Accept": {"application/json"}}, http.StatusOK)
		if err != nil {
			return 0, err
		}
		defer a.Body.Close()
		at = a.Request.URL
		text, err = io.ReadAll(io.LimitReader(watched{a.Body, awake}, maxDocument+1))
		if err != nil {
			return 0, temporary{error: cause(ctx, err)}
		}
		if len(text) > maxDocument {
			return 0, fmt.Errorf("over %d bytes", maxDocument)
		}
		return 0, sniff(text)
	})
	return text, at, err
}

// watch returns a context that ends if awake is not called for c.Idle.
func (c *client) watch(ctx context.Context) (_ context.Context, awake, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	silence := c.Idle + c.Header // until the first byte, the transport watches the header
	timer := time.AfterFunc(silence, func() { cancel(fmt.Errorf("no byte for %s", c.Idle)) })
	return ctx, func() { timer.Reset(c.Idle) }, func() { timer.Stop(); cancel(nil) }
}

type watched struct {
	io.Reader
	awake func()
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.awake()
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
