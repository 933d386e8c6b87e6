package update

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/demo"
	"relais/internal/filetest"
)

// modes lists the entries below downloads/ with their modes.
func (k *kit) modes() (lines []string) {
	k.t.Helper()
	err := filepath.WalkDir(k.dir.Downloads(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(k.dir.Downloads(), path)
		lines = append(lines, fmt.Sprint(info.Mode(), " ", name))
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return lines
}

// Waiting files contain personal data: only the owner can read them, also those that an
// older version of relais left readable.
func TestDownloadsArePrivate(t *testing.T) {
	k := newKit(t)
	const extract = "/SYNTHETIC_Site_Data_Extract_FX.csv"
	var text bytes.Buffer
	if _, err := demo.WriteCA(&text, 500, demo.CAOptions{}); err != nil {
		t.Fatal(err)
	}
	k.put(extract, text.Bytes())
	k.behave(extract, func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packedText(t, k.files[extract].text))
		return true
	})
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(strings.Replace(k.file("extract", "url", extract, ""), `"FR"`, `"CA"`, 1),
		k.file("weekly", "url", weekly, ""))
	lock, err := k.dir.Lock("ingest", "a backup", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		t.Helper()
		r, err := Run(t.Context(), k.options())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Sources {
			k.want(s, Failed, "a backup")
		}
	}
	run()
	want := []string{
		"drwx------ .", "drwx------ CA", "drwx------ CA/extract",
		"-rw------- CA/extract/SYNTHETIC_Site_Data_Extract_FX.csv", "-rw------- CA/extract/part.json",
		"drwx------ FR", "drwx------ FR/weekly", "-rw------- FR/weekly/SYNTHETIC_observatoire.csv",
		"-rw------- FR/weekly/part.json",
	}
	if got := k.modes(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range []string{".", "FR", "FR/weekly"} {
		if err := os.Chmod(filepath.Join(k.dir.Downloads(), name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(k.dir.Downloads(), "FR/weekly/part.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	run()
	if got := k.modes(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	lock.Unlock()
	r, err := Run(t.Context(), k.options())
	if err != nil || r.Failed() {
		t.Errorf("err = %v, r = %+v; want no error, !r.Failed()", err, r)
	}
	k.noDownloads()
}

// Downloads of files that the table no longer names are removed by the next run.
func TestSweep(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	for _, name := range []string{"CA/gone", "FR/renamed", "FR/towns"} {
		dir := filepath.Join(k.dir.Downloads(), name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, filepath.Join(dir, "contacts.csv"), "a name")
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(outside, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(k.dir.Downloads(), "FR/towns/link")); err != nil {
		t.Fatal(err)
	}
	if err := k.options().Table.sweep(k.dir); err != nil {
		t.Fatal(err)
	}
	if got, want := k.modes(), []string{"drwx------ .", "drwx------ FR", "drwx------ FR/towns",
		"-rw------- FR/towns/contacts.csv"}; len(got) != 5 || !slices.Equal(got[:4], want) {
		t.Errorf("got %q; want len(got) = 5, got[:4] = %v", got, want)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode() != 0o644 {
		t.Errorf("info.Mode() = %v, err = %v; want no error, info.Mode() = 0o644", info.Mode(), err)
	}
	k.want(k.run(), Unchanged, "")
	k.noDownloads()
}
