package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is an answer that nobody reads.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkHandler is the cost of an answer without the network.
func BenchmarkHandler(b *testing.B) {
	s := newServer(b)
	tag := get(b, s, "/antennas/90000010").Header().Get("Etag")
	for _, bench := range []struct {
		name, target string
		header       http.Header
	}{
		{"by id", "/antennas/90000010", http.Header{}},
		{"304", "/antennas/90000010", http.Header{"If-None-Match": {tag}}},
		{"bbox", "/antennas?north=48.9&south=48.8&east=2.5&west=2.2&limit=5000", http.Header{}},
		{"bbox gzip", "/antennas?north=48.9&south=48.8&east=2.5&west=2.2&limit=5000", http.Header{"Accept-Encoding": {"gzip"}}},
		{"disc", "/antennas?lat=48.8566&lon=2.3522&radiusKm=5&limit=20", http.Header{}},
		{"q", "/antennas?q=rue+paris&limit=20", http.Header{}},
		{"search", "/antennas/search?q=paris&limit=20", http.Header{}},
		{"lookup", "/antennas/lookup-by-radio?enb=100010", http.Header{}},
		{"departments", "/stats/departments", http.Header{}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := httptest.NewRequest("GET", "http://relais.test"+mount+bench.target, nil)
			r.Header = bench.header
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(discard{http.Header{}}, r)
			}
		})
	}
}
