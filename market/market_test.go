package market

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"relais/geo"
)

func TestAttribution(t *testing.T) {
	be, ch := Get("BE"), Get("CH")
	own, other := be.Source, be.OtherRegisters[0].Source
	for _, tt := range []struct {
		m     *Market
		names []string
		want  Register
	}{
		{ch, nil, ch.Register},
		{be, nil, be.Register},
		{be, []string{own}, be.Register},
		{be, []string{other, "another"}, be.OtherRegisters[0]},
		{be, []string{"another"}, be.Register},
		{be, []string{other, own},
			Register{Authority: "Departement Omgeving; BIPT/IBPT", Source: own + "; " + other,
				Licence: be.Licence + "; " + be.OtherRegisters[0].Licence}},
		{be, []string{own, be.OtherRegisters[1].Source}, // of one authority
			Register{Authority: "Departement Omgeving", Source: own + "; " + be.OtherRegisters[1].Source,
				Licence: be.Licence + "; " + be.OtherRegisters[1].Licence}},
	} {
		if got := tt.m.Attribution(tt.names); got != tt.want {
			t.Errorf("%s: attribution of %q = %+v, want %+v", tt.m.Code, tt.names, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	seen := map[string]string{}
	for _, m := range All {
		if Get(m.Code) != m || m.Label == "" || len(m.Country) != 2 || m.Authority == "" || m.Source == "" {
			t.Errorf("got incomplete row %+v of %s", m, m.Code)
		}
		something := m.HasInventory() || m.Coverage.Authority != ""
		if m.HasInventory() != (m.Availability != Unavailable) || something != (len(m.Operators) > 0) {
			t.Errorf("%s: got availability %s, %d operators, reason %q; want operators with an inventory or maps",
				m.Code, m.Availability, len(m.Operators), m.UnavailableReason)
		}
		if m.HasFilter(m.AreaType) != (len(m.Areas) > 0) || m.HasFilter("territory") && !m.HasFilter("department") {
			t.Errorf("%s: got %d areas of type %q, filters %q; want areas with their filter, departments with "+
				"territories", m.Code, len(m.Areas), m.AreaType, m.Filters)
		}
		for _, a := range m.Areas {
			if a.Label == "" || len(m.Areas) > 0 && m.AreaType == "" {
				t.Errorf("%s: incomplete or repeated area %+v", m.Code, a)
			}
		}
		for _, o := range m.Operators {
			for _, p := range o.PLMNs {
				if other, ok := seen[p]; ok || len(p) < 5 || len(p) > 6 || strings.Trim(p, "0123456789") != "" {
					t.Errorf("%s: %s has %q, want 5 or 6 digits that %q has not", m.Code, o.Key, p, other)
				}
				seen[p] = o.Key
				if ByPLMN(p) != o.Key {
					t.Errorf("ByPLMN(%s) = %q, want %s", p, ByPLMN(p), o.Key)
				}
			}
		}
	}
	if n := len(Get(FR).Areas); n != 96 {
		t.Errorf("departments of FR = %d, want 96", n)
	}
	if n := len(Get(DROM).Areas); n != 5 {
		t.Errorf("departments of DROM = %d, want 5", n)
	}
}

func TestArea(t *testing.T) {
	for _, tt := range []struct {
		market Code
		in     string
		want   string
	}{
		{FR, "01", "01"}, {FR, "1", "01"}, {FR, "001", "01"}, {FR, "75", "75"}, {FR, "075", "75"}, {FR, "2A", "2A"},
		{FR, "02a", "2A"}, {FR, "2b", "2B"},
		{FR, "", ""}, {FR, "0", ""}, {FR, "000", ""}, {FR, "20", ""}, {FR, "96", ""}, {FR, "971", ""}, {FR, "0001", ""},
		{FR, "１", ""}, {FR, "01 ", ""}, {FR, "-1", ""},
		{DROM, "971", "971"}, {DROM, "0971", ""}, {DROM, "75", ""},
		{CA, "qc", "QC"}, {CA, "Quebec", ""}, {CA, "0QC", ""}, {BE, "01", ""}, {PT, "01", ""},
	} {
		m := Get(tt.market)
		i, ok := m.Area(tt.in)
		got := ""
		if ok {
			got = m.Areas[i].Code
		}
		if got != tt.want {
			t.Errorf("%s: area %q = %q, want %q", tt.market, tt.in, got, tt.want)
		}
	}
}

func TestOperatorAndCode(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want bool
	}{
		{"ORANGE", true},
		{"orange", true},
		{"Orange", true},
		{"ORANGE ", false},
		{"", false},
		{"SRR", false},
		{"BOUYGUES\x00", false},
	} {
		t.Run(tt.in, func(t *testing.T) {
			if _, ok := Get(FR).Operator(tt.in); ok != tt.want {
				t.Errorf("operator %q of FR found = %v, want the opposite", tt.in, ok)
			}
		})
	}
	for _, tt := range []struct {
		in   string
		want Code
	}{
		{"fr", FR},
		{"DROM", DROM},
		{"dRoM", DROM},
		{"", ""},
		{"FRA", ""},
		{"F\u0052 ", ""},
		{"ﬀ", ""},
	} {
		t.Run(tt.in, func(t *testing.T) {
			var c Code
			if err := c.UnmarshalText([]byte(tt.in)); c != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("unmarshal market %q: got %q, %v, want %q", tt.in, c, err, tt.want)
			}
		})
	}
	if ByPLMN("99999") != "" || ByPLMN("") != "" {
		t.Error("ByPLMN of an unassigned network returned an operator, want none")
	}
}

func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		market Code
		area   string
		p      geo.Point
		want   bool
	}{
		{FR, "63", geo.Point{Lat: 45.77, Lng: 3.08}, true},
		{FR, "63", geo.Point{Lat: 3.08, Lng: 45.77}, false}, // longitude before latitude
		{FR, "2A", geo.Point{Lat: 41.9, Lng: 8.7}, true},
		{FR, "29", geo.Point{Lat: 48.45, Lng: -5.09}, true}, // Ouessant
		{FR, "75", geo.Point{Lat: 0, Lng: 0}, false},
		{DROM, "971", geo.Point{Lat: 16.2, Lng: -61.5}, true},
		{DROM, "974", geo.Point{Lat: 16.2, Lng: -61.5}, false},
		{DROM, "974", geo.Point{Lat: -21.1, Lng: 55.5}, true},
		{DROM, "976", geo.Point{Lat: -12.8, Lng: 45.2}, true},
		{DROM, "973", geo.Point{Lat: 4.9, Lng: -52.3}, true},
		{DROM, "972", geo.Point{Lat: 14.6, Lng: -61.1}, true},
	} {
		m := Get(tt.market)
		i, _ := m.Area(tt.area)
		if got := m.Holds(i, tt.p); got != tt.want {
			t.Errorf("%s %s holds %v = %v, want %v", tt.market, tt.area, tt.p, got, !got)
		}
	}
}

// The table matches the authority's list of departments, if that is installed.
func TestDepartmentsAgainstTheList(t *testing.T) {
	f, err := os.Open("../../shared/data/fr/departements_fr.csv")
	if err != nil {
		t.Skip("the list of departments is not on this machine")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, row := range rows[1:] {
		for _, c := range []Code{FR, DROM} {
			if i, ok := Get(c).Area(row[1]); ok {
				found++
				if a := Get(c).Areas[i]; a.Code != row[0] || a.Label != row[2] {
					t.Errorf("department %s = %+v, want %s %s", row[1], a, row[0], row[2])
				}
			}
		}
	}
	if found != 101 {
		t.Errorf("%d departments of the list are in the table, want 101", found)
	}
}
