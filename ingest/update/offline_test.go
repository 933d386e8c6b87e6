package update

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestCheckNetwork(t *testing.T) {
	t.Setenv("HTTP_PROXY", "")
	t.Setenv("HTTPS_PROXY", "")
	unknown := &net.DNSError{Err: "no such host", IsNotFound: true}
	silent := errors.New("never answers")
	for _, tt := range []struct {
		name      string
		addresses []string
		hosts     map[string]error // what looking them up answers
		want      error
		most      time.Duration
	}{
		{"nothing is found", []string{"https://a.test/x", "https://b.test/"}, map[string]error{"a.test": unknown,
			"b.test": unknown}, errOffline, 0},
		{"one is found", []string{"https://a.test/", "https://b.test/"}, map[string]error{"a.test": unknown,
			"b.test": nil}, nil, 0},
		{"one is found, another never answers", []string{"https://a.test/", "https://b.test/"}, map[string]error{
			"a.test": silent, "b.test": nil}, nil, 0},
		{"no name server", []string{"https://a.test/", "https://b.test/"}, map[string]error{"a.test": silent,
			"b.test": silent}, errOffline, lookUpTime},
		{"a number", []string{"https://a.test/", "http://127.0.0.1:1/"}, map[string]error{"a.test": unknown}, nil, 0},
		{"not an address", []string{"ftp://a.test/"}, nil, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &client{guard: &guard{lookup: func(ctx context.Context, _, host string) ([]netip.Addr, error) {
					err := tt.hosts[host]
					if errors.Is(err, silent) {
						<-ctx.Done()
						err = &net.DNSError{Err: "i/o timeout", IsTimeout: true}
					}
					return nil, err
				}}}
				var files []*File
				for _, address := range tt.addresses {
					files = append(files, &File{Place: Place{URL: address}})
				}
				start := time.Now()
				if err := c.checkNetwork(t.Context(), files); !errors.Is(err, tt.want) || time.Since(start) > tt.most {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(start), tt.want, tt.most)
				}
			})
		})
	}
}

// Without a network every request fails at once with the reason, and nothing waits.
func TestOffline(t *testing.T) {
	c := newClient("relais/test", DefaultLimits, nil)
	c.offline = errOffline
	c.retrying = func(err error, _ time.Duration) { t.Errorf("it waits for %v", err) }
	f := &File{Name: "x", Place: Place{Find: byDataset, URL: "https://a.test/", Match: "x"}}
	if _, err := c.find(t.Context(), f); !errors.Is(err, errOffline) {
		t.Errorf("error %v, want %v", err, errOffline)
	}
}
