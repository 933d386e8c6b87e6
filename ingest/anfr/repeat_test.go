package anfr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/market"
	"relais/site"
)

// Rows that repeat the row before give the sites of rows that are read alone: nothing repeats a broken row.
func TestRepeatedRows(t *testing.T) {
	stations := ""
	for i := range 300 { // rows of a station that differ in a few columns
		stations += fmt.Sprintf("%d;%s;%d;%s;20%02d-01-02;003;03258;%s;2026-08-27T16:11:53;00327%05d;23;20;72;A;B;;;03110;03258;"+
			"\"46.1775 , 3.3741\";x;%s\n", 100+i, []string{"SFR", "SFR", "ORANGE", "?"}[i/70%4], 700+i/40,
			[]string{"LTE 800", "LTE 1800", "GSM 900", "LTE 800", ""}[i%5], i/7%20, []string{"4G", "4G", "2G", "6G"}[i/3%4], i/10,
			[]string{"En service", "Projet approuvé", "Peut-être"}[i/11%3])
	}
	text := observatory + stations
	alone := strings.ReplaceAll(text, "\n", "\nbroken\n")
	want, wantReports, _ := build(t, map[string]string{"o.csv": alone}, market.FR, market.DROM)
	got, reports, _ := build(t, map[string]string{"o.csv": text}, market.FR, market.DROM)
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" || len(got) < 8 {
		t.Errorf("%d sites; sites that are read alone, and together:\n%s", len(got), diff)
	}
	rejected := maps.Clone(wantReports[Observatory].Rejected)
	rejected["wrong number of columns"] -= strings.Count(text, "\n")
	if diff := cmp.Diff(rejected, reports[Observatory].Rejected); diff != "" {
		t.Errorf("rejected rows that are read alone, and together:\n%s", diff)
	}
}

// Of rows of one station and system the most advanced stays, in whatever order they come.
func TestRowsOfOneKey(t *testing.T) {
	rows := []string{"Projet approuvé;2026-10-01;5", "En service;;120", "En service;2016-03-04;5", "En service;2016-01-02;240",
		"Techniquement opérationnel;2015-05-06;"}
	want := []site.Emission{{System: "LTE 800", Generation: site.G4, Status: 2, On: day(2016, 1, 2),
		Azimuths: []uint16{5, 120, 240}, Origin: site.FromList}}
	for range len(rows) {
		rows = append(rows[1:], rows[0])
		reversed := slices.Clone(rows)
		slices.Reverse(reversed)
		for _, order := range [][]string{rows, reversed} {
			text := "adm_lb_nom;sup_id;emr_lb_systeme;sta_nm_dpt;generation;sta_nm_anfr;coordonnees;date_maj;statut;emr_dt;list_azimut\n"
			for _, r := range order {
				text += "SFR;100;LTE 800;003;4G;0032700002;46.2 , 3.4;2026-08-27T10:00:00;" + r + "\n"
			}
			sites, reports, _ := build(t, map[string]string{"o.csv": text}, market.FR)
			if diff := cmp.Diff(want, sites["100"].Emissions); diff != "" {
				t.Errorf("%q (-want +got)\n%s", order, diff)
			}
			if n := reports[Observatory].Rejected["duplicate row"]; n != 4 {
				t.Errorf("%q: %d duplicate rows, want 4", order, n)
			}
		}
	}
}

// The antennas of a station are searched one after the other, so their number is bounded.
func TestBoundedAntennas(t *testing.T) {
	var text strings.Builder
	text.WriteString("STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID\n")
	for i := range maxAntennas + 5 {
		fmt.Fprintf(&text, "0032700002;%d;21;%d;24;100\n", 1+i, i%300)
	}
	sites, reports, _ := build(t, map[string]string{"o.csv": observatory, "a.txt": text.String()}, market.FR)
	if r := reports[kindAntennas]; r.Served != maxAntennas || r.Rejected["over 1000 antennas of one station"] != 5 {
		t.Errorf("got %+v, want %d antennas and 5 rejected", r, maxAntennas)
	}
	s := sites["100"]
	if azimuths, _ := s.Azimuths(nil); len(azimuths) != 300 {
		t.Errorf("%d azimuths, want 300", len(azimuths))
	}
}
