package belgium

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"relais/ingest/source"
)

// biptRow writes a row with the columns of the list.
func biptRow(values map[string]string) string {
	row := map[string]any{"Adres": "Straat 1", "Locatie": "", "PostcodeGemeente": "9000 Gent", "Status": "O",
		"X": "104500", "Y": "194000", "ID": "1", "AA": nil, "NrOps": "0", "SiteType": "BTS"}
	for i := range maxOwners {
		row[fmt.Sprint("Eigenaar", i+1)], row[fmt.Sprint("Ref", i+1)], row[fmt.Sprint("BIPTRef", i+1)] = nil, nil, nil
	}
	for k, v := range values {
		if row[k] = v; v == "null" {
			row[k] = nil
		}
	}
	text, _ := json.Marshal(row)
	return string(text)
}

func biptList(rows ...string) string { return "[" + strings.Join(rows, ",") + "]" }

func TestBIPT(t *testing.T) {
	snap, sites, reports := build(t, files(t, biptList(
		biptRow(map[string]string{"ID": "12", "Status": "A", "Locatie": "Residentie &quot;De Boei&quot;",
			"PostcodeGemeente": "3012 Leuven / 3000 Leuven",
			"Eigenaar1":        "Telenet: _OV1", "Eigenaar3": "Proximus : 91A_00", "Eigenaar15": "Orange Belgium",
			"Eigenaar4": "ASTRID: x"}),
		biptRow(map[string]string{"ID": "11", "X": "104600", "Locatie": "-", "Eigenaar1": "BASE: b",
			"Eigenaar2": "Telenet: t"}),
		biptRow(map[string]string{"ID": "13", "X": "104700", "Status": "R", "Eigenaar1": "Proximus: r"}),
		biptRow(map[string]string{"ID": "14", "X": "104800", "Status": "null", "Eigenaar1": "Citymesh: c",
			"PostcodeGemeente": "Gent"}),
	)))
	s := sites["bipt-12"]
	if len(sites) != 3 || len(s.Stations) != 3 || s.SourceCode != "12" ||
		!slices.Equal(snap.Statuses, []string{"A", "O"}) {
		t.Fatalf(`%d sites, %v; %+v; want len(sites) = 3, len(s.Stations) = 3, s.SourceCode = "12", `+
			`snap.Statuses = []string{"A", "O"}`, len(sites), snap.Statuses, s)
	}
	if s.Place != `Residentie "De Boei"` || s.Address != [3]string{"Straat 1", "3012 Leuven / 3000 Leuven"} ||
		s.PostalCode != "3012" || s.Commune != "Leuven" {
		t.Errorf("got %+v, want Straat 1, 3012 Leuven / 3000 Leuven", s)
	}
	for i, want := range []string{"TELENET_BASE_BE 12 _OV1 0", "PROXIMUS_BE 12 91A_00 0", "ORANGE_BE 12  0"} {
		st := s.Stations[i]
		if got := fmt.Sprintf("%s %s %s %d", key(st), st.Code, st.OperatorSiteID, s.Emissions[i].Status); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if b := sites["bipt-11"]; len(b.Stations) != 1 || b.Stations[0].OperatorSiteID != "b" || b.Place != "" ||
		b.Emissions[0].Status != statusO {
		t.Errorf(`two names of one operator: %+v; want len(b.Stations) = 1, b.Stations[0].OperatorSiteID = "b", `+
			`b.Place = "", b.Emissions[0].Status = %v`, b, statusO)
	}
	if c := sites["bipt-14"]; c.Emissions[0].Status != noStatus || c.Address[1] != "Gent" || c.PostalCode != "" {
		t.Errorf(`c = %+v; want c.Emissions[0].Status = %v, c.Address[1] = "Gent", c.PostalCode = ""`, c, noStatus)
	}
	if r := reports[0]; !maps.Equal(r.Rejected, map[string]int{"refused by the authority": 1}) ||
		!slices.Equal(r.Unknown, []source.Spelling{{Name: "ASTRID", Rows: 1}}) {
		t.Errorf("got %+v, want one row refused by the authority and one of the unknown ASTRID", r)
	}
}

// Together the sources meet in places: the register's id stays, BIPT adds the
// status and what the register does not have.
func TestTogether(t *testing.T) {
	register := collection(crs,
		row{"70", "2018-01-01", "91A_00", "Korenlei 10, 9000 Gent", "Proximus NV", "P70", at(104500, 194000)}.String(),
		row{"80", "2018-01-01", "", "Korenlei 10, 9000 Gent", "Telenet Group BVBA", "T80", at(104503, 194000)}.String(),
		row{"90", "2018-01-01", "C", "Ver 1, 9000 Gent", "Citymesh", "C90", at(105500, 194000)}.String())
	list := biptList(
		biptRow(map[string]string{"ID": "5", "X": "104500", "Y": "194010", "Status": "A", "Locatie": "Toren",
			"Eigenaar1": "Proximus: other", "Eigenaar2": "Orange Belgium: 3", "Eigenaar3": "Telenet: t"}),
		biptRow(map[string]string{"ID": "6", "X": "104501", "Status": "O", "Eigenaar1": "Proximus: more"}),
		biptRow(map[string]string{"ID": "7", "X": "104511", "Y": "194000", "Eigenaar1": "Proximus: next"}))
	_, sites, reports := build(t, files(t, list, register))
	s := sites["70"]
	if len(sites) != 3 || len(s.Stations) != 3 || s.SourceCode != "P70" || s.Place != "Toren" ||
		s.Address[0] != "Korenlei 10" {
		t.Fatalf(`%d sites; %+v; want len(sites) = 3, len(s.Stations) = 3, s.SourceCode = "P70", s.Place = `+
			`"Toren", s.Address[0] = "Korenlei 10"`, len(sites), s)
	}
	for i, want := range []string{"PROXIMUS_BE P70 91A_00 1", "TELENET_BASE_BE T80 t 0", "ORANGE_BE 5 3 0"} {
		st := s.Stations[i]
		if got := fmt.Sprintf("%s %s %s %d", key(st), st.Code, st.OperatorSiteID, s.Emissions[i].Status); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if _, ok := sites["bipt-7"]; !ok || sites["90"].Emissions[0].Status != noStatus || reports[0].Served != 3 ||
		reports[1].Served != 3 {
		t.Errorf(`sites = %v; want ok, sites["90"].Emissions[0].Status = %v, reports[0].Served = 3, `+
			"reports[1].Served = 3", sites, noStatus)
	}
}

func TestBIPTBadRows(t *testing.T) {
	good := map[string]string{"ID": "1", "Eigenaar1": "Proximus: x"}
	for _, tt := range []struct {
		want string
		bad  map[string]string
	}{
		{"no site id", map[string]string{"ID": "null"}},
		{"no site id", map[string]string{"ID": "x1"}},
		{"unknown status", map[string]string{"Status": "Q"}},
		{"refused by the authority", map[string]string{"Status": " r "}},
		{"no position", map[string]string{"X": ""}},
		{"no position", map[string]string{"Y": "null"}},
		{"no position", map[string]string{"X": "0", "Y": "0"}},
		{"no position", map[string]string{"X": "12 metres"}},
		{"position outside Belgium", map[string]string{"X": "NaN"}},
		{"position outside Belgium", map[string]string{"X": "Inf"}},
		{"position outside Belgium", map[string]string{"X": "10450000"}},
		{"position in degrees, not in metres of Lambert 72", map[string]string{"X": "3.72", "Y": "51.05"}},
		{"position differs from the row's own longitude and latitude",
			map[string]string{"X": "194000", "Y": "104500", "Longitude": "3.7198", "Latitude": "51.0543"}},
		{"position differs from the row's own longitude and latitude",
			map[string]string{"Longitude": "NaN", "Latitude": "51.0543"}},
		{"no operator", map[string]string{"Eigenaar1": "null"}},
		{"no operator", map[string]string{"Eigenaar1": ": code"}},
		{"operator not served", map[string]string{"Eigenaar1": "ASTRID: x", "Eigenaar2": "NMBS: y"}},
		{tooLong, map[string]string{"Adres": strings.Repeat("x", maxText+1)}},
		{tooLong, map[string]string{"Eigenaar1": "Proximus:" + strings.Repeat("x", maxText+1)}},
		{"duplicate site", map[string]string{"ID": "1"}},
		{"duplicate site with other content", map[string]string{"ID": "1", "Status": "A"}},
	} {
		bad := maps.Clone(good)
		bad["ID"] = "2"
		maps.Copy(bad, tt.bad)
		_, sites, reports := build(t, files(t, biptList(biptRow(good), biptRow(bad))))
		if r := reports[0]; len(sites) != 1 || !maps.Equal(r.Rejected, map[string]int{tt.want: 1}) {
			t.Errorf("%v: %d sites, rejected %v, want %s", tt.bad, len(sites), r.Rejected, tt.want)
		}
	}
	broken := strings.Replace(biptRow(good), `"9000 Gent"`, `["9000"]`, 1)
	if _, _, reports := build(t,
		files(t, biptList(biptRow(good), broken))); reports[0].Rejected["not in the form of the register"] != 1 {
		t.Errorf(`%v: reports[0].Rejected["not in the form of the register"] = %v, want 1`, reports[0].Rejected,
			reports[0].Rejected["not in the form of the register"])
	}
}
