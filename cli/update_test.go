package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"relais/demo"
	"relais/ingest/update"
	"relais/internal/filetest"
)

// command runs the command line.
func command(ctx context.Context, args ...string) (out, errs string, code int) {
	var o, e bytes.Buffer
	code = Main(ctx, args, Streams{Out: &o, Err: &e})
	return o.String(), e.String(), code
}

func weeklyFile(t *testing.T) []byte {
	t.Helper()
	paths, err := demo.Write(t.TempDir(), 200)
	must(t, err)
	for _, p := range paths {
		if strings.Contains(p, "observatoire") {
			text := filetest.Read(t, p)
			return text
		}
	}
	t.Fatal("no weekly file")
	return nil
}

// tableFile writes a table of sources: market, name and address of each.
func tableFile(t *testing.T, files ...[3]string) string {
	t.Helper()
	var lines []string
	for _, f := range files {
		url, err := json.Marshal(f[2])
		must(t, err)
		lines = append(lines, fmt.Sprintf(`{"market":%q,"name":%q,"find":"url","url":%s,"licence":"none"}`, f[0],
			f[1], url))
	}
	return filetest.New(t, "sources.json", `{"files":[`+strings.Join(lines, ",")+`]}`)
}

// printable fails if the text has characters that a terminal obeys.
func printable(t *testing.T, text string) {
	t.Helper()
	if i := strings.IndexFunc(text,
		func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }); i >= 0 {
		t.Errorf("control character %q at %d of %q, want less than 0", text[i], i, text)
	}
}

func TestNothingEscapes(t *testing.T) {
	const evil = "\x1b]0;x\x07\u009b31m\u202e\x7f"
	weekly := weeklyFile(t)
	path := filetest.New(t, "SYNTHETIC.zip", filetest.Zip(t, "SYNTHETIC_"+evil+"observatoire.csv", string(weekly),
		"read"+evil+"me", "x\n"))
	out, errs, code := command(t.Context(), "ingest", "--data", t.TempDir(), "FR,DROM", path)
	if code != exitDone || !strings.Contains(out, `\x1b]0;x`) || !strings.Contains(out, "not a known table") {
		t.Errorf("ingest: exit %d, want 0 with the escape visible\n%q %q", code, out, errs)
	}
	printable(t, out+errs)

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "zip") {
			http.ServeFile(w, r, path)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(weekly))
	}))
	defer s.Close()
	for _, tt := range []struct {
		end  string
		want int
	}{
		{"/SYNTHETIC_o.csv?a=\u009b31m\u202e", exitDone},
		{"/SYNTHETIC.zip?a=\u009b31m", exitDone},
	} {
		t.Run(tt.end, func(t *testing.T) {
			dir := t.TempDir()
			out, errs, code := command(t.Context(), "update", "--data", dir, "--sources",
				tableFile(t, [3]string{"FR", "a", s.URL + tt.end}))
			if code != tt.want || !strings.Contains(out, `?a=\u009b31m`) {
				t.Errorf("update: exit %d, want %d with the escape visible\n%q %q", code, tt.want, out, errs)
			}
			printable(t, out+errs)
		})
	}
}

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Île-de-France «\u00a0x\u00a0» 東京", "Île-de-France «\u00a0x\u00a0» 東京"},
		{"a\x1b[2J\tb\nc", `a\x1b[2J\tb\nc`},
		{"\xff\x9b", `\xff\x9b`},
		{`"\`, `"\`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := visible(tt.text, ""); got != tt.want {
				t.Errorf("visible(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
	if got := visible("a\n\tb", "\n"); got != "a\n"+`\tb` {
		t.Errorf("visible with newlines kept = %q, want the tab escaped only", got)
	}
}

// A wrong or empty table is a wrong use; serve refuses it before it listens.
func TestWrongTable(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.json")
	table := []byte(`{"files":[{"name":"x","market":"FR","find":"url","url":"http://me:hunter2@h/"}]}`)
	filetest.Write(t, broken, table)
	for _, tt := range []struct{ path, words string }{
		{broken, "must be a full address with http or https"},
		{tableFile(t, [3]string{"PT", "pt", "http://127.0.0.1:1/"}), "there is nothing to update"},
	} {
		for _, args := range [][]string{{"update"}, {"serve", "--update-every", "24h", "--listen", "127.0.0.1:0"}} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			out, errs, code := command(ctx, append(args, "--data", t.TempDir(), "--sources", tt.path)...)
			cancel()
			if code != exitUsage || !strings.Contains(errs, tt.words) || strings.Contains(out+errs, "hunter2") {
				t.Errorf("relais %v: exit %d, want %d with %q and no password\n%s%s", args, code, exitUsage, tt.words,
					out, errs)
			}
		}
	}
}

// A stopped update reports what was done before.
func TestUpdateStopped(t *testing.T) {
	weekly := weeklyFile(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			cancel()
			<-r.Context().Done()
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(weekly))
	}))
	defer s.Close()
	dir := t.TempDir()
	out, errs, code := command(ctx, "update", "--data", dir, "--json", "--sources",
		tableFile(t, [3]string{"CH", "slow", s.URL + "/slow"},
			[3]string{"FR", "weekly", s.URL + "/SYNTHETIC_observatoire.csv"}))
	if code != exitFailed || !strings.Contains(errs, "stopped; what was done before") {
		t.Errorf("stopped update: exit %d, stderr %q, want %d and stopped; what was done before in it", code, errs,
			exitFailed)
	}
	var r struct {
		Sources []struct {
			Markets []string
			Status  string
			Files   []struct{ Name, Status, Error string }
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Sources) != 2 {
		t.Fatalf("report = %s, %v; want two sources", out, err)
	}
	a, b := r.Sources[0], r.Sources[1]
	if a.Status != "updated" || b.Status != "failed" ||
		b.Files[0].Error != "stopped before it was done" {
		t.Errorf("report = %s; want the first source updated, the second stopped", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "snapshots", "FR.snap")); err != nil {
		t.Error(err)
	}
}

// What --with names must be in the table.
func TestUpdateWith(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ with, want string }{
		{"terrain", `--with: "terrain" cannot be fetched: want some of transports, coverage, belgium-coverage, belgium-antennas, outages-since=DATE`},
		{"outages-since=soon", "--with: \"outages-since=soon\": want a day until today"},
	} {
		t.Run(tt.with, func(t *testing.T) {
			if _, errs, code := command(t.Context(), "update", "--data", dir, "--with", tt.with); code != exitUsage ||
				!strings.Contains(errs, tt.want) {
				t.Errorf("exit %d, %s; want %d with %s", code, errs, exitUsage, tt.want)
			}
		})
	}
}

func TestPlanLines(t *testing.T) {
	var b bytes.Buffer
	planLines(&b, "DIR")([]*update.File{{Name: "a", About: "12 MB\x1b[2J"}, {Name: "b"}}, 123e9)
	if want := "in addition (relais update --data DIR --with none ends it), with 123 GB free on the disk:\n" +
		"  a: 12 MB\\x1b[2J\n  b: of a size that is not known\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// What is lost of a campaign between two updates is fetched again. A file with fewer measurements is taken with --force
// alone. The columns are those of ARCEP's files that are read.
func TestUpdateMeasures(t *testing.T) {
	text := "date_start;hour_start;latitude_start;longitude_start;operator;territory;protocole;bitrate_dl;bitrate_ul;rsrp\n"
	const rows = 40
	for i := range rows {
		text += fmt.Sprintf("23/06/2025;10:48:%02d;45.%03d;4.25;Orange;METROPOLE;DOWNLOAD;104,6;;-10%d\n", i, i, i%10)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", fmt.Sprintf("%q", fmt.Sprint(len(text))))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(dir, 0o700))
	table := filetest.New(t, "sources.json", fmt.Sprintf(`{"files":[{"market":"FR","name":"qos","for":"measures","find":"url",
		"url":"%s/2025_QoS_Metropole_data_habitations.csv","licence":"none"}]}`, s.URL))
	segments := func() []string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(dir, "measures", "*.seg"))
		must(t, err)
		return paths
	}
	step := func(when, status, says string, more ...string) {
		t.Helper()
		out, errs, _ := command(t.Context(), append([]string{"update", "--data", dir, "--sources", table, "--json"}, more...)...)
		var r update.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || string(r.Sources[0].Status) != status ||
			!strings.Contains(out, says) {
			t.Fatalf("%s: %s\n%s\nwant %s with %q", when, out, errs, status, says)
		}
	}
	step("at first", "updated", "new, with 80 measurements")
	step("again", "unchanged", "")
	must(t, os.Remove(filepath.Join(dir, "measures.db")))
	must(t, os.RemoveAll(filepath.Join(dir, "measures")))
	if _, errs, code := command(t.Context(), "check", "--data", dir, "--accept"); code != exitDone {
		t.Fatalf("check --accept: exit %d, %s", code, errs)
	}
	step("after a loss", "updated", "arcep-2025-habitations are lost or damaged; the files are fetched again")
	step("after it", "unchanged", "")
	must(t, os.Truncate(segments()[0], 100))
	step("after damage", "updated", "corrected, with 80 measurements instead of 80")
	if n := len(segments()); n != 2 {
		t.Errorf("%d files of measurements, want 2: the damaged one is replaced", n)
	}
	step("after it", "unchanged", "")
	lines := strings.SplitAfter(text, "\n")
	text = strings.Join(lines[:rows/2], "")
	step("with a cut file", "failed", "38, and 80 are there (--force overrides)")
	step("with the same file", "failed", "refused before")
	step("with --force", "updated", "corrected, with 38 measurements instead of 80", "--force")
	step("at last", "unchanged", "")
}
