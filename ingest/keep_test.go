package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/market"
)

// A weekly file alone keeps what the other tables gave, also when the kept
// sources came out of an archive and out of several runs.
func TestKeptSources(t *testing.T) {
	k := newKit(t)
	archive := filepath.Join(k.src, "SUP.zip")
	filetest.Write(t, archive, filetest.Zip(t, "SUP_ANTENNE.txt", antennas, "README.txt", "hello"))
	r := k.must(k.file("o.csv", observatory("2026-08-20", 20)), archive)
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "README.txt") {
		t.Errorf(`notes: %q; want len(r.Notes) = 1, r.Notes[0] with "README.txt"`, r.Notes)
	}
	sites := "code_op;num_site;id_station_anfr;id_site_partage;nom_op\n20810;S%d;%s2700001;;SFR\n"
	k.must(k.file("metropole.csv", fmt.Sprintf(sites, 1, "003")))
	k.must(k.file("outremer.csv", fmt.Sprintf(sites, 2, "974")))
	os.Remove(archive) // what is kept does not need the user's files
	r = k.must(k.file("o2.csv", observatory("2026-08-27", 21)))
	kinds := []string{}
	for _, f := range r.Files {
		kinds = append(kinds, fmt.Sprint(f.Kind, " ", f.Kept))
	}
	want := []string{"anfr-observatoire false", "anfr-sup-antenne true", "arcep-sites true", "arcep-sites true"}
	if !slices.Equal(kinds, want) {
		t.Errorf("files %q, want %q", kinds, want)
	}
	if got := k.azimuths(market.FR, "100"); !slices.Equal(got, []uint16{90}) ||
		k.snapshot(market.FR).SourceDate != "2026-08-27" || k.snapshot(market.FR).Len() != 21 {
		t.Errorf("azimuths %v, date %s, %d sites; want got = []uint16{90}, k.snapshot(market.FR).SourceDate = "+
			`"2026-08-27", k.snapshot(market.FR).Len() = 21`, got, k.snapshot(market.FR).SourceDate,
			k.snapshot(market.FR).Len())
	}
	// Only what the manifest names stays: the old weekly file is gone.
	for path := range k.state() {
		if strings.HasSuffix(path, "o.csv.zst") {
			t.Errorf(`%s is still kept; want !strings.HasSuffix(path, "o.csv.zst")`, path)
		}
	}
	// Any kind alone is enough: the weekly file is kept as well.
	if r = k.must(k.file("a.txt", strings.Replace(antennas, ";90;", ";91;", 1))); len(r.Files) != 4 {
		t.Errorf("files: %+v, want 4", r.Files)
	}
	if got := k.azimuths(market.FR, "100"); !slices.Equal(got, []uint16{91}) {
		t.Errorf("azimuths %v, want %v", got, []uint16{91})
	}
}

// Parts of a source that a newer file takes the place of are named, but not those that
// it is an edition of.
func TestSupersededParts(t *testing.T) {
	k := newKit(t)
	part := func(id int) string {
		return strings.NewReplacer(`"id":77`, fmt.Sprint(`"id":`, id), "104500",
			fmt.Sprint(104500+100*id)).Replace(dossier)
	}
	archive := k.file("more.zip", string(filetest.Zip(t, "c.geojson", part(3), "d.geojson", part(4))))
	for _, tt := range []struct {
		paths []string
		gone  []string
	}{
		{[]string{k.file("a.geojson", part(1)), k.file("b.geojson", part(2)), archive, k.file("bipt.json", biptRow)},
			nil},
		{[]string{k.file("new/bipt.json", biptRow)}, nil},
		{[]string{k.file("new/a.geojson", part(1)), archive}, []string{"b.geojson"}},
		{[]string{k.file("whole.geojson", part(1))}, []string{"a.geojson", "more.zip:c.geojson", "more.zip:d.geojson"}},
		{[]string{k.file("bipt2.json", biptRow)}, nil}, // a kind with a single input
	} {
		r, err := k.belgium(true, tt.paths...)
		if err != nil || len(r.Notes) != len(tt.gone) {
			t.Fatalf("%q: notes %q, %v; want no error, len(r.Notes) = len(tt.gone)", tt.paths, r.Notes, err)
		}
		for i, name := range tt.gone {
			if !strings.HasPrefix(r.Notes[i], name+", kept since ") ||
				!strings.Contains(r.Notes[i], "vlaanderen-zendantennes") {
				t.Errorf("%q: %q, want %s", tt.paths, r.Notes[i], name)
			}
		}
	}
}

// What ingests that were killed left in the folder does not stay.
func TestKilledIngest(t *testing.T) {
	k := newKit(t)
	o := k.file("o.csv", observatory("2026-08-27", 10))
	k.must(o)
	before := k.state()
	left := []string{"sources/FR/20260101T000000Z-1/o.csv.zst", "sources/FR/.manifest.json.tmp-1",
		"snapshots/.FR.snap.tmp-1"}
	for _, name := range left {
		path := filepath.Join(string(k.dir), name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte("left"), 0o644)))
	}
	// What somebody else put there stays, and so does what is to be read.
	foreign := filepath.Join(string(k.dir), "sources", "FR", "notes.txt")
	older := filepath.Join(string(k.dir), "sources", "FR", "20260102T000000Z-2", "older.csv")
	for _, tt := range []struct{ path, text string }{
		{foreign, "mine"},
		{older, observatory("2026-08-20", 10)},
	} {
		t.Run(tt.path, func(t *testing.T) {
			must(t, errors.Join(os.MkdirAll(filepath.Dir(tt.path), 0o755),
				os.WriteFile(tt.path, []byte(tt.text), 0o644)))
			before[tt.path] = tt.text
		})
	}
	here, err := os.Getwd()
	must(t, err)
	relative, err := filepath.Rel(here, older)
	must(t, err)
	if _, err := k.run(false, both, relative); err == nil || !strings.Contains(err.Error(), "older than the present") {
		t.Fatalf(`an older file: %v; want an error with "older than the present"`, err)
	}
	for path, text := range before {
		if k.state()[path] != text {
			t.Errorf("%s is gone; want k.state()[path] = %v", path, text)
		}
	}
	for path := range k.state() {
		if _, ok := before[path]; !ok {
			t.Errorf("%s stays; want ok", path)
		}
	}
}

// FR and DROM share what is kept: an ingest of one does not take the other's base
// away.
func TestOneMarketOfTwo(t *testing.T) {
	k := newKit(t)
	k.must(k.file("o.csv", observatory("2026-08-27", 100)), k.file("a.txt", antennas))
	overseas := header + "ORANGE;9;LTE 800;;974;97411;4G;2026-09-03T10:00:00;9742290001;\"-20.9 , 55.4\";En service\n"
	if _, err := k.run(true, []market.Code{market.DROM}, k.file("drom.csv", overseas)); err == nil ||
		!strings.Contains(err.Error(), "FR: the files have no usable site") {
		t.Errorf(`DROM alone: %v; want an error with "FR: the files have no usable site"`, err)
	}
	before := k.snapshot(market.FR).Version
	r, err := k.run(false, []market.Code{market.DROM}, k.file("o2.csv", observatory("2026-09-03", 100)))
	if err != nil || len(r.Markets) != 1 || r.Markets[0].Market != market.DROM ||
		k.snapshot(market.DROM).SourceDate != "2026-09-03" || k.snapshot(market.FR).Version != before {
		t.Errorf("DROM of a file of both: got %v, %+v; want DROM alone of 2026-09-03, and FR as before", err, r)
	}
	if r, err = k.run(false, []market.Code{market.FR},
		k.file("a2.txt", strings.Replace(antennas, ";90;", ";91;", 1))); err != nil ||
		k.snapshot(market.FR).Len() != 100 {
		t.Errorf("FR afterwards: %v, %+v; want no error, k.snapshot(market.FR).Len() = 100", err, r)
	}
}

// A kept file that cannot be reached now is not forgotten.
func TestKeptFileComesBack(t *testing.T) {
	k := newKit(t)
	k.must(k.file("o.csv", observatory("2026-08-27", 10)), k.file("a.txt", antennas))
	kept, err := filepath.Glob(filepath.Join(string(k.dir), "sources", "FR", "*", "a.txt.zst"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept = %q, err = %v; want no error, len(kept) = 1", kept, err)
	}
	aside := filepath.Join(k.src, "aside")
	must(t, os.Rename(kept[0], aside))
	newer := k.file("o2.csv", observatory("2026-09-03", 10))
	if _, err := k.run(false, both, newer); err == nil || !strings.Contains(err.Error(), "azimuths") {
		t.Errorf(`without the kept file: %v; want an error with "azimuths"`, err)
	}
	if _, err := k.run(true, both, newer); err != nil {
		t.Fatal(err)
	}
	must(t, os.MkdirAll(filepath.Dir(kept[0]), 0o755))
	must(t, os.Rename(aside, kept[0]))
	k.must(newer)
	if got := k.azimuths(market.FR, "100"); !slices.Equal(got, []uint16{90}) {
		t.Errorf("azimuths %v after it came back, want %v", got, []uint16{90})
	}
}
