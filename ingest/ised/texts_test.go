package ised

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"relais/internal/tier"
	"relais/market"
)

// No text that is served is endless.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("x", maxText)
	text, columns := header+good, []string{"location", "reference_number", "record_id", "structure_type",
		"licence_number"}
	for _, column := range columns {
		text += with(t, column, long) + with(t, column, long+"x")
	}
	sites, report, _, err := build(t, "fx.csv", text)
	if s := only(t, sites, err); report.Rejected["a text of over 500 bytes"] != len(columns) ||
		report.Served != 1+len(columns) || s.Address[0] != "Main St" {
		t.Errorf(`report = %+v, s = %+v; want report.Rejected["a text of over 500 bytes"] = len(columns), `+
			`report.Served = 1+len(columns), s.Address[0] = "Main St"`, report, s)
	}
}

// What is remembered of texts does not grow with the rows: each could have a smaller
// one than the rows before it.
func TestSharedTexts(t *testing.T) {
	c := newCountry(market.Get(market.CA))
	have := ""
	for i := range 50000 {
		raw := fmt.Sprintf("%06d", 999999-i)
		if have = c.leastInterned(have, []byte(raw)); have != raw {
			t.Fatalf("%q, want %q", have, raw)
		}
	}
	for _, raw := range []string{"", "999999", strings.Repeat("x", 300)} {
		if got := c.leastInterned(have, []byte(raw)); got != have {
			t.Errorf("%q is less than %q, want %q", got, have, have)
		}
	}
	if len(c.texts) > 10000 {
		t.Errorf("%d texts; want len(c.texts) <= 10000", len(c.texts))
	}
}

// One mistyped date must not make every later file an older one.
func TestFutureDates(t *testing.T) {
	now := time.Now().UTC()
	tomorrow := now.AddDate(0, 0, 1).Format(time.DateOnly)
	future := with(t, "upload_date", "2062-01-10") + with(t, "upload_date",
		now.AddDate(0, 0, 3).Format(time.DateOnly)) + with(t, "upload_date", "9999-12-31")
	_, report, snap, err := build(t, "fx.csv", header+good+future)
	if err != nil || snap.SourceDate != "2026-01-10" || report.Served != 4 ||
		report.Warning != "values out of range were left out: 3 upload dates of the future" {
		t.Errorf(`snap.SourceDate = %s, report = %+v, err = %v; want no error, snap.SourceDate = "2026-01-10", `+
			`report.Served = 4, report.Warning = "values out of range were left out: 3 upload dates of the `+
			`future"`, snap.SourceDate, report, err)
	}
	if _, _, snap, err = build(t, "fx.csv", header+good+with(t, "upload_date", tomorrow)); err != nil ||
		snap.SourceDate != tomorrow {
		t.Errorf("tomorrow: %s, %v; want no error, snap.SourceDate = %v", snap.SourceDate, err, tomorrow)
	}
	if _, _, snap, err = build(t, "FX_2026-01-15.csv", header+future); err != nil || snap.SourceDate != "2026-01-15" {
		t.Errorf(`by the name: %v, %v; want no error, snap.SourceDate = "2026-01-15"`, snap, err)
	}
	if _, _, _, err = build(t, "FX.csv", header+future); err == nil ||
		!strings.Contains(err.Error(), "FX.csv: neither") {
		t.Errorf(`no date at all: %v; want an error with "FX.csv: neither"`, err)
	}
}

// Of a large file every row is counted once, for what it is.
func TestCounts(t *testing.T) {
	tier.Slow(t)
	bad := []struct{ reason, row string }{
		{"broken record", with(t, "location", `"Main St`)},
		{"broken record", with(t, "licensee_name", `""Bell Mobility, Inc."`, "location", `"Main St,FX"`)},
		{"broken record", with(t, "licensee_name", `"Bell" Mobility`)},
		{"wrong number of columns", with(t, "location", "Main St, unit 4")},
		{"shifted columns", with(t, "location", "zoe@telus.com")},
		{"shifted columns", with(t, "location", `"zoe@mail.example,Main St"`)},
		{"a text of over 500 bytes", with(t, "location", strings.Repeat("é", 251))},
		{"no position", with(t, "latitude", "NaN")}, {"no position", with(t, "latitude", "0x2b")},
		{"position outside Canada", with(t, "latitude", "0", "longitude", "0")},
		{"position outside Canada", with(t, "longitude", "79.387089")},
		{"position outside Canada", with(t, "latitude", "436423.21", "longitude", "-793870.89")},
		{"latitude and longitude swapped", with(t, "latitude", "-79.387089", "longitude", "43.642321")},
		{"unknown technology", with(t, "technology", "Henry")},
		{"not a cellular licence", with(t, "licence_category", "TAFL")},
		{"no licence number", with(t, "licence_number", "-")},
	}
	odd := with(t, "structure_height", "180 ft", "tx_ant_height", "-1", "tx_ant_azimuth", "720", "tx_frequency",
		"871000", "rx_frequency", "826000000", "physical_id", "-1", "upload_date", "3026-01-10")
	rows := 200000
	if !tier.Full() {
		rows = 20000
	}
	text, want, odds := []byte(header), map[string]int{}, 0
	for i := range rows {
		switch {
		case i%20 == 7:
			b := bad[i/20%len(bad)]
			text = append(text, b.row...)
			want[b.reason]++
		case i%20 == 9:
			text = append(text, odd...)
			odds++
		default:
			text = append(text, good...)
		}
	}
	sites, report, snap, err := build(t, "fx.csv", string(text))
	s := only(t, sites, err)
	if report.Rows != rows || report.Served != rows*19/20 || !maps.Equal(report.Rejected, want) ||
		len(report.Examples) > 3*len(want) {
		t.Errorf("%+v, want %v", report, want)
	}
	left := fmt.Sprintf("values out of range were left out: %d heights, %d azimuths, %d frequencies, %d physical cell ids, %d upload dates of the future", 2*odds, odds, 2*odds, odds, odds)
	if report.Warning != left || snap.SourceDate != "2026-01-10" || s.Height != 55 || len(s.Emissions[0].Azimuths) != 1 ||
		len(s.TxFrequencies) != 1 || len(s.Stations) != 1 {
		t.Errorf("%q, want %q; %s, %+v", report.Warning, left, snap.SourceDate, s)
	}
}

func TestReadable(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"King &amp; Queen", "King & Queen"},
		{"O&#39;Leary", "O'Leary"},
		{"Mont-Tremblant, &eacute;glise", "Mont-Tremblant, église"},
		{"&amp;amp;", "&amp;"},
		{"A&B", "A&B"},
		{"A & B; C", "A & B; C"},
		{"a&#10;b&#x7f;&#0;", "a b \ufffd"},
		{"a\x01b", "a b"},
		{"&nbsp;", ""},
		{"&#32;x&#9;", "x"},
		{"&", "&"},
		{"", ""},
		{"R&D &lt;b&gt;", "R&D <b>"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := string(readable([]byte(tt.text))); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
			}
		})
	}
	sites, _, _, err := build(t, "fx.csv",
		header+with(t, "location", `"Mont-Royal &eacute;glise; O&#39;Leary"`, "reference_number", "R&amp;D"))
	if s := only(t, sites, err); s.Address[0] != "Mont-Royal église; O'Leary" || s.Reference != "R&D" {
		t.Errorf(`s.Address[0] = %q, s.Reference = %q; want s.Address[0] = "Mont-Royal église; O'Leary", `+
			`s.Reference = "R&D"`, s.Address[0], s.Reference)
	}
}

// An upload date in another form than the extract's is counted. A placeholder is not.
func TestUploadsWithoutADate(t *testing.T) {
	_, report, _, err := build(t, "fx.csv", header+good+with(t, "upload_date", "-")+with(t, "upload_date", "2026.01.09"))
	const want = "upload_date: 1 values are not dates and were left out; the first is on line 4"
	if err != nil || report.Warning != want {
		t.Errorf("report %+v, error %v; want the warning %q", report, err, want)
	}
}
