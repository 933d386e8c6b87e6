package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"relais/market"
)

// The pages of a list in CSV and GeoJSON lead from one to the next, and have the rows of one page in JSON.
func TestLinkedPages(t *testing.T) {
	s := newServer(t)
	archiveWeeks(t, s, 2)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	for target, step := range map[string]string{"/antennas?operator=FREE,ORANGE&format=csv": "20",
		"/changes?kind=system-added&format=csv": "5", "/outages?market=FR&format=csv": "1", "/speedtests?days=365&format=csv": "2",
		"/antennas?operator=FREE,ORANGE&format=geojson": "20", "/changes?kind=system-added&format=geojson": "5"} {
		t.Run(target, func(t *testing.T) {
			query, format, _ := strings.Cut(target, "&format=")
			want, got, pages := len(parse(t, get(t, s, query+"&limit=100"), 200)["data"].([]any)), 0, 0
			for w := get(t, s, target+"&limit="+step); ; pages++ {
				if format == "csv" {
					got += len(csvRows(t, w.Body.String()))
				} else {
					got += len(parse(t, w, 200)["features"].([]any))
				}
				link, found := strings.CutPrefix(w.Header().Get("Link"), "<"+s.BaseURL)
				if !found || pages > 100 {
					break
				}
				next, rel, _ := strings.Cut(link, ">")
				if rel != `; rel="next"` || !strings.Contains(next, "format="+format) {
					t.Fatalf("got the link %q", link)
				}
				w = follow(t, s, next)
			}
			if want < 100 && got != want || got < want || pages == 0 {
				t.Errorf("got %d rows on %d pages and the first, want %d", got, pages, want)
			}
		})
	}
	if got := get(t, s, "/antennas?limit=1").Header().Get("Link"); got != "" {
		t.Errorf("JSON, which has nextOffset, has the link %q", got)
	}
}

// follow asks for an address of an answer.
func follow(t *testing.T, s *Server, target string) *httptest.ResponseRecorder {
	t.Helper()
	_, after, found := strings.Cut(target, "/external/v1")
	if !found {
		t.Fatalf("%q is not in the API", target)
	}
	return get(t, s, after)
}
