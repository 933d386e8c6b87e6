package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

var both = []market.Code{market.FR, market.DROM}

const header = "adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;coordonnees;statut\n"

// observatory makes n supports of FR, and one of DROM.
func observatory(date string, n int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		fmt.Fprintf(&b, "SFR;%d;LTE 800;;003;03001;4G;%sT10:00:00;003270%04d;\"46.%03d , 3.1\";En service\n", 100+i,
			date, i+1, i)
	}
	fmt.Fprintf(&b, "ORANGE;9;LTE 800;;974;97411;4G;%sT10:00:00;9742290001;\"-20.9 , 55.4\";En service\n", date)
	return b.String()
}

const antennas = "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID\n0032700001;1;21;90;;100\n0032700002;2;21;120;;101\n"

type kit struct {
	t   *testing.T
	dir folder.Dir
	src string
}

func newKit(t *testing.T) kit {
	return kit{t, folder.Dir(filepath.Join(t.TempDir(), "data")), t.TempDir()}
}

// file writes a source file and returns its path.
func (k kit) file(name, text string) string {
	k.t.Helper()
	path := filepath.Join(k.src, name)
	must(k.t, os.MkdirAll(filepath.Dir(path), 0o755))
	filetest.Write(k.t, path, text)
	return path
}

func (k kit) run(force bool, markets []market.Code, paths ...string) (*Report, error) {
	return Run(context.Background(), Options{Dir: k.dir, Markets: markets, Paths: paths, Force: force, Now: time.Now()})
}

// must ingests, and fails the test when that fails.
func (k kit) must(paths ...string) *Report {
	k.t.Helper()
	r, err := k.run(false, both, paths...)
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// state returns every file of the folder with its content, except locks.
func (k kit) state() map[string]string {
	state := map[string]string{}
	err := filepath.WalkDir(string(k.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		text, err := os.ReadFile(path)
		state[path] = string(text)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.t.Fatalf("err = %v; want no error or %v", err, fs.ErrNotExist)
	}
	return state
}

func (k kit) snapshot(m market.Code) *snapshot.Snapshot {
	k.t.Helper()
	s, err := snapshot.ReadFile(k.dir.Snapshot(string(m)), m)
	must(k.t, err)
	return s
}

func (k kit) azimuths(m market.Code, id string) []uint16 {
	s := k.snapshot(m)
	var x site.Site
	for i := range s.Len() {
		if s.Site(i, &x); x.ID == id {
			azimuths, _ := x.Azimuths(nil)
			return azimuths
		}
	}
	return nil
}

func TestReport(t *testing.T) {
	k := newKit(t)
	r := k.must(k.file("o.csv", observatory("2026-08-27", 20)), k.file("a.txt", antennas))
	if len(r.Files) != 2 || r.Files[0].Kind != "anfr-observatoire" || r.Files[0].Rows != 21 || r.Files[0].Served != 21 {
		t.Errorf(`files: %+v; want len(r.Files) = 2, r.Files[0].Kind = "anfr-observatoire", r.Files[0].Rows = `+
			"21, r.Files[0].Served = 21", r.Files)
	}
	if len(r.Markets) != 2 || r.Markets[0].Sites != 20 || r.Markets[0].Emissions != 20 ||
		r.Markets[0].SourceDate != "2026-08-27" || r.Markets[1].Sites != 1 {
		t.Errorf("markets: %+v; want len(r.Markets) = 2, r.Markets[0].Sites = 20, r.Markets[0].Emissions = 20, "+
			`r.Markets[0].SourceDate = "2026-08-27", r.Markets[1].Sites = 1`, r.Markets)
	}
	if s := r.Markets[0].Snapshot; s == nil || s.Version != k.snapshot(market.FR).Version ||
		s.Path != k.dir.Snapshot("FR") {
		t.Errorf(`snapshot: %+v; want s != nil, s.Version = %v, s.Path = k.dir.Snapshot("FR")`, s,
			k.snapshot(market.FR).Version)
	}
	if got, want := k.azimuths(market.FR, "101"), []uint16{120}; !slices.Equal(got, want) {
		t.Errorf("azimuths %v, want %v", got, want)
	}
}

type refusal struct {
	name    string
	markets []market.Code
	paths   []string
	err     string
	forced  bool // --force lets it through
}

// refusals are files that do not replace those of k.
func refusals(k kit, good string) []refusal {
	k.t.Helper()
	return append(pipes(k), []refusal{
		{"empty", both, []string{k.file("empty.csv", "")}, "empty.csv is empty; needed is the ANFR's weekly observatoire, from data.gouv.fr", false},
		{"another file", both, []string{k.file("x.csv", "a;b\n1;2\n")}, "x.csv is not a file of the register of FR,DROM", false},
		{"header only", both, []string{k.file("h.csv", header)}, "h.csv:1: the table has a header and no row", false},
		{"missing column", both, []string{k.file("m.csv", strings.Replace(good, "sta_nm_anfr", "other", 1))},
			"m.csv:1: the column sta_nm_anfr is missing", false},
		{"cut in a quoted field", both, []string{k.file("q.csv", good[:strings.LastIndex(good, " , 55")])},
			"q.csv:102: the file ends inside a quoted field", false},
		{"cut in a row", both, []string{k.file("r.csv", good[:len(good)-60])}, "r.csv:102: the file ends", false},
		{"Latin-1", both, []string{k.file("l.csv", strings.Replace(good, "En service", "Op\xe9rationnel", 1))},
			"l.csv:2: a byte that is not UTF-8", false},
		{"no such file", both, []string{filepath.Join(k.src, "gone.csv")}, "gone.csv: no such file", false},
		{"a folder without tables", both, []string{filepath.Dir(k.file("dir/readme.txt", "hello"))},
			"dir is not a file of the register of FR,DROM", false},
		{"an empty folder", both, []string{k.t.TempDir()}, "the folder has no files", false},
		{"names outside the archive", both, []string{k.file("evil.zip", string(filetest.Zip(k.t, "../../etc/o.csv", good)))},
			`evil.zip: the archive has a member that points outside: "../../etc/o.csv"`, false},
		{"a zip bomb", both, []string{k.file("bomb.zip", string(filetest.Zip(k.t, "o.csv", header+strings.Repeat("\n", 4<<20))))},
			"bomb.zip: o.csv unpacks to over 200 times its size", false},
		{"no archive", both, []string{k.file("n.zip", "PK\x03\x04nothing")}, "n.zip: the file is damaged or incomplete: fetch it again",
			false},
		{"two weekly files", both, []string{k.file("1.csv", good), k.file("2.csv", good)},
			"are both of the kind anfr-observatoire", false},
		{"demonstration and real data", both, []string{k.file("SYNTHETIC_o.csv", good), k.file("a2.txt", antennas)},
			"cannot be mixed", false},
		{"demonstration over real data", both, []string{k.file("SYNTHETIC_o.csv", good)},
			"FR: demonstration data would replace the register of 2026-08-27", true},
		{"older", both, []string{k.file("older.csv", observatory("2026-08-20", 100))},
			"FR: the files are of 2026-08-20, older than the present snapshot of 2026-08-27", true},
		{"shrunken", both, []string{k.file("s.csv", observatory("2026-09-03", 94))},
			"FR: the files have 94 sites, the present snapshot 100: over 5 % would go", true},
		{"nothing served", both, []string{k.file("n.csv", strings.ReplaceAll(good, ";003;", ";988;"))},
			"FR: the files have no usable site; the present snapshot has 100 and stays", false},
		{"no row served", both,
			[]string{k.file("none.csv", strings.NewReplacer(";003;", ";988;", ";974;", ";987;").Replace(good))},
			"none.csv:2: territory not served: Nouvelle-Calédonie (NC); none of the 101 rows is served", false},
		{"lost azimuths", both, []string{k.file("e.txt", strings.ReplaceAll(antennas, "003270000", "003999000"))},
			"FR: azimuths of 2 sites would be lost (0 now, 2 then)", true},
		{"no market", nil, []string{k.file("o.csv", good)}, "no market is named", false},
		{"unavailable market", []market.Code{market.PT}, []string{k.file("o.csv", good)}, "PT cannot be ingested: ",
			false},
		{"another market's file", []market.Code{market.CH}, []string{k.file("o.csv", good)},
			"o.csv is the anfr-observatoire of FR,DROM, and these files were to be for CH: relais ingest --data DIR FR,DROM ", false},
		{"markets of two authorities", []market.Code{market.FR, market.CH}, []string{k.file("o.csv", good)},
			"come from different authorities", false},
	}...)
}

// What must not be is refused with one line, and nothing in the folder changes.
func TestRefusals(t *testing.T) {
	tier.Slow(t)
	k := newKit(t)
	k.must(k.file("o.csv", observatory("2026-08-27", 100)), k.file("a.txt", antennas))
	before := k.state()
	for _, tt := range refusals(k, observatory("2026-09-03", 100)) {
		_, err := k.run(false, tt.markets, tt.paths...)
		if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		}
		after := k.state()
		if len(after) != len(before) {
			t.Errorf("%s: %d files, %d before, want %d", tt.name, len(after), len(before), len(before))
		}
		for path, text := range before {
			if after[path] != text {
				t.Errorf("%s: %s has changed, want %v", tt.name, path, text)
			}
		}
		// What --force lets through is tried on a copy, so that the others go on
		// from the same state.
		forced := newKit(t)
		must(t, os.CopyFS(string(forced.dir), os.DirFS(string(k.dir))))
		if _, err := forced.run(true, tt.markets, tt.paths...); (err == nil) != tt.forced {
			t.Errorf("%s with --force: error %v, want %v", tt.name, err, tt.forced)
		}
	}
}

// A first ingest that fails leaves no file, also not that of its lock.
func TestFirstFails(t *testing.T) {
	k := newKit(t)
	for name, text := range map[string]string{"README.md": "# relais\n", "h.csv": header} {
		if _, err := k.run(false, both, k.file(name, text)); err == nil {
			t.Errorf("%s was ingested, want an error", name)
		}
		locks, err := filepath.Glob(filepath.Join(string(k.dir), "*.lock"))
		must(t, err)
		if left := k.state(); len(left)+len(locks) > 0 {
			t.Errorf("%s: the folder has %v and %v, want no file", name, left, locks)
		}
	}
}

// A table without a usable row is reported.
func TestUselessTable(t *testing.T) {
	k := newKit(t)
	r := k.must(k.file("o.csv", observatory("2026-08-27", 10)),
		k.file("a.txt", strings.ReplaceAll(antennas, "\n0", "\nX;0")))
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "a.txt: none of its rows could be used") {
		t.Errorf(`notes %q; want len(r.Notes) = 1, r.Notes[0] with "a.txt: none of its rows could be used"`, r.Notes)
	}
}

// A clock that is right knows that no file is of tomorrow's tomorrow.
func TestFutureDate(t *testing.T) {
	k := newKit(t)
	future := k.file("f.csv", observatory(time.Now().AddDate(0, 0, 3).Format(time.DateOnly), 10))
	if _, err := k.run(false, both, future); err == nil || !strings.Contains(err.Error(), "in the future") {
		t.Errorf(`err = %v; want an error with "in the future"`, err)
	}
	if _, err := k.run(true, both, future); err != nil {
		t.Errorf("with --force: %v, want nil", err)
	}
}

func TestFirstIngestOfOneMarket(t *testing.T) {
	k := newKit(t)
	r := k.must(k.file("o.csv", strings.ReplaceAll(observatory("2026-08-27", 3), ";974;", ";988;")))
	if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "DROM: ") || r.Markets[1].Snapshot != nil {
		t.Errorf(`notes %q, markets %+v; want len(r.Notes) = 1, r.Notes[0] that begins with "DROM: ", `+
			"r.Markets[1].Snapshot = nil", r.Notes, r.Markets)
	}
	if _, err := os.Stat(k.dir.Snapshot("DROM")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty snapshot was written: %v; want %v", err, fs.ErrNotExist)
	}
}

func TestRealReplacesDemonstration(t *testing.T) {
	k := newKit(t)
	k.must(k.file("SYNTHETIC_o.csv", observatory("2026-01-15", 100)), k.file("SYNTHETIC_a.txt", antennas))
	if !k.snapshot(market.FR).Synthetic {
		t.Error("a snapshot of synthetic files does not say so")
	}
	r := k.must(k.file("o.csv", observatory("2025-08-27", 3)))
	if k.snapshot(market.FR).Synthetic || len(r.Files) != 1 {
		t.Errorf("synthetic %v, files %+v; want !k.snapshot(market.FR).Synthetic, len(r.Files) = 1",
			k.snapshot(market.FR).Synthetic, r.Files)
	}
}

func TestDamagedSnapshotIsReplaced(t *testing.T) {
	k := newKit(t)
	o := k.file("o.csv", observatory("2026-08-27", 10))
	k.must(o)
	filetest.Write(t, k.dir.Snapshot("FR"), "RELAISSN damaged beyond reading, really")
	if r := k.must(o); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "FR.snap") {
		t.Errorf(`notes %q; want len(r.Notes) = 1, r.Notes[0] with "FR.snap"`, r.Notes)
	}
	k.snapshot(market.FR)
}

func TestOneIngestAtATime(t *testing.T) {
	k := newKit(t)
	lock, err := k.dir.Lock("ingest", "relais ingest", time.Now())
	must(t, err)
	defer lock.Unlock()
	var held *folder.HeldError
	if _, err := k.run(false, both, k.file("o.csv", observatory("2026-08-27", 1))); !errors.As(err, &held) {
		t.Errorf("error %v; want errors.As(err, &held)", err)
	}
}

func TestStopped(t *testing.T) {
	k := newKit(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, Options{Dir: k.dir, Markets: both,
		Paths: []string{k.file("o.csv", observatory("2026-08-27", 1))}, Now: time.Now()})
	if !errors.Is(err, context.Canceled) || len(k.state()) != 0 {
		t.Errorf("error %v, state %v; want %v, len(k.state()) = 0", err, k.state(), context.Canceled)
	}
}

// The authority's own rows, when they are there.
func TestRealExtract(t *testing.T) {
	paths, err := filepath.Glob("../../shared/data/fr/observatoire_*_extract.csv")
	if err != nil || len(paths) == 0 {
		t.Skip("the authority's extract is not on this machine")
	}
	refs, err := filepath.Glob("../../shared/data/fr/SUP_*.2023-01.txt")
	must(t, err)
	k := newKit(t)
	r := k.must(append(paths, refs...)...)
	var o int
	for _, f := range r.Files {
		if f.Kind == "anfr-observatoire" {
			o = f.Served
			want := map[string]int{"territory not served: Nouvelle-Calédonie (NC)": 5,
				"territory not served: Wallis-et-Futuna (WF)": 2}
			if f.Rows != 109 || !maps.Equal(f.Rejected, want) || !maps.Equal(f.Unused, want) {
				t.Errorf("f = %+v; want 109 rows, %v rejected and unused", f, want)
			}
		}
	}
	if s := k.snapshot(market.FR); o != 102 || s.Len() != 7 || s.Emissions() != 102 {
		t.Errorf("%d rows served, %d sites, %d emissions; want o = 102, s.Len() = 7, s.Emissions() = 102", o, s.Len(),
			s.Emissions())
	}
}
