package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Archives that were made up for a demonstration are nobody's publication.
func TestArchiveSources(t *testing.T) {
	for _, tt := range []struct {
		name string
		made bool
	}{
		{"observatoire.csv", false},
		{"SYNTHETIC_observatoire.csv", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := archiveReading(t, archiveWeeks()[:2], tt.name)
			for _, c := range []struct{ tool, arguments string }{
				{"anfr_list_archives", `{}`},
				{"anfr_list_snapshot_sites", `{"date":"2026-08-06","north":50,"south":40,"east":10,"west":0}`},
				{"anfr_get_site_snapshot", `{"siteId":"100","date":"2026-08-06"}`},
				{"anfr_get_site_history", `{"siteId":"100"}`},
				{"anfr_compare_site_dates", `{"siteId":"100","from":"2026-08-06","to":"2026-08-13"}`},
			} {
				t.Run(c.tool, func(t *testing.T) {
					for _, s := range mustCall(t, r, c.tool, c.arguments)["sources"].([]any) {
						if got := strings.Contains(s.(object)["label"].(string), "SYNTHETIC"); got != tt.made ||
							s.(object)["date"] == nil {
							t.Errorf("%s of %s: got %v, want a date, synthetic: %v", c.tool, tt.name, s, tt.made)
						}
					}
				})
			}
		})
	}
}

// What operators publish is theirs, and of those alone whose files were read and who were
// asked about; what was made up for a demonstration is nobody's.
func TestUnavailableSources(t *testing.T) {
	r := withOutages(t)
	for _, tt := range []struct{ operator, name string }{
		{"ORANGE", "hs.csv"},
		{"FREE", "SYNTHETIC_hs.csv"},
	} {
		t.Run(tt.operator, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.name)
			if err := os.WriteFile(path,
				[]byte("code_site_op;departement;commune;Lat;Lon;data\nS1;75;Paris;48.85;2.35;HS\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			publish(t, r, tt.operator, path)
		})
	}
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{"sites_hs_list", `{}`, []string{"Orange", "Free Mobile SYNTHETIC"}},
		{"sites_hs_list", `{"operator":"ORANGE"}`, []string{"Orange"}},
		{"sites_hs_list", `{"operator":"SFR"}`, []string{}},
		{"sites_hs_list", `{"market":"DROM"}`, []string{}},
		{"sites_hs_list", `{"market":"BE"}`, []string{}},
		{"sites_hs_nearby", `{"lat":48.85,"lon":2.35,"operator":"FREE"}`, []string{"Free Mobile SYNTHETIC"}},
		{"sites_hs_nearby_from_place", `{"place":"Paris","market":"FR"}`, []string{"Orange", "Free Mobile SYNTHETIC"}},
	} {
		got := []string{}
		for _, s := range mustCall(t, r, c.tool, c.arguments)["sources"].([]any) {
			name := s.(object)["authority"].(string)
			if strings.Contains(s.(object)["label"].(string), "SYNTHETIC") {
				name += " SYNTHETIC"
			}
			if s.(object)["date"] != nil || s.(object)["licence"] != nil { // the files state neither
				t.Errorf("got %v, want no date and no licence", s)
			}
			got = append(got, name)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s %s: %q, want %q", c.tool, c.arguments, got, c.want)
		}
	}
}
