package anfr

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relais/market"
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
