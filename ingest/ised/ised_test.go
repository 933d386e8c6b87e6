package ised

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/demo/demotest"
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

// Columns that the tests set; the published header has more.
const header = "upload_date*,licence_number,reference_number,licence_category*,licensee_name*,contact_name,business_telephone,email_address,location,technology," +
	"cell_id,physical_id,province_code,latitude,longitude,structure_height,structure_type,record_id,tx_frequency,rx_frequency,tx_ant_height,tx_ant_omni_indicator,tx_ant_azimuth\n"

const good = "2026-01-10,010000001,ref,CELL,Bell Mobility Inc.,-,-,-,Main St,LTE,25601,17,ON,43.642321,-79.387089,55,T,R1,871,826,50.5,D,120\n"

// with returns the good row with fields replaced by column name.
func with(t *testing.T, pairs ...string) string {
	t.Helper()
	names, fields := strings.Split(strings.TrimSpace(header), ","), strings.Split(strings.TrimSpace(good), ",")
	for i := 0; i < len(pairs); i += 2 {
		at := slices.IndexFunc(names, func(n string) bool { return strings.Trim(n, "*") == pairs[i] })
		if at < 0 {
			t.Fatalf("no column %s; want at >= 0", pairs[i])
		}
		fields[at] = pairs[i+1]
	}
	return strings.Join(fields, ",") + "\n"
}

// build reads a file of this name and returns its sites by id.
func build(t *testing.T, name, text string) (map[string]site.Site, *source.Report, *snapshot.Snapshot, error) {
	t.Helper()
	f := sourcetest.Detect(t, filetest.New(t, name, text), Kinds)
	builders, reports, err := Build([]source.Found{f}, []*market.Market{market.Get(market.CA)}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	snap := snapshottest.Reread(t, builders[0])
	return snapshottest.Sites(t, snap), reports[0], snap, nil
}

func only(t *testing.T, sites map[string]site.Site, err error) site.Site {
	t.Helper()
	if err != nil || len(sites) != 1 {
		t.Fatalf("%d sites, %v; want no error, len(sites) = 1", len(sites), err)
	}
	for _, s := range sites {
		return s
	}
	panic("unreachable")
}

// The rows of one operator at one place make one site, with the lowest and the
// highest of what they say.
func TestSite(t *testing.T) {
	text := header + good +
		with(t, "latitude", "43.642319", "licence_category", "MBS", "licence_number", "010000000", "record_id", "R0",
			"reference_number", "first",
			"tx_frequency", "731.5", "rx_frequency", "701.5", "tx_ant_height", "52", "tx_ant_azimuth", "359.5",
			"cell_id", "LTE eNB 100 / 25602", "physical_id", "503", "upload_date", "2026-01-12") +
		with(t, "licence_category", "3500B", "technology", "5GNR", "licence_number", "010000002", "tx_frequency",
			"3500", "rx_frequency", "-", "tx_ant_omni_indicator", "O",
			"cell_id", "4165551234", "physical_id", "1007", "structure_height", "60.0", "structure_type", "-") +
		with(t, "technology", "HSPA", "cell_id", "LAC11500 CellID1234567", "physical_id", "300", "province_code",
			"-", "location", "-")
	sites, report, snap, err := build(t, "fx.csv", text)
	got := only(t, sites, err)
	want := site.Site{ // the id is that of: printf 'BELL 4364232 -7938709' | sha256sum
		ID: "12626f4ad225cc92", SourceCode: "R0", Reference: "first", Area: 8, Height: 60, HeightText: "60.0",
		Nature: site.Coded{Code: "T"}, AntennaHeight: 52,
		TxFrequencies: []uint64{731500000, 871000000, 3500000000},
		RxFrequencies: []uint64{701500000, 826000000},
		Stations: []site.Station{{Code: "010000000", Operator: 0, OperatorSiteID: "R0"},
			{Code: "010000001", Operator: 0, OperatorSiteID: "R1"},
			{Code: "010000002", Operator: 0, OperatorSiteID: "R1"}},
		Emissions: []site.Emission{
			{Station: 0, System: "LTE 700", Generation: site.G4, Status: -1, Azimuths: []uint16{0}, Origin: site.FromList},
			{Station: 1, System: "HSPA 850", Generation: site.G3, Status: -1, Azimuths: []uint16{120}, Origin: site.FromList},
			{Station: 1, System: "LTE 850", Generation: site.G4, Status: -1, Azimuths: []uint16{120}, Origin: site.FromList},
			{Station: 2, System: "5GNR 3500", Generation: site.G5, Status: -1}},
		Radio: []site.RadioID{{Kind: site.ENB, Value: 100}, {Kind: site.Cell, Value: 25601},
			{Kind: site.PCI, Value: 17}, {Kind: site.PCI, Value: 503}, {Kind: site.PCI, Value: 1007}},
	}
	want.Position.Lat, want.Position.Lng = 43.64232, -79.38709
	want.Address[0] = "Main St"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("site (-want +got):\n%s", diff)
	}
	if report.Rows != 4 || report.Served != 4 || report.Warning != "" || snap.SourceDate != "2026-01-12" ||
		snap.UpdatedAt != "2026-01-12T00:00:00" {
		t.Errorf("report = %+v, snap.SourceDate = %s; want report.Rows = 4, report.Served = 4, report.Warning = "+
			`"", snap.SourceDate = "2026-01-12", snap.UpdatedAt = "2026-01-12T00:00:00"`, report, snap.SourceDate)
	}
}

// Several operators at one place stay apart, and so do places a metre apart.
func TestPlaces(t *testing.T) {
	sites, _, _, err := build(t, "fx.csv",
		header+good+with(t, "licensee_name", "Bell Canada")+with(t, "licensee_name", "Rogers Communications")+with(t,
			"latitude", "43.642331"))
	if err != nil || len(sites) != 3 {
		t.Errorf("%d sites, %v; want no error, len(sites) = 3", len(sites), err)
	}
}

func TestRejects(t *testing.T) {
	bad := []struct{ reason, row string }{
		{"broken record", with(t, "location", `"Main St`)},
		{"broken record", with(t, "location", `""Main St, unit 4"`)},
		{"wrong number of columns", "x\n"},
		{"not a cellular licence", with(t, "licence_category", "FWA")},
		{"not a cellular licence", with(t, "licence_category", "")},
		{"an upload without stations", with(t, "location", "NOCHANGES", "latitude", "-")},
		{"an upload without stations", with(t, "location", "NOSTATIONS")},
		{"no licence number", with(t, "licence_number", "-")},
		{"no licensee", with(t, "licensee_name", "")},
		{"unknown technology", with(t, "technology", "WIMAX")},
		{"unknown technology", with(t, "technology", "-")},
		{"no position", with(t, "latitude", "NaN")},
		{"no position", with(t, "longitude", "Inf")},
		{"no position", with(t, "latitude", "4e1")},
		{"no position", with(t, "latitude", "")},
		{"position outside Canada", with(t, "latitude", "0", "longitude", "0")},
		{"position outside Canada", with(t, "latitude", "40.9")},
		{"position outside Canada", with(t, "longitude", "-142.1")},
		{"position outside Canada", with(t, "latitude", "434232", "longitude", "-793830")},
		{"latitude and longitude swapped", with(t, "latitude", "-79.387089", "longitude", "43.642321")},
	}
	text, want := header, map[string]int{}
	for _, b := range bad { // each between good ones, which are not lost
		text += good + b.row + good
		want[b.reason]++
	}
	_, report, _, err := build(t, "fx.csv", text)
	must(t, err)
	if !maps.Equal(report.Rejected, want) || report.Rows != 3*len(bad) || report.Served != 2*len(bad) {
		t.Errorf("%d rows, %d served, rejected %v, want %v", report.Rows, report.Served, report.Rejected, want)
	}
}

// A value out of range is left out and counted; the row stays.
func TestValues(t *testing.T) {
	sites, report, _, err := build(t, "fx.csv",
		header+with(t, "structure_height", "-3", "tx_ant_height", "1000.1", "tx_ant_azimuth", "361", "tx_frequency",
			"1900", "rx_frequency", "8.5e2",
			"physical_id", "504", "cell_id", "268435455"))
	s := only(t, sites, err)
	if site.Known(s.Height) || s.HeightText != "" || site.Known(s.AntennaHeight) ||
		len(s.Emissions[0].Azimuths)+len(s.TxFrequencies)+len(s.RxFrequencies)+len(s.Radio) != 0 {
		t.Errorf(`s = %+v; want !site.Known(s.Height), s.HeightText = "", !site.Known(s.AntennaHeight), `+
			"len(s.Emissions[0].Azimuths)+len(s.TxFrequencies)+len(s.RxFrequencies)+len(s.Radio) = 0", s)
	}
	if want := "values out of range were left out: 2 heights, 1 azimuths, 2 frequencies, 1 physical cell ids"; report.Warning != want || report.Served != 1 {
		t.Errorf("warning %q, want %q", report.Warning, want)
	}
}

// The older layout has no technology: the rows are served, with no system.
func TestOlderLayout(t *testing.T) {
	text := "NEW_ACCOUNT,NEW_LICNO,LICENSEE,SERVICE,TRANSMIT_FREQ,LOCATION,PROV,LATITUDE,LONGITUDE,STUCT_HT,TX_ANT_HT,TX_ANT_AZIM,LAST_UPLOAD_DATE\n" +
		"1,010287465-001,Vid\xe9otron lt\xe9e,MBS,731.5,Mont-Royal \xe0 l'\xe9glise,QC,45.5,-73.6,30,28,0,2019-05-06\n" +
		"1,010287465-001,Vid\xe9otron lt\xe9e,AWS,2112.5,Mont-Royal \xe0 l'\xe9glise,QC,45.5,-73.6,30,28,0,2019-05-06\n"
	sites, _, snap, err := build(t, "fx.csv", text)
	s := only(t, sites, err)
	if s.Address[0] != "Mont-Royal à l'église" || s.Stations[0] != (site.Station{Code: "010287465-001", Operator: 3}) ||
		snap.SourceDate != "2019-05-06" || s.Area != 10 {
		t.Errorf("got %+v of %s, want Mont-Royal à l'église, station 010287465-001 of operator 3, 2019-05-06", s,
			snap.SourceDate)
	}
	want := []site.Emission{{Status: -1, Azimuths: []uint16{0}, Origin: site.FromList}}
	if diff := cmp.Diff(want, s.Emissions, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("emissions (-want +got)\n%s", diff)
	}
}

func TestDate(t *testing.T) {
	undated := strings.ReplaceAll(header+good, "2026-01-10", "-")
	for _, tt := range []struct{ name, want string }{
		{"Site_Data_Extract_FX_2025-12-01.csv", "2025-12-01"},
		{"FX_20251130.csv", "2025-11-30"},
		{"FX.csv", ""},
		{"FX_20251350.csv", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, snap, err := build(t, tt.name, undated)
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), tt.name) ||
					!strings.Contains(err.Error(), "upload_date") {
					t.Errorf(`%s: err = %v; want an error with %v, an error with "upload_date"`, tt.name, err, tt.name)
				}
				return
			}
			if err != nil || snap.SourceDate != tt.want {
				t.Errorf("%s: err = %v; want no error, snap.SourceDate = %v", tt.name, err, tt.want)
			}
		})
	}
	if _, _, _, err := build(t, "fx.csv", header+with(t, "latitude", "0")); err == nil ||
		!strings.Contains(err.Error(), "fx.csv:2: position outside Canada; none of the 1 rows") {
		t.Errorf(`no row served: %v; want an error with "fx.csv:2: position outside Canada; none of the 1 rows"`, err)
	}
	if _, _, _, err := build(t, "fx.csv", header); err == nil || !strings.Contains(err.Error(), "no row") {
		t.Errorf(`no row: %v; want an error with "no row"`, err)
	}
}

// The snapshot does not depend on the order of the rows, and its sites are those of a plain reading.
func TestDemo(t *testing.T) {
	tier.Slow(t)
	var b bytes.Buffer
	counts, err := demotest.WriteCA(&b, 6000, 20)
	must(t, err)
	text := b.String()
	sites, report, snap, err := build(t, "SYNTHETIC_fx.csv", text)
	must(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines)-1,
		func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
	_, shuffled, again, err := build(t, "SYNTHETIC_fx.csv", strings.Join(lines, ""))
	if err != nil || snap.Version != again.Version || !maps.Equal(report.Rejected, shuffled.Rejected) {
		t.Errorf("shuffled: version %s and %s, %v; want no error, snap.Version = %v, report.Rejected = %v",
			snap.Version, again.Version, err, again.Version, shuffled.Rejected)
	}
	if len(sites) != counts.Places || !snap.Synthetic {
		t.Errorf("%d sites, want %d", len(sites), counts.Places)
	}
	broken := counts.Broken
	want := map[string]int{"broken record": broken["stray quote"], "wrong number of columns": broken["one field more"],
		"latitude and longitude swapped": broken["swapped"],
		"position outside Canada":        broken["zero"] + broken["outside"], "no position": broken["not a number"],
		"unknown technology":     broken["technology"],
		"not a cellular licence": broken["category"], "an upload without stations": broken["no changes"],
		"no licence number": broken["no licence"]}
	if !maps.Equal(report.Rejected, want) || report.Rows != counts.Rows {
		t.Errorf("rejected %v, want %v", report.Rejected, want)
	}
	plain(t, text, sites)
}

// A filePlace is what the file says of one operator at one position.
type filePlace struct {
	licences, systems, azimuths map[string]bool
	cells                       int
}

// placesOf reads the file in the plainest way.
func placesOf(text string) map[string]*filePlace {
	keys := map[string]string{"Bell Mobility Inc.": "BELL", "Bell Aliant": "BELL",
		"Rogers Communications Canada Inc.": "ROGERS",
		"TELUS Communications Inc.":         "TELUS", "Vidéotron ltée": "VIDEOTRON_FREEDOM",
		"Freedom Mobile Inc.": "VIDEOTRON_FREEDOM"}
	bands := map[string]string{"CELL": "850", "PCS": "1900", "PCSG": "1900", "AWS": "1700", "AWS-3": "1700",
		"BRS": "2500", "MBS": "700", "600B": "600", "3500B": "3500"}
	places := map[string]*filePlace{}
	var names []string
	for _, line := range strings.Split(strings.TrimPrefix(strings.TrimSpace(text), "\ufeff"), "\n") {
		fields, err := csv.NewReader(strings.NewReader(line)).Read()
		if names == nil {
			names = fields
			continue
		}
		if err != nil || len(fields) != len(names) {
			continue
		}
		row := map[string]string{}
		for i, n := range names {
			row[strings.Trim(n, "*")] = fields[i]
		}
		lat, _ := strconv.ParseFloat(row["latitude"], 64)
		lng, _ := strconv.ParseFloat(row["longitude"], 64)
		if !(lat >= 41 && lng <= -52) || row["technology"] == "WIMAX" || bands[row["licence_category"]] == "" ||
			row["location"] == "NOCHANGES" || row["licence_number"] == "-" {
			continue
		}
		operator := keys[row["licensee_name"]]
		if operator == "" {
			operator = "REGIONAL"
		}
		key := fmt.Sprintf("%s %.5f %.5f", operator, lat, lng)
		p := places[key]
		if p == nil {
			p = &filePlace{map[string]bool{}, map[string]bool{}, map[string]bool{}, 0}
			places[key] = p
		}
		p.licences[row["licence_number"]] = true
		p.systems[row["technology"]+" "+bands[row["licence_category"]]] = true
		if row["tx_ant_azimuth"] != "361" {
			p.azimuths[row["tx_ant_azimuth"]] = true
		}
		if strings.HasPrefix(row["cell_id"], "LTE ") {
			p.cells++
		}
	}
	return places
}

// plain reads the text line by line with encoding/csv and compares what it finds.
func plain(t *testing.T, text string, sites map[string]site.Site) {
	t.Helper()
	places := placesOf(text)
	for _, s := range sites {
		key := fmt.Sprintf("%s %.5f %.5f", market.Get(market.CA).Operators[s.Stations[0].Operator].Key, s.Position.Lat,
			s.Position.Lng)
		p := places[key]
		delete(places, key)
		systems, cells := map[string]bool{}, 0
		azimuths, _ := s.Azimuths(nil)
		for _, e := range s.Emissions {
			systems[e.System] = true
		}
		for _, r := range s.Radio {
			if r.Kind == site.Cell {
				cells++
			}
		}
		if p == nil || len(s.Stations) != len(p.licences) || !reflect.DeepEqual(systems, p.systems) ||
			len(azimuths) != len(p.azimuths) || cells != p.cells {
			t.Fatalf("%s: %+v, the file has %+v; want p != nil, len(s.Stations) = len(p.licences), systems = %v, "+
				"len(azimuths) = len(p.azimuths), cells = %v", key, s, p, p.systems, p.cells)
		}
	}
	if len(places) > 0 {
		t.Errorf("%d places have no site; want len(places) = 0", len(places))
	}
}
