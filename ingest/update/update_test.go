package update

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
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
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

func TestSecondRunTouchesNothing(t *testing.T) {
	k := weeklyKit(t)
	r := k.run()
	k.want(r, Updated, "")
	k.wantDate("2026-01-15")
	if len(r.Files) != 2 || r.Files[0].Status != Fetched || r.Files[0].Bytes != int64(len(k.files[weekly])) ||
		len(r.Ingests) != 1 {
		t.Errorf("files %+v, %d ingests; want two files, the first fetched whole, and one ingest", r.Files, len(r.Ingests))
	}
	k.wantAsked(whole(weekly), whole(towns))
	before := k.listing()
	r = k.run()
	k.want(r, Unchanged, "")
	k.wantAsked(same(weekly), same(towns))
	if after := k.listing(); len(r.Ingests) != 0 || after != before {
		t.Errorf("%d ingests; before:\n%safter:\n%s; want none, and nothing touched", len(r.Ingests), before, after)
	}
	// One is new: only that one is read, the other is kept.
	k.put(weekly, observatory(t, "2026-01-22"))
	r = k.run()
	k.want(r, Updated, "")
	k.wantDate("2026-01-22")
	if r.Files[0].Status != Fetched || r.Files[1].Status != Unchanged {
		t.Errorf("got %s and %s, want fetched and unchanged", r.Files[0].Status, r.Files[1].Status)
	}
	k.asked()
	k.want(k.force(), Updated, "")
	k.wantAsked(whole(weekly), whole(towns))
}

// A transfer that broke begins again: at the next try, and in the next run.
func TestCutTransfer(t *testing.T) {
	k := weeklyKit(t)
	size := int64(len(k.files[weekly]))
	k.behave(weekly, once(cut(k.files[weekly])))
	o, totals, came, retries := k.options(), []int64{}, int64(0), 0
	o.Retrying = func(string, error, time.Duration) { retries++ }
	o.Fetching = func(name string, total int64) func(int) {
		if name != "weekly" {
			return func(int) {}
		}
		totals = append(totals, total)
		return func(n int) { came += int64(n) }
	}
	r := k.runWith(o)
	k.want(r, Updated, "")
	k.wantDate("2026-01-15")
	if !slices.Equal(totals, []int64{size, size}) || came <= size || came != r.Files[0].Bytes || retries != 1 {
		t.Errorf("progress: totals %d, %d bytes of %d in %d retries; want two of %d, more bytes than one, and one retry",
			totals, came, r.Files[0].Bytes, retries, size)
	}
	k.put(weekly, observatory(t, "2026-01-22"))
	k.behave(weekly, cut(k.files[weekly]))
	k.want(k.run(), Failed, "weekly: unexpected EOF (after 3 tries)")
	k.wantDate("2026-01-15")
	k.behave(weekly, nil)
	k.asked()
	k.want(k.run(), Updated, "")
	k.wantAsked(whole(weekly), same(towns))
	k.wantDate("2026-01-22")
}

// In any order of the table, the good files are ingested and the bad one is not. It is
// asked for again after another new file.
func TestOneBadOneGood(t *testing.T) {
	const bad = "/files/SYNTHETIC_bad.csv"
	at := map[string]string{"sup": sup, "weekly": weekly, "bad": bad}
	for _, order := range []string{"sup weekly bad", "bad sup weekly", "weekly bad sup"} {
		t.Run(order, func(t *testing.T) {
			k := newKit(t)
			k.put(sup, demoFile(t, "SUP"))
			k.put(weekly, observatory(t, "2026-01-15"))
			k.put(bad, []byte("no;table\n1;2\n"))
			var files []string
			for _, name := range strings.Fields(order) {
				files = append(files, k.file(name, "url", at[name], ""))
			}
			k.use(files...)
			r := k.run()
			k.want(r, Failed, "bad: ")
			for _, f := range r.Files {
				if want := map[bool]Status{true: Failed, false: Fetched}[f.Name == "bad"]; f.Status != want {
					t.Errorf("%s is %s: %s, want %s", f.Name, f.Status, f.Error, want)
				}
			}
			if n := len(r.Ingests); n != 2 || len(r.Ingests[1].Markets[0].Enriched) == 0 {
				t.Errorf("%d ingests, want 2, the last with what the SUP adds", n)
			}
			k.want(k.run(), Failed, "refused before")
			k.put(weekly, observatory(t, "2026-01-22"))
			k.want(k.run(), Failed, "refused before")
			k.wantDate("2026-01-22")
			k.want(k.run(), Failed, "bad: "+string(k.dir))
		})
	}
}

// A file that only adds to a base is ingested when the base comes.
func TestWaitsForItsBase(t *testing.T) {
	k := newKit(t)
	k.put(sup, demoFile(t, "SUP"))
	k.put(weekly, []byte("no;table\n1;2\n"))
	k.use(k.file("weekly", "url", weekly, ""), k.file("sup", "url", sup, ""))
	k.want(k.run(), Failed, "sup: no anfr-observatoire")
	k.asked()
	k.want(k.run(), Failed, "sup: no anfr-observatoire")
	k.wantAsked(same(weekly), same(sup))
	k.byHand(observatory(t, "2026-01-15"), false)
	r := k.run()
	if r.Files[1].Status != Fetched {
		t.Errorf("%+v: want the SUP fetched", r.Files[1])
	}
}

// A file that comes packed is unpacked; one that unpacks to too much is refused.
func TestGzip(t *testing.T) {
	packed := func(text []byte) string {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(text)
		w.Close()
		return z.String()
	}
	good := packed(observatory(t, "2026-01-15"))
	k := newKit(t)
	k.use(strings.Replace(k.file("weekly", "url", weekly, ""), `"match"`, `"maxMB":2,"match"`, 1))
	for _, tt := range []struct {
		name, text string
		status     Status
		words      string
	}{
		{"good", good, Updated, ""},
		{"the same", good, Unchanged, ""}, // it has no tag, and was compared
		{"cut", good[:len(good)/2], Failed, "unexpected EOF (after 3 tries)"},
		{"not packed", "id;name\n1;a\n2;b\n", Failed, "gzip: invalid header"},
		{"a bomb", packed(make([]byte, 64<<20)), Failed, "over the 2097152 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k.behave(weekly, answering(200, tt.text, "Content-Encoding", "gzip"))
			k.want(k.run(), tt.status, tt.words)
			k.wantDate("2026-01-15")
		})
	}
}

// A file gets the modification time that the server states.
func TestModified(t *testing.T) {
	tier.Slow(t)
	day := time.Date(2026, 1, 14, 3, 0, 0, 0, time.UTC)
	path := filetest.New(t, "x", "x")
	now := time.Now()
	for _, tt := range []struct {
		text string
		want time.Time
	}{
		{day.Format(http.TimeFormat), day}, {"", now}, {"yesterday", now},
		{time.Unix(0, 0).UTC().Format(http.TimeFormat), now},
		{now.AddDate(1, 0, 0).UTC().Format(http.TimeFormat), now},
	} {
		t.Run(tt.text, func(t *testing.T) {
			must(t, os.Chtimes(path, now, now))
			must(t, setModTime(path, tt.text, now))
			info, err := os.Stat(path)
			if err != nil || !info.ModTime().Equal(tt.want) {
				t.Errorf("got %v, %v; want %v", info.ModTime(), err, tt.want)
			}
		})
	}
	k := weeklyKit(t)
	k.behave(weekly, func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.Header().Set("Last-Modified", day.Format(http.TimeFormat))
		return false
	})
	k.want(k.run(), Updated, "")
	kept, err := filepath.Glob(filepath.Join(k.dir.Sources("FR"), "*", "*observatoire*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %q, %v; want one file", kept, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || !info.ModTime().Equal(day) {
		t.Errorf("the kept file is of %v, %v; want %v", info.ModTime(), err, day)
	}
}

func TestUnreadMarkets(t *testing.T) {
	k := weeklyKit(t)
	o := k.options()
	o.Markets = []market.Code{market.PT}
	if _, err := Run(t.Context(), o); err == nil || err.Error() != "Portugal publishes no register that a program "+
		"can read: No public, machine-readable and redistributable inventory of mobile sites is known for Portugal (ANACOM)" {
		t.Errorf("got %v, want that Portugal publishes none, and why", err)
	}
	o.Markets = []market.Code{market.DROM} // its files are those of FR
	k.want(k.runWith(o), Updated, "")
	k.wantDate("2026-01-15")
	k.use(k.file("weekly", "url", weekly, ""), strings.Replace(k.file("pt", "url", "/pt", ""), `"FR"`, `"PT"`, 1))
	r, err := Run(t.Context(), k.options())
	if want := "pt was left out: this version of relais has no parser for the sources of PT"; err != nil ||
		!slices.Equal(r.Notes, []string{want}) {
		t.Errorf("got %q, %v; want the note %q", r.Notes, err, want)
	}
}

// An ingest that fails for a reason outside the file says nothing about the file.
func TestFolderInUse(t *testing.T) {
	k := weeklyKit(t)
	lock, err := k.dir.Lock("ingest", "a backup", time.Now())
	must(t, err)
	k.want(k.run(), Failed, "a backup")
	lock.Unlock()
	k.want(k.run(), Updated, "")
	lock, err = k.dir.LockQuietly("update")
	must(t, err)
	defer lock.Unlock()
	if _, err := Run(t.Context(), k.options()); err == nil || !strings.Contains(err.Error(), "another update") {
		t.Errorf(`got %v, want an error with "another update"`, err)
	}
}

// A download contains personal data: only the owner can read it, and it is removed, also
// when a stop comes before the ingest.
func TestDownloadsArePrivate(t *testing.T) {
	const extract = "/SYNTHETIC_Site_Data_Extract_FX.csv"
	var text bytes.Buffer
	must(t, demo.WriteCA(&text, 500))
	k := newKit(t)
	k.put(extract, text.Bytes())
	k.use(strings.Replace(k.file("extract", "url", extract, ""), `"FR"`, `"CA"`, 1), k.file("weekly", "url", weekly, ""))
	left := filepath.Join(k.dir.Downloads(), "FR", "renamed", "contacts.csv") // of a run that was killed
	must(t, os.MkdirAll(filepath.Dir(left), 0o755))
	filetest.Write(t, left, "a name")
	var got []string
	o := k.options()
	ctx, stop := context.WithCancel(t.Context())
	o.Markets = []market.Code{market.CA}
	o.Asked = func(*FileReport) {
		got = k.modes()
		stop()
	}
	r, err := Run(ctx, o)
	if want := []string{"drwx------ .", "drwx------ CA", "drwx------ CA/extract",
		"-rw------- CA/extract/SYNTHETIC_Site_Data_Extract_FX.csv"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, context.Canceled) || r.Sources[0].Files[0].Error != "stopped before it was done" {
		t.Errorf("got %v, %+v; want a stop", err, r)
	}
	if _, err := os.Stat(k.dir.Downloads()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("downloads/ is left: %v", err)
	}
}

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
	must(k.t, err)
	return lines
}

// A stop in the middle of a download ends it. What is left is named.
func TestStopped(t *testing.T) {
	k := newKit(t)
	ctx, stop := context.WithCancel(t.Context())
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Length", "100000")
		w.Write([]byte("id;name\n"))
		http.NewResponseController(w).Flush()
		stop()
		<-r.Context().Done()
		return true
	})
	k.use(k.file("weekly", "url", weekly, ""), strings.Replace(k.file("ca", "url", "/ca", ""), `"FR"`, `"CA"`, 1))
	r, err := Run(ctx, k.options())
	if !errors.Is(err, context.Canceled) || !slices.Equal(r.Notes, []string{"not tried: ca"}) ||
		r.Sources[0].Files[0].Error != "stopped before it was done" {
		t.Errorf("got %v, %+v; want a stop, and a note of what was not tried", err, r)
	}
	k.behave(weekly, nil)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "url", weekly, ""))
	k.want(k.run(), Updated, "")
}
