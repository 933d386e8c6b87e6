package ingest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/tier"
	"relais/market"
)

// stations is a Swiss file of n stations, a data sheet of day each; the first ones
// have those of first.
func stations(n int, day string, first ...string) string {
	var rows []string
	for i := range n {
		sheet := day
		if i < len(first) {
			sheet = first[i]
		}
		rows = append(rows, fmt.Sprintf(
			`{"geometry":{"type":"Point","coordinates":[%d,1200000]},"properties":{"station":"Salt %d","koord":"","typ_en":"","techno_en":"Technology 4G","bewilligung_en":"Site data sheet %s"}}`, 2600000+i, i, sheet))
	}
	return `{"features":[` + strings.Join(rows, ",\n") + "]}"
}

// at writes a file that was modified so many hours after some day.
func (k kit) at(hours int, name, text string) string {
	k.t.Helper()
	path := k.file(name, text)
	must(k.t, os.Chtimes(path, time.Time{}, time.Date(2026, 3, 1, hours, 0, 0, 0, time.UTC)))
	return path
}

// A source is as old as its newest row, but not older when that row is gone.
func TestNewestRowGoes(t *testing.T) {
	tier.Slow(t)
	k := newKit(t)
	swiss := []market.Code{market.CH}
	for _, tt := range []struct {
		hour       int
		name, text string
		date       string // "" when it is refused
	}{
		{10, "a.json", stations(200, "2024-05-06", "2025-12-01"), "2025-12-01"},
		{11, "b.json", stations(199, "2024-05-06"), "2024-05-06"}, // a later file without that station
		{12, "c.json", stations(200, "2024-05-06", "2025-12-01"), "2025-12-01"},
		{11, "b.json", stations(199, "2024-05-06"), ""}, // the file of then
		{13, "d.json", stations(200, "2024-05-05"), ""}, // most rows had been newer
		{11, "e_2025-11-30.json", stations(200, "2024-05-06"), ""},
		{13, "f_2026-02-03.json", stations(200, "2024-05-06"), "2026-02-03"},
		{10, "f_2026-02-02.json", stations(200, "2024-05-07"), ""}, // a name is sure
		{12, "g.json", stations(200, "2024-05-06"), "2024-05-06"},  // the same file, and an earlier copy
		{13, "f_2026-02-04.json", stations(200, "2024-05-06"), "2026-02-04"},
		{12, "h.json", stations(200, "2024-05-05"), ""}, // by the rows
		{14, "h.json", stations(200, "2024-05-05"), ""},
		{12, "h.json", stations(200, "2024-05-07"), "2024-05-07"}, // as it is fetched, without a name of its own
		{14, "h.json", stations(200, "2024-05-07", "2099-01-01"), "2024-05-07"},
		{14, "i.json", stations(200, "2024-05-07", "2099-01-01", "2026-02-28"), "2026-02-28"},
	} {
		before := k.state()
		r, err := k.run(false, swiss, k.at(tt.hour, tt.name, tt.text))
		switch {
		case tt.date == "" && (err == nil ||
			!strings.Contains(err.Error(), "CH: the files of the kind bakom-standorte are of 20") ||
			!strings.Contains(err.Error(), "older than the present")):
			t.Errorf("%s: got %v, want an error that the files are older than the present", tt.name, err)
		case tt.date == "" && !maps.Equal(before, k.state()):
			t.Errorf("%s: refused, and something changed", tt.name)
		case tt.date != "" && (err != nil || r.Markets[0].SourceDate != tt.date || r.Files[0].Date != tt.date):
			t.Errorf("%s: got %+v, %v, want the date %s", tt.name, r, err, tt.date)
		}
	}
	// What was forced in is what the next one is compared with.
	if _, err := k.run(true, swiss, k.at(15, "j.json", stations(200, "2023-05-06"))); err != nil {
		t.Fatal(err)
	}
	if r, err := k.run(false, swiss, k.at(16, "k.json", stations(200, "2023-05-07"))); err != nil ||
		r.Markets[0].SourceDate != "2023-05-07" {
		t.Errorf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2023-05-07"`, r, err)
	}
}

// Each source is as old as it is, whatever the others are.
func TestSourcesHaveTheirOwnDates(t *testing.T) {
	k := newKit(t)
	register := func(date string) string { return strings.Replace(dossier, "2020-05-06", date, 1) }
	last := ""
	older := strings.Replace(biptRow, "Toren", "Kerk", 1)
	for i, tt := range []struct {
		hour       int
		name, text string
		date       string // "" when it is refused
	}{
		{10, "bipt.json", biptRow, "2026-03-01"},
		{10, "register.geojson", register("2020-05-06"), "2020-05-06"}, // stated, the other only guessed
		{-20, "bipt.json", older, ""},
		{-20, "bipt.json", biptRow, "2020-05-06"},           // what there is cannot be older
		{-10, "bipt.json", older, ""},                       // and is not older for that
		{11, "bipt_2020-01-01.json", biptRow, "2020-05-06"}, // says more than when the other was copied
		{12, "bipt_2021-01-01.json", biptRow, "2021-01-01"},
		{13, "bipt_2020-12-31.json", older, ""},
		{-99999, "bipt.json", older, ""},          // in 2014
		{-9999, "bipt.json", older, "2020-05-06"}, // later than the day that is stated
		{13, "bipt_2021-01-01.json", biptRow, "2021-01-01"},
		{13, "register.geojson", register("2020-05-05"), ""}, // newer than nothing of its own
		{13, "register.geojson", register("2020-05-07"), "2021-01-01"},
		{13, "register.geojson", register("2020-05-06"), ""},
	} {
		r, err := k.belgium(false, k.at(tt.hour, tt.name, tt.text))
		switch {
		case tt.date == "" && (err == nil || !strings.Contains(err.Error(), "older than the present")):
			t.Errorf("%d, %s: got %v, want an error that it is older than the present", i, tt.name, err)
		case tt.date != "" && (err != nil || r.Markets[0].SourceDate != tt.date):
			t.Errorf("%d, %s: got %+v, %v, want the date %s", i, tt.name, r, err, tt.date)
		}
		if err != nil {
			continue
		}
		if note := "BE: sourceDate goes back from " + last + " to " +
			tt.date; strings.Contains(strings.Join(r.Notes, "\n"), note) != (tt.date < last) {
			t.Errorf(`%d, %s: notes %q; want strings.Contains(strings.Join(r.Notes, "\n"), note) = (tt.date < last)`, i,
				tt.name, r.Notes)
		}
		last = tt.date
	}
	// Without what is kept the snapshot's date is all there is.
	must(t, os.RemoveAll(filepath.Join(string(k.dir), "sources")))
	if _, err := k.belgium(false, k.at(13, "register.geojson", register("2020-12-31"))); err == nil ||
		!strings.Contains(err.Error(), "2020-12-31, older than the present snapshot of 2021-01-01") {
		t.Errorf(`err = %v; want an error with "2020-12-31, older than the present snapshot of 2021-01-01"`, err)
	}
}

// A mistyped date of the future neither dates the register nor keeps the next one out.
func TestFutureApproval(t *testing.T) {
	k := newKit(t)
	mistyped := strings.Replace(dossier, `"features":[`,
		`"features":[{"properties":{"id":5,"goedkeuringsdatum":"2062-01-01T00:00:00","sitecode":"B","locatiebeschrijving":"","operatornaam":"Proximus NV","dossiernummer":"2"},"geometry":{"type":"Point","coordinates":[105500,194000]}},`, 1)
	r, err := k.belgium(false, k.file("register.geojson", mistyped))
	if err != nil || r.Markets[0].SourceDate != "2020-05-06" || r.Files[0].Served != 2 || len(r.Notes) != 1 ||
		!strings.Contains(r.Notes[0], "register.geojson: 1 approvals are dated later than tomorrow") {
		t.Fatalf("got %+v, %v, want the date 2020-05-06, 2 served, and one note of an approval later than tomorrow",
			r, err)
	}
	if r, err = k.belgium(false,
		k.file("register.geojson",
			strings.NewReplacer("2062", "2020", "2020-05-06", "2020-06-07").Replace(mistyped))); err != nil ||
		r.Markets[0].SourceDate != "2020-06-07" || len(r.Notes) != 0 {
		t.Errorf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2020-06-07", len(r.Notes) = 0`, r, err)
	}
}

// What is kept is of the time that the manifest says, whenever its copy was made: one
// of a folder that was copied without times is of the day of that.
func TestCopiedFolder(t *testing.T) {
	k := newKit(t)
	if _, err := k.belgium(false, k.at(10, "bipt.json", biptRow)); err != nil {
		t.Fatal(err)
	}
	copies, err := filepath.Glob(filepath.Join(string(k.dir), "sources", "BE", "*", "bipt.json.zst"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies = %q, err = %v; want no error, len(copies) = 1", copies, err)
	}
	must(t, os.Chtimes(copies[0], time.Time{}, time.Now()))
	for range 2 { // also what the first one wrote
		if r, err := k.belgium(false); err != nil || r.Markets[0].SourceDate != "2026-03-01" ||
			r.Files[0].Date != "2026-03-01" {
			t.Fatalf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2026-03-01", r.Files[0].Date `+
				`= "2026-03-01"`, r, err)
		}
	}
	newer := strings.Replace(biptRow, "Toren", "Kerk", 1)
	if r, err := k.belgium(false, k.at(40, "bipt.json", newer)); err != nil || r.Markets[0].SourceDate != "2026-03-02" {
		t.Errorf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2026-03-02"`, r, err)
	}
}
