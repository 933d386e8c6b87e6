package admin

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/community"
	"relais/ingest/update"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// realMeasures has 97 rows of ARCEP's campaign of 2025.
const realMeasures = "../../shared/data/field/arcep_qos_2025_real_rows.csv"

// What an update fetched reaches the stores by a server and without one.
func TestTakeMeasures(t *testing.T) {
	if _, err := os.Stat(realMeasures); err != nil {
		t.Skip("the real rows are not there")
	}
	text := filetest.Read(t, realMeasures)
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		take := func(text []byte) (got update.Taken) {
			t.Helper()
			path := filetest.New(t, "2025_QoS_Metropole_data_habitations.csv", text)
			must(t, Call(t.Context(), dir, TakeMeasures{Market: market.FR, Path: path}, &got, quiet))
			return got
		}
		got := take(text)
		if len(got.Files) != 2 || got.Refused != "" || got.Files[0].Served == 0 || got.Files[1].Served == 0 {
			t.Errorf("served %v: got %+v, want speedtests and coverage points", served, got)
		}
		if got = take(text); got.Files[0].Served+got.Files[1].Served > 0 || got.Refused != "" {
			t.Errorf("served %v: got %+v again, want duplicates only", served, got)
		}
		if got = take([]byte("a;b\n1;2\n")); got.Refused == "" || len(got.Files) > 0 {
			t.Errorf("served %v: got %+v, want another table refused", served, got)
		}
	}
	missing := TakeMeasures{Market: market.FR, Path: "/no/such/file"}
	if err := Call(t.Context(), folder.Dir(t.TempDir()), missing, &update.Taken{}, quiet); err == nil {
		t.Error("a file that cannot be read was refused as if it were wrong")
	}
}

// dayList is a list in the form of ARCEP's raw<day>.geojson, with the names of properties that readers of it ask for.
const dayList = `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2.35,48.85]},
"properties":{"operateur":"Orange","departement":"75","commune":"Paris","station_anfr":"0752290012","voix4g":"HS","data4g":"HS",
"voix":"HS","data":"HS","propre":1,"raison":"INT","debut":"2026-01-02 03:04:05"}}]}`

// daysList is dayList with sites.
func daysList(sites int) string {
	head, rest, _ := strings.Cut(dayList, "[")
	feature := strings.TrimSuffix(rest, "]}")
	var all []string
	for i := range sites {
		all = append(all, strings.Replace(feature, "0752290012", fmt.Sprint("07522900", 10+i), 1))
	}
	return head + "[" + strings.Join(all, ",") + "]}"
}

func TestTakeOutageDays(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		take := func(files ...update.DayFile) (got update.Taken) {
			t.Helper()
			must(t, Call(t.Context(), dir, TakeOutageDays{market.FR, files}, &got, quiet))
			return got
		}
		list := filetest.New(t, "latest.geojson", dayList)
		if got := take(); len(got.Days) != 0 {
			t.Errorf("got %+v, want an empty archive", got)
		}
		var got update.Taken
		for _, day := range []string{"2026-01-02", "2026-01-03", "2026-01-06"} {
			got = take(update.DayFile{Day: day, Path: list})
		}
		if !slices.Equal(got.Days, []string{"2026-01-02", "2026-01-03", "2026-01-06"}) || len(got.Files) != 1 ||
			got.Files[0].Served != 1 {
			t.Errorf("served %v: got %+v, want three days", served, got)
		}
		bad := filetest.New(t, "other.geojson", strings.Replace(dayList, "features", "things", 1))
		if got = take(update.DayFile{Day: "2026-01-07", Path: bad}); got.Refused == "" {
			t.Errorf("served %v: got %+v, want a list without features refused", served, got)
		}
		if got = take(); len(got.Days) != 3 {
			t.Errorf("served %v: got %+v, want the three days as before", served, got)
		}
		today := time.Now().UTC().Format(time.DateOnly)
		whole, cut := filetest.New(t, "whole.geojson", daysList(40)), filetest.New(t, "cut.geojson", daysList(3))
		take(update.DayFile{Day: today, Path: whole})
		sites := func() int {
			t.Helper()
			var l OutageList
			orange := community.ReportFilter{Market: market.FR, Operator: "ORANGE"}
			must(t, Call(t.Context(), dir, ListOutages{orange, Page{Limit: 1}}, &l, quiet))
			return l.Feeds[0].Served
		}
		if got = take(update.DayFile{Day: today, Path: cut}); !strings.Contains(got.Refused, "it has 3 sites") || sites() != 40 {
			t.Errorf("served %v: got %+v and %d sites of today, want a cut list refused, and 40", served, got, sites())
		}
		if got = take(update.DayFile{Day: today, Path: cut, Force: true}); got.Refused != "" || sites() != 3 {
			t.Errorf("served %v: got %+v and %d sites of today, want 3", served, got, sites())
		}
	}
}
