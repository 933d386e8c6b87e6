package outage

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/site"
)

// listRow is a row as ARCEP's raw<day>.geojson has it: with the properties that GeoTower reads from it every day, in a
// file where geometry can be null and station_anfr empty.
func listRow(operator, station, reason, start, geometry string) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"operateur":%s,"departement":"35","code_postal":"35000",`+
		`"code_insee":"35238","commune":"Rennes","station_anfr":%s,"voix2g":"OK","voix3g":null,"voix4g":"HS","voix5g":"HS",`+
		`"data2g":"OK","data3g":"OK","data4g":"HS","data5g":"HS","voix":"HS","data":"HS","propre":1,"raison":%q,`+
		`"detail":null,"debut_voix":null,"fin_voix":null,"debut_data":null,"fin_data":null,"debut":%q,"fin":null},"geometry":%s}`,
		operator, station, reason, start, geometry)
}

const inRennes = `{"type":"Point","coordinates":[-1.6777,48.1173]}`

func readListOf(t *testing.T, text string) (*List, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "raw2026-11-26.geojson")
	filetest.Write(t, path, text)
	in, err := source.Expand([]string{path})
	must(t, err)
	return ReadList(context.Background(), market.FR, in[0])
}

func collection(rows ...string) string {
	return `{"type":"FeatureCollection","features":[` + strings.Join(rows, ",\n") + "]}"
}

func TestReadList(t *testing.T) {
	l, err := readListOf(t, collection(
		listRow(`"Orange"`, `"352900123"`, "MAINT", "2026-11-26T04:00:00", inRennes),
		listRow(`"Orange"`, `"0352900123"`, "INT", "2026-11-26 06:10", inRennes),         // the same, and an incident
		listRow(`"ORANGE"`, `352900123`, "INT", "2026-11-25 23:30:00", "null"),           // began earlier
		listRow(`"Free Mobile"`, `null`, "INT", "2026-11-26 01:00:00", inRennes),         // no station
		listRow(`"SFR"`, `""`, "INT", "2026-11-26 01:00:00", "null"),                     // neither
		listRow(`"Opérateur X"`, `"0352900124"`, "INT", "2026-11-26 01:00:00", inRennes), // nobody knows
		listRow(`"Bouygues Telecom"`, `"0352900125"`, "INT", "soon", "null"), `7`))
	must(t, err)
	want := map[string]int{again: 2, noPlace: 1, unknownOperator: 1, "not an object": 1}
	if fmt.Sprint(l.Report.Rejected) != fmt.Sprint(want) || l.Report.Rows != 8 || l.Report.Served != 3 ||
		len(l.Report.Unknown) != 1 || l.Report.Unknown[0].Name != "Opérateur X" {
		t.Errorf("got %+v, want %v rejected of 8", l.Report, want)
	}
	if got := strings.Join(l.Operators, " "); got != "BOUYGUES ORANGE FREE" {
		t.Errorf("got the operators %s, want those with rows", got)
	}
	said := ""
	for _, e := range l.Entries {
		said += fmt.Sprintln(e.Operator, e.Code, e.Area, e.Unplaced, e.Reason, e.Began().Format(time.RFC3339), e.Services.Voice4G,
			e.Services.Data2G, e.Services.Voice3G == "", e.Severity())
	}
	if want := `BOUYGUES 0352900125 35 true INT 0001-01-01T00:00:00Z HS OK true degraded
FREE 48.1173,-1.6777 35 false INT 2026-11-26T00:00:00Z HS OK true degraded
ORANGE 0352900123 35 false INT 2026-11-25T22:30:00Z HS OK true degraded
`; said != want {
		t.Errorf("got\n%swant\n%s", said, want)
	}
}

// A file that would say that all sites work is refused.
func TestListsThatAreRefused(t *testing.T) {
	row := listRow(`"Orange"`, `"0352900123"`, "INT", "", inRennes)
	for _, tt := range []struct{ name, text, want string }{
		{"a web page", "<html>", "not JSON"},
		{"an error", `{"error":"busy"}`, `no list "features"`},
		{"nothing", `{"features":[]}`, "the list is empty"},
		{"cut", collection(row)[:300], "ends in the middle"},
		{"another operator", collection(listRow(`"X"`, `"1"`, "INT", "", inRennes)), "unknown operator"},
		{"no statuses", strings.NewReplacer(`"HS"`, "null", `"OK"`, "null").Replace(collection(row)), "status of a service"},
		{"elsewhere", collection(listRow(`"Orange"`, `"1"`, "INT", "", `{"coordinates":[3,4]}`)), "outside the market"},
		{"Lambert", collection(listRow(`"Orange"`, `"1"`, "INT", "", `{"coordinates":[352000,6789000]}`)), "not a number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if l, err := readListOf(t, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v, want an error with %q", l, err, tt.want)
			}
		})
	}
}

// The newest list is the feed of the operators that it names. An operator's own file comes first when it is newer, and
// of an update only when the list is too old.
func TestTakeList(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	s, err := Open(storetest.New(t, Buckets...), func() time.Time { return now })
	must(t, err)
	l, err := readListOf(t, collection(listRow(`"Orange"`, `"352900123"`, "INT", "2026-11-26 06:10", inRennes),
		listRow(`"Orange"`, `"352900124"`, "INT", "2026-11-26 06:10", "null")))
	must(t, err)
	day := site.DateOf(2026, 11, 26)
	if taken, err := s.TakeList(day-3, l); err != nil || len(taken) > 0 {
		t.Errorf("of three days ago: got %v, %v, want none", taken, err)
	}
	taken, err := s.TakeList(day, l)
	must(t, err)
	f := s.Feeds(market.FR)[2]
	if fmt.Sprint(taken) != "[ORANGE]" || f.Served != 1 || f.Rejected[noPosition] != 1 || f.ListDay != "2026-11-26" || !f.Available(now) {
		t.Errorf("got %v and %+v, want ORANGE with one site, and one without a position", taken, f)
	}
	if n, err := Check(s.db); n != 1 || err != nil {
		t.Errorf("Check: got %d, %v, want 1", n, err)
	}
	path := filetest.New(t, "hs.csv", fmt.Sprintf(header, "ORANGE")+rowOf("7"))
	for _, tt := range []struct {
		hours int
		want  string
	}{{0, "0352900123"}, {49, "7"}} {
		now = now.Add(time.Duration(tt.hours) * time.Hour)
		_, err := s.Take(context.Background(), market.FR, News{Operator: "ORANGE", File: path})
		must(t, err)
		if got := s.Entries(Query{Market: market.FR}); len(got) != 1 || got[0].Code != tt.want {
			t.Errorf("after %d hours: got %+v, want %s", tt.hours, got, tt.want)
		}
	}
	if taken, err := s.TakeList(day, l); err != nil || len(taken) > 0 {
		t.Errorf("an older list: got %v, %v, want none", taken, err)
	}
}

// While the list of all operators is fresh, the failure of an operator's own file does not take it away.
func TestListOutlivesOwnFile(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	day := site.DateOf(c.at.Year(), int(c.at.Month()), c.at.Day())
	l := &List{Market: market.FR, Operators: []string{"SFR"}}
	if got, err := s.TakeList(day, l); err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v, want SFR", got, err)
	}
	c.at = c.at.Add(time.Hour)
	if _, err := s.Take(t.Context(), market.FR, News{Operator: "SFR", Failed: "HTTP 503"}); err != nil {
		t.Fatal(err)
	}
	if f := s.Feeds(market.FR)[0]; f.State() != Available || !f.Listed(c.at) {
		t.Errorf("after its own file failed: got %+v, want the list", f)
	}
	c.at = c.at.Add(freshTime)
	if _, err := s.Take(t.Context(), market.FR, News{Operator: "SFR", Failed: "HTTP 503"}); err != nil {
		t.Fatal(err)
	}
	if f := s.Feeds(market.FR)[0]; f.State() != Failed {
		t.Errorf("when the list is too old: got %s, want failed", f.State())
	}
}
