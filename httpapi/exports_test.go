package httpapi

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/community"
	"relais/internal/admit"
	"relais/internal/filetest"
	"relais/market"
)

// tenFilters are filters that /antennas and its export share.
var tenFilters = []string{"", "operator=FREE", "generation=5G&operator=ORANGE", "department=75",
	"technology=5G NR 3500&status=en-service", "band=700,800&operator=SFR,BOUYGUES", "operator=FREE,SFR&together=true",
	"bbox=2,48,3,49", "lat=48.8566&lon=2.3522&radiusKm=20", "q=paris"}

// csvRows reads an answer in CSV as rows by the names of their columns.
func csvRows(t testing.TB, text string) (rows []map[string]string) {
	t.Helper()
	return rowsOf(t, csv.NewReader(strings.NewReader(text)))
}

// weeklyRows reads a weekly file, as any reader of such a file would.
func weeklyRows(t testing.TB, path string) (rows []map[string]string) {
	t.Helper()
	text := filetest.Read(t, path)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	r.Comma = ';'
	return rowsOf(t, r)
}

func rowsOf(t testing.TB, r *csv.Reader) (rows []map[string]string) {
	t.Helper()
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("encoding/csv cannot read it: %v", err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// cellOf writes a member of JSON as CSV has it.
func cellOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, cellOf(e))
		}
		return strings.Join(parts, ";")
	}
	return fmt.Sprint(value)
}

// flat returns the members of an object with those of the objects in it.
func flat(o object) object {
	all := object{}
	for name, value := range o {
		if inner, ok := value.(object); ok {
			for name, value := range flat(inner) {
				all[name] = value
			}
		} else {
			all[name] = value
		}
	}
	return all
}

// pagesOf returns all items of a list, page by page.
func pagesOf(t testing.TB, s *Server, target string) (items []object) {
	t.Helper()
	for {
		o := parse(t, get(t, s, fmt.Sprintf("%s&offset=%d", target, len(items))), 200)
		for _, item := range o["data"].([]any) {
			items = append(items, item.(object))
		}
		if o["meta"].(object)["hasMore"] != true {
			return items
		}
	}
}

// compareRows compares the members of items that rows have, and returns how many cells it compared.
func compareRows(t *testing.T, items []object, rows []map[string]string) (compared int) {
	t.Helper()
	if len(items) != len(rows) {
		t.Fatalf("%d rows, want %d", len(rows), len(items))
	}
	for i, item := range items {
		members := flat(item)
		for name, got := range rows[i] {
			want, has := members[name]
			if !has {
				continue
			}
			if compared++; got != cellOf(want) {
				t.Errorf("row %d: %s is %q, want %q", i, name, got, cellOf(want))
			}
		}
	}
	return compared
}

// queryOf escapes the blanks of a query.
func queryOf(text string) string { return strings.ReplaceAll(text, " ", "%20") }

// Each row of the export in CSV, and of a page in CSV, is the summary of /antennas, whatever the filter.
func TestSitesInCSVAgainstTheList(t *testing.T) {
	s := newServer(t)
	for _, filter := range tenFilters {
		t.Run(filter, func(t *testing.T) {
			filter = queryOf(filter)
			items := pagesOf(t, s, "/antennas?limit=1000&"+filter)
			if len(items) < 3 {
				t.Fatalf("only %d sites", len(items))
			}
			w := get(t, s, "/antennas/export?format=csv&"+filter)
			if got, want := w.Header().Get("Content-Type"), "text/csv; charset=utf-8"; got != want {
				t.Errorf("content type %q, want %q", got, want)
			}
			rows := csvRows(t, w.Body.String())
			if n := compareRows(t, items, rows); n < 15*len(items) {
				t.Errorf("only %d cells of %d rows have a member", n, len(items))
			}
			page := get(t, s, "/antennas?limit=3&offset=1&format=csv&"+filter)
			compareRows(t, items[1:min(4, len(items))], csvRows(t, page.Body.String()))
		})
	}
}

// Each row of emissions is an emission of the details that satisfies the filter.
func TestEmissionsInCSVAgainstDetails(t *testing.T) {
	s := newServer(t)
	for filter, accepts := range map[string]func(e object) bool{
		"department=75": func(object) bool { return true },
		"department=75&operator=FREE&technology=5G NR 3500": func(e object) bool {
			return e["operator"] == "FREE" && e["technology"] == "5G NR 3500"
		},
		"department=75&generation=4G,5G&together=true&status=en-service": func(e object) bool {
			return (e["generation"] == "4G" || e["generation"] == "5G") && e["status"] == "En service"
		},
	} {
		t.Run(filter, func(t *testing.T) {
			var want []object
			for _, site := range pagesOf(t, s, "/antennas?limit=1000&"+queryOf(filter)) {
				detail := parse(t, get(t, s, fmt.Sprint("/antennas/", site["siteKey"])), 200)["data"].(object)
				for _, e := range detail["emissions"].([]any) {
					if e := e.(object); accepts(e) {
						e["siteKey"], e["coordinates"], e["postalCode"] = site["siteKey"], site["coordinates"],
							site["location"].(object)["postalCode"]
						want = append(want, e)
					}
				}
			}
			w := get(t, s, "/antennas/export?format=csv&rows=emissions&"+queryOf(filter))
			if n := compareRows(t, want, csvRows(t, w.Body.String())); n < 10*len(want) || n == 0 {
				t.Errorf("only %d cells of %d emissions were compared", n, len(want))
			}
		})
	}
}

// The other lists have the rows of their JSON.
func TestListsInCSVAgainstJSON(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	report(t, s, community.NewReport{})
	for _, target := range []string{"/outages?limit=50", "/outages?limit=1&offset=1", "/speedtests?limit=20&days=365",
		"/coverage/points?limit=20&days=365"} {
		t.Run(target, func(t *testing.T) {
			var items []object
			for _, item := range parse(t, get(t, s, target), 200)["data"].([]any) {
				items = append(items, item.(object))
			}
			w := get(t, s, target+"&format=csv")
			rows := csvRows(t, w.Body.String())
			if n := compareRows(t, items, rows); len(items) == 0 || n != len(items)*len(flat(items[0])) {
				t.Errorf("%d cells of %d rows were compared, want one for each member of JSON", n, len(items))
			}
			if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="relais-fr-`) {
				t.Errorf("Content-Disposition %q", got)
			}
		})
	}
}

// Changes have the rows of their JSON, with what was before and after.
func TestChangesInCSVAgainstJSON(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 3)
	for _, query := range []string{"since=" + w.dates[0] + "&until=" + w.dates[2], "operator=FREE&kind=system-added,status-changed"} {
		t.Run(query, func(t *testing.T) {
			var items []object
			var sides [][2]string
			for _, item := range pagesOf(t, s, "/changes?limit=1000&"+query) {
				var side [2]string
				for i, name := range []string{"before", "after"} {
					if o, is := item[name].(object); is {
						side[i] = cellOf(o["status"])
					}
					delete(item, name)
				}
				items, sides = append(items, item), append(sides, side)
			}
			rows := csvRows(t, get(t, s, "/changes?format=csv&limit=1000&"+query).Body.String())
			rows = rows[:min(1000, len(rows))]
			items = items[:min(1000, len(items))]
			if n := compareRows(t, items, rows); n < 11*len(items) || n == 0 {
				t.Errorf("%d cells of %d rows were compared, want 11 for each", n, len(items))
			}
			for i, row := range rows {
				if got := [2]string{row["statusBefore"], row["statusAfter"]}; got != sides[i] {
					t.Errorf("row %d: statuses %q, want %q", i, got, sides[i])
				}
			}
		})
	}
}

// properties=full has the columns of CSV; without it, the six properties stay.
func TestFullProperties(t *testing.T) {
	s := newServer(t)
	features := func(query string) (list []object) {
		o := parse(t, get(t, s, "/antennas/export?format=geojson&department=75"+query), 200)
		if o["type"] != "FeatureCollection" || o["requestId"] == nil || o["meta"].(object)["format"] != "geojson" {
			t.Fatalf("not a collection with its meta: %.200v", o)
		}
		for _, f := range o["features"].([]any) {
			list = append(list, f.(object))
		}
		return list
	}
	short, full := features(""), features("&properties=full")
	items := pagesOf(t, s, "/antennas?limit=1000&department=75")
	if len(full) != len(items) || len(short) != len(items) {
		t.Fatalf("%d and %d features, want %d", len(short), len(full), len(items))
	}
	for i, f := range full {
		if d := cmp.Diff(short[i]["geometry"], f["geometry"]); d != "" || f["id"] != short[i]["id"] {
			t.Errorf("feature %d: id %v and geometry differ: %s", i, f["id"], d)
		}
		members, properties := flat(items[i]), f["properties"].(object)
		for name, got := range properties {
			if want, has := members[name]; has && !cmp.Equal(got, want) {
				t.Errorf("feature %d: %s is %v, want %v", i, name, got, want)
			}
		}
		for _, name := range strings.Fields("siteKey technologies bands statusByOperator height antennaHeight azimuts commune " +
			"department deployment latestDeploymentDate") {
			if _, has := properties[name]; !has {
				t.Errorf("feature %d has no %s", i, name)
			}
		}
		if got := len(short[i]["properties"].(object)); got != 6 {
			t.Errorf("feature %d has %d properties, want 6", i, got)
		}
	}
}

func TestWrongExports(t *testing.T) {
	s := newServer(t)
	for target, parameter := range map[string]string{
		"/antennas/export?rows=emissions":                      "rows",
		"/antennas/export?properties=full":                     "properties",
		"/antennas/export?sep=semicolon":                       "sep",
		"/antennas?bom=1":                                      "bom",
		"/antennas?format=csv&bom=yes":                         "bom",
		"/antennas/export?format=csv&rows=stations":            "rows",
		"/antennas/export?bbox=1,2,3":                          "bbox",
		"/antennas/export?lat=48":                              "lon",
		"/outages?format=geojson":                              "format",
		"/speedtests?sep=tab&format=csv":                       "sep",
		"/coverage/points?bom=1":                               "bom",
		"/antennas/export?bbox=1,2,3,4&lat=1&lon=1&radiusKm=2": "radiusKm",
	} {
		t.Run(target, func(t *testing.T) {
			if got := parse(t, get(t, s, target), http.StatusBadRequest)["parameter"]; got != parameter {
				t.Errorf("the wrong parameter is %v, want %s", got, parameter)
			}
		})
	}
}

// Files are made once, whole, for all clients, and have a name and no second compression.
func TestFilesAreKept(t *testing.T) {
	s := newServer(t)
	dir := t.TempDir()
	for _, tt := range []struct{ query, contentType, name, magic string }{
		{"format=parquet&operator=FREE", "application/vnd.apache.parquet", "relais-fr-sites.parquet", "PAR1"},
		{"format=parquet&rows=emissions", "application/vnd.apache.parquet", "relais-fr-emissions.parquet", "PAR1"},
		{"format=kmz&lang=fr&department=75", "application/vnd.google-earth.kmz", "relais-fr-sites.kmz", "PK"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			s.files = newFiles(dir, keptBytes)
			first := get(t, s, "/antennas/export?"+tt.query, "Accept-Encoding", "gzip, zstd")
			again := get(t, s, "/antennas/export?"+tt.query)
			h := first.Header()
			if first.Code != 200 || h.Get("Content-Type") != tt.contentType || h.Get("Content-Encoding") != "" ||
				h.Get("Content-Disposition") != `attachment; filename="`+tt.name+`"` {
				t.Errorf("status %d, header %v", first.Code, h)
			}
			if got := h.Get("Content-Length"); got != fmt.Sprint(first.Body.Len()) {
				t.Errorf("Content-Length %s, want %d", got, first.Body.Len())
			}
			if !strings.HasPrefix(first.Body.String(), tt.magic) || first.Body.String() != again.Body.String() {
				t.Errorf("%d and %d bytes that differ, or do not begin with %s", first.Body.Len(), again.Body.Len(), tt.magic)
			}
			if got := len(s.files.entries); got != 1 {
				t.Errorf("%d files are kept of two requests, want 1", got)
			}
			s.files = newFiles("", keptBytes) // where none can be kept, it is made for one client
			streamed := get(t, s, "/antennas/export?"+tt.query, "Accept-Encoding", "gzip")
			if streamed.Body.String() != first.Body.String() || streamed.Header().Get("Content-Encoding") != "" {
				t.Errorf("streamed: %d bytes, want the %d of the kept one", streamed.Body.Len(), first.Body.Len())
			}
		})
	}
}

// A client makes one file at a time; it may still read other answers.
func TestOneFileAtATime(t *testing.T) {
	s := newServer(t)
	first := &answer{request: &request{server: s, client: s.Gate.Clients.List()[0]}}
	if !first.reserve(admit.Cost{Places: 1, Bytes: fileBytes}) {
		t.Fatal("the first file has no place")
	}
	w := get(t, s, "/antennas/export?format=parquet")
	if o := parse(t, w, http.StatusServiceUnavailable); o["code"] != "BUSY" || w.Header().Get("Retry-After") == "" {
		t.Errorf("a second file: %v, Retry-After %q, want BUSY and when to come back", o, w.Header().Get("Retry-After"))
	}
	if w := get(t, s, "/antennas/export?format=csv&department=75"); w.Code != 200 {
		t.Errorf("CSV meanwhile: status %d, want 200", w.Code)
	}
	first.claim.Release()
	if w := get(t, s, "/antennas/export?format=parquet"); w.Code != 200 {
		t.Errorf("once the first is done: status %d, want 200", w.Code)
	}
}
