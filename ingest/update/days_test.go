package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// A dayArchive keeps the text of each day, as the archive of unavailable sites does with its rows.
type dayArchive struct {
	days    map[string]string
	refused string // a word of files that it refuses
	err     error
}

func (a *dayArchive) take(_ context.Context, code market.Code, files ...DayFile) (t Taken, err error) {
	if code != market.FR || a.err != nil {
		return t, cmpError(a.err, errors.New("another market"))
	}
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return t, err
		}
		if a.refused != "" && strings.Contains(string(text), a.refused) {
			return Taken{Refused: "it has no features"}, nil
		}
		a.days[f.Day] = string(text)
	}
	for day := range a.days {
		t.Days = append(t.Days, day)
	}
	return t, nil
}

// dayKit serves the lists of 1, 2, 4 and 5 January; that of the 4th is listed and missing.
func dayKit(t *testing.T) (*kit, *dayArchive, func(since string) *SourceReport) {
	t.Helper()
	k := newKit(t)
	var keys []string
	for _, day := range []string{"2026-01-01", "2026-01-02", "2026-01-04", "2026-01-05"} {
		key := fmt.Sprintf("sites-indisponibles/all/%s/raw%s.geojson", day, day)
		keys = append(keys, key)
		if day != "2026-01-04" {
			k.put("/arcep/"+key, fmt.Appendf(nil, `{"features":[%q]}`, day))
		}
	}
	k.serveStore(keys, 2)
	k.use(strings.Replace(k.file("days", "listing", "/arcep/?list-type=2&prefix=sites-indisponibles/all/",
		`/([0-9-]{10})/raw[0-9-]+\.geojson$`), `"licence"`, `"for":"unavailable-sites","licence"`, 1))
	a := &dayArchive{days: map[string]string{}}
	return k, a, func(since string) *SourceReport {
		t.Helper()
		o := k.options()
		o.Days = a.take
		o.Choice = &Choice{OutagesSince: since}
		return k.runWith(o)
	}
}

func TestDays(t *testing.T) {
	k, a, run := dayKit(t)
	want := func(r *SourceReport, status Status, words string, days, gaps []string) {
		t.Helper()
		k.want(r, status, words)
		if f := r.Files[0]; !slices.Equal(f.Days, days) || !slices.Equal(f.Gaps, gaps) {
			t.Errorf("days %q, gaps %q; want %q and %q", f.Days, f.Gaps, days, gaps)
		}
	}
	want(run(""), Updated, "", []string{"2026-01-05"}, nil)
	want(run(""), Unchanged, "", nil, nil)
	want(run("2026-01-02"), Updated, "", []string{"2026-01-02"}, []string{"2026-01-03", "2026-01-04"})
	k.asked()
	want(run("2025-12-31"), Updated, "", []string{"2026-01-01"}, []string{"2025-12-31", "2026-01-03", "2026-01-04"})
	k.wantAsked("/arcep/ 200", "/arcep/ 200", "/arcep/sites-indisponibles/all/2026-01-05/raw2026-01-05.geojson 304",
		"/arcep/sites-indisponibles/all/2026-01-01/raw2026-01-01.geojson 200",
		"/arcep/sites-indisponibles/all/2026-01-04/raw2026-01-04.geojson 404")
	if a.days["2026-01-02"] != `{"features":["2026-01-02"]}` || len(a.days) != 3 {
		t.Errorf("got %q, want three days", a.days)
	}
	// The newest list is corrected during the day.
	k.put("/arcep/sites-indisponibles/all/2026-01-05/raw2026-01-05.geojson", []byte(`{"features":[]}`))
	want(run(""), Updated, "", []string{"2026-01-05"}, nil)
	if a.days["2026-01-05"] != `{"features":[]}` {
		t.Errorf("got %q, want the new list", a.days["2026-01-05"])
	}
	// An archive that lost the newest day gets it again.
	delete(a.days, "2026-01-05")
	want(run(""), Updated, "", []string{"2026-01-05"}, nil)
}

// A list that was refused is not fetched again until it changes, and neither is one that cannot be read.
func TestRefusedDays(t *testing.T) {
	const path = "/arcep/sites-indisponibles/all/2026-01-0%d/raw2026-01-0%[1]d.geojson"
	first, second, newest := fmt.Sprintf(path, 1), fmt.Sprintf(path, 2), fmt.Sprintf(path, 5)
	k, a, run := dayKit(t)
	a.refused = "2026-01-0" // all of them
	page := []byte("<html>")
	k.put(second, page)
	k.want(run("2026-01-01"), Failed, "2026-01-05: it has no features; 2026-01-01: it has no features; 2026-01-02: an HTML page")
	k.asked()
	r := run("2026-01-01")
	k.want(r, Failed, "2026-01-05: it has no features (refused before, and the file has not changed since; --force tries again)")
	if notes := strings.Join(r.Notes, "\n"); strings.Contains(r.Problem(), "2026-01-01") || len(r.Notes) != 2 ||
		!strings.Contains(notes, "2026-01-01: it has no features (refused before") || !strings.Contains(notes, "2026-01-02: an HTML page") {
		t.Errorf("problem %s, notes %s; want notes of the days that are not the newest", r.Problem(), notes)
	}
	k.wantAsked("/arcep/ 200", "/arcep/ 200", newest+" 304", first+" 304", second+" 304", fmt.Sprintf(path, 4)+" 404")
	if len(r.Files[0].Days) > 0 || len(a.days) > 0 {
		t.Errorf("read %q, %q, want no day", r.Files[0].Days, a.days)
	}
	a.refused = ""
	k.put(second, []byte(`{"features":[2]}`))
	k.put(newest, []byte(`{"features":[5]}`))
	r = run("2026-01-01")
	if k.want(r, Updated, ""); !strings.Contains(strings.Join(r.Notes, " "), "2026-01-01: it has no features (refused before") {
		t.Errorf("notes %s, want the day that did not change", r.Notes)
	}
	if len(a.days) != 2 || a.days["2026-01-02"] == "" {
		t.Errorf("got %q, want the days that changed", a.days)
	}
	o := k.options()
	o.Days, o.Choice, o.Force = a.take, &Choice{OutagesSince: "2026-01-01"}, true
	k.want(k.runWith(o), Updated, "")
	k.want(run("2026-01-01"), Unchanged, "")
	if len(a.days) != 3 {
		t.Errorf("got %q, want three days with --force", a.days)
	}
}

// An interrupted update knows the days that it had.
func TestInterruptedDays(t *testing.T) {
	const path = "/arcep/sites-indisponibles/all/2026-01-0%d/raw2026-01-0%[1]d.geojson"
	k, a, run := dayKit(t)
	a.refused = "2026-01-01"
	ctx, stop := context.WithCancel(t.Context())
	o := k.options()
	o.Choice = &Choice{OutagesSince: "2026-01-01"}
	o.Days = func(ctx context.Context, code market.Code, files ...DayFile) (Taken, error) {
		taken, err := a.take(ctx, code, files...)
		if taken.Refused != "" {
			stop()
		}
		return taken, err
	}
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) || len(a.days) != 1 {
		t.Fatalf("got %v, %q, want an interrupted run with the newest day", err, a.days)
	}
	k.asked()
	k.want(run("2026-01-01"), Updated, "")
	k.wantAsked("/arcep/ 200", "/arcep/ 200", fmt.Sprintf(path, 5)+" 304", fmt.Sprintf(path, 1)+" 304", fmt.Sprintf(path, 2)+" 200",
		fmt.Sprintf(path, 4)+" 404")
}

// Files of a listing that are of no day do not keep the others out.
func TestOddDays(t *testing.T) {
	k, a, run := dayKit(t)
	k.serveStore([]string{"sites-indisponibles/all/2026-01-01/raw2026-01-01.geojson",
		"sites-indisponibles/all/2026-02-30/raw2026-02-30.geojson", "sites-indisponibles/all/2999-01-01/raw2999-01-01.geojson"}, 9)
	r := run("")
	k.want(r, Updated, "")
	if note := fmt.Sprint(r.Notes); !strings.Contains(note, `2 of the files`) || !strings.Contains(note, `"2026-02-30"`) {
		t.Errorf("notes %s, want the files that are left out", note)
	}
	if len(a.days) != 1 || a.days["2026-01-01"] == "" {
		t.Errorf("got %q, want the day", a.days)
	}
}

func TestDayErrors(t *testing.T) {
	const second = "/arcep/sites-indisponibles/all/2026-01-02/raw2026-01-02.geojson"
	for _, tt := range []struct {
		name   string
		change func(k *kit, a *dayArchive)
		want   string
		days   []string
	}{
		{"HTML", func(k *kit, _ *dayArchive) { k.behave(second, answering(200, "<html>")) }, "2026-01-02: an HTML page",
			[]string{"2026-01-01", "2026-01-05"}},
		{"refused", func(_ *kit, a *dayArchive) { a.refused = "01-02" }, "2026-01-02: it has no features",
			[]string{"2026-01-01", "2026-01-05"}},
		{"the server is away", func(k *kit, _ *dayArchive) { k.behave(second, answering(503, "")) },
			"2026-01-02: the server answers 503", []string{"2026-01-01", "2026-01-05"}},
		{"a day is withheld", func(k *kit, _ *dayArchive) { k.behave(second, answering(403, "")) },
			"2026-01-02: the server answers 403", []string{"2026-01-01", "2026-01-05"}},
		{"the archive is away", func(_ *kit, a *dayArchive) { a.err = errors.New("the store is closed") },
			"the store is closed", nil},
		{"a day of the future", func(k *kit, _ *dayArchive) {
			k.serveStore([]string{"sites-indisponibles/all/2999-01-01/raw2999-01-01.geojson"}, 9)
		}, `of 1 files, the first is of "2999-01-01"`, nil},
		{"no list", func(k *kit, _ *dayArchive) { k.serveStore(nil, 9) }, "none of its 0 files", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, a, run := dayKit(t)
			tt.change(k, a)
			r := run("2026-01-01")
			if k.want(r, Failed, tt.want); !slices.Equal(r.Files[0].Days, tt.days) {
				t.Errorf("read %q, want %q", r.Files[0].Days, tt.days)
			}
		})
	}
	k, _, run := dayKit(t)
	// A day that was not asked for is not a gap.
	k.behave(second, answering(503, ""))
	if r := run("2026-01-01"); !slices.Equal(r.Files[0].Gaps, []string{"2026-01-03"}) {
		t.Errorf("gaps %q, want the day that is not listed", r.Files[0].Gaps)
	}
	k, _, run = dayKit(t)
	k.want(run(""), Updated, "")
	k.serveStore([]string{"sites-indisponibles/all/2026-01-01/raw2026-01-01.geojson"}, 9)
	k.want(run(""), Failed, `is "2026-01-01", older than "2026-01-05"`)
}

func TestMeasures(t *testing.T) {
	k := newKit(t)
	k.put("/arcep/qos/2025/Metropole/2025_QoS.csv", []byte("a;b\n1;2\n"))
	k.put("/arcep/qos/2024/Metropole/2024_QoS.csv", []byte("a;b\n1;1\n"))
	k.serveStore([]string{"qos/2024/Metropole/2024_QoS.csv", "qos/2025/Metropole/2025_QoS.csv"}, 1)
	k.use(strings.Replace(k.file("qos", "listing", "/arcep/?list-type=2&prefix=qos/", `/(\d{4})/Metropole/.*\.csv$`),
		`"licence"`, `"for":"measures","licence"`, 1))
	var got []string
	var has []string
	answer, failure := Taken{Campaigns: []string{"qos-2025"}}, error(nil)
	o := k.options()
	o.Measures = func(_ context.Context, code market.Code, path string, force bool) (Taken, error) {
		switch {
		case path == "":
			return Taken{Campaigns: has}, failure
		case force:
			return Taken{}, nil
		}
		got = append(got, fmt.Sprint(code, filepath.Base(path), string(filetest.Read(t, path))))
		return answer, failure
	}
	failure = errors.New("the store is closed")
	k.want(k.runWith(o), Failed, "the store is closed")
	failure = nil
	k.want(k.runWith(o), Updated, "")
	has = []string{"qos-2024", "qos-2025"}
	k.want(k.runWith(o), Unchanged, "")
	failure = errors.New("the store cannot be opened")
	k.want(k.runWith(o), Failed, "cannot be opened")
	failure, has = nil, has[:1]
	r := k.runWith(o)
	k.want(r, Updated, "")
	if note := fmt.Sprint(r.Notes); !strings.Contains(note, "qos-2025") || !strings.Contains(note, "fetched again") {
		t.Errorf("notes %s, want the campaign that is lost", note)
	}
	has = []string{"qos-2025"}
	k.want(k.runWith(o), Unchanged, "")
	has = []string{"qos-2026"} // a later one, after which the store forgot it
	k.want(k.runWith(o), Unchanged, "")
	has = []string{"trains-2026"}
	k.want(k.runWith(o), Updated, "")
	has = []string{"qos-2025"}
	if want := "FR2025_QoS.csva;b\n1;2\n"; len(got) != 4 || got[1] != want || got[2] != want {
		t.Errorf("got %q, want four times %q", got, want)
	}
	k.put("/arcep/qos/2025/Metropole/2025_QoS.csv", []byte("a;b\n"))
	answer.Refused = "the table has no rows"
	k.want(k.runWith(o), Failed, "no rows")
	k.want(k.runWith(o), Failed, "refused before")
	if len(got) != 5 {
		t.Errorf("given %d times, want 5: a refused file is remembered", len(got))
	}
	o.Force = true
	k.want(k.runWith(o), Updated, "")
	o.Force = false
	k.want(k.runWith(o), Unchanged, "")
	o.Measures = nil
	if _, err := Run(t.Context(), o); !errors.Is(err, ErrNothing) {
		t.Errorf("got %v, want %v: nobody takes the file", err, ErrNothing)
	}
}

// november is the last day of it that the tests know.
var november = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func TestChoice(t *testing.T) {
	k := weeklyKit(t)
	k.use(k.file("weekly", "url", weekly, ""),
		strings.Replace(k.file("towns", "url", towns, ""), `"licence"`, `"with":"towns","about":"little","licence"`, 1))
	names := func(change func(o *Options)) (names, planned []string) {
		o := k.options()
		o.Planned = func(files []*File, free uint64) {
			if free == 0 {
				t.Error("no free disk")
			}
			for _, f := range files {
				planned = append(planned, f.Name)
			}
		}
		change(&o)
		for _, f := range k.runWith(o).Files {
			names = append(names, f.Name)
		}
		return names, planned
	}
	with := func(text string) func(o *Options) {
		return func(o *Options) {
			var err error
			o.Choice, err = o.Table.ParseChoice(text, november)
			must(t, err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(o *Options)
		want   []string
		kept   bool
	}{
		{"at first", func(*Options) {}, []string{"weekly"}, false},
		{"with a word", with("towns,outages-since=2026-11-28"), []string{"weekly", "towns"}, true},
		{"remembered", func(*Options) {}, []string{"weekly", "towns"}, true},
		{"with none", with("none"), []string{"weekly"}, false},
		{"forgotten", func(*Options) {}, []string{"weekly"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, planned := names(tt.change)
			if _, err := os.Stat(k.dir.Choice()); !slices.Equal(got, tt.want) || (err == nil) != tt.kept ||
				!slices.Equal(planned, tt.want[1:]) && len(planned)+len(tt.want[1:]) > 0 {
				t.Errorf("fetched %q, planned %q, kept: %v; want %q, kept %v", got, planned, err, tt.want, tt.kept)
			}
		})
	}
	filetest.Write(t, k.dir.Choice(), []byte("{"))
	if _, err := Run(t.Context(), k.options()); !errors.Is(err, folder.ErrJSON) ||
		!strings.Contains(err.Error(), "--with") {
		t.Errorf("got %v, want an error that says how to mend it", err)
	}
	names(with("none"))
	for text, want := range map[string]string{
		"coverage": `"coverage" cannot be fetched: want some of towns, outages-since=DATE`,
		"":         "cannot be fetched", "towns,none": `"none" cannot`, "outages-since=": "want a day",
		"outages-since=2026-11-29": "want a day", "outages-since=2026-13-01": "want a day",
	} {
		_, err := k.options().Table.ParseChoice(text, november)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
	if text, _ := json.Marshal(Choice{}); string(text) != "{}" {
		t.Errorf("got %s, want {}", text)
	}
}
