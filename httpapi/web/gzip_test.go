package web

import "testing"

func TestTakesGzip(t *testing.T) {
	for header, want := range map[string]bool{"": false, "gzip": true, "br, gzip": true, "gzip;q=0": false, "gzip; q=0.000": false,
		"*": true, "*, gzip;q=0": false, "GZIP;q=0.5": true, "br": false, "*;q=0": false, "gzip;q=x": false, "notgzip": false} {
		if got := takesGzip([]string{header}); got != want {
			t.Errorf("Accept-Encoding %q: %t, want %t", header, got, want)
		}
	}
}
