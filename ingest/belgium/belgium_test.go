package belgium

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A row of the register, in text as it stands in a file.
type row struct{ id, approved, sitecode, location, operator, number, geometry string }

func at(x, y float64) string {
	return fmt.Sprintf(`{"type":"Point","coordinates":[%.4f,%.4f]}`, x, y)
}

func (r row) String() string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"id":%s,"goedkeuringsdatum":%q,"sitecode":%q,"locatiebeschrijving":%q,"operatornaam":%q,"referentie":"PLANTED","conformiteitsattest":"https:\/\/x\/PLANTED","dossiernummer":%q},"geometry":%s}`,
		r.id, r.approved, r.sitecode, r.location, r.operator, r.number, r.geometry)
}

const crs = `"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::31370"}},`

func collection(head string, rows ...string) string {
	return `{"type":"FeatureCollection",` + head + "\n\"features\":[\n" + strings.Join(rows, ",\n") + "]}"
}

// files writes texts into files and finds out what they are.
func files(t testing.TB, texts ...string) []source.Found {
	t.Helper()
	dir := t.TempDir()
	var list []source.Found
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("part%d.json", i))
		filetest.Write(t, path, text)
		list = append(list, sourcetest.Detect(t, path, Kinds))
	}
	return list
}

// build reads the files and returns the sites by id, as they come out of a
// snapshot.
func build(t testing.TB, list []source.Found) (*snapshot.Snapshot, map[string]site.Site, []*source.Report) {
	t.Helper()
	builders, reports, err := Build(list, []*market.Market{market.Get(market.BE)}, nil)
	must(t, err)
	sourcetest.WantAccounted(t, reports...)
	if builders[0].Len() == 0 {
		return nil, map[string]site.Site{}, reports
	}
	path := filepath.Join(t.TempDir(), "BE.snap")
	if _, err := builders[0].Write(path); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "PLANTED") {
		t.Errorf(`what is not to be read is in the snapshot (%v); want no error, string(text) without "PLANTED"`, err)
	}
	snap, err := snapshot.ReadFile(path, market.BE)
	must(t, err)
	return snap, snapshottest.Sites(t, snap), reports
}

// key returns the operator of a station.
func key(s site.Station) string { return market.Get(market.BE).Operators[s.Operator].Key }

// One item is one place: the newest dossier of each operator, and the id of the
// first entry.
func TestPlace(t *testing.T) {
	rows := []string{
		row{"30", "2015-08-31T20:00:00+00:00", " A-1 ", "Korenlei  10, 9000 GENT", "Proximus NV", "00001_001",
			at(104500, 194000)}.String(),
		row{"40", "2018-03-05T10:11:12.500001+00:00", "_OV1", "Korenlei 12, 9000 Gent", "Telenet Group BVBA", "103272",
			at(104505, 194000)}.String(),
		row{"20", "2013-12-31T22:00:00", "A-0", "Korenlei 10, 9000 Gent", "Proximus NV", "00001_000",
			at(104502, 194003)}.String(),
		row{"50", "2013-12-31T23:00:00", "C1 & C2", "Korenlei 11, 9000 Gent", "Mobistar n.v.", "00777_001",
			at(104502, 193993)}.String(),
		row{"60", "", "far", "", "Citymesh", "9", at(104502, 194013.0001)}.String(),
	}
	snap, sites, reports := build(t, files(t, collection(crs, rows...)))
	s := sites["20"]
	if len(sites) != 2 || len(s.Stations) != 3 || s.SourceCode != "00001_001" || s.Area != -1 || site.Known(s.Height) {
		t.Fatalf(`%d sites; %+v; want len(sites) = 2, len(s.Stations) = 3, s.SourceCode = "00001_001", s.Area = `+
			"-1, !site.Known(s.Height)", len(sites), s)
	}
	for i, want := range []struct{ operator, code, sitecode, on string }{
		{"PROXIMUS_BE", "00001_001", "A-1", "2015-08-31"},
		{"TELENET_BASE_BE", "103272", "_OV1", "2018-03-05"},
		{"ORANGE_BE", "00777_001", "C1 & C2", ""},
	} {
		st, e := s.Stations[i], s.Emissions[i]
		if key(st) != want.operator || st.Code != want.code || st.OperatorSiteID != want.sitecode ||
			e.On.String() != want.on {
			t.Errorf("station %+v, emission %+v, want %v", st, e, want)
		}
		if e.Station != i || e.System != "" || e.Generation != 0 || e.Status != noStatus {
			t.Errorf(`emission %+v; want e.Station = %v, e.System = "", e.Generation = 0, e.Status = %v`,
				e, i, noStatus)
		}
	}
	if s.Address[0] != "Korenlei 12" || s.PostalCode != "9000" || s.Commune != "Gent" {
		t.Errorf(`the newest dossier's address: %+v; want s.Address[0] = "Korenlei 12", s.PostalCode = "9000", `+
			`s.Commune = "Gent"`, s)
	}
	if far := sites["60"]; far.Emissions[0].On != 0 || far.PostalCode != "" || far.Address[0] != "" {
		t.Errorf(`far = %+v; want far.Emissions[0].On = 0, far.PostalCode = "", far.Address[0] = ""`, far)
	}
	if want := map[string]int{"superseded by a newer dossier": 1}; !maps.Equal(reports[0].Rejected, want) ||
		reports[0].Examples[0].Line != 5 {
		t.Errorf("reports[0] = %+v; want reports[0].Rejected = %v, reports[0].Examples[0].Line = 5", reports[0], want)
	}
	if snap.UpdatedAt != "2018-03-05T10:11:12" || snap.SourceDate != "2018-03-05" || snap.Statuses == nil ||
		len(snap.Statuses) > 0 {
		t.Errorf(`snap.Meta = %+v; want snap.UpdatedAt = "2018-03-05T10:11:12", snap.SourceDate = "2018-03-05", `+
			"snap.Statuses != nil, len(snap.Statuses) = 0", snap.Meta)
	}
}

// The order of rows and files changes nothing: neither what is served nor how much
// is rejected for what.
func TestOrder(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(1, 2))
	operators := []string{"Proximus NV", "Telenet Group BVBA", "Orange Belgium NV", "Citymesh", "ASTRID"}
	var rows, list []string
	for i := range 3000 {
		line := row{fmt.Sprint(1000 + i), fmt.Sprintf("20%02d-05-06T07:08:%02d", 14+r.IntN(5), r.IntN(3)),
			fmt.Sprint("S", i), "Straat 1, 9000 Gent",
			operators[r.IntN(len(operators))], fmt.Sprint(i), at(104000+200*r.Float64(), 194000+200*r.Float64())}
		rows = append(rows, line.String())
		if i%10 == 0 {
			if i%20 == 0 {
				line.sitecode = "other"
			}
			rows = append(rows, line.String())
		}
	}
	for i := range 300 {
		list = append(list, biptRow(map[string]string{"ID": fmt.Sprint(i + 1), "X": fmt.Sprint(104000 + r.IntN(250)),
			"Y":      fmt.Sprint(194000 + r.IntN(250)),
			"Status": []string{"O", "A", "R"}[r.IntN(3)], "Eigenaar1": operators[r.IntN(5)] + ": x" + fmt.Sprint(i)}))
	}
	want := ""
	for range 6 {
		half := len(rows) / 2
		_, sites, reports := build(t,
			files(t, collection(crs, rows[:half]...), collection(crs, rows[half:]...), biptList(list...)))
		counts := map[string]int{}
		for _, r := range reports {
			for reason, n := range r.Rejected {
				counts[reason] += n
			}
		}
		got := fmt.Sprintf("%v %+v", counts, sites) // as text: an unknown number is not equal to itself
		if want == "" {
			want = got
		}
		if got != want || len(sites) < 200 || len(counts) != 5 {
			t.Fatalf("%d sites, %v; want got = %v, len(sites) >= 200, len(counts) = 5", len(sites), counts, want)
		}
		for _, s := range [][]string{rows, list} {
			r.Shuffle(len(s), func(i, k int) { s[i], s[k] = s[k], s[i] })
		}
	}
}

// A file without any date of its own is of the day in its name, else of the day on
// which it was last modified.
func TestDate(t *testing.T) {
	text := collection(crs, row{"1", "soon", "", "", "Citymesh", "", at(104000, 194000)}.String())
	dir := t.TempDir()
	for _, tt := range []struct{ name, want string }{
		{"be.json", "2021-06-30T12:00:00"},
		{"be_20240229_20249999.json", "2024-02-29T00:00:00"},
		{"2020-01-01_2022-03-04.json", "2022-03-04T00:00:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			filetest.Write(t, path, text)
			must(t, os.Chtimes(path, time.Time{}, time.Date(2021, 6, 30, 12, 0, 0, 0, time.UTC)))
			if snap, _, _ := build(t, []source.Found{sourcetest.Detect(t, path, Kinds)}); snap.UpdatedAt != tt.want ||
				snap.SourceDate != tt.want[:10] {
				t.Errorf("%s: %+v, want %s", tt.name, snap.Meta, tt.want)
			}
		})
	}
}

func TestDateOfApprovals(t *testing.T) {
	dated := func(date string) string {
		return row{"1", date, "", "", "Citymesh", "", at(104000, 194000)}.String()
	}
	mistyped := row{"2", "2091-05-06T07:08:09", "", "", "Citymesh", "", at(105000, 194000)}.String()
	list := biptList(biptRow(map[string]string{"Eigenaar1": "Telenet: t"}))
	for i, tt := range []struct {
		name, text, other string // in which BIPT's list is
		want, file        string
	}{
		{"be.json", collection(crs, dated("2020-01-02T03:04:05"), mistyped), "", "2020-01-02T03:04:05", "2020-01-02"},
		{"be.json", collection(crs, mistyped), "", "2021-06-30T12:00:00", "2021-06-30"},
		{"be_2024-05-06.json", collection(crs, dated("2020-01-02")), "", "2024-05-06T00:00:00", "2024-05-06"},
		// no date of the file
		{"be_2013-01-01.json", collection(crs, dated("2020-01-02")), "", "2020-01-02T00:00:00", "2020-01-02"},
		// BIPT's is only guessed
		{"be.json", collection(crs, dated("2020-01-02")), "bipt.json", "2020-01-02T00:00:00", "2020-01-02"},
		{"be.json", collection(crs, dated("2020-01-02")), "bipt_20190101.json", "2020-01-02T00:00:00", "2020-01-02"},
		{"be.json", collection(crs, dated("2020-01-02")), "bipt_20210101.json", "2021-01-01T00:00:00", "2020-01-02"},
	} {
		dir, list := t.TempDir(), map[string]string{tt.name: tt.text, tt.other: list}
		var both []source.Found
		for _, name := range []string{tt.name, tt.other} {
			if name == "" {
				continue
			}
			path := filepath.Join(dir, name)
			filetest.Write(t, path, list[name])
			must(t, os.Chtimes(path, time.Time{}, time.Date(2021, 6, 30, 12, 0, 0, 0, time.UTC)))
			both = append(both, sourcetest.Detect(t, path, Kinds))
		}
		snap, _, reports := build(t, both)
		if snap.UpdatedAt != tt.want || snap.SourceDate != tt.want[:10] || reports[0].Date != tt.file {
			t.Errorf("%d: %s, %s, the file %s, want %s, %s", i, snap.SourceDate, snap.UpdatedAt, reports[0].Date,
				tt.want, tt.file)
		}
		if future := strings.HasPrefix(reports[0].Warning,
			"1 approvals are dated later than tomorrow"); future != strings.Contains(tt.text, "2091") {
			t.Errorf("%d: warning %q, future %v, want future = %v", i, reports[0].Warning, future,
				strings.Contains(tt.text, "2091"))
		}
	}
}

func TestParseApproval(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"2018-08-07T13:26:43.224998+00:00", "2018-08-07T13:26:43 2018-08-07"},
		{"2020-09-26T08:42:13", "2020-09-26T08:42:13 2020-09-26"},
		{"2014-01-01T00:00:00+02:00", "2014-01-01T00:00:00 2014-01-01"},
		{"2014-01-02", "2014-01-02T00:00:00 2014-01-02"},
		{"2013-12-31T22:00:00+00:00", "2013-12-31T22:00:00 "},
		{"2018-02-30T00:00:00", " "},
		{"0001-01-01", " "},
		{"", " "},
		{"20180807", " "},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if a := parseApproval(tt.text); a.text+" "+a.day().String() != tt.want {
				t.Errorf(`tt.text = %s, a.text = %q, a.day() = %s; want a.text+" "+a.day().String() = %v`, tt.text,
					a.text, a.day(), tt.want)
			}
		})
	}
	zones := []string{"2014-01-01T00:30:00+02:00", "2013-12-31T23:00:00", "2014-01-01T00:30:00+01:00"}
	if !slices.IsSortedFunc(zones, func(a, b string) int { return parseApproval(a).compare(parseApproval(b)) }) {
		t.Error("moments are compared without their zones")
	}
}
