package accept

import "testing"

func TestQuality(t *testing.T) {
	for header, want := range map[string]float64{"": 0, "gzip": 1, "br, gzip": 1, "gzip;q=0": 0, "gzip; q=0.000": 0, "*": 1,
		"*, gzip;q=0": 0, "gzip;q=0, *": 0, "GZIP;q=0.5": 0.5, "x-gzip": 1, "br": 0, "*;q=0": 0, "gzip;q=x": 0, "gzip;q=NaN": 0,
		"gzip;q=-1": 0, "notgzip": 0} {
		if got, _ := Quality([]string{header}, "gzip"); got != want {
			t.Errorf("Accept-Encoding %q: %v, want %v", header, got, want)
		}
	}
}
