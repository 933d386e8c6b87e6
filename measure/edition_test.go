package measure

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/market"
)

// campaignRows returns rows of a day in the layout of arcepHeader, each a speedtest and a point.
func campaignRows(day string, n int) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf("date_start=%s|hour_start=10:%02d:%02d|latitude_start=45.%03d|longitude_start=4.25|operator=SFR|"+
			"territory=METROPOLE|protocole=DOWNLOAD|bitrate_dl=%d|rsrp=-%d|situation=Outdoor", day, i/60, i%60, i, 1+i, 80+i%30))
	}
	return rows
}

func testsIn(t *testing.T, s *Store, q Query) int {
	t.Helper()
	q.Market, q.Limit = market.FR, 1
	_, total, err := s.Speedtests(q)
	must(t, err)
	return total
}

// A question without an edition has the newest campaign of each source, whatever its age; one for an edition has that
// one only.
func TestEditions(t *testing.T) {
	s := openStore(t, t.TempDir())
	old := write(t, "2024_QoS_Metropole_data_habitations.csv", rowsOf(arcepHeader, campaignRows("01/06/2024", 20)...))
	now := write(t, "renamed.csv", rowsOf(arcepHeader, slices.Concat(campaignRows("30/06/2025", 30), campaignRows("02/08/2025", 10))...))
	train := write(t, "trains.csv", rowsOf(arcepHeader, strings.Replace(campaignRows("03/05/2025", 1)[0], "Outdoor", "INTRAIN", 1)))
	importedCampaign(t, s, market.FR, now)
	importedCampaign(t, s, market.FR, old) // the newest is the last measured, not the last imported
	importedCampaign(t, s, market.FR, train)
	importedAs(t, s, market.FR, Speedtest, write(t, "own.csv", "timestamp,lat,lng,download_mbps,mcc,mnc\n2026-07-01T10:00:00Z,45.5,4.25,7,208,1\n"))
	var got []string
	for _, e := range s.Editions(market.FR) {
		name := "own"
		if e.Campaign.ID != "" {
			name = e.ID + " " + e.Name()
		} else if e.ID == "" {
			t.Error("an edition has no id")
		}
		got = append(got, fmt.Sprint(name, " ", e.Newest, " ", e.Measures[Speedtest], " ", e.Measures[Coverage]))
		if n := testsIn(t, s, Query{Edition: e.ID}); n != e.Measures[Speedtest] {
			t.Errorf("edition %s: %d speedtests, want %d", e.ID, n, e.Measures[Speedtest])
		}
	}
	want := []string{"arcep-2025-habitations ARCEP, June to August 2025 true 40 40", "arcep-2025-transports ARCEP, May 2025 true 1 1",
		"arcep-2024-habitations ARCEP, June 2024 false 20 20", "own false 1 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("editions (-want +got)\n%s", diff)
	}
	month := time.Date(2026, 6, 20, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		q    Query
		want int
	}{
		{"days only", Query{Since: month}, 1},
		{"days and newest campaigns", Query{Since: month, Newest: true}, 42},
		{"any age", Query{}, 62},
		{"an older campaign", Query{Edition: "arcep-2024-habitations"}, 20},
		{"an older campaign in days without it", Query{Edition: "arcep-2024-habitations", Since: month}, 0},
		{"an unknown edition", Query{Edition: "arcep-1999-habitations"}, 0},
	} {
		if got := testsIn(t, s, tt.q); got != tt.want {
			t.Errorf("%s: %d speedtests, want %d", tt.name, got, tt.want)
		}
	}
}

// The same file adds nothing; a corrected one replaces the campaign in one commit; a cut one is refused. After each, a
// new process finds the same.
func TestCampaignIsReplaced(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	rows := campaignRows("01/06/2025", 40)
	future := write(t, "2025_QoS.csv", rowsOf(arcepHeader, strings.Replace(rows[0], "2025", "2035", 1)))
	if _, err := s.Import(t.Context(), market.FR, Options{}, future); !isOfFile(err) || !strings.Contains(err.Error(), "can be used") {
		t.Errorf("a file without a measurement that can be used, before the first campaign: %v, want an error of the file", err)
	}
	file := func(rows []string) string { return write(t, "x.csv", rowsOf(arcepHeader, rows...)) }
	importedCampaign(t, s, market.FR, file(rows))
	before := s.Version()
	tests, points := importedCampaign(t, s, market.FR, file(rows))
	if s.Version() != before || tests.Served != 0 || points.Served != 0 || tests.Rejected["duplicate"] != 40 {
		t.Errorf("the same file: served %d and %d, rejected %v; want nothing new", tests.Served, points.Served, tests.Rejected)
	}
	corrected := slices.Clone(rows[1:])
	corrected[3] = strings.Replace(corrected[3], "rsrp=-", "rsrp=-1", 1) // out of range: no coverage point
	tests, _ = importedCampaign(t, s, market.FR, file(corrected))
	if n := testsIn(t, s, Query{}); n != 39 || tests.Served != 39 || tests.Became != "corrected, with 77 measurements instead of 80" {
		t.Errorf("a corrected file: %d speedtests, report %d %q; want 39", n, tests.Served, tests.Became)
	}
	if _, err := s.Import(t.Context(), market.FR, Options{}, file(corrected[:20])); !errors.Is(err, ErrFewer) {
		t.Errorf("a cut file: error %v, want ErrFewer", err)
	} else if !isOfFile(err) || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a cut file: %v, want an error of the file that says what overrides it", err)
	}
	forced := Options{Force: true}
	if _, err := s.Import(t.Context(), market.FR, forced, future); !errors.Is(err, ErrFewer) {
		t.Errorf("a file without a measurement that can be used: %v, want ErrFewer in spite of Force", err)
	}
	if n := testsIn(t, s, Query{}); n != 39 {
		t.Errorf("%d speedtests after refused files, want 39", n)
	}
	_, err := s.Import(t.Context(), market.FR, forced, file(corrected[:20]))
	must(t, err)
	if n := testsIn(t, s, Query{}); n != 20 {
		t.Errorf("%d speedtests after Force, want 20", n)
	}
	names, err := segmentFiles(s.dir)
	must(t, err)
	if len(names) != 2 {
		t.Errorf("%d files are left, want those of two kinds", len(names))
	}
	must(t, s.db.Close())
	if again := openStore(t, dir); testsIn(t, again, Query{Edition: "arcep-2025-habitations"}) != 20 {
		t.Error("a new process finds other speedtests")
	}
}

// Whatever the age, the newest campaign of a source is kept; older ones and people's own files are not.
func TestRetentionKeepsNewestCampaign(t *testing.T) {
	s := openStore(t, t.TempDir())
	importedCampaign(t, s, market.FR, write(t, "a.csv", rowsOf(arcepHeader, campaignRows("01/06/2023", 20)...)))
	importedCampaign(t, s, market.FR, write(t, "b.csv", rowsOf(arcepHeader, campaignRows("01/06/2024", 25)...)))
	importedAs(t, s, market.FR, Speedtest, write(t, "own.csv", "timestamp,lat,lng,download_mbps,mcc,mnc\n"+
		"2024-06-01T10:00:00Z,45.5,4.25,7,208,1\n2026-07-01T10:00:00Z,45.5,4.25,7,208,1\n"))
	at := s.now()
	s.now = func() time.Time { return at.AddDate(5, 0, 0) }
	removed, err := s.Retain(365 * 24 * time.Hour)
	must(t, err)
	if n := testsIn(t, s, Query{}); n != 25 || removed != 2*20+2 {
		t.Errorf("removed %d, %d speedtests are left; want 42 and the 25 of 2024", removed, n)
	}
	if e, ok := s.Edition(market.FR, "arcep-2024-habitations"); !ok || !e.Newest || e.First.Format(time.DateOnly) != "2024-06-01" {
		t.Errorf("edition %+v, %v; want that of 2024 with its days", e, ok)
	}
}

// Merging keeps campaigns apart.
func TestMergeKeepsCampaigns(t *testing.T) {
	s := openStore(t, t.TempDir())
	for i := range mergeFan {
		importedCampaign(t, s, market.FR, write(t, "a.csv", rowsOf(arcepHeader, campaignRows(fmt.Sprintf("01/06/%d", 2005+i), 3)...)))
		importedAs(t, s, market.FR, Speedtest, write(t, "own.csv", fmt.Sprintf("timestamp,lat,lng,download_mbps,mcc,mnc\n"+
			"2025-06-%02dT10:00:00Z,45.5,4.25,7,208,1\n", i+1)))
	}
	must(t, s.MergeAll())
	if n := len(s.Segments()); n != 2*mergeFan+1 {
		t.Errorf("%d segments, want two of each campaign and one of own files", n)
	}
	list := s.Editions(market.FR)
	if len(list) != 2*mergeFan || testsIn(t, s, Query{Edition: list[mergeFan].ID}) != 1 {
		t.Errorf("%d editions, want %d, each import with its own speedtest", len(list), 2*mergeFan)
	}
}

// Each real row of 2025 is served with its edition as its columns say, and each that is not has a reason: no speed, and
// for points no level.
func TestRealRowsOfEdition(t *testing.T) {
	const path = "../../shared/data/field/arcep_qos_2025_real_rows.csv"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the authority's rows are not here")
	}
	wantRows(t, string(filetest.Read(t, path)))
}

// realRows are lines 2, 3 and others of daoudaibnoumarbarry-max/France-Mobile-Network-QoS-Analysis,
// data/sample/2025_QoS_Metropole_data_habitations_sample.csv, cut to the columns that are read.
const realRows = `date_start;hour_start;latitude_start;longitude_start;operator;bitrate_dl;bitrate_ul;rsrp;rsrq;rscp;protocole;situation;territory
23/06/2025;10:48:58;43.7206;-1.05021;SFR;;;-106.46;-14.59;;WEB;Indoor;METROPOLE
23/06/2025;11:34:14;43.73158;-1.03513;SFR;;;-119.21;-16.78;;WEB;Indoor;METROPOLE
23/06/2025;12:05:52;43.73436;-1.05474;SFR;;;-115.93;-15.33;;WEB;Incar;METROPOLE
`

func TestRowsOfEdition(t *testing.T) { wantRows(t, realRows) }

// wantRows imports a table and compares what its edition has with the table, read by encoding/csv.
func wantRows(t *testing.T, text string) {
	t.Helper()
	s := openStore(t, t.TempDir())
	importedCampaign(t, s, market.FR, write(t, "rows.csv", text))
	in := csv.NewReader(strings.NewReader(text))
	in.Comma = ';'
	rows, err := in.ReadAll()
	must(t, err)
	paris, err := time.LoadLocation("Europe/Paris")
	must(t, err)
	number := func(text string) float64 {
		if v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
			return v
		}
		return math.NaN()
	}
	line := func(at time.Time, lat, lng float64, operator string, values ...float64) string {
		for i := range values {
			values[i] = math.Round(values[i]*1000) / 1000
		}
		return fmt.Sprintf("%s %.5f %.5f %s %v", at.UTC().Format(time.DateTime), lat, lng, strings.ToUpper(operator), values)
	}
	var wantTests, wantPoints, tests, points []string
	for _, row := range rows[1:] {
		cell := func(name string) string { return row[slices.Index(rows[0], name)] }
		at, err := time.ParseInLocation("02/01/2006 15:04:05", cell("date_start")+" "+cell("hour_start"), paris)
		must(t, err)
		lat, lng, rsrp, rsrq := number(cell("latitude_start")), number(cell("longitude_start")), number(cell("rsrp")), number(cell("rsrq"))
		if cell("bitrate_dl")+cell("bitrate_ul") != "" {
			down, up := number(cell("bitrate_dl")), number(cell("bitrate_ul"))
			wantTests = append(wantTests, line(at, lat, lng, cell("operator"), down, up, rsrp, rsrq))
		}
		signal := math.NaN()
		if cell("rsrp")+cell("rsrq") == "" {
			signal = number(cell("rscp"))
		}
		if cell("rsrp")+cell("rsrq")+cell("rscp") != "" {
			wantPoints = append(wantPoints, line(at, lat, lng, cell("operator"), signal, rsrp, rsrq))
		}
	}
	q := Query{Market: market.FR, Edition: "arcep-2025-habitations", Limit: 1000}
	ofTests, _, err := s.Speedtests(q)
	must(t, err)
	for _, m := range ofTests {
		tests = append(tests, line(m.Time, m.Position.Lat, m.Position.Lng, m.Operator, m.Download, m.Upload, m.Radio.RSRP, m.Radio.RSRQ))
	}
	ofPoints, _, err := s.Points(q)
	must(t, err)
	for _, p := range ofPoints {
		points = append(points, line(p.Time, p.Position.Lat, p.Position.Lng, p.Operator, p.Signal, p.Radio.RSRP, p.Radio.RSRQ))
	}
	for _, list := range [][]string{wantTests, wantPoints, tests, points} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(wantTests, tests); diff != "" {
		t.Errorf("speedtests (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(wantPoints, points); diff != "" {
		t.Errorf("points (-want +got)\n%s", diff)
	}
}
