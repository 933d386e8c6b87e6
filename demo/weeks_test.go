package demo

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// rowsOf reads a table below its title lines, with another reader than the program's.
func rowsOf(t *testing.T, path, comma, firstColumn string) (rows []map[string]string) {
	t.Helper()
	text := filetest.Read(t, path)
	if !strings.HasPrefix(filepath.Base(path), "SYNTHETIC_") {
		t.Errorf("the file %s does not begin with SYNTHETIC_", path)
	}
	r := csv.NewReader(strings.NewReader(string(text[strings.Index(string(text), firstColumn):])))
	r.Comma = rune(comma[0])
	lines, err := r.ReadAll()
	must(t, err)
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = l[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Every kind of change occurs between editions, and the last edition is
// the register that is ingested.
func TestPublications(t *testing.T) {
	tier.Slow(t)
	const n, weeks = 1000, 8
	var before map[string]map[string]string
	happened, dates, last := map[string]int{}, []string{}, ""
	f, err := NewFrance(n)
	must(t, err)
	must(t, f.Publications(t.TempDir(), weeks, func(path string) error {
		rows, supports := map[string]map[string]string{}, map[string]bool{}
		for _, row := range before {
			supports[row["sup_id"]] = true
		}
		for _, row := range rowsOf(t, path, ";", "id;") {
			key := row["sta_nm_anfr"] + "|" + row["adm_lb_nom"] + "|" + row["emr_lb_systeme"]
			if rows[key] != nil {
				t.Fatalf("%s occurs twice", key)
			}
			rows[key] = row
			was := before[key]
			switch {
			case was == nil && supports[row["sup_id"]]:
				happened["added"]++
			case was == nil && before != nil:
				happened["new"]++
			case was == nil:
			case was["statut"] == "Projet approuvé" && row["statut"] != was["statut"]:
				happened["activated"]++
			case was["adr_lb_lieu"] != row["adr_lb_lieu"]:
				happened["renamed"]++
			case was["statut"] != row["statut"] || was["coordonnees"] != row["coordonnees"]:
				t.Fatalf("row changed from %v to %v", was, row)
			}
		}
		for key := range before {
			if rows[key] == nil {
				happened["deleted"]++
			}
		}
		before, last = rows, path
		dates = append(dates, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "SYNTHETIC_observatoire_"),
			".csv"))
		return nil
	}))
	if !slices.Equal(dates, []string{"2025-11-27", "2025-12-04", "2025-12-11", "2025-12-18", "2025-12-25", "2026-01-01",
		"2026-01-08", "2026-01-15"}) || Week(7) != dates[0] {
		t.Errorf("got %q, week 7 on %s, want Thursdays up to 2026-01-15", dates, Week(7))
	}
	for _, what := range []string{"new", "added", "activated", "deleted", "renamed"} {
		if k := happened[what]; k == 0 || k > len(before)/20 {
			t.Errorf("wrong number of changes: %d %s in %d weeks of %d rows, want not 0 and at most %d", k, what,
				weeks, len(before), len(before)/20)
		}
	}
	paths, err := Write(t.TempDir(), n)
	must(t, err)
	written, err1 := os.ReadFile(paths[0])
	published, err2 := os.ReadFile(last)
	if err1 != nil || err2 != nil || string(written) != string(published) {
		t.Errorf("the last edition differs from the register: got %d bytes, %v, want %d, %v", len(written), err1,
			len(published), err2)
	}
}

// Data of the last days is marked synthetic and is in those days. A day is the same
// whenever it is written.
func TestDay(t *testing.T) {
	tier.Slow(t)
	now := time.Date(2026, 3, 29, 6, 30, 0, 0, time.UTC) // summer time began in France
	f, err := NewFrance(5000)
	must(t, err)
	write := func(now time.Time) *Day {
		day, err := f.WriteDay(t.TempDir(), now)
		must(t, err)
		return day
	}
	today, tomorrow := write(now), write(now.AddDate(0, 0, 1))
	for _, paths := range [][2]string{{today.Speedtests, tomorrow.Speedtests}, {today.Coverage, tomorrow.Coverage}} {
		seen, days := map[string]bool{}, map[string]int{}
		for _, row := range rowsOf(t, paths[0], ",", "timestamp,") {
			at, err := time.Parse(time.RFC3339, row["timestamp"])
			if err != nil || !at.Before(now) || now.Sub(at) > 31*24*time.Hour || row["mcc"] != "208" ||
				row["enb"] == "" && row["gnb"] == "" {
				t.Fatalf("got %v, %v, want a row of France in the last 31 days with a node", row, err)
			}
			days[row["timestamp"][:10]]++
			seen[row["timestamp"]+row["lat"]+row["lng"]+row["cell_id"]] = true
		}
		fresh := map[string]int{}
		for _, row := range rowsOf(t, paths[1], ",", "timestamp,") {
			if !seen[row["timestamp"]+row["lat"]+row["lng"]+row["cell_id"]] {
				fresh[row["timestamp"][:10]]++
			}
		}
		if len(days) != 30 || len(fresh) != 1 || fresh["2026-03-29"] != days["2026-03-28"] {
			t.Errorf("got %d days, and a day later %v, want 30 days, then one with the rows of 2026-03-28", len(days),
				fresh)
		}
	}
	if len(today.Feeds) != 4 || len(today.Reports) != 3 {
		t.Fatalf("wrong feeds or reports of the day: %+v, want len(today.Feeds) = 4 and len(today.Reports) = 3",
			today)
	}
	for _, f := range today.Feeds {
		rows := rowsOf(t, f.Path, ";", "code_site_op")
		for _, row := range rows {
			// Times are of Paris: at most 40 hours before 08:30 of the summer there.
			if !strings.HasPrefix(row["code_site_op"], "SYNTHETIC-") || row["raison"] != "SYNTHETIC" ||
				row["debut"] > "2026-03-29 08:30:00" || row["debut"] < "2026-03-27 14:30:00" {
				t.Errorf("%s: wrong row %v, want SYNTHETIC- at the code_site_op's start, raison = SYNTHETIC, "+
					"debut at most 2026-03-29 08:30:00 and debut at least 2026-03-27 14:30:00", f.Operator, row)
			}
		}
		if len(rows) == 0 {
			t.Errorf("%s has no unavailable site", f.Operator)
		}
	}
	for i, r := range today.Reports {
		if !strings.Contains(r.SiteName, "SYNTHETIC") || !strings.Contains(r.Reason, "SYNTHETIC") ||
			r.Token == tomorrow.Reports[i].Token || r.Token != write(now.Add(time.Hour)).Reports[i].Token {
			t.Errorf("wrong report %+v, want SYNTHETIC in SiteName, SYNTHETIC in Reason, Token other than %v and "+
				"Token = %v", r, tomorrow.Reports[i].Token, write(now.Add(time.Hour)).Reports[i].Token)
		}
	}
}
