// Package historytest opens archives of days of unavailable sites for tests, and reads their files without relais.
package historytest

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/demo"
	"relais/ingest/source"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store/storetest"
	"relais/outage"
	"relais/outage/history"
	"relais/site"
)

// A Country is a synthetic FR: what its lists and its register say, as their files have it.
type Country struct {
	Files []string                       // the lists, the oldest first
	Days  []string                       // of the lists, YYYY-MM-DD
	Out   map[string]map[string][]string // departments of unavailable sites, by day and by "operator station"
	Rows  []map[string]string            // of the register
}

// keys are those of operators, by their names in lists and in the register.
var keys = map[string]string{"Orange": "ORANGE", "SFR": "SFR", "Free Mobile": "FREE", "Bouygues Telecom": "BOUYGUES", "ORANGE": "ORANGE",
	"FREE MOBILE": "FREE", "BOUYGUES TELECOM": "BOUYGUES"}

// Key returns the key of an operator's name in a list or in the register.
func Key(name string) string { return keys[name] }

// Write writes the country of so many supports, with lists of the days before a moment.
func Write(t testing.TB, supports int, now time.Time) *Country {
	t.Helper()
	dir := t.TempDir()
	france, err := demo.NewFrance(supports)
	errtest.Must(t, err)
	errtest.Must(t, france.WriteDays(filepath.Join(dir, "days"), now))
	register, err := demo.Write(dir, supports)
	errtest.Must(t, err)
	c := &Country{Out: map[string]map[string][]string{}}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(filetest.Read(t, register[0])), "\ufeff")))
	r.Comma = ';'
	all, err := r.ReadAll()
	errtest.Must(t, err)
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		c.Rows = append(c.Rows, row)
	}
	files, err := filepath.Glob(filepath.Join(dir, "days", "*.geojson"))
	errtest.Must(t, err)
	for _, path := range files {
		c.read(t, path)
	}
	return c
}

// read reads a list, if it names a site: others are refused, and their days are gaps.
func (c *Country) read(t testing.TB, path string) {
	t.Helper()
	_, day, _ := strings.Cut(strings.TrimSuffix(path, ".geojson"), "_raw")
	var list struct {
		Features []struct {
			Properties struct{ Operateur, Departement, Station_anfr string }
		}
	}
	errtest.Must(t, json.Unmarshal(filetest.Read(t, path), &list))
	if len(list.Features) == 0 {
		return
	}
	c.Files, c.Days, c.Out[day] = append(c.Files, path), append(c.Days, day), map[string][]string{}
	for _, f := range list.Features {
		p := f.Properties
		name := Key(p.Operateur) + " " + p.Station_anfr
		c.Out[day][name] = append(c.Out[day][name], p.Departement)
	}
}

// Names reports whether the list of a day names an operator.
func (c *Country) Names(day, operator string) bool {
	for name := range c.Out[day] {
		if strings.HasPrefix(name, operator+" ") {
			return true
		}
	}
	return false
}

// Sites counts the supports of an operator that are not projects, in one of the departments or, with nil, in all.
func (c *Country) Sites(operator string, departments []string) int {
	supports := map[string]bool{}
	for _, row := range c.Rows {
		overseas := strings.HasPrefix(row["sta_nm_dpt"], "97")
		if Key(row["adm_lb_nom"]) == operator && !overseas && row["statut"] != "Projet approuvé" &&
			(departments == nil || slices.Contains(departments, strings.TrimPrefix(row["sta_nm_dpt"], "0"))) {
			supports[row["sup_id"]] = true
		}
	}
	return len(supports)
}

// Open returns an archive with the lists of the country.
func (c *Country) Open(t testing.TB) *history.Store {
	t.Helper()
	s := history.Open(storetest.New(t, history.Buckets...))
	inputs, err := source.Expand(c.Files)
	errtest.Must(t, err)
	for i, in := range inputs {
		list, err := outage.ReadList(t.Context(), demo.DayMarket, in)
		errtest.Must(t, err)
		_, err = s.Add(history.DayList{Day: site.ParseDate([]byte(c.Days[i])), List: list})
		errtest.Must(t, err)
	}
	return s
}
