package bakom

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// A row is what a test says of a feature; what is "" is as most have it.
type row struct{ station, at, class, technology, permission string }

func (r row) String() string {
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return strings.TrimPrefix(s, "-") // "-" stands for an empty text
	}
	at := or(r.at, "[2600000,1200000]")
	if at[0] == '[' {
		at = `{"type":"Point","coordinates":` + at + `}`
	}
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	return fmt.Sprintf(`{"type":"Feature","geometry":%s,"properties":{"station":%s,"koord":"","typ_en":%s,"techno_en":%s,"bewilligung_en":%s}}`,
		at, text(r.station), text(or(r.class, "Outdoor > 6 Werp")), text(or(r.technology, "Technology 3G,4G,5G")),
		text(or(r.permission, "Site data sheet 2023-08-08")))
}

const head = `{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:2056"}},"features":[`

func collection[T fmt.Stringer](rows ...T) string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.String()
	}
	return head + "\n" + strings.Join(list, ",\n") + "\n]}"
}

func build(t testing.TB, name, text string) ([]*snapshot.Builder, []*source.Report, error) {
	t.Helper()
	path := filetest.New(t, name, text)
	f, err := source.Detect(&source.Input{Path: path}, Kinds)
	must(t, err)
	if f.Kind == nil {
		f.Kind = Kinds[0]
	}
	return Build([]source.Found{f}, []*market.Market{market.Get(market.CH)}, nil)
}

// sites reads the snapshot back.
func sites(t testing.TB, b *snapshot.Builder) (*snapshot.Snapshot, map[string]site.Site) {
	t.Helper()
	s := snapshottest.Reread(t, b)
	return s, snapshottest.Sites(t, s)
}

func good(t testing.TB, rows ...row) (*source.Report, *snapshot.Snapshot, map[string]site.Site) {
	t.Helper()
	b, reports, err := build(t, "x.json", collection(rows...))
	must(t, err)
	s, all := sites(t, b[0])
	r := reports[0]
	sourcetest.WantAccounted(t, r)
	if r.Rows != len(rows) || r.Served != len(all) {
		t.Errorf("%d rows, %d served as %d sites; want %d rows, and a site for each that is served", r.Rows, r.Served,
			len(all), len(rows))
	}
	return r, s, all
}

func TestSite(t *testing.T) {
	r, snap, all := good(t,
		row{station: "Salt BE_1014A"},
		row{station: " Sunrise  TI242-1 ", at: "[2600000.0,1200000,512]", class: "Indoor ≤ 6 Werp",
			technology: "Technology 4G", permission: "Due to its low transmitting power."},
		row{station: "SWISSCOM A&amp;B/C ü", class: "Outdoor &gt; 6 Werp", technology: "-",
			permission: "Site data sheet 2025-12-12"},
		row{station: "Swisscom STSB", class: "-", technology: "Technology : 2G, 5G,6G",
			permission: "Site data sheet 2999-01-01"})
	if snap.SourceDate != "2025-12-12" || snap.UpdatedAt != "2025-12-12T00:00:00" || snap.Synthetic {
		t.Errorf(`of %q, %q; want snap.SourceDate = "2025-12-12", snap.UpdatedAt = "2025-12-12T00:00:00", `+
			"!snap.Synthetic", snap.SourceDate, snap.UpdatedAt)
	}
	if r.Date != "2025-12-12" || !strings.Contains(r.Warning, "; 1 data sheets are dated later than tomorrow") {
		t.Errorf(`%s, warning %q; want r.Date = "2025-12-12", r.Warning with "; 1 data sheets are dated later `+
			`than tomorrow"`, r.Date, r.Warning)
	}
	if want := []string{"Indoor ≤ 6 Werp", "Outdoor > 6 Werp"}; !slices.Equal(snap.Statuses, want) {
		t.Errorf("statuses %q, want %q", snap.Statuses, want)
	}
	for _, tt := range []struct{ id, want string }{
		{"salt-be_1014a", "Salt BE_1014A|SALT_CH|BE_1014A|UMTS 3G 1,LTE 4G 1,NR 5G 1,"},
		{"sunrise-ti242-1", "Sunrise TI242-1|SUNRISE_CH|TI242-1|LTE 4G 0,"},
		{"swisscom-a&b/c-ü", "SWISSCOM A&B/C ü|SWISSCOM_CH|A&B/C ü|  1,"},
		{"swisscom-stsb", "Swisscom STSB|SWISSCOM_CH|STSB|GSM 2G -1,NR 5G -1,"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			s := all[tt.id]
			if len(s.Stations) != 1 {
				t.Errorf("%s: %d stations; sites are %v, want 1", tt.id, len(s.Stations), all)
				return
			}
			got := s.SourceCode + "|" + snap.Operators[s.Stations[0].Operator] + "|" + s.Stations[0].OperatorSiteID +
				"|"
			for _, e := range s.Emissions {
				got += fmt.Sprintf("%s %s %d,", e.System, e.Generation, e.Status)
			}
			if got != tt.want {
				t.Errorf("%s: %s, want %s", tt.id, got, tt.want)
			}
			// (2600000, 1200000) is the projection's origin, the old observatory of Bern.
			if math.Abs(s.Position.Lat-46.951081) > 1e-6 || math.Abs(s.Position.Lng-7.438637) > 1e-6 || s.Area != -1 ||
				site.Known(s.Height) ||
				len(s.Emissions[0].Azimuths) != 0 || s.Emissions[0].On != 0 || s.NationalCode != "" {
				t.Errorf("got %+v, want 46.951081, 7.438637 without area, height, azimuths, date or code", s)
			}
		})
	}
}

func TestRejects(t *testing.T) {
	bad := map[string]row{
		"railway network (SBB)":                    {station: "SBB MAL-LIT-08730"},
		"border network (DB-)":                     {station: "DB-1234 x"},
		"border network (DTM-)":                    {station: "DTM-1234"},
		"border network (VOD-)":                    {station: "vod-7"},
		"border network (no blank in the station)": {station: "KN1234"},
		"operator not served in CH":                {station: "Orange &lt;BE&gt; 1"},
		"no station":                               {station: "  "},
		"station is not text":                      {station: "Salt A\x00B"},
		"installation class is not text":           {station: "Salt 1", class: strings.Repeat("x", 81)},
		"no position":                              {station: "Salt 1", at: "null"},
		"geometry is not a point": {station: "Salt 1",
			at: `{"type":"MultiPoint","coordinates":[[2600000,1200000]]}`},
		"position 0, 0":                   {station: "Salt 1", at: "[0,0]"},
		"position in degrees":             {station: "Salt 1", at: "[7.4,46.9]"},
		"east and north swapped":          {station: "Salt 1", at: "[1200000,2600000]"},
		"position outside the market":     {station: "Salt 1", at: "[600000,200000]"},
		"not in the form of the register": {station: "Salt 1", at: `{"type":5}`},
	}
	rows := []row{{station: "Salt X"}}
	for _, r := range bad {
		rows = append(rows, r)
	}
	r, _, all := good(t, rows...)
	for reason := range bad {
		if r.Rejected[reason] != 1 {
			t.Errorf("%s: r.Rejected[reason] = %d, want 1", reason, r.Rejected[reason])
		}
	}
	if len(all) != 1 || len(r.Rejected) != len(bad) ||
		!slices.Equal(r.Unknown, []source.Spelling{{Name: "Orange", Rows: 1}}) {
		t.Errorf("%d sites, %v, unknown %v; want len(all) = 1, len(r.Rejected) = len(bad), r.Unknown = "+
			`[]source.Spelling{{Name: "Orange", Rows: 1}}`, len(all), r.Rejected, r.Unknown)
	}
	// Each position's own ways to be none.
	for _, tt := range []struct{ at, want string }{
		{"[]", "no position"},
		{"[2600000]", "no position"},
		{`["2600000","1200000"]`, "no position"},
		{"[1e999,1]", "no position"},
		{"[-7.4,46.9]", "position in degrees"},
		{"[2899999,1000001]", "position outside the market"},
		{"[1e300,1e300]", "position outside the market"},
		{`{"type":"Point"}`, "no position"},
		{"{}", "geometry is not a point"},
	} {
		t.Run(tt.at, func(t *testing.T) {
			r, _, _ := good(t, row{station: "Salt X"}, row{station: "Salt Y", at: tt.at})
			if r.Rejected[tt.want] != 1 {
				t.Errorf("%s: %v, want %s", tt.at, r.Rejected, tt.want)
			}
		})
	}
}

// What a bad row has is not inherited by the next.
func TestNothingInherited(t *testing.T) {
	text := head + row{station: "Salt A"}.String() +
		`,{"geometry":{"type":"Point","coordinates":[2600000,1200000]},"properties":{"station":"Salt B","typ_en":7}},{"properties":{}}]}`
	b, r, err := build(t, "x.json", text)
	if err != nil || b[0].Len() != 1 || r[0].Rejected["not in the form of the register"] != 1 ||
		r[0].Rejected["no station"] != 1 {
		t.Errorf(`r[0].Rejected = %v, err = %v; want no error, b[0].Len() = 1, r[0].Rejected["not in the form of `+
			`the register"] = 1, r[0].Rejected["no station"] = 1`, r[0].Rejected, err)
	}
}

// One id is one site, and the same one whatever the order of the rows.
func TestOrder(t *testing.T) {
	rows := []row{
		{station: "Salt A"}, {station: "Salt A"}, {station: "Salt A"},
		{station: "Salt B", permission: "Site data sheet 2020-01-01"},
		{station: "Salt B", at: "[2600100,1200000]", permission: "Site data sheet 2024-01-01"},
		{station: "Salt C"}, {station: "Salt C", at: "[2600200,1200000]", permission: "-"}, {station: "salt c"},
		{station: "Salt D-E", technology: "Technology 4G"}, {station: "Salt D E"},
		{station: "Sunrise A", class: "Zeppelin"}, {station: "Sunrise B", class: "Airship"},
	}
	var want map[string]site.Site
	for range 20 {
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		r, snap, all := good(t, rows...)
		if fmt.Sprint(r.Rejected) != "map[duplicate feature:2 station is elsewhere in a better feature:2 station is otherwise in a better feature:2]" {
			t.Errorf(`r.Rejected = %v; want fmt.Sprint(r.Rejected) = "map[duplicate feature:2 station is `+
				`elsewhere in a better feature:2 station is otherwise in a better feature:2]"`, r.Rejected)
		}
		if !slices.Equal(snap.Statuses, []string{"Airship", "Zeppelin", "Outdoor > 6 Werp"}) {
			t.Errorf("statuses %q, want %q", snap.Statuses, []string{"Airship", "Zeppelin", "Outdoor > 6 Werp"})
		}
		if want == nil {
			want = all
		}
		if fmt.Sprint(all) != fmt.Sprint(want) {
			t.Fatalf("%v\nand\n%v; want fmt.Sprint(all) = fmt.Sprint(want)", all, want)
		}
		if s := all["salt-b"]; s.Position.Lng < 7.4390 { // the newer one stands 100 m to the east
			t.Errorf("the older feature remained: %v; want s.Position.Lng >= 7.4390", s.Position)
		}
	}
}

func TestFileErrors(t *testing.T) {
	one := row{station: "Salt A"}.String()
	var many []row
	for i := range maxClasses + 1 {
		many = append(many, row{station: fmt.Sprint("Salt ", i), class: fmt.Sprint("Class ", i)})
	}
	for _, tt := range []struct{ text, want string }{
		{strings.Replace(head, "2056", "4326",
			1) + one + "]}", `x.json:1: crs "EPSG:4326", not EPSG:2056`},
		{strings.Replace(head, "EPSG:2056", "urn:ogc:def:crs:EPSG::21781", 1) + one + "]}", "not EPSG:2056"},
		{strings.Replace(head, `"name":"EPSG`, `"name":{"EPSG`, 1) + one + "]}", "x.json:1:"},
		{head + one, "the file ends"},
		{head + "]}", "no row"},
		{collection(row{station: "SBB 1"}, row{station: "SBB 2"}),
			"x.json:2: railway network (SBB); none of the 2 rows"},
		{collection(row{station: "Salt A", permission: "none"}), "name the file like"},
		{collection(many...), "over 32 installation classes"},
		{head + `{"properties":{"lang":"de","description":"","id":1,"powercode_de":"Mittel"}}]}`,
			"x.json:1: one of the files by technology"},
		{`[{"properties":{"lang":"fr","description":"","id":1,"powercode_fr":"Moyenne"}}]`,
			"standorte-mobilfunkanlagen_2056.json"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			if _, _, err := build(t, "x.json", tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.150q: %v, want %q", tt.text, err, tt.want)
			}
		})
	}
	for _, ok := range []string{strings.Replace(head, "EPSG:2056", "urn:ogc:def:crs:EPSG::2056", 1),
		`{"crs":null,"features":[`, `{"features":[`} {
		if _, _, err := build(t, "x.json", ok+one+"]}"); err != nil {
			t.Errorf("%s: err = %v, want nil", ok, err)
		}
	}
	b, _, err := build(t, "SYNTHETIC_x_20240102_2056_2024-02-30.json",
		collection(row{station: "Salt A", permission: "none"}))
	if err != nil || b[0].SourceDate != "2024-01-02" || !b[0].Synthetic {
		t.Errorf(`the name's date: %+v, %v; want no error, b[0].SourceDate = "2024-01-02", b[0].Synthetic`, b, err)
	}
}

// The authority's own file, and its positions as another program projects them.
func TestReal(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/ch/standorte-mobilfunkanlagen_2056.sample.json")
	if err != nil {
		t.Skip("no shared data here:", err)
	}
	b, r, err := build(t, "standorte-mobilfunkanlagen_2056.json", string(text))
	must(t, err)
	if r[0].Rows != 8 || r[0].Served != 7 || r[0].Rejected["railway network (SBB)"] != 1 || len(r[0].Unknown) != 0 ||
		r[0].Warning != "" {
		t.Errorf(`r[0] = %+v; want r[0].Rows = 8, r[0].Served = 7, r[0].Rejected["railway network (SBB)"] = 1, `+
			`len(r[0].Unknown) = 0, r[0].Warning = ""`, r[0])
	}
	snap, all := sites(t, b[0])
	for _, tt := range []struct{ id, operator string }{
		{"swisscom-stsb", "SWISSCOM_CH"},
		{"salt-be_1014a", "SALT_CH"},
		{"salt-ge_4716b", "SALT_CH"},
		{"sunrise-be113-1", "SUNRISE_CH"},
		{"swisscom-sgan", "SWISSCOM_CH"},
		{"sunrise-ti242-1", "SUNRISE_CH"},
		{"salt-be_0506a", "SALT_CH"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			if s, ok := all[tt.id]; !ok || snap.Operators[s.Stations[0].Operator] != tt.operator {
				t.Errorf("tt.id = %s, s = %+v; want ok, snap.Operators[s.Stations[0].Operator] = %v", tt.id,
					s, tt.operator)
			}
		})
	}
	f, err := os.Open("../../../shared/data/ch/lv95_wgs84_check.csv")
	must(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	must(t, err)
	rows := []row{}
	for i, l := range lines[1:] {
		rows = append(rows, row{station: fmt.Sprint("Salt ", i), at: "[" + l[0] + "," + l[1] + "]"})
	}
	_, _, all = good(t, rows...)
	for i, l := range lines[1:] {
		lat, _ := strconv.ParseFloat(l[2], 64)
		lng, _ := strconv.ParseFloat(l[3], 64)
		p := all[fmt.Sprint("salt-", i)].Position
		if d := math.Hypot(p.Lat-lat, (p.Lng-lng)*math.Cos(lat*math.Pi/180)) * 111195; d > 3 {
			t.Errorf("%v: %.1f m from %v; want d <= 3", l, d, p)
		}
	}
}

func FuzzBuild(f *testing.F) {
	f.Add([]byte(collection(row{station: "Salt A"}, row{station: "Salt A", at: "[2600100,1200000]"},
		row{station: "SBB 1"})))
	f.Add([]byte(head + `{"geometry":null,"properties":{"station":"Salt &amp;","techno_en":"6G","typ_en":"\u0000"}}]}`))
	f.Add([]byte(`[{"properties":{"lang":"de","description":"","powercode_de":""}}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, r, err := build(t, "x_2024-01-01.json", string(text))
		if err != nil {
			return
		}
		if b[0].Len() != r[0].Served || r[0].Served < 1 || r[0].Served > r[0].Rows {
			t.Errorf("%d sites, %d of %d rows served; want b[0].Len() = %v, r[0].Served >= 1, r[0].Served <= %v",
				b[0].Len(), r[0].Served, r[0].Rows, r[0].Served, r[0].Rows)
		}
		sites(t, b[0])
	})
}

// A data sheet with a date in another form is counted. The sentence that small installations have in its place is not:
// it is that of the published sample.
func TestSheetsWithoutADate(t *testing.T) {
	const small = "Due to its low transmitting power, its location or its limited operating time, the installation is " +
		"not subject to the precautionary limitation of emissions in accordance with NISV Annex 9 No. 99."
	_, reports, err := build(t, "x_2056.json", collection(row{station: "Salt A"}, row{station: "Salt B", permission: small},
		row{station: "Salt C", permission: "Site data sheet 08.08.2023"}))
	const want = "bewilligung_en: 1 values are not dates and were left out; the first is on line"
	if err != nil || !strings.HasPrefix(reports[0].Warning, want) {
		t.Errorf("report %+v, error %v; want the warning %q", reports, err, want)
	}
}
