package update

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"relais/internal/filetest"
)

// localHost is the machine of the tests, named by a table.
var localHost = map[string]bool{"127.0.0.1": true}

// counting returns a server that counts its requests. If to is not empty it redirects there.
func counting(t *testing.T, to string) (s *httptest.Server, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	t.Cleanup(s.Close)
	return s, asked
}

// wantRefused checks that an address is refused at the first try.
func wantRefused(t *testing.T, c *client, address string) {
	t.Helper()
	tries := 0
	err := c.retry(t.Context(), func(ctx context.Context) error {
		tries++
		_, err := c.get(ctx, address, http.Header{}, http.StatusOK)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "to allow it, name the host") || tries != 1 {
		t.Errorf(`%s: %v after %d tries; want an error with "to allow it, name the host", tries = 1`, address, err,
			tries)
	}
}

// localhost returns a server's address with a host name.
func localhost(s *httptest.Server) string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

// No request reaches the user's own network: not by name, address or redirect.
func TestPrivateAddresses(t *testing.T) {
	inner, asked := counting(t, "")
	c := newClient("relais/test", quick, nil)
	defer c.close()
	for _, address := range []string{inner.URL, localhost(inner), "http://169.254.169.254/latest/meta-data",
		"http://[::1]:1/", "http://10.0.0.1/"} {
		wantRefused(t, c, address)
	}
	outer, followed := counting(t, localhost(inner)+"/secret")
	known := newClient("relais/test", quick, localHost)
	defer known.close()
	wantRefused(t, known, outer.URL)
	if asked.Load() != 0 || followed.Load() != 1 {
		t.Errorf("the inner server was asked %d times, the outer one %d; want asked.Load() = 0, followed.Load() = 1",
			asked.Load(), followed.Load())
	}
}

// Hosts of the user's own table may be anywhere; hosts of the built-in table must be public.
func TestNamedHost(t *testing.T) {
	s, asked := counting(t, "")
	path := filepath.Join(t.TempDir(), "sources.json")
	text := `{"files":[{"name":"a","market":"FR","find":"url","url":"` + strings.Replace(localhost(s), "localhost",
		"LOCALHOST", 1) + `/a.csv","licence":"none"}]}`
	filetest.Write(t, path, text)
	own, err := ReadTable(path)
	must(t, err)
	c := newClient("relais/test", quick, own.ownHosts())
	defer c.close()
	a, err := c.get(t.Context(), localhost(s)+"/a.csv", http.Header{}, http.StatusOK)
	must(t, err)
	a.Body.Close()
	wantRefused(t, c, s.URL) // another host at the same address
	shipped, err := Default()
	if err != nil || len(shipped.ownHosts()) != 0 || asked.Load() != 1 {
		t.Errorf("%v, %v, asked %d times; want no error, len(shipped.hosts()) = 0, asked.Load() = 1",
			shipped.ownHosts(),
			err, asked.Load())
	}
}

// A proxy may be anywhere, but must be asked for public addresses only.
func TestProxy(t *testing.T) {
	proxy, asked := counting(t, "")
	at, err := url.Parse(proxy.URL)
	must(t, err)
	c := newClient("relais/test", quick, map[string]bool{"named.test": true})
	defer c.close()
	c.guard.Proxy = http.ProxyURL(at)
	c.guard.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		switch host {
		case "public.test":
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		case "inner.test", "named.test":
			return []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("10.0.0.1")}, nil
		}
		return nil, errors.New("no such host")
	}
	for n, address := range []string{"http://public.test/", "http://93.184.216.34/", "http://named.test/",
		"http://known-to-the-proxy.test/"} {
		a, err := c.get(t.Context(), address, http.Header{}, http.StatusOK)
		if err != nil || asked.Load() != int64(n+1) {
			t.Fatalf("%s: %v, the proxy was asked %d times; want no error, asked.Load() = int64(n+1)", address, err,
				asked.Load())
		}
		a.Body.Close()
	}
	for _, address := range []string{"http://inner.test/", "http://169.254.169.254/latest", "http://127.0.0.1:1/",
		"http://[::1]/", "https://10.0.0.1/"} {
		wantRefused(t, c, address)
	}
	if asked.Load() != 4 {
		t.Errorf("the proxy was asked %d times, want 4", asked.Load())
	}
}
