package community

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/community/audit"
	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
)

// A world is a store whose clock stands.
type world struct {
	*Store
	t    *testing.T
	db   *store.DB
	path string
	at   time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "community.db"),
		at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	w.db = storetest.Open(t, w.path, Buckets...)
	w.reopen()
	return w
}

func (w *world) reopen() {
	w.t.Helper()
	var err error
	w.Store, err = openBoth(w.db, func() time.Time { return w.at })
	must(w.t, err)
}

func (w *world) file() []byte {
	w.t.Helper()
	text := filetest.Read(w.t, w.path)
	return text
}

func confirms(user, site string, s Subject, value string) NewValidation {
	return NewValidation{Market: market.FR, SiteKey: site, At: geo.Point{Lat: 48.8584, Lng: 2.2945}, Subject: s,
		Value: value, User: user}
}

// in is a validation in short.
func in(v Validation) string {
	return fmt.Sprint(v.SiteKey, " ", v.Subject, " ", v.Operator, " ", v.Value, " ", v.Count, " ", v.FirstDay, " ",
		v.LastDay)
}

const annOfTheMill = "ann of the mill"

var validations = []struct {
	user, value, day string
	counted          bool
	want             string
}{
	{annOfTheMill, "lte  800", "", true, "fr-1 technology  LTE 800 1 2026-11-20 2026-11-20"},
	{annOfTheMill, "LTE 800", "", false, "fr-1 technology  LTE 800 1 2026-11-20 2026-11-20"},
	{"bob", "LTE 800", "2026-11-02", true, "fr-1 technology  LTE 800 2 2026-11-02 2026-11-20"},
	{annOfTheMill, "LTE 800", "2026-11-21", false, "fr-1 technology  LTE 800 2 2026-11-02 2026-11-21"},
	{"bob", "5G NR 3500", "2026-11-02", true, "fr-1 technology  NR 3500 1 2026-11-02 2026-11-02"},
	{"cy", "nr 3500", "2026-11-01", true, "fr-1 technology  NR 3500 2 2026-11-01 2026-11-02"},
}

// People who say the same are counted, each once, and are forgotten without a trace.
func TestValidate(t *testing.T) {
	w := newWorld(t)
	for _, step := range validations {
		n := confirms(step.user, "fr-1", Technology, step.value)
		n.Day = step.day
		v, counted, err := w.Validate(n)
		if err != nil || counted != step.counted || in(v) != step.want {
			t.Errorf("%s %s: %s, %v, %v, want %s", step.user, step.value, in(v), counted, err, step.want)
		}
		w.reopen()
		if got, ok := w.Validation(v.ID); !ok || got != v {
			t.Errorf("stored as %+v, ok %v, want %+v and ok = true", got, ok, v)
		}
	}
	if _, _, err := w.Validate(confirms(annOfTheMill, "fr-1", Gone, "")); err != nil {
		t.Fatal(err)
	}
	shown := func() (list []string) {
		for _, v := range w.OfSite("fr-1") {
			list = append(list, string(v.Subject)+v.Value+fmt.Sprint(v.Count))
		}
		return list
	}
	want := []string{"gone1", "technologyLTE 8002", "technologyNR 35002"}
	if got := shown(); !slices.Equal(got, want) || len(w.OfSite("fr-2")) != 0 {
		t.Errorf("got %v, want %v, and none of fr-2", got, want)
	}
	if bytes.Contains(w.file(), []byte(annOfTheMill)) {
		t.Error("the file names ann")
	}
	var users [][]byte
	for _, v := range w.OfSite("fr-1") {
		users = append(users, (&validationRecord{Validation: v}).hash(annOfTheMill))
	}
	left := func() (n int) {
		text := w.file()
		for _, h := range users {
			n += bytes.Count(text, []byte(base64.StdEncoding.EncodeToString(h)))
		}
		return n
	}
	if left() == 0 {
		t.Error("the file has no hash of ann")
	}
	if n, err := w.Forget(annOfTheMill); n != 2 || err != nil {
		t.Errorf("%d were forgotten, %v", n, err)
	}
	if _, _, err := w.db.Compact(); err != nil {
		t.Fatal(err)
	}
	w.reopen()
	if left() != 0 {
		t.Error("a hash of ann is left")
	}
	if got := shown(); !slices.Equal(got, want) {
		t.Errorf("after ann: %v, want %v", got, want)
	}
	if n, err := w.Forget(annOfTheMill); n != 0 || err != nil {
		t.Errorf("again: %d, %v, want 0 and no error", n, err)
	}
}

func TestInvalid(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		subject                     Subject
		value, operator, day, field string
	}{
		{Exists, "", "", "", ""}, {Gone, "", "", "", ""}, {Exists, "yes", "", "", "value"},
		{Gone, "", "ORANGE", "", "operator"},
		{Operator, "orange", "", "", ""}, {Operator, "ROGERS", "", "", "value"}, {Operator, "", "", "", "value"},
		{Operator, "ORANGE", "ORANGE", "", "operator"},
		{Technology, "5G", "sfr", "", ""}, {Technology, "5G", "nobody", "", "operator"},
		{Technology, "LTE 8000000", "", "", "value"}, {Technology, "6G", "", "", "value"},
		{ENB, "1048575", "SFR", "", ""}, {ENB, "1048576", "", "", "value"}, {ENB, "0", "", "", "value"},
		{ENB, "-1", "", "", "value"}, {ENB, "0x1", "", "", "value"},
		{GNB, "4294967295", "", "", ""}, {GNB, "4294967296", "", "", "value"}, {Cell, "68719476735", "", "", ""},
		{Cell, "68719476736", "", "", "value"},
		{PCI, "0", "", "", ""}, {PCI, "1007", "", "", ""}, {PCI, "1008", "", "", "value"}, {Azimuth, "359", "", "", ""},
		{Azimuth, "360", "", "", "value"},
		{Azimuth, "NaN", "", "", "value"}, {Azimuth, "99999999999999999999", "", "", "value"},
		{"colour", "red", "", "", "subject"}, {"", "", "", "", "subject"},
		{Exists, "", "", "2026-11-21", ""}, {Exists, "", "", "2026-11-22", "day"},
		{Exists, "", "", "2025-11-19", "day"}, {Exists, "", "", "20/11/2026", "day"},
		{Exists, "", "", "2026-02-30", "day"},
	} {
		n := confirms("ann", "fr-1", tt.subject, tt.value)
		n.Operator, n.Day = tt.operator, tt.day
		_, _, err := w.Validate(n)
		var invalid *InvalidError
		if errors.As(err, &invalid); (err == nil) != (tt.field == "") ||
			err != nil && (invalid == nil || invalid.Field != tt.field) {
			t.Errorf("%+v: got %v, want that field to be invalid", tt, err)
		}
	}
	for _, n := range []NewValidation{confirms("", "fr-1", Exists, ""), confirms("a\x00b", "fr-1", Exists, ""),
		confirms("ann", "", Exists, ""),
		confirms("ann", strings.Repeat("a", 129), Exists, ""), confirms("ann", "fr\x001", Exists, ""),
		{Market: "XX", SiteKey: "x", Subject: Exists, User: "ann"},
		{Market: market.FR, SiteKey: "x", At: geo.Point{Lat: math.NaN()}, Subject: Exists, User: "ann"}} {
		if _, _, err := w.Validate(n); err == nil {
			t.Errorf("%+v is taken", n)
		}
	}
}

// A site and the store take no more than they are to hold, and what is there goes on.
func TestFull(t *testing.T) {
	w := newWorld(t)
	v, _, err := w.Validate(confirms("ann", "fr-1", ENB, "1"))
	must(t, err)
	for i := range maxPerSite - 1 {
		w.show(nil, &Validation{ID: fmt.Sprint(i), SiteKey: "fr-1"})
	}
	if _, _, err := w.Validate(confirms("ann", "fr-1", ENB, "2")); !errors.Is(err, ErrFull) {
		t.Errorf("one more of the site: %v, want ErrFull", err)
	}
	if again, counted, err := w.Validate(confirms("bob", "fr-1", ENB, "1")); err != nil || !counted ||
		again.ID != v.ID {
		t.Errorf("of one that is there: %v, %v, want true, no error and ID = %v", counted, err, v.ID)
	}
	for i := range maxValidations {
		w.validations.All()[fmt.Sprint(i)] = &Validation{}
	}
	for i := range mostBugs {
		w.bugs.All()[fmt.Sprint(i)] = &struct{}{}
	}
	if _, _, err := w.Validate(confirms("ann", "fr-2", Exists, "")); !errors.Is(err, ErrFull) {
		t.Errorf("one more of all: %v, want ErrFull", err)
	}
	if _, _, err := w.Submit(NewBug{Title: "x", Text: "x", User: "ann"}); !errors.Is(err, ErrFull) {
		t.Errorf("one more bug: %v, want ErrFull", err)
	}
}

// Near finds what a look at every validation finds.
func TestNear(t *testing.T) {
	w, r := newWorld(t), rand.New(rand.NewPCG(1, 2))
	all := map[string]NewValidation{}
	for i := range 150 {
		n := confirms("ann", fmt.Sprint("fr-", i/2), []Subject{Exists, Gone}[i%2], "")
		n.At = geo.Point{Lat: 48 + float64(i/2%10)/10, Lng: 2 + float64(i/20)/10}
		if i%7 == 0 {
			n.Market, n.SiteKey = market.BE, fmt.Sprint("be-", i)
		}
		v, _, err := w.Validate(n)
		must(t, err)
		all[v.ID] = n
	}
	w.reopen()
	for range 50 {
		disc := geo.Disc{Center: geo.Point{Lat: 48 + r.Float64(), Lng: 2 + r.Float64()/2}, Radius: r.Float64() * 40_000}
		want := map[string]bool{}
		for id, n := range all {
			if n.Market == market.FR && geo.Distance(disc.Center, n.At) <= disc.Radius {
				want[id] = true
			}
		}
		got := map[string]bool{}
		for _, v := range w.Near(market.FR, disc) {
			got[v.ID] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", disc, diff)
		}
	}
}

func TestRetain(t *testing.T) {
	w := newWorld(t)
	first, _, err := w.Validate(confirms("ann", "fr-1", Exists, ""))
	must(t, err)
	bug, _, err := w.Submit(NewBug{Title: "secret words", Text: "x", User: "ann"})
	must(t, err)
	w.at = w.at.Add(200 * 24 * time.Hour)
	if _, err := w.CloseBug(bug.ID, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"ann", "bob"} {
		if _, _, err := w.Validate(confirms(user, "fr-1", Gone, "")); err != nil {
			t.Fatal(err)
		}
	}
	w.at = w.at.Add(166 * 24 * time.Hour)
	for i, want := range []int{1, 0} {
		if reports, n, err := w.Retain(Keep); reports != 0 || n != want || err != nil {
			t.Errorf("%d: %d reports, %d others, %v, want 0, %d and no error", i, reports, n, err, want)
		}
	}
	if _, ok := w.Validation(first.ID); ok || len(w.OfSite("fr-1")) != 1 {
		t.Errorf("got %+v, want one, not the first", w.OfSite("fr-1"))
	}
	w.at = w.at.Add(200 * 24 * time.Hour)
	if _, n, err := w.Retain(Keep); n != 2 || err != nil || len(w.OfSite("fr-1")) != 0 || len(w.validations.All()) != 0 ||
		len(w.bugs.All()) != 0 {
		t.Errorf("got %d, %v, want 2 removed and nothing left", n, err)
	}
	if _, _, err := w.db.Compact(); err != nil {
		t.Fatal(err)
	}
	if text := w.file(); bytes.Contains(text, []byte("secret words")) || bytes.Contains(text, []byte("fr-1")) {
		t.Error("what was removed is in the file")
	}
	_, validations, bugs, err := Check(w.db)
	if validations != 0 || bugs != 0 || err != nil {
		t.Errorf("got %d, %d, %v, want 0, 0 and no error", validations, bugs, err)
	}
}

// What is damaged is named and left out; the rest is served.

func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 5 {
				if _, _, err := w.Validate(confirms(fmt.Sprint("user", i), fmt.Sprint("fr-", k), Exists,
					"")); err != nil {
					t.Error(err)
				}
				w.OfSite("fr-1")
				w.Near(market.FR, geo.Disc{Center: geo.Point{Lat: 48.8584, Lng: 2.2945}, Radius: 10})
			}
		})
	}
	wg.Wait()
	for k := range 5 {
		if list := w.OfSite(fmt.Sprint("fr-", k)); len(list) != 1 || list[0].Count != 8 {
			t.Errorf("got %+v, want len(list) = 1 and Count = 8", list)
		}
	}
}
