package measure

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/ingest/table/tabletest"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
)

// A columnsCase is a table of measures as an app or an authority writes it, and what the
// contract of its columns is. Its rows stand at the latitude LAT.
type columnsCase struct {
	name, comma, header string
	before              string // lines above the header
	rows                []map[string]string
	headless            bool
	kind                Kind
	served              int              // rows; the others are neighbours of a cell
	required            string           // refused without it, and when it is empty in every row
	filled              string           // of these, those that may be empty
	read                string           // columns that may not be there twice
	told                string           // by them a table without a header is known
	all                 string           // without its content no row is served
	facts               facts            // of the whole file
	otherwise           map[string]facts // that are others without the content of a column
}

// facts count measures, and what they state.
type facts map[string]int

// with returns the facts with some replaced by others, or removed where the other is 0.
func (f facts) with(others facts) facts {
	f = maps.Clone(f)
	maps.Copy(f, others)
	maps.DeleteFunc(f, func(_ string, n int) bool { return n == 0 })
	return f
}

func (f facts) count(name string, has bool) {
	if has {
		f[name]++
	}
}

func (f facts) measure(m *Measurement) {
	f.count("measures", true)
	for name, has := range map[string]bool{"times": !m.Time.IsZero(), "mcc": m.MCC >= 0, "mnc": m.MNC >= 0,
		"operators": m.Operator != "",
		"names":     m.OperatorName != "", "technologies": m.Technology != "", "networkTypes": m.NetworkType != "",
		"enb": m.Radio.ENB != 0,
		"gnb": m.Radio.GNB != 0, "cells": m.Radio.Cell != 0, "pci": m.Radio.PCI >= 0} {
		f.count(name, has)
	}
	for name, v := range map[string]float64{"rsrp": m.Radio.RSRP, "rsrq": m.Radio.RSRQ, "snr": m.Radio.SNR} {
		f.count(name, !math.IsNaN(v))
	}
}

// at returns the facts of the measures of a kind at a latitude.
func at(t *testing.T, s *Store, kind Kind, lat float64) facts {
	t.Helper()
	f := facts{}
	q := Query{Market: market.FR, Limit: 100, Box: &geo.Box{South: lat - 1e-5, North: lat + 1e-5, West: 4, East: 5}}
	if kind == Coverage {
		points, err := s.Coverage(q)
		must(t, err)
		for i := range points {
			f.measure(&points[i].Measurement)
			f.count("signals", !math.IsNaN(points[i].Signal))
		}
		return f
	}
	tests, _, err := s.Speedtests(q)
	must(t, err)
	for i := range tests {
		x := &tests[i]
		f.measure(&x.Measurement)
		for name, v := range map[string]float64{"down": x.Download, "mean": x.Average, "most": x.Max, "up": x.Upload,
			"ping": x.Ping} {
			f.count(name, !math.IsNaN(v))
		}
		f.count("devices", x.DeviceType != "")
	}
	return f
}

// text is the table at a latitude, with a column that was changed.
func (c *columnsCase) text(lat float64, how, column string) string {
	columns := strings.Split(c.header, c.comma)
	rows := [][]string{columns}
	for _, values := range c.rows {
		var row []string
		for _, name := range columns {
			row = append(row, strings.ReplaceAll(values[name], "LAT", fmt.Sprint(lat)))
		}
		rows = append(rows, row)
	}
	rows = tabletest.Change(rows, how, slices.Index(columns, column))
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, c.comma))
	}
	lines[0] = c.before + lines[0]
	if c.headless {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n") + "\n"
}

// refused reports whether a table that was changed like this must be refused, and whether
// the column can be named.
func (c *columnsCase) refused(how, column string) (refused, named bool) {
	has := func(list string) bool { return slices.Contains(strings.Fields(list), column) }
	if c.headless && (how != "emptied" || has(c.told)) {
		return true, false
	}
	switch how {
	case "doubled":
		return has(c.required) || has(c.read), true
	case "emptied":
		return has(c.required) && !has(c.filled), true
	}
	return has(c.required), true
}

// Each column of each table is renamed, dropped, doubled and emptied. The table is refused
// with the column named, and nothing is stored, or all that the rows still say is and a warning
// names the column.
func TestColumns(t *testing.T) {
	tier.Slow(t)
	for _, c := range columnsCases {
		t.Run(c.name, func(t *testing.T) { c.test(t) })
	}
}

func (c *columnsCase) test(t *testing.T) {
	s, dir := openStore(t, t.TempDir()), t.TempDir()
	type served struct {
		column, how, path string
		lat               float64
	}
	list := []served{{"", "", dir + "/whole.csv", 44}}
	filetest.Write(t, list[0].path, c.text(44, "", ""))
	for i, column := range strings.Split(c.header, c.comma) {
		if !tier.Full() && i%5 > 0 {
			continue
		}
		for k, how := range []string{"renamed", "dropped", "doubled", "emptied"} {
			if c.headless && how == "renamed" {
				continue
			}
			x := served{column, how, fmt.Sprintf("%s/%d%s.csv", dir, i, how), 45 + float64(4*i+k)/1000}
			filetest.Write(t, x.path, c.text(x.lat, how, column))
			if refused, named := c.refused(how, column); refused {
				c.refuses(t, s, x.path, column, named)
			} else {
				list = append(list, x)
			}
		}
	}
	if n := len(s.Segments()); n > 0 {
		t.Errorf("%d segments after refused files, want 0", n)
	}
	var paths []string
	for _, x := range list {
		paths = append(paths, x.path)
	}
	reports, err := s.Import(context.Background(), market.FR, Options{Kind: c.kind}, paths...)
	must(t, err)
	step := len(reports) / len(list) // a campaign has a report for each kind, that of its speedtests first
	for i, x := range list {
		want, served := c.facts, c.served
		if x.column != "" && x.column == c.all && x.how != "doubled" {
			want, served = facts{}, 0
		}
		if x.how != "doubled" {
			want = want.with(c.otherwise[x.column])
		}
		if got := at(t, s, c.kind, x.lat); !maps.Equal(got, want) {
			t.Errorf("%s %s: %v, want %v", x.column, x.how, got, want)
		}
		if r := reports[i*step]; r.Rows != len(c.rows) || r.Served != served {
			t.Errorf("%s %s: %d of %d rows served, rejected %v, want others", x.column, x.how, r.Served, r.Rows,
				r.Rejected)
		}
		c.noted(t, reports[i*step].Warning, x.column, x.how)
	}
}

// noted checks that the warning of a file names the column whose values are gone, and one that came. Two files name
// none that came: the good one, and one that only lacks values.
func (c *columnsCase) noted(t *testing.T, warning, column, how string) {
	t.Helper()
	names := strings.FieldsFunc(warning, func(r rune) bool { return strings.ContainsRune(":,; ", r) })
	_, lost := c.otherwise[column]
	switch {
	case how == "doubled" && column != "" && !slices.Contains(names, column):
		t.Errorf("%s %s: warning %q does not name the column", column, how, warning)
	case how == "renamed" && !slices.Contains(names, tabletest.Renamed):
		t.Errorf("%s %s: warning %q does not name the column that came", column, how, warning)
	case how != "doubled" && lost && !slices.Contains(names, column):
		t.Errorf("%s %s: warning %q does not name the column whose values are gone", column, how, warning)
	case (how == "" || how == "emptied") && strings.Contains(warning, "unknown columns"):
		t.Errorf("%s %s: warning %q", column, how, warning)
	}
}

func (c *columnsCase) refuses(t *testing.T, s *Store, path, column string, named bool) {
	t.Helper()
	_, err := s.Import(context.Background(), market.FR, Options{Kind: c.kind}, path)
	name := regexp.MustCompile(`\bthe column ` + regexp.QuoteMeta(column) + ` `)
	if err == nil || !strings.Contains(err.Error(), path+":1: ") || named && !name.MatchString(err.Error()) {
		t.Errorf("%s, column %s: got %v, want an error in line 1 that names it", path, column, err)
	}
}
