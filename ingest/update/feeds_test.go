package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/outage"
)

func TestFeeds(t *testing.T) {
	k := newFeedKit(t)
	r := k.run()
	k.want(r, Updated, "")
	k.expect("at first", "ORANGE", "available, read 20T12, failed never: 1 2 3")
	k.expect("at first", "FREE", "available, read 20T12, failed never: 1 2")
	k.expect("at first", "SFR", "absent, read never, failed never:")
	k.noDownloads()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Markets []string
		Files   []struct{ Name, Status string }
		Feeds   []struct {
			Operator, State, ReadAt string
			Rows, Served            int
		}
	}
	if err := json.Unmarshal(text, &report); err != nil || len(report.Feeds) != 2 || len(report.Files) != 2 ||
		report.Markets[0] != "FR" {
		t.Fatalf("err = %v, text = %s; want no error, len(report.Feeds) = 2, len(report.Files) = 2, "+
			`report.Markets[0] = "FR"`, err, text)
	}
	if f := report.Feeds[0]; f.Operator != "ORANGE" || f.State != "available" || f.ReadAt != "2026-08-20T12:00:00Z" ||
		f.Rows != 3 || f.Served != 3 {
		t.Errorf(`text = %s; want f.Operator = "ORANGE", f.State = "available", f.ReadAt = `+
			`"2026-08-20T12:00:00Z", f.Rows = 3, f.Served = 3`, text)
	}
	// Nothing new: only conditional requests, no news, nothing written.
	k.asked()
	k.at = k.at.Add(24 * time.Hour)
	before, version := k.listing(), k.store.Version()
	k.want(k.run(), Unchanged, "")
	if log, want := k.asked(), []string{orange + " 304 0", free + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
	if len(k.news) > 0 || k.listing() != before || k.store.Version() != version {
		t.Errorf("touched: %q\n%s\n%s; want len(k.news) = 0, k.listing() = %v, k.store.Version() = %v", k.news, before,
			k.listing(), before, version)
	}
	// One file is new.
	k.put(free, published(7, 1))
	r = k.run()
	k.want(r, Updated, "")
	k.expect("later", "ORANGE", "available, read 20T12, failed never: 1 2 3")
	k.expect("later", "FREE", "available, read 21T12, failed never: 7")
	if r.Files[0].Status != Unchanged || r.Files[1].Status != Fetched || len(k.news) != 1 {
		t.Errorf("r.Files = %+v, k.news = %q; want r.Files[0].Status = %v, r.Files[1].Status = %v, len(k.news) = 1",
			r.Files, k.news, Unchanged, Fetched)
	}
	// A file that is never renewed becomes too old, although it is requested.
	k.at = k.at.Add(25 * time.Hour)
	k.want(k.run(), Unchanged, "")
	if k.store.FeedStatus(market.FR, []string{"ORANGE"}).Available ||
		!k.store.FeedStatus(market.FR, []string{"FREE"}).Available {
		t.Error("want ORANGE, 49 hours old, not available and FREE, 25 hours old, available")
	}
}

// feedDay is when the good files were published.
var feedDay = time.Date(2026, 8, 20, 6, 0, 0, 0, time.UTC)

func dated(text []byte, at time.Time) handler {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		http.ServeContent(w, r, "", at, strings.NewReader(string(text)))
		return true
	}
}

func tagged(tag string, f handler) handler {
	return func(w http.ResponseWriter, r *http.Request, nth int) bool {
		w.Header().Set("Etag", tag)
		return f(w, r, nth)
	}
}

func answering(status int, text string) handler {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
		return true
	}
}

var failingFeeds = []struct {
	name   string
	do     handler
	why    string
	tagged bool // the good file has a tag, not only a date
}{
	{"a page", answering(200, "<!doctype html><title>Maintenance</title>"), "an HTML page", true},
	{"nothing", answering(200, ""), "empty", false},
	{"a header alone", dated([]byte(hsColumns), feedDay.Add(time.Hour)), "the file has no row", true},
	{"no row of use", dated([]byte(strings.ReplaceAll(string(published(1, 2)), "45.77", "?")), feedDay.Add(time.Hour)),
		"of 2 rows, none can be used", false},
	{"an empty column", dated([]byte(strings.ReplaceAll(string(published(1, 2)), "45.77", "")), feedDay.Add(time.Hour)),
		"the column Lat is empty in every row", false},
	{"half a row", dated(published(1, 2)[:len(published(1, 2))-60], feedDay.Add(time.Hour)), "cut short", false},
	{"no table", answering(200, "hello"), "no header", true},
	{"older, by its tag", tagged(`"old"`, dated(published(50, 9), feedDay.Add(-24*time.Hour))),
		"older than the one of 2026-08-20T06:00:00Z", true},
	{"older, by its date", dated(published(50, 9), feedDay.Add(-24*time.Hour)),
		"older than the one of 2026-08-20T06:00:00Z", false},
	{"gone", answering(404, ""), "404", true},
	{"at rest", answering(503, ""), "503", false},
	{"over its size", answering(200, strings.Repeat("x", 2<<20)), "over the 1048576 bytes", false},
	{"another's file", answering(200,
		strings.Replace(string(published(1, 2)), "code_insee", "code_insee;Antenne relais gérée par FREE", 1)),
		"file of FREE", false},
	{"a redirect to anywhere", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Location", "ftp://h/x")
		w.WriteHeader(302)
		return true
	}, "redirect", true},
	{"cut", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Length", "100000")
		w.Write(published(1, 9))
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, "EOF", true},
}

// A bad file keeps yesterday's sites and marks the feed as failed, with time and reason.
// The other operator's feed stays good, and the next good file ends the failure.
func TestFeedFails(t *testing.T) {
	for _, c := range failingFeeds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newFeedKit(t)
			k.use(strings.Replace(k.feed("hs-orange", "ORANGE", orange), `"licence"`, `"maxMB":1,"licence"`, 1),
				k.feed("hs-free", "FREE", free))
			good := dated(published(1, 3), feedDay)
			if c.tagged {
				good = tagged(`"good"`, good)
			}
			k.behave(orange, good)
			k.want(k.run(), Updated, "")
			for range 2 { // the second time some bad files are known
				k.at = k.at.Add(time.Hour)
				k.behave(orange, c.do)
				k.put(free, published(k.at.Hour(), 1))
				r := k.run()
				k.want(r, Failed, c.why)
				k.expect(c.name, "ORANGE", fmt.Sprintf("failed, read 20T12, failed 20T%d: 1 2 3", k.at.Hour()))
				k.expect(c.name, "FREE",
					fmt.Sprintf("available, read 20T%d, failed never: %d", k.at.Hour(), k.at.Hour()))
				f := k.store.Feeds(market.FR)[2]
				if !strings.Contains(f.Why, c.why) || strings.Contains(f.Why, string(k.dir)) ||
					f.Age(k.at) != time.Duration(k.at.Hour()-12)*time.Hour {
					t.Errorf("got why %q, age %s; want %q without the folder, and the hours since 12", f.Why,
						f.Age(k.at), c.why)
				}
				if r.Feeds[0].State != outage.Failed || r.Feeds[0].Served != 3 || r.Feeds[0].FailedAt == nil {
					t.Errorf("r.Feeds[0] = %+v; want r.Feeds[0].State = %v, r.Feeds[0].Served = 3, "+
						"r.Feeds[0].FailedAt != nil", r.Feeds[0], outage.Failed)
				}
				if k.store.FeedStatus(market.FR, []string{"ORANGE"}).Available {
					t.Error("it looks healthy")
				}
			}
			k.behave(orange, good)
			k.want(k.run(), Unchanged, "")
			k.expect("the good file again", "ORANGE", "available, read 20T12, failed never: 1 2 3")
			k.behave(orange, dated(published(8, 1), feedDay.Add(24*time.Hour)))
			k.want(k.run(), Updated, "")
			k.expect("the next day", "ORANGE", "available, read 20T14, failed never: 8")
			k.noDownloads()
		})
	}
}

// --force reads an older file and a refused one.
func TestFeedForced(t *testing.T) {
	k := newFeedKit(t)
	serve := func(text []byte, at time.Time) {
		k.behave(orange, func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.Header().Set("Etag", fmt.Sprintf(`"%d"`, at.Unix()))
			http.ServeContent(w, r, "", at, strings.NewReader(string(text)))
			return true
		})
	}
	serve(published(1, 1), k.at)
	k.want(k.run(), Updated, "")
	serve(published(5, 1), k.at.Add(-time.Hour))
	k.want(k.run(), Failed, "older")
	k.want(k.run(), Failed, "refused before")
	o := k.options()
	o.Force = true
	k.want(k.runWith(o), Updated, "")
	k.expect("forced", "ORANGE", "available, read 20T12, failed never: 5")
}

// The next run resumes a cut transfer. Until then the feed is failed.
func TestFeedResumes(t *testing.T) {
	k := newFeedKit(t)
	text := published(1, 2000)
	k.put(orange, text)
	half := len(text) / 2
	k.behave(orange, func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if nth > 1 {
			w.WriteHeader(503)
			return true
		}
		w.Header().Set("Etag", k.files[orange].etag)
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		w.Write(text[:half])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	k.want(k.run(), Failed, "503")
	k.expect("cut", "ORANGE", "failed, read never, failed 20T12:")
	k.behave(orange, nil)
	r := k.run()
	k.want(r, Updated, "")
	if f := r.Files[0]; f.Resumed == 0 || f.Resumed+f.Bytes != int64(len(text)) ||
		k.store.Feeds(market.FR)[2].Served != 2000 {
		t.Errorf("f = %+v; want f.Resumed != 0, f.Resumed+f.Bytes = int64(len(text)), "+
			"k.store.Feeds(market.FR)[2].Served = 2000", f)
	}
	k.noDownloads()
}

// A feed that changed since the last update is read again, although its file is the same.
func TestFeedChangedByHand(t *testing.T) {
	k := newFeedKit(t)
	k.want(k.run(), Updated, "")
	path := filetest.New(t, "hs.csv", published(77, 1))
	for _, tt := range []struct {
		name string
		do   func() error
	}{
		{"cleared", func() error { return k.store.Clear(market.FR, "ORANGE") }},
		{"imported", func() error { _, err := k.store.Import(t.Context(), market.FR, "ORANGE", path); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k.at = k.at.Add(time.Hour)
			if err := tt.do(); err != nil {
				t.Fatal(err)
			}
			k.at = k.at.Add(time.Hour)
			r := k.run()
			k.want(r, Updated, "")
			k.expect(tt.name, "ORANGE", fmt.Sprintf("available, read 20T%d, failed never: 1 2 3", k.at.Hour()))
			if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "FR ORANGE: its feed is not the one") ||
				r.Files[1].Status != Unchanged {
				t.Errorf(`%s: r.Notes = %q, r.Files = %+v; want len(r.Notes) = 1, r.Notes[0] with "FR ORANGE: `+
					`its feed is not the one", r.Files[1].Status = %v`, tt.name, r.Notes, r.Files, Unchanged)
			}
		})
	}
}

// If the stores cannot be reached, the file is kept and not downloaded again.
func TestFeedStoresFail(t *testing.T) {
	k := newFeedKit(t)
	k.storeErr = errors.New("the folder is in use by a backup")
	k.want(k.run(), Failed, "in use by a backup")
	k.expect("meanwhile", "ORANGE", "absent, read never, failed never:")
	k.storeErr = nil
	k.asked()
	k.want(k.run(), Updated, "")
	if log, want := k.asked(), []string{orange + " 304 0", free + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
	k.expect("then", "FREE", "available, read 20T12, failed never: 1 2")
	// The same if the store cannot open the file.
	o := k.options()
	take := o.Feeds
	o.Feeds = func(ctx context.Context, code market.Code, news ...outage.News) ([]outage.Outcome, error) {
		for i := range news {
			news[i].File += ".gone"
		}
		return take(ctx, code, news...)
	}
	k.put(free, published(9, 1))
	k.want(k.runWith(o), Failed, "no such file")
	k.asked()
	k.want(k.run(), Updated, "")
	if log, want := k.asked(), []string{orange + " 304 0", free + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
	// The same if the program stops.
	ctx, stop := context.WithCancel(t.Context())
	k.behave(orange, func(w http.ResponseWriter, r *http.Request,
		_ int) bool {
		stop()
		<-r.Context().Done()
		return true
	})
	k.at = k.at.Add(time.Hour)
	if _, err := Run(ctx, k.options()); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v; want %v", err, context.Canceled)
	}
	k.expect("stopped", "ORANGE", "available, read 20T12, failed never: 1 2 3")
}

// Keys in addresses are neither shown nor kept.
func TestFeedKeysAreNotKept(t *testing.T) {
	k := newFeedKit(t)
	k.use(k.feed("hs-orange", "ORANGE", "/none.csv?key=hunter2"))
	r := k.run()
	k.want(r, Failed, "404")
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(filepath.Join(k.dir.Sources("FR"), folder.FeedsName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("err = %v; want no error or %v", err, os.ErrNotExist)
	}
	all := string(text) + string(state) + k.store.Feeds(market.FR)[2].Why
	if strings.Contains(all, "hunter2") || !strings.Contains(all, "key=…") {
		t.Errorf(`all = %v; want all without "hunter2", all with "key=…"`, all)
	}
}

// One market has files of an authority and of operators: either may fail.
func TestFeedsBesideRegister(t *testing.T) {
	k := newFeedKit(t)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "url", weekly, ""), k.feed("hs-free", "FREE", free))
	keeper := &Keeper{Options: k.options(), Every: 24 * time.Hour, Log: slog.New(slog.DiscardHandler)}
	keeper.state = KeeperState{problems: map[subject]string{}, Success: map[market.Code]time.Time{},
		Failures: map[market.Code]int{}}
	began := time.Now()
	step := func(paths []string, words string, failures int) {
		t.Helper()
		for _, path := range []string{weekly, free} {
			k.behave(path, nil)
		}
		for _, path := range paths {
			k.behave(path, func(w http.ResponseWriter, r *http.Request, _ int) bool { w.WriteHeader(404); return true })
		}
		ran := keeper.runOnce(t.Context(), nil)
		s := keeper.State()
		if !ran || s.Problems[market.FR] != words || s.Failures[market.FR] != failures ||
			s.Success[market.FR].IsZero() {
			t.Errorf("paths = %q, s = %+v; want ran, s.Problems[market.FR] = %v, s.Failures[market.FR] = %v, "+
				"!s.Success[market.FR].IsZero()", paths, s, words, failures)
		}
		next, whole := keeper.nextRun(began, began, ran, true)
		if soon := next.Equal(began.Add(time.Hour)); soon != (words != "") || !whole.Equal(began.Add(24*time.Hour)) ||
			!soon && !next.Equal(whole) {
			t.Errorf(`%q: next after %s, all after %s; want soon = (words != ""), `+
				"whole.Equal(began.Add(24*time.Hour)), soon or next.Equal(whole)", paths, next.Sub(began),
				whole.Sub(began))
		}
	}
	step(nil, "", 0)
	k.expect("at first", "FREE", "available, read 20T12, failed never: 1 2")
	if k.date() != "2026-01-15" {
		t.Errorf(`date %q, want "2026-01-15"`, k.date())
	}
	step([]string{free}, "hs-free: the server answers 404 Not Found", 1)
	step([]string{weekly}, "weekly: the server answers 404 Not Found", 2)
	step([]string{weekly, free}, "weekly: the server answers 404 Not Found; hs-free: the server answers 404 Not Found",
		4)
	step(nil, "", 4)
	// A retry of failed markets does not move the complete run.
	if next, whole := keeper.nextRun(began, began.Add(10*time.Minute), false, false); !next.Equal(whole) ||
		!whole.Equal(began.Add(10*time.Minute)) {
		t.Errorf("next = %v, whole = %v; want next.Equal(whole), whole.Equal(began.Add(10*time.Minute))", next, whole)
	}
	// The table has no operator's file of DROM.
	o := k.options()
	o.Markets = []market.Code{market.DROM}
	r, err := Run(t.Context(), o)
	if err != nil || len(r.Sources) != 1 || r.Sources[0].Files[0].Name != "weekly" {
		t.Errorf(`r = %+v, err = %v; want no error, len(r.Sources) = 1, r.Sources[0].Files[0].Name = "weekly"`, r, err)
	}
}
