package ised

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/market"
	"relais/site"
)

func TestOperators(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"Bell Mobility Inc.", "BELL"},
		{"BELL MOBILITÉ INC", "BELL"},
		{"Bell Canada", "BELL"},
		{"Bell MTS Inc.", "BELL"},
		{"MTS Inc.", "BELL"},
		{"bell-aliant", "BELL"},
		{"Bell Helicopter Textron Canada", "REGIONAL"},
		{"Campbell River Wireless", "REGIONAL"},
		{"Bellevue Telecom", "REGIONAL"},
		{"Bell", "BELL"},
		{"BELL INC.", "BELL"},
		{"BellMTS Inc.", "BELL"},
		{"BellMobility", "BELL"},
		{"Bell Ltd Partners", "REGIONAL"},
		{"Ma Bell", "REGIONAL"},
		{"BellMTSX", "REGIONAL"},
		{"", "REGIONAL"},
		{"Rogers Communications Canada Inc.", "ROGERS"},
		{"FIDO Solutions", "ROGERS"},
		{"Rogersville Telephone", "REGIONAL"},
		{"TELUS Communications Inc.", "TELUS"},
		{"Telus", "TELUS"},
		{"Vidéotron ltée", "VIDEOTRON_FREEDOM"},
		{"VIDEOTRON LTD", "VIDEOTRON_FREEDOM"},
		{"Vid&eacute;otron lt&eacute;e", "VIDEOTRON_FREEDOM"},
		{"Freedom Mobile Inc.", "VIDEOTRON_FREEDOM"},
		{"Globalive / WIND Mobile", "VIDEOTRON_FREEDOM"},
		{"Northwind Mobile", "REGIONAL"},
		{"SaskTel", "REGIONAL"},
		{"Bragg Communications Inc.", "REGIONAL"},
		{"Tbaytel", "REGIONAL"},
		{"Sogetel Mobilité", "REGIONAL"},
		{"Ice Wireless Inc.", "REGIONAL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := operatorKey(tt.name); got != tt.want {
				t.Errorf("%s is %s, want %s", tt.name, got, tt.want)
			}
		})
	}
}

// 914 real places of 2013 have 11 spellings of three licensees.
func TestOperatorsOf2013(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/ca/pei_2013.geojson")
	if err != nil {
		t.Skip("the places of 2013 are not here: ", err)
	}
	var file struct {
		Features []struct {
			Properties struct{ Shortcompany, Company string }
		}
	}
	must(t, json.Unmarshal(text, &file))
	spellings, counts := map[string]bool{}, map[string]int{}
	for _, f := range file.Features {
		spellings[f.Properties.Company] = true
		got := operatorKey(f.Properties.Company)
		counts[got]++
		if got != strings.ToUpper(f.Properties.Shortcompany) {
			t.Errorf("%s is %s, the file has %s, want %s", f.Properties.Company, got, f.Properties.Shortcompany,
				strings.ToUpper(f.Properties.Shortcompany))
		}
	}
	if len(spellings) != 11 || len(counts) != 3 || counts["ROGERS"] != 106 || counts["TELUS"] != 2 {
		t.Errorf(`%d spellings, %v; want len(spellings) = 11, len(counts) = 3, counts["ROGERS"] = 106, `+
			`counts["TELUS"] = 2`, len(spellings), counts)
	}
}

func TestCell(t *testing.T) {
	for _, tt := range []struct {
		text string
		want uint32
	}{
		{"25601", 25601}, {"26345730", 26345730}, {"302-720-26345730", 26345730},
		{"eNB 102913 cell 2 (26345730)", 26345730},
		{"LTE_26345730", 26345730},
		{"LAC11500 CellID1234567", 0}, {"26345730/26345730", 26345730}, {"26345730/26345731", 0}, {"268435455", 0},
		{"268435456", 0}, {"255", 0}, {"-1", 0}, {"0", 0},
		{"9223372036854775807", 0}, {"", 0}, {"cell 12345", 0}, {"26345730x", 0}, {"4165551234", 0},
		{"eNB 100123 Cell 3", 0}, {"eNodeB 26345730", 0}, {"eNB=102914 ECI=26345730", 0},
		{"ENB_102913_26345730", 26345730},
		{"Site 100123 Cell 3", 0}, {"1048575 1", 0}, {"1048576 1", 1048576},
		{"0x1920002", 0}, {"0x26345730", 0}, {"26345730 (hex)", 0}, {"1920A02", 0}, {"ECI 26345730h", 0},
		{"01920002", 0},
		{"ECI 026345730", 0}, {"LTE26345730", 26345730}, {"LTE 99", 0},
		{"TAC 26345730", 0}, {"26,345,730", 0}, {"LTE 26345730.0", 26345730}, {"\xff26345730", 26345730},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got, ok := parseECI([]byte(tt.text)); ok != (tt.want != 0) || ok && got != tt.want {
				t.Errorf("%q: %d, %t, want %d", tt.text, got, ok, tt.want)
			}
		})
	}
}

func TestAzimuth(t *testing.T) {
	c := newCountry(market.Get(market.CA))
	for _, tt := range []struct {
		text string
		want int
	}{
		{"0 D", 0},
		{"360 D", 0},
		{"359.5 D", 0},
		{"359.4 D", 359},
		{"120 N", 120},
		{"0 N", -1},
		{"120 O", -1},
		{"120 omni", -1},
		{"120 ", 120},
		{" D", -1},
		{"-5 D", -1},
		{"361 D", -1},
		{"N/A D", -1},
	} {
		t.Run(tt.text, func(t *testing.T) {
			raw, omni, _ := strings.Cut(tt.text, " ")
			if got, ok := c.azimuth([]byte(raw), []byte(omni)); ok != (tt.want >= 0) || ok && int(got) != tt.want {
				t.Errorf("%q: %d, %t, want %d", tt.text, got, ok, tt.want)
			}
		})
	}
	if c.left.azimuths != 3 {
		t.Errorf("%d left out, want 3", c.left.azimuths)
	}
}

func TestGeneration(t *testing.T) {
	for _, tt := range []struct {
		text string
		want site.Generation
	}{{"GSM", 2}, {"HSPA+", 3}, {"umts", 3}, {"LTE-A", 4}, {"5GNR", 5},
		{"5GDSS", 5}, {"LTE/5GNR", 5}, {"4GLTE", 4}, {"LTEA", 4}, {"NR SA", 5}, {"ENDC-NR", 5}, {"Henry", 0},
		{"Walter Ltd", 0},
		{"Henry NR", 5}, {"alteration LTE", 4}, {"CDMA", 0}, {"WIMAX", 0}, {"OTHER", 0}, {"", 0},
		{strings.Repeat("LTE", 20), 0}} {
		t.Run(tt.text, func(t *testing.T) {
			if got := generation([]byte(tt.text)); got != tt.want {
				t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
			}
		})
	}
}

func TestSameID(t *testing.T) {
	c := newCountry(market.Get(market.CA))
	c.places = []place{{corner: corner{lat: 1}}, {corner: corner{lat: 2}}}
	if _, err := c.sortedPlaces(func(corner) uint64 { return 7 }); err == nil ||
		!strings.Contains(err.Error(), "0000000000000007") {
		t.Errorf(`two places with one id: %v; want an error with "0000000000000007"`, err)
	}
	if list, err := c.sortedPlaces(func(at corner) uint64 { return uint64(-at.lat) }); err != nil ||
		list[0].place != 1 {
		t.Errorf("list = %v, err = %v; want no error, list[0].place = 1", list, err)
	}
}

// One place cannot have more licences than a snapshot can number.
func TestManyLicences(t *testing.T) {
	text := header
	for i := range maxStations + 5 {
		text += with(t, "licence_number", fmt.Sprint(1000000+i))
	}
	sites, report, _, err := build(t, "fx.csv", text)
	if s := only(t, sites, err); len(s.Stations) != maxStations ||
		report.Rejected["too many licences at one place"] != 5 {
		t.Errorf(`%d stations, %v; want len(s.Stations) = %v, report.Rejected["too many licences at one place"] = 5`,
			len(s.Stations), report.Rejected, maxStations)
	}
}

func FuzzBuild(f *testing.F) {
	f.Add([]byte(header + good))
	f.Add([]byte("NEW_LICNO,LICENSEE,SERVICE,LATITUDE,LONGITUDE\n1,\xe9,AWS,45,-75\n"))
	f.Add([]byte(header + "\"" + good))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filetest.New(t, "20260115.csv", data)
		found := source.Found{Input: &source.Input{Path: path}, Kind: Kinds[0]}
		builders, reports, err := Build([]source.Found{found}, []*market.Market{market.Get(market.CA)}, nil)
		if err != nil {
			return
		}
		rejected := 0
		for _, n := range reports[0].Rejected {
			rejected += n
		}
		if r := reports[0]; r.Rows != r.Served+rejected || r.Served == 0 || builders[0].Len() > r.Served ||
			builders[0].Emissions() > r.Served {
			t.Errorf("%+v, %d sites; want r.Rows = r.Served+rejected, r.Served != 0, builders[0].Len() <= %v, "+
				"builders[0].Emissions() <= %v", r, builders[0].Len(), r.Served, r.Served)
		}
	})
}
