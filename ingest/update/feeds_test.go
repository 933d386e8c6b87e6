package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/outage"
)

// A feedKit is a kit with the files of two operators and the store for them.
type feedKit struct {
	*kit
	store    *outage.Store
	at       time.Time // of the stores' clock
	news     []string  // that they were told since the last run
	storeErr error     // of the stores
}

const (
	orange    = "/orange.csv"
	free      = "/free.csv"
	hsColumns = "code_site_op;region;departement;commune;code_insee;Lat;Lon;4Gdata;voix;raison;debut\n"
)

// published returns an operator's file with sites that are numbered from first on.
func published(first, sites int) []byte {
	text := "Liste des sites hors service;;\n\n" + hsColumns
	for i := range sites {
		text += fmt.Sprintf("%d;AURA;63;CLERMONT;63113;45.77;3.08;HS;HS;Incident;2026-08-20 06:10:00\n", first+i)
	}
	return []byte(text)
}

func newFeedKit(t *testing.T) *feedKit {
	t.Helper()
	k := &feedKit{kit: newKit(t), at: time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)}
	db := storetest.New(t, outage.Buckets...)
	var err error
	k.store, err = outage.Open(db, func() time.Time { return k.at })
	must(t, err)
	k.put(orange, published(1, 3))
	k.put(free, published(1, 2))
	k.use(k.feed("hs-orange", "orange", orange), k.feed("hs-free", "FREE", free))
	return k
}

// feed returns the entry of a feed in the table.
func (k *feedKit) feed(name, operator, path string) string {
	return fmt.Sprintf(`{"name":%q,"market":"FR","operator":%q,"find":"url","url":%q,"licence":"test","maxMB":1}`, name,
		operator, k.URL+path)
}

func (k *feedKit) options() Options {
	o := k.kit.options()
	o.Feeds = func(ctx context.Context, code market.Code, news ...outage.News) ([]outage.Outcome, error) {
		for _, n := range news {
			k.news = append(k.news, fmt.Sprint(n.Operator, " ", filepath.Base(n.File), " ", n.Failed))
		}
		if k.storeErr != nil && len(news) > 0 {
			return nil, k.storeErr
		}
		return k.store.Take(ctx, code, news...)
	}
	return o
}

func (k *feedKit) run() *SourceReport {
	k.t.Helper()
	k.news = nil
	return k.runWith(k.options())
}

// expect checks a feed's state, when it was read and failed, and the codes of its sites.
func (k *feedKit) expect(when, operator, want string) {
	k.t.Helper()
	got := ""
	for _, f := range k.store.Feeds(market.FR) {
		if f.Operator == operator {
			hour := func(t *time.Time) string {
				if t == nil {
					return "never"
				}
				return t.Format("02T15")
			}
			got = fmt.Sprint(f.State(), ", read ", hour(f.ReadAt), ", failed ", hour(f.FailedAt), ":")
		}
	}
	entries := k.store.Entries(outage.Query{Market: market.FR, Operators: []string{operator}})
	for _, e := range entries {
		got += " " + e.Code
	}
	if got != want {
		k.t.Errorf("%s: %s is %s, want %s", when, operator, got, want)
	}
}

func TestFeeds(t *testing.T) {
	k := newFeedKit(t)
	r := k.run()
	k.want(r, Updated, "")
	k.expect("at first", "ORANGE", "available, read 20T12, failed never: 1 2 3")
	k.expect("at first", "FREE", "available, read 20T12, failed never: 1 2")
	k.expect("at first", "SFR", "absent, read never, failed never:")
	text, err := json.Marshal(r)
	must(t, err)
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
		t.Fatalf("%v: %s; want two files and two feeds of FR", err, text)
	}
	if f := report.Feeds[0]; f.Operator != "ORANGE" || f.State != "available" || f.ReadAt != "2026-08-20T12:00:00Z" ||
		f.Rows != 3 || f.Served != 3 {
		t.Errorf("%s: want ORANGE available, read at 2026-08-20T12:00:00Z, with three rows", text)
	}
	// Nothing new: only conditional requests, no news, nothing written.
	k.asked()
	k.at = k.at.Add(24 * time.Hour)
	before, version := k.listing(), k.store.Version()
	k.want(k.run(), Unchanged, "")
	k.wantAsked(same(orange), same(free))
	if len(k.news) > 0 || k.listing() != before || k.store.Version() != version {
		t.Errorf("news %q, want none, and nothing touched", k.news)
	}
	// One file is new.
	k.put(free, published(7, 1))
	r = k.run()
	k.want(r, Updated, "")
	k.expect("later", "ORANGE", "available, read 20T12, failed never: 1 2 3")
	k.expect("later", "FREE", "available, read 21T12, failed never: 7")
	if r.Files[0].Status != Unchanged || r.Files[1].Status != Fetched || len(k.news) != 1 {
		t.Errorf("files %+v, news %q; want the second fetched, and one piece of news", r.Files, k.news)
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

// dated serves a file with a date, and with a tag if it is not empty.
func dated(text []byte, at time.Time, tag string) handler {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if tag != "" {
			w.Header().Set("Etag", tag)
		}
		http.ServeContent(w, r, "", at, strings.NewReader(string(text)))
		return true
	}
}

var failingFeeds = []struct {
	name string
	do   handler
	why  string
	tag  string // of the good file
}{
	{"a page", answering(200, "<!doctype html><title>Maintenance</title>"), "an HTML page", `"good"`},
	{"nothing", answering(200, ""), "empty", ""},
	{"a header alone", dated([]byte(hsColumns), feedDay.Add(time.Hour), ""), "the file has no row", `"good"`},
	{"no row of use", dated([]byte(strings.ReplaceAll(string(published(1, 2)), "45.77", "?")), feedDay.Add(time.Hour), ""),
		"of 2 rows, none can be used", ""},
	{"an empty column", dated([]byte(strings.ReplaceAll(string(published(1, 2)), "45.77", "")), feedDay.Add(time.Hour), ""),
		"the column Lat is empty in every row", ""},
	{"half a row", dated(published(1, 2)[:len(published(1, 2))-60], feedDay.Add(time.Hour), ""), "cut short", ""},
	{"no table", answering(200, "hello"), "no header", `"good"`},
	{"older, by its tag", dated(published(50, 9), feedDay.Add(-24*time.Hour), `"old"`),
		"older than the one of 2026-08-20T06:00:00Z", `"good"`},
	{"older, by its date", dated(published(50, 9), feedDay.Add(-24*time.Hour), ""),
		"older than the one of 2026-08-20T06:00:00Z", ""},
	{"gone", answering(404, ""), "404", `"good"`},
	{"at rest", answering(503, ""), "503", ""},
	{"over its size", answering(200, strings.Repeat("x", 2<<20)), "over the 1048576 bytes", ""},
	{"another's file", answering(200,
		strings.Replace(string(published(1, 2)), "code_insee", "code_insee;Antenne relais gérée par FREE", 1)),
		"file of FREE", ""},
	{"a redirect to anywhere", answering(302, "", "Location", "ftp://h/x"), "redirect", `"good"`},
	{"cut", cut(published(1, 900)), "EOF", `"good"`},
}

// A bad file keeps yesterday's sites and marks the feed as failed, with time and reason.
// The other operator's feed stays good, and the next good file ends the failure.
func TestFeedFails(t *testing.T) {
	for _, c := range failingFeeds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newFeedKit(t)
			good := dated(published(1, 3), feedDay, c.tag)
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
				if f := r.Feeds[0]; f.State != outage.Failed || f.Served != 3 || f.FailedAt == nil {
					t.Errorf("the report says %+v, want it failed, with three sites", f)
				}
			}
			k.behave(orange, good)
			k.want(k.run(), Unchanged, "")
			k.expect("the good file again", "ORANGE", "available, read 20T12, failed never: 1 2 3")
			k.behave(orange, dated(published(8, 1), feedDay.Add(24*time.Hour), ""))
			k.want(k.run(), Updated, "")
			k.expect("the next day", "ORANGE", "available, read 20T14, failed never: 8")
		})
	}
}

// --force reads an older file and a refused one.
func TestFeedForced(t *testing.T) {
	k := newFeedKit(t)
	k.behave(orange, dated(published(1, 1), k.at, `"1"`))
	k.want(k.run(), Updated, "")
	k.behave(orange, dated(published(5, 1), k.at.Add(-time.Hour), `"2"`))
	k.want(k.run(), Failed, "older")
	k.want(k.run(), Failed, "refused before")
	o := k.options()
	o.Force = true
	k.want(k.runWith(o), Updated, "")
	k.expect("forced", "ORANGE", "available, read 20T12, failed never: 5")
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
			must(t, tt.do())
			k.at = k.at.Add(time.Hour)
			r := k.run()
			k.want(r, Updated, "")
			k.expect(tt.name, "ORANGE", fmt.Sprintf("available, read 20T%d, failed never: 1 2 3", k.at.Hour()))
			if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "FR ORANGE: its feed is not the one") ||
				r.Files[1].Status != Unchanged {
				t.Errorf("notes %q, files %+v; want a note of ORANGE, and the other unchanged", r.Notes, r.Files)
			}
		})
	}
}

// If the stores cannot be reached, or cannot open the file, it is fetched again.
func TestFeedStoresFail(t *testing.T) {
	k := newFeedKit(t)
	k.storeErr = errors.New("the folder is in use by a backup")
	k.want(k.run(), Failed, "in use by a backup")
	k.expect("meanwhile", "ORANGE", "absent, read never, failed never:")
	k.storeErr = nil
	k.want(k.run(), Updated, "")
	k.expect("then", "FREE", "available, read 20T12, failed never: 1 2")
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
	k.want(k.run(), Updated, "")
	k.expect("in the end", "FREE", "available, read 20T12, failed never: 9")
}

// One market has files of an authority and of operators: either may fail.
func TestFeedsBesideRegister(t *testing.T) {
	k := newFeedKit(t)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "url", weekly, ""), k.feed("hs-free", "FREE", free))
	keeper := &Keeper{Options: k.options(), Every: 24 * time.Hour, Log: slog.New(slog.DiscardHandler)}
	keeper.start()
	began := time.Now()
	for _, tt := range []struct {
		failing  []string
		problem  string
		failures int
	}{
		{nil, "", 0},
		{[]string{free}, "hs-free: the server answers 404 Not Found", 1},
		{[]string{weekly}, "weekly: the server answers 404 Not Found", 2},
		{[]string{weekly, free},
			"weekly: the server answers 404 Not Found; hs-free: the server answers 404 Not Found", 4},
		{nil, "", 4},
	} {
		k.behave(weekly, nil)
		k.behave(free, nil)
		for _, path := range tt.failing {
			k.behave(path, answering(404, ""))
		}
		ran := keeper.runOnce(t.Context(), nil)
		s := keeper.State()
		if !ran || s.Problems[market.FR] != tt.problem || s.Failures[market.FR] != tt.failures ||
			s.Success[market.FR].IsZero() {
			t.Errorf("%q fail: ran %v, %+v; want problem %q, %d failures, and a success", tt.failing, ran, s, tt.problem,
				tt.failures)
		}
		want := began.Add(24 * time.Hour)
		if tt.problem != "" {
			want = began.Add(time.Hour)
		}
		next, whole := keeper.nextRun(began, began, ran, true)
		if !next.Equal(want) || !whole.Equal(began.Add(24*time.Hour)) {
			t.Errorf("%q fail: next after %s, all after %s; want %s and a day", tt.failing, next.Sub(began),
				whole.Sub(began), want.Sub(began))
		}
	}
	k.wantDate("2026-01-15")
	k.expect("in the end", "FREE", "available, read 20T12, failed never: 1 2")
	// A retry of failed markets does not move the complete run.
	soon := began.Add(10 * time.Minute)
	if next, whole := keeper.nextRun(began, soon, false, false); !next.Equal(soon) || !whole.Equal(soon) {
		t.Errorf("next after %s, all after %s; want both after ten minutes", next.Sub(began), whole.Sub(began))
	}
	// The table has no operator's file of DROM.
	o := k.options()
	o.Markets = []market.Code{market.DROM}
	if r := k.runWith(o); r.Files[0].Name != "weekly" {
		t.Errorf("got %+v, want the weekly file alone", r.Files)
	}
}
