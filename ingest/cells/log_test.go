package cells

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"relais/ingest/source"
)

// describe writes a row as PLMN, market, operator, cell and position.
func describe(r Row) string {
	who, where := "-", "-"
	if r.Market != nil {
		who = r.Market.Operators[r.Cell.Operator].Key
	}
	if r.Position != nil {
		where = fmt.Sprint(r.Position.Lat, ",", r.Position.Lng)
	}
	return fmt.Sprintf("%s %s %d/%d %v %s", r.PLMN, who, r.Cell.Node, r.Cell.ID, r.Cell.NR, where)
}

// Rows are in the layouts of OpenCelliD's files, and of toNTM of btsearch/btsearch (clf-export.ts).
func TestReadLog(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		most       int
		want       string
		rejected   string
		err        error
	}{
		{"networks with and without a market, without a leading zero",
			"LTE,228,1,9,25700,12,8.0,47.0,100,3,1,1600000000,1760000000,0\nLTE,310,260,9,25700,12,8.0,47.0,100,3,1,1600000000,1760000000,0\n" +
				"NR,270,1,9,68719476735,12,8.0,47.0,100,3,1,1600000000,1760000000,0\nLTE,,1,9,25700,12,8.0,47.0,100,3,1,1600000000,1760000000,0\n",
			9, "22801 SWISSCOM_CH 0/25700 false 47,8|310260 - 0/25700 false 47,8|27001 - 0/68719476735 true 47,8",
			"map[network not stated:1]", nil},
		{"cells of an eNB, an older one, none with a position",
			"4G;208;01;100;9;100;12;0;0;Bern [eNBI:100:100];1300\n4G;208;01;2147483647;9;102;2147483647;0;0;Bern;1300\n" +
				"2G;208;01;17;9;2147483647;2147483647;0;0;Bern [G900];2147483647\n",
			9, "20801 ORANGE 100/25700 false -|20801 ORANGE 102/0 false -", "map[no identifier that can be looked up:1]", nil},
		{"more rows than are read", strings.Repeat("4G;208;01;100;9;100;12;47.0;8.0;Bern [eNBI:100:100];1300\n", 3), 1,
			"20801 ORANGE 100/25700 false 47,8", "map[]", source.ErrRows},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := detect(t, "f.txt", tt.text)
			var got []string
			report, err := ReadLog(&f, tt.most, func(r Row) { got = append(got, describe(r)) })
			if all := strings.Join(got, "|"); all != tt.want || !errors.Is(err, tt.err) || fmt.Sprint(report.Rejected) != tt.rejected {
				t.Errorf("got %s, %v, %v\nwant %s, %s, %v", all, report.Rejected, err, tt.want, tt.rejected, tt.err)
			}
		})
	}
}

// A log of Luxembourg has the rows of LTE and NR that its lines say.
func TestRealLog(t *testing.T) {
	f := open(t, "cells/opencellid_270_LU.csv")
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	want, got := strings.Count(string(text), "\nLTE,270,")+strings.Count(string(text), "\nNR,270,"), 0
	report, err := ReadLog(&f, 100_000, func(r Row) {
		if got++; r.Market != nil || r.PLMN[:3] != "270" || r.Position == nil {
			t.Fatalf("%s; want a network of Luxembourg without a market", describe(r))
		}
	})
	if err != nil || report.Rows != 21195 || got+report.Rejected["value out of range"]+report.Rejected["no cell identifier"] != want {
		t.Errorf("%d cells of %d rows, rejected %v, %v; want %d cells", got, report.Rows, report.Rejected, err, want)
	}
}
