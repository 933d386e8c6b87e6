package hook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"relais/internal/publicnet"
)

// Bounds of an attempt.
const (
	attemptTime = 10 * time.Second
	maxHeader   = 16 << 10 // bytes of an answer's header
	maxAnswer   = 4 << 10  // bytes that are read of an answer's body, so that the connection can be used again
	idleTime    = 30 * time.Second
)

// newTransport returns what sends messages: to public addresses, unless private is set, never
// through a proxy.
func newTransport(private bool) *http.Transport {
	return &http.Transport{DialContext: newDialer(private).DialContext, TLSHandshakeTimeout: attemptTime,
		MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleTime, DisableCompression: true}
}

func newDialer(private bool) *net.Dialer {
	d := &net.Dialer{Timeout: attemptTime}
	if !private {
		d.ControlContext = publicnet.Control
	}
	return d
}

// A sender sends messages.
type sender struct {
	client  *http.Client
	private bool
	agent   string // program and version
	now     func() time.Time
}

func (o *Options) sender(now func() time.Time) *sender {
	t := o.Transport
	if t == nil {
		t = newTransport(o.Private)
	}
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender{&http.Client{Transport: t, CheckRedirect: noRedirects}, o.Private,
		strings.TrimSuffix("relais/"+o.Version, "/"), now}
}

// close closes the connections that are kept for the next message.
func (s *sender) close() { s.client.CloseIdleConnections() }

// sign returns webhook-signature.
func sign(key []byte, id, timestamp, body string) string {
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, id+"."+timestamp+"."+body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// send makes one attempt to deliver a body.
func (s *sender) send(ctx context.Context, to *secrets, format Format, id, body string) outcome {
	u, err := url.Parse(to.URL)
	if err == nil && format == Ntfy {
		u, body, err = publication(u, body)
	}
	if err != nil {
		return outcome{why: "the address cannot be read"}
	}
	if u.Scheme != "https" && !s.private {
		return outcome{why: "the address has no TLS: only relais serve --hook-private sends there"}
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(body))
	if err != nil {
		return outcome{why: "the address cannot be read"}
	}
	at := strconv.FormatInt(s.now().Unix(), 10)
	r.Header["Content-Type"] = []string{"application/json"}
	r.Header["User-Agent"] = []string{s.agent}
	r.Header["Webhook-Id"] = []string{id}
	r.Header["Webhook-Timestamp"] = []string{at}
	r.Header["Webhook-Signature"] = []string{sign(to.Secret, id, at, body)}
	a, err := s.client.Do(r)
	if err != nil {
		return outcome{why: reason(err)}
	}
	defer a.Body.Close()
	_, _ = io.CopyN(io.Discard, a.Body, maxAnswer) // its status is known
	switch {
	case a.StatusCode >= 200 && a.StatusCode < 300:
		return outcome{status: a.StatusCode}
	case a.StatusCode == http.StatusGone:
		return outcome{status: a.StatusCode, why: "the receiver answered 410: it wants no more", gone: true}
	case a.StatusCode >= 300 && a.StatusCode < 400:
		return outcome{status: a.StatusCode, why: fmt.Sprintf("the receiver answered %d; redirects are not followed",
			a.StatusCode)}
	}
	return outcome{status: a.StatusCode, why: fmt.Sprintf("the receiver answered %d", a.StatusCode)}
}

// reason returns the cause of a failed request without the address, which may have credentials.
func reason(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", attemptTime)
	}
	const most = 200
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
