package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// A Ranged is a file of a server that is read by ranges. It is a pmtiles.Source.
type Ranged struct {
	client  *client
	address string
	// Version is what the server says of the file, by which a later run knows whether it is the same.
	Version RangedVersion
}

// A RangedVersion identifies the content of a file by its length and the validators of its server, "" if missing.
type RangedVersion struct {
	Bytes              int64
	ETag, LastModified string
}

// String returns a text by which a later run knows the content, "" without validators: the length alone does not tell
// one content from another.
func (v RangedVersion) String() string {
	if v.ETag+v.LastModified == "" {
		return ""
	}
	return fmt.Sprintf("%d %s %s", v.Bytes, v.ETag, v.LastModified)
}

var (
	// errInsecure is about addresses that others could read or change on their way.
	errInsecure = errors.New("want https, except for a server on this machine")
	errNoRanges = errors.New("the server does not send parts of the file (no range requests)")
	// ErrOtherVersion says that a file changed while it was read.
	ErrOtherVersion = errors.New("the file changed on the server while it was read: run the command again, which begins again")
)

// RangesOf returns the file at an address that a person named. program is the version of relais; retrying, which may be
// nil, is told of waits.
func RangesOf(ctx context.Context, address, program string, retrying func(err error, wait time.Duration)) (*Ranged, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if err := checkPrivate(u); err != nil {
		return nil, err
	}
	limits := DefaultLimits
	limits.Whole = 24 * time.Hour // for one range; what ends a range that brings nothing is Idle
	r := &Ranged{client: newClient("relais/"+program, limits, map[string]bool{strings.ToLower(u.Hostname()): true}),
		address: address}
	r.client.retrying = retrying
	r.client.http.CheckRedirect = func(q *http.Request, via []*http.Request) error {
		if err := checkRedirect(q, via); err != nil {
			return err
		}
		return checkPrivate(q.URL)
	}
	return r, r.Copy(ctx, io.Discard, 0, 1) // which sets the version
}

// checkPrivate returns an error for an address without TLS on another machine.
func checkPrivate(u *url.URL) error {
	address, _ := netip.ParseAddr(u.Hostname())
	if u.Scheme == "https" || address.IsLoopback() || u.Hostname() == "localhost" {
		return nil
	}
	return redirectError{fmt.Sprintf("%s: %v", redacted(u), errInsecure)}
}

// Size returns the length of the file in bytes.
func (r *Ranged) Size() int64 { return r.Version.Bytes }

// Close closes the connections.
func (r *Ranged) Close() { r.client.close() }

// Copy writes n bytes of the file, from at on. After a failure that may not happen again it asks for what is missing.
func (r *Ranged) Copy(ctx context.Context, w io.Writer, at, n int64) error {
	if n == 0 {
		return nil
	}
	return r.client.retry(ctx, func(ctx context.Context) error {
		header := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", at, at+n-1)}}
		if strong := r.Version.ETag; strong != "" && !strings.HasPrefix(strong, "W/") {
			header.Set("If-Match", strong)
		}
		wanted := []int{http.StatusPartialContent, http.StatusOK, http.StatusPreconditionFailed}
		return r.client.ask(ctx, r.address, header, wanted, func(a *http.Response, body io.Reader) error {
			if err := r.check(a, at, n); err != nil {
				return err
			}
			read, err := io.Copy(w, io.LimitReader(body, n))
			at, n = at+read, n-read
			if err == nil && n > 0 {
				err = temporary{error: io.ErrUnexpectedEOF}
			}
			return err
		})
	})
}

// check returns an error for an answer that is not the range that was asked for, of the version that was read before.
func (r *Ranged) check(a *http.Response, at, n int64) error {
	switch coding := a.Header.Get("Content-Encoding"); {
	case a.StatusCode == http.StatusPreconditionFailed:
		return ErrOtherVersion
	case a.StatusCode != http.StatusPartialContent:
		return errNoRanges
	case coding != "" && coding != "identity":
		return fmt.Errorf("the server sends it in %q, which was not asked for", coding)
	}
	var first, last, size int64
	text := a.Header.Get("Content-Range")
	if _, err := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &size); err != nil || first != at || last != at+n-1 ||
		size <= last {
		return fmt.Errorf("the server was asked for the bytes %d to %d and answers %q", at, at+n-1, truncate(text, maxShown))
	}
	v := RangedVersion{size, validator(a, "Etag"), validator(a, "Last-Modified")}
	if r.Version == (RangedVersion{}) {
		r.Version = v
	}
	if v != r.Version {
		return ErrOtherVersion
	}
	return nil
}

// validator returns a validator of an answer, "" for one that is too long to keep.
func validator(a *http.Response, name string) string {
	v := a.Header.Get(name)
	if len(v) > maxShown {
		return ""
	}
	return v
}
