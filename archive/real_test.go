package archive

import (
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/ingest/anfr/column"
	"relais/internal/filetest"
	"relais/internal/tier"
)

// fewWeeks has the generator of weeks in this package replay the changes of eight weeks, which
// takes seconds; all of them take a minute.
const fewWeeks = `
import os, shutil, subprocess, sys, tarfile
shared, work = sys.argv[1:]
os.makedirs(work + "/data/fr")
shutil.copytree(shared + "/tools", work + "/tools")
for name in os.listdir(shared + "/data/fr"):
    if not name.startswith("weekly-changes"):
        os.symlink(os.path.abspath(shared + "/data/fr/" + name), work + "/data/fr/" + name)
        continue
    with tarfile.open(shared + "/data/fr/" + name) as a, tarfile.open(work + "/data/fr/weekly-changes.tar", "w") as few:
        for m in a:
            if os.path.basename(m.name) in ["S%d_2026.csv" % n for n in range(27, 35)]:
                few.addfile(m, a.extractfile(m))
subprocess.run([sys.executable, work + "/tools/make_france.py", work + "/out", "--weeks", "S31_2026,S32_2026,S33_2026,S34_2026"], check=True)
`

// Four consecutive weeks, whose changes are real, against the set differences of the
// files by row key.
func TestWeeks(t *testing.T) {
	tier.Slow(t)
	shared, dir := "../../shared", t.TempDir()
	if _, err := os.Stat(filepath.Join(shared, "tools", "make_france.py")); err != nil {
		t.Skip("no generator of weeks here")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	if out, err := exec.Command("python3", "-c", fewWeeks, shared, dir).CombinedOutput(); err != nil {
		t.Fatalf("got %v\n%s, want no error", err, out)
	}
	mustBeAsTheFiles(t, filepath.Join(dir, "out"), 4)
}

// The same on rows as they were published, and on weeks that are made of them.
func TestPublished(t *testing.T) {
	text, err := os.ReadFile("../../shared/data/fr/observatoire_2026-08-27_extract.csv")
	if err != nil {
		t.Skip("no published rows here")
	}
	dir := t.TempDir()
	lines := strings.SplitAfter(string(text), "\n")
	for _, tt := range []struct {
		date string
		rows []string
	}{
		{"2026-08-27", lines},
		{"2026-09-03", slices.Concat(lines[:20], lines[24:])},
		{"2026-09-10", slices.Concat(lines[:1], lines[3:50], lines[60:90], lines[50:60], lines[90:])},
		{"2026-09-17", []string{strings.ReplaceAll(strings.Join(lines, ""), "En service", "Projet approuvé")}},
		{"2026-09-24", lines},
	} {
		t.Run(tt.date, func(t *testing.T) {
			text := strings.ReplaceAll(strings.Join(tt.rows, ""), "2026-08-27T", tt.date+"T")
			filetest.Write(t, filepath.Join(dir, "observatoire_"+tt.date+".csv"), text)
		})
	}
	mustBeAsTheFiles(t, dir, 5)
}

func mustBeAsTheFiles(t *testing.T, dir string, n int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "observatoire_*.csv"))
	if err != nil || len(paths) != n {
		t.Fatalf("got %v, %v, want no error and len(paths) = %v", paths, err, n)
	}
	s, _ := opened(t)
	for i := range paths { // the last first, and the others after it
		mustAdd(t, s, paths[(i+n-1)%n], Options{Force: true})
	}
	mustBeWhole(t, s, n)
	var before []map[string]string
	for _, path := range paths {
		date := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "observatoire_"), ".csv")
		rows := rowsOfCSV(t, path)
		mustBeFile(t, s, date, rows)
		mustBeDifferences(t, s, date, before, rows)
		before = rows
	}
}

// mustBeFile compares the whole view with the file, row for row.
func mustBeFile(t *testing.T, s *Store, date string, rows []map[string]string) {
	t.Helper()
	byID := map[string]map[string]string{}
	for _, r := range rows {
		byID[r["id"]] = r
	}
	n := 0
	for r, err := range records(sitesOf(s.Whole(date))) {
		must(t, err)
		n++
		mustBeRow(t, r, byID[r.Values[0]])
		delete(byID, r.Values[0])
	}
	if n != len(rows) || len(byID) != 0 {
		t.Errorf("%s: got %d rows, %d left, want %d and none", date, n, len(byID), len(rows))
	}
}

func mustBeRow(t *testing.T, r *Record, want map[string]string) {
	t.Helper()
	for i, name := range column.Names {
		got, ok := want[name]
		if ok = ok || i == column.Azimuths; !ok || got != r.Values[i] { // most files do not have it
			t.Fatalf("got %s = %q, want one of %v", name, r.Values[i], want)
		}
	}
}

func records(sites iter.Seq2[*Site, error]) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		last := 0
		for s, err := range sites {
			if err != nil {
				yield(nil, err)
				return
			}
			n := 0
			for _, c := range []byte(s.ID) {
				n = n*10 + int(c-'0')
			}
			for i := range s.Records {
				if n <= last || s.Records[i].Values[2] != s.ID {
					panic("sites are not in order: " + s.ID)
				}
				if !yield(&s.Records[i], nil) {
					return
				}
			}
			last = n
		}
	}
}

// mustBeDifferences compares the changes with the set differences of two files.
func mustBeDifferences(t *testing.T, s *Store, date string, before, rows []map[string]string) {
	t.Helper()
	key := func(r map[string]string) string {
		return r["sta_nm_anfr"] + "|" + r["adm_lb_nom"] + "|" + r["emr_lb_systeme"]
	}
	old, now, supports := map[string]map[string]string{}, map[string]map[string]string{}, map[string]bool{}
	for _, r := range before {
		old[key(r)], supports[r["sup_id"]] = r, true
	}
	want := map[string]string{} // type by key
	for _, r := range rows {
		k := key(r)
		was, there := old[k]
		switch now[k] = r; {
		case there && was["statut"] == "Projet approuvé" && r["statut"] != "Projet approuvé":
			want[k] = "activated"
		case there:
		case supports[r["sup_id"]]:
			want[k] = "added"
		default:
			want[k] = "new"
		}
	}
	for k := range old {
		if now[k] == nil {
			want[k] = "deleted"
		}
	}
	counts := map[string]int{}
	for _, kind := range want {
		counts[kind]++
	}
	t.Logf("%s: %d rows, %v", date, len(rows), counts)
	for r, err := range records(sitesOf(s.Changes(date))) {
		must(t, err)
		v := r.Values
		k := v[9] + "|" + v[1] + "|" + v[3]
		if kind := r.Kind.Type(); kind == "" || kind != want[k] {
			t.Fatalf("%s: %s is %q, want %q", date, k, kind, want[k])
		} else if kind == "deleted" {
			mustBeRow(t, r, old[k])
		} else {
			mustBeRow(t, r, now[k])
		}
		delete(want, k)
	}
	if len(want) > 0 {
		t.Errorf("%s: not there: %v", date, slices.Collect(maps.Keys(want))[:min(3, len(want))])
	}
}
