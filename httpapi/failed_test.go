package httpapi

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"relais/auth/access"
	"relais/catalog"
)

// A dataset that cannot be used takes its own routes away, and no others.
func TestFailedStore(t *testing.T) {
	s := newServer(t)
	routes := map[string]string{
		"/anfr/archives":           catalog.Archives,
		"/anfr/archive/2026-01-01": catalog.Archives,
		"/outages":                 catalog.DataOutages,
		"/sites-hs":                catalog.DataOutages,
		"/sites/90000010/photos":   catalog.DataPhotos,
		"/antennas?limit=1":        "",
		"/antennas/90000010":       "",
		"/markets":                 "",
	}
	for _, failed := range []string{catalog.Archives, catalog.DataOutages, catalog.DataPhotos} {
		s.Failed = damaged(failed)
		for path, needs := range routes {
			w := get(t, s, path)
			if needs != failed {
				if w.Code == http.StatusServiceUnavailable {
					t.Errorf("without %s: %s answers %d", failed, path, w.Code)
				}
				continue
			}
			wantError(t, w, 503, "NOT_READY", failed)
			if w.Header().Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", path)
			}
		}
	}
	s.Failed = damaged(catalog.DataPhotos)
	wantError(t, upload(t, s, nil), 503, "NOT_READY", "photos")
	wantError(t, ask(t, s, operationNamed(t, "photos.report"), "", nil, nil), 503, "NOT_READY", "photos")
}

// damaged says that one dataset cannot be used.
func damaged(failed string) func(string) error {
	return func(data string) error {
		if data == failed {
			return errors.New("damaged")
		}
		return nil
	}
}

// While the keys cannot be read every one is answered 503, not 401.
func TestFailedClients(t *testing.T) {
	s := newServer(t)
	s.Gate.Clients = access.FailedClients(errors.New("damaged"), time.Now)
	w := get(t, s, "/antennas?limit=1", "X-API-Key", "rk_0123456789ab_secret")
	wantError(t, w, 503, "NOT_READY", "API keys")
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s = newServer(t)
	s.Gate.Unusable = func() error { return errors.New("damaged") }
	wantError(t, get(t, s, "/antennas?limit=1"), 503, "NOT_READY", "API keys")
	s.Gate.Unusable = func() error { return nil }
	if w := get(t, s, "/antennas?limit=1"); w.Code != http.StatusOK {
		t.Errorf("when they can be read again: got %d, want 200", w.Code)
	}
}
