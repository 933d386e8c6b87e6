//go:build linux

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relais/internal/store"
	"relais/internal/tier"
)

// Every request is signed, all that matters of it.
func TestSigned(t *testing.T) {
	signed := regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=someone/[0-9]{8}/us-east-1/s3/aws4_request, ` +
		`SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$`)
	methods := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods += r.Method + " "
		m := signed.FindStringSubmatch(r.Header.Get("Authorization"))
		want := "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
		if r.Method == http.MethodPut {
			want = "content-md5;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-meta-relais-sha256;x-amz-security-token"
		}
		if m == nil || m[1] != want || r.Header.Get("X-Amz-Security-Token") != "token" {
			t.Errorf("%s: got %v, want %s signed", r.Method, r.Header, want)
		}
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		object(w, content)
		if r.Method == http.MethodGet {
			io.WriteString(w, content)
		}
	}))
	defer server.Close()
	t.Setenv("AWS_SESSION_TOKEN", "token")
	s := newS3For(t, server.URL)
	if err := s.put(t.Context(), "x", strings.NewReader(content), int64(len(content))); err != nil {
		t.Error(err)
	}
	r, err := s.get(t.Context(), "x")
	must(t, err)
	r.Close()
	if err := s.remove(t.Context(), []string{"x"}); err != nil {
		t.Error(err)
	}
	if want := "PUT HEAD GET DELETE "; methods != want {
		t.Errorf("got %s, want %s", methods, want)
	}
}

// A watchedBody notices who uses it while somebody else reads it.
type watchedBody struct {
	io.ReadSeeker
	t       *testing.T
	reading atomic.Bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.reading.Store(true)
	defer b.reading.Store(false)
	time.Sleep(time.Millisecond)
	return b.ReadSeeker.Read(p[:min(len(p), 1000)])
}

func (b *watchedBody) Seek(offset int64, whence int) (int64, error) {
	if b.reading.Load() {
		b.t.Error("Seek while it is read")
	}
	return b.ReadSeeker.Seek(offset, whence)
}

// A store may answer before it has the body, which is not used any more then.
func TestEarlyAnswer(t *testing.T) {
	tier.Slow(t)
	server := httptest.NewServer(answer(503, "SlowDown"))
	defer server.Close()
	body := &watchedBody{ReadSeeker: bytes.NewReader(random(1 << 20)), t: t}
	if err := newS3For(t, server.URL).put(t.Context(), "x", body, 1<<20); !errors.Is(err, store.ErrAway) {
		t.Errorf("got %v, want ErrAway", err)
	}
	if body.reading.Load() {
		t.Error("it is still read")
	}
}

// What is wrong with a region is said, with the right one.
func TestWrongRegion(t *testing.T) {
	const message = "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-3'"
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"in the answer", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `<Error><Code>AuthorizationHeaderMalformed</Code><Message>`+message+
				`</Message><Region>eu-west-3</Region><RequestId>1</RequestId></Error>`)
		}},
		{"in its header", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amz-Bucket-Region", "eu-west-3")
			w.WriteHeader(http.StatusMovedPermanently)
			io.WriteString(w, `<Error><Code>PermanentRedirect</Code><Message>Elsewhere</Message></Error>`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.handler)
			defer server.Close()
			err := newS3For(t, server.URL).check(t.Context())
			if got := fmt.Sprint(err); !errors.Is(err, store.ErrAway) || !strings.Contains(got, "in the region eu-west-3") {
				t.Errorf("got %s, want the region", got)
			}
		})
	}
}
