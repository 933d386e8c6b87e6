package ised

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/market"
)

// No text that is served is endless.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("x", maxText)
	text, columns := header+good, []string{"location", "reference_number", "record_id", "structure_type", "licence_number"}
	for _, column := range columns {
		text += with(t, column, long) + with(t, column, long+"x")
	}
	sites, report, _, err := build(t, "fx.csv", text)
	if s := only(t, sites, err); report.Rejected["a text of over 500 bytes"] != len(columns) || report.Served != 1+len(columns) || s.Address[0] != "Main St" {
		t.Errorf("%+v, %+v", report, s)
	}
}

// What is remembered of texts does not grow with the rows: each could have a smaller
// one than the rows before it.
func TestSharedTexts(t *testing.T) {
	c := newCountry(market.Get(market.CA))
	have := ""
	for i := range 50000 {
		raw := fmt.Sprintf("%06d", 999999-i)
		if have = c.shared(have, []byte(raw)); have != raw {
			t.Fatalf("%q, want %q", have, raw)
		}
	}
	for _, raw := range []string{"", "999999", strings.Repeat("x", 300)} {
		if got := c.shared(have, []byte(raw)); got != have {
			t.Errorf("%q is less than %q", got, have)
		}
	}
	if len(c.texts) > 10000 {
		t.Errorf("%d texts", len(c.texts))
	}
}

// One mistyped date must not make every later file an older one.
func TestFutureDates(t *testing.T) {
	now := time.Now().UTC()
	tomorrow := now.AddDate(0, 0, 1).Format(time.DateOnly)
	future := with(t, "upload_date", "2062-01-10") + with(t, "upload_date", now.AddDate(0, 0, 3).Format(time.DateOnly)) + with(t, "upload_date", "9999-12-31")
	_, report, snap, err := build(t, "fx.csv", header+good+future)
	if err != nil || snap.SourceDate != "2026-01-10" || report.Served != 4 || report.Warning != "values out of range were left out: 3 upload dates of the future" {
		t.Errorf("%s, %+v, %v", snap.SourceDate, report, err)
	}
	if _, _, snap, err = build(t, "fx.csv", header+good+with(t, "upload_date", tomorrow)); err != nil || snap.SourceDate != tomorrow {
		t.Errorf("tomorrow: %s, %v", snap.SourceDate, err)
	}
	if _, _, snap, err = build(t, "FX_2026-01-15.csv", header+future); err != nil || snap.SourceDate != "2026-01-15" {
		t.Errorf("by the name: %v, %v", snap, err)
	}
	if _, _, _, err = build(t, "FX.csv", header+future); err == nil || !strings.Contains(err.Error(), "FX.csv: neither") {
		t.Errorf("no date at all: %v", err)
	}
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"King &amp; Queen": "King & Queen", "O&#39;Leary": "O'Leary", "Mont-Tremblant, &eacute;glise": "Mont-Tremblant, église", "&amp;amp;": "&amp;",
		"A&B": "A&B", "A & B; C": "A & B; C", "a&#10;b&#x7f;&#0;": "a b \ufffd", "a\x01b": "a b", "&nbsp;": "", "&#32;x&#9;": "x", "&": "&", "": "",
		"R&D &lt;b&gt;": "R&D <b>",
	} {
		if got := string(readable([]byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	sites, _, _, err := build(t, "fx.csv", header+with(t, "location", `"Mont-Royal &eacute;glise; O&#39;Leary"`, "reference_number", "R&amp;D"))
	if s := only(t, sites, err); s.Address[0] != "Mont-Royal église; O'Leary" || s.Reference != "R&D" {
		t.Errorf("%q, %q", s.Address[0], s.Reference)
	}
}
