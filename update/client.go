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
	"net/url"
	"strconv"
	"time"
)

// Limits say how patient a download is.
type Limits struct {
	Connect time.Duration // to a connection, and again to TLS
	Header  time.Duration // from the request to the answer's header
	Idle    time.Duration // without a byte
	Whole   time.Duration // a file, or a catalogue, with all its tries
	// Tries is how often in a row something may fail without a byte having come.
	// After each relais waits, at first Pause and then twice as long, or what the
	// server asks for; MaxPause ends the patience with servers.
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
	maxTries     = 100      // with bytes that came in between
	maxDocument  = 16 << 20 // bytes of a catalogue
)

// A client asks the authorities' servers.
type client struct {
	Limits
	agent string
	http  http.Client
}

// newClient asks public addresses only, and those of the named hosts.
func newClient(agent string, l Limits, named map[string]bool) *client {
	g := newGuard(named, net.Dialer{Timeout: l.Connect})
	return &client{l, agent, http.Client{
		CheckRedirect: checkRedirect,
		Transport: transport{guarded{&http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: g.DialContext, TLSHandshakeTimeout: l.Connect,
			ResponseHeaderTimeout: l.Header, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 256 << 10,
			IdleConnTimeout: time.Minute,
		}, g}},
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// A redirectError says where relais does not follow.
type redirectError struct{ text string }

func (e redirectError) Error() string { return e.text }

// A transport refuses redirects that lead nowhere, in its own words: those of
// net/http repeat the address, and do not differ from a failure of the network.
type transport struct{ guarded }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := t.guarded.RoundTrip(r)
	if err != nil || a.StatusCode/100 != 3 || a.StatusCode == http.StatusNotModified {
		return a, err
	}
	if _, err := r.URL.Parse(a.Header.Get("Location")); err != nil {
		a.Body.Close()
		return nil, redirectError{fmt.Sprintf("a redirect from %s whose address cannot be read", bare(r.URL))}
	}
	return a, nil
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return redirectError{fmt.Sprintf("over %d redirects", maxRedirects)}
	}
	if _, err := address(r.URL.String()); err != nil {
		return redirectError{fmt.Sprintf("a redirect to %q, which is no address of http or https", bare(r.URL))}
	}
	return secure(via[len(via)-1].URL, r.URL)
}

// secure refuses a way from https to http.
func secure(from, to *url.URL) error {
	if from.Scheme == "https" && to.Scheme == "http" {
		return redirectError{fmt.Sprintf("%s leads away from https, to %s", bare(from), bare(to))}
	}
	return nil
}

// A passing error may be gone at the next try.
type passing struct {
	error
	after time.Duration // that the server asks to wait
}

func (p passing) Unwrap() error { return p.error }

// patiently tries until it is done, fails for good, or patience ends. try says how
// many bytes came.
func (c *client) patiently(ctx context.Context, try func(ctx context.Context) (came int64, err error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Whole, fmt.Errorf("not done after %s", c.Whole))
	defer cancel()
	pause, failures := c.Pause, 0
	for tries := 1; ; tries++ {
		came, err := try(ctx)
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return cause
		}
		p, ok := errors.AsType[passing](err)
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
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// get asks for an address. Answers other than those wanted are errors.
func (c *client) get(ctx context.Context, address string, header http.Header, wanted ...int) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	r.Header.Set("User-Agent", c.agent)
	a, err := c.http.Do(r)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address, which may have a key of the user's in its query
	}
	if err != nil {
		_, refused := errors.AsType[redirectError](err)
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		if refused || untrusted {
			return nil, err
		}
		return nil, passing{error: cause(ctx, err)}
	}
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
		return nil, passing{err, retryAfter(a.Header.Get("Retry-After"), time.Now())}
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

// document gets a catalogue. It also returns the address that answered.
func (c *client) document(ctx context.Context, address string) (text []byte, at *url.URL, err error) {
	err = c.patiently(ctx, func(ctx context.Context) (int64, error) {
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
			return 0, passing{error: cause(ctx, err)}
		}
		if len(text) > maxDocument {
			return 0, fmt.Errorf("over %d bytes", maxDocument)
		}
		return 0, sniff(text)
	})
	return text, at, err
}

// watch returns a context that ends when awake is not called for longer than a
// server may be silent.
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

// cause is why ctx ended, err when it did not.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}
