package measure

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

func TestFixedPoint(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"45.5", "455000000"},
		{"45,5", "455000000"},
		{"-4.12345678", "-41234568"},
		{"+1", "10000000"},
		{".5", "5000000"},
		{"5.", "50000000"},
		{"1e1", "100000000"},
		{"0.00000005", "1"},
		{"-0.00000004", "0"},
		{"", ""},
		{"-", ""},
		{".", ""},
		{"1.2.3", ""},
		{"1,234.5", ""},
		{"0x10", ""},
		{"NaN", ""},
		{"Inf", ""},
		{"1e400", ""},
		{"1_000", ""},
		{"99999999999999999999", ""},
		{"1.9999999999999999999999", "20000000"},
		{" 1", ""},
		{"--1", ""},
		{"1-", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got := ""
			if n, ok := fixedPoint([]byte(tt.text), 7); ok {
				got = strconv.FormatInt(n, 10)
			}
			if got != tt.want {
				t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

// What is a number for strconv too has its value.
func FuzzFixedPoint(f *testing.F) {
	for _, s := range []string{"45.5", "-1,25", "1e5", "NaN", "0.00000005"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := fixedPoint([]byte(s), 3)
		if !ok {
			return
		}
		v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
		if err != nil || math.Abs(v*1000-float64(n)) > 0.5+1e-9*math.Abs(v*1000) {
			t.Errorf("fixedPoint(%q) = %d, ParseFloat: %v (%v), want the same", s, n, v, err)
		}
	})
}

// rfc3339 is a time of it: time.Parse takes an hour of one digit, too.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

// What is a time for the standard library has the same one here, unless it is too old
// or to come.
func FuzzMoment(f *testing.F) {
	for _, s := range []string{"2026-03-05T10:03:00Z", "2026-02-30T10:03:00Z", "2026-03-05T10:03:00.25+02:00",
		"05/03/2026 10:03", "1760000000", "20260305", "2026-03-05T0:03:00.5+02:00"} {
		f.Add(s, uint8(0))
	}
	paris, err := time.LoadLocation("Europe/Paris")
	must(f, err)
	f.Fuzz(func(t *testing.T, s string, c uint8) {
		kind := clock(c % 5)
		got, reason := kind.parse([]byte(s), nil, paris, now)
		if reason == "" && kind != noClock && (int64(got) < oldest.Unix() || int64(got) > now.Add(maxClockLead).Unix()) {
			t.Errorf("parse(%q) = %d, want a time from 2000 to now", s, got)
		}
		if want, err := time.Parse(time.RFC3339, s); err == nil && rfc3339.MatchString(s) && kind == zoned {
			_, offset := want.Zone()
			usual := offset > -16*3600 && offset < 16*3600
			there := usual && !want.Before(oldest) && !want.After(now.Add(maxClockLead))
			if there != (reason == "") || there && int64(got) != want.Unix() {
				t.Errorf("%q: %d (%s), want %d", s, got, reason, want.Unix())
			}
		}
	})
}

// Whatever a file holds, its account adds up, and what it makes can be read again.
func FuzzImport(f *testing.F) {
	f.Add(coverageOf(random(rand0(), 3)))
	f.Add(testsOf(random(rand0(), 3)))
	f.Add("45.5,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n")
	f.Add("date_time_start;latitude_start;longitude_start;operator;bitrate_dl\n05/03/2026 10:03:00;45,5;4,25;Free;81,5\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.csv")
		filetest.Write(t, path, text)
		s, err := openMeasures(folder.Dir(dir), false, clockOf(now))
		must(t, err)
		defer closeMeasures(s)
		reports, err := s.Import(context.Background(), market.FR, Options{}, path)
		if err != nil {
			if len(s.Segments()) > 0 {
				t.Error("segments after a failed import, want none")
			}
			return
		}
		sum := reports[0].Served
		for _, n := range reports[0].Rejected {
			sum += n
		}
		if n, err := sound(s); sum != reports[0].Rows || n != reports[0].Served || err != nil {
			t.Errorf("%d rows, %d accounted for, %d kept (%v), want as many", reports[0].Rows, sum, n, err)
		}
	})
}

func TestRealFiles(t *testing.T) {
	const data = "../../shared/data/"
	if _, err := os.Stat(data); err != nil {
		t.Skip("the real files are not on this machine")
	}
	s := openStore(t, t.TempDir())
	r := imported(t, s, market.BE, data+"cells/opencellid_270_LU.csv")[0]
	if r.Rows != 21195 || r.Rejected[foreign]+r.Rejected[outside]+r.Rejected[nothing]+r.Rejected[noPosition] != 21195 {
		t.Errorf("rejected rows of Luxembourg = %v, want none outside a market", r.Rejected)
	}
	r = imported(t, s, market.CA, data+"cells/opencellid_302_QC_rows.csv")[0]
	got := all(t, s, market.CA)
	if r.Served != 5 || len(got) != 5 || got[0].Operator != "ROGERS" || got[0].MNC != 720 ||
		got[0].Time.Unix() != 1727196905 {
		t.Errorf("report = %v, points = %+v, want 5 of ROGERS", r, got)
	}
	r = imported(t, s, market.FR, data+"drivetest/networksurvey_lte.sample.csv")[0]
	if r.Rejected[outside] != 1 {
		t.Errorf("rejected rows in San Francisco = %v, want 1 outside the market", r.Rejected)
	}
	for _, name := range []string{"towercollector", "gmonpro"} {
		if _, err := s.Import(context.Background(), market.FR, Options{},
			data+"drivetest/"+name+".header.csv"); err == nil || !strings.Contains(err.Error(), "no row") {
			t.Errorf("Import(%s) = %v, want an error without rows", name, err)
		}
	}
}
