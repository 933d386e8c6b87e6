package measure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/folder"
	"relais/internal/killtest"
	"relais/internal/tier"
	"relais/market"
)

// fieldsOf are the fields of a speedtest in Lyon.
func fieldsOf(minute int, more ...string) map[string]string {
	f := map[string]string{"timestamp": now.Add(-time.Duration(minute) * time.Minute).Format(time.RFC3339),
		"lat": "45.75", "lng": "4.85", "download_mbps": "123.4567",
		"upload_mbps": "12.5", "ping_ms": "30", "mcc": "208", "mnc": "1", "connection_type": "lte",
		"network_type": "cellular", "enb": "1000", "rsrp": "-90"}
	for i := 0; i < len(more); i += 2 {
		f[more[i]] = more[i+1]
	}
	return f
}

func added(t testing.TB, s *Store, fields map[string]string) Test {
	t.Helper()
	test, isNew, err := s.Add(market.FR, fields)
	if err != nil || !isNew {
		t.Fatalf("added = %v, error = %v, want true, nil", isNew, err)
	}
	return test
}

// What is added is what an import of the same row gives, at once and after another start,
// and is there once.
func TestAdd(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	before := s.Version()
	got := added(t, s, fieldsOf(1))
	if s.Version() == before {
		t.Error("Version() did not change after Add")
	}
	other := openStore(t, t.TempDir())
	imported(t, other, market.FR,
		write(t, "a.csv", "timestamp,lat,lng,download_mbps,upload_mbps,ping_ms,mcc,mnc,connection_type,network_type,enb,rsrp\n2026-11-21T11:59:00Z,45.75,4.85,123.4567,12.5,30,208,1,lte,cellular,1000,-90\n"))
	want, _, err := other.Speedtests(Query{Market: market.FR, Limit: 10})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want[0]) || got.Operator != "ORANGE" || got.Download != 123.457 ||
		got.Technology != "LTE" {
		t.Errorf("got %+v\n%+v, %v, want %+v, no error, Operator = ORANGE, Download = 123.457 and Technology = LTE",
			got, want, err, want[0])
	}
	for _, s := range []*Store{s, openStore(t, dir)} {
		if again, isNew, err := s.Add(market.FR, fieldsOf(1, "lat", "45.750000001")); isNew || err != nil ||
			fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("Add() of an equal speedtest = %+v, %v, %v, want the first one, false, nil", again, isNew, err)
		}
		list, total, err := s.Speedtests(Query{Market: market.FR, Limit: 10})
		if err != nil || total != 1 || fmt.Sprint(list[0]) != fmt.Sprint(got) {
			t.Errorf("Speedtests() = %+v, %v, want the added one", list, err)
		}
	}
	// An import of what was added has duplicates, and what was imported cannot be added.
	s = openStore(t, dir)
	r := imported(t, s, market.FR,
		write(t, "b.csv", "timestamp,lat,lng,download_mbps,upload_mbps,ping_ms,mcc,mnc,connection_type,network_type,enb,rsrp\n"+
			"2026-11-21T11:59:00Z,45.75,4.85,123.4567,12.5,30,208,1,lte,cellular,1000,-90\n2026-11-21T11:58:00Z,45.75,4.85,123.4567,12.5,30,208,1,lte,cellular,1000,-90\n"))
	if r[0].Served != 1 || r[0].Rejected["duplicate"] != 1 {
		t.Errorf("report = %+v, want 1 served and 1 duplicate", r[0])
	}
	if _, isNew, err := s.Add(market.FR, fieldsOf(2)); isNew || err != nil {
		t.Errorf("Add() of an imported speedtest: added = %v, error = %v, want false, nil", isNew, err)
	}
	added(t, s, fieldsOf(3))
	if n := s.Count(market.FR, Speedtest); n != 3 {
		t.Errorf("%d speedtests, want 3", n)
	}
}

// What an import rejects is rejected, with its reason, and nothing is written.
func TestAddRejected(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	for _, tt := range []struct{ field, value, reason string }{
		{"lat", "", noPosition}, {"lat", "91", noPosition}, {"lat", "NaN", noPosition}, {"lng", "1e9", noPosition},
		{"lat", "10", outside},
		{"timestamp", "", noTime}, {"timestamp", "1999-12-31T00:00:00Z", earlyTime},
		{"timestamp", "2026-11-21T12:30:00Z", futureTime}, {"timestamp", "2026-11-21T12:00:00", zonelessTime},
		{"timestamp", "yesterday", badTime}, {"download_mbps", "-1", badSpeed}, {"download_mbps", "100001", badSpeed},
		{"ping_ms", "Inf", badSpeed},
		{"mcc", "310", foreign}, {"operator", "a\nb", ""}, {"operator", "\"; rm", "accepted"},
		{"operator", "\xff\xfe", "accepted"},
	} {
		_, isNew, err := s.Add(market.FR, fieldsOf(1, tt.field, tt.value))
		if tt.reason == "accepted" {
			if err != nil {
				t.Errorf("field %s with %q: %v, want no error", tt.field, tt.value, err)
			}
			continue
		}
		if isNew || !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s %q: %v, want %s", tt.field, tt.value, err, tt.reason)
		}
	}
	f := fieldsOf(1)
	delete(f, "download_mbps")
	delete(f, "upload_mbps")
	if _, _, err := s.Add(market.FR, f); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), noSpeeds) {
		t.Errorf("got %v, want ErrRejected and %q in it", err, noSpeeds)
	}
	for _, f := range []map[string]string{fieldsOf(1, "userId", "u1"), fieldsOf(1, "id", "x")} {
		if _, _, err := s.Add(market.FR, f); err == nil || errors.Is(err, ErrRejected) {
			t.Errorf("Add() with an unknown field = %v, want an error", err)
		}
	}
	if _, _, err := s.Add("XX", fieldsOf(1)); err == nil {
		t.Error("Add() to an unknown market = nil, want an error")
	}
	if n := s.Count(market.FR, Speedtest); n != 1 { // an operator's name belongs to one operator
		t.Errorf("%d speedtests, want 1", n)
	}
	if _, _, err := openReader(t, dir).Add(market.FR, fieldsOf(2)); !errors.Is(err, ErrReadOnly) {
		t.Error(err)
	}
}

// What is added is put together, markets apart, and Retain leaves it where it is.
func TestAddedSegments(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	for i := range 20 {
		added(t, s, fieldsOf(i*24*60))
	}
	if _, isNew, err := s.Add(market.CH,
		map[string]string{"timestamp": now.Format(time.RFC3339), "lat": "46.95", "lng": "7.45",
			"download_mbps": "5"}); !isNew || err != nil {
		t.Fatalf("got %v, isNew %v, want no error and isNew = true", err, isNew)
	}
	rows := func() (list []string) {
		for _, r := range s.Segments() {
			list = append(list, fmt.Sprint(r.Market, r.Rows))
		}
		return list
	}
	must(t, s.MergeAll())
	if got := rows(); !slices.Equal(got, []string{"FR20", "CH1"}) {
		t.Errorf("rows = %v, want those of FR and CH", got)
	}
	if names := segmentsIn(t, dir); len(names) != 2 {
		t.Errorf("files = %v, want 2", names)
	}
	if n, err := s.Retain(5*24*time.Hour - time.Minute); n != 15 || err != nil {
		t.Errorf("Retain() = %d, %v, want 15, nil", n, err)
	}
	for i := range 3 {
		added(t, s, fieldsOf(i*24*60, "ping_ms", "7"))
	}
	if n, err := sound(openStore(t, dir)); n != 9 || err != nil {
		t.Errorf("%d rows after opening again, error %v, want 9, nil", n, err)
	}
}

// Speedtests are added while queries and an import run.
func TestAddAtOnce(t *testing.T) {
	s := openStore(t, t.TempDir())
	csv := write(t, "a.csv", testsOf(random(rand0(), 200)))
	var wg sync.WaitGroup
	wg.Go(func() { imported(t, s, market.FR, csv) })
	for i := range 4 {
		wg.Go(func() {
			for k := range 10 {
				if _, _, err := s.Add(market.FR, fieldsOf(k, "ping_ms", fmt.Sprint(i/2))); err != nil { // each twice
					t.Error(err)
				}
				if _, err := s.Sessions(Query{Market: market.FR, Limit: 5}, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := s.Count(market.FR, Speedtest); n != 220 {
		t.Errorf("%d speedtests, want 220", n)
	}
}

// What was said to be added is there, whenever the process is killed.
func TestAddKilled(t *testing.T) {
	tier.Slow(t)
	dir, most := t.TempDir(), 0
	for range 8 {
		acknowledged := 0
		killtest.Run(t, 170*time.Millisecond, func(string) { acknowledged++ }, "add", dir, fmt.Sprint(most))
		s := openStore(t, dir)
		n := s.Count(market.FR, Speedtest)
		if rows, err := sound(s); err != nil || rows != n || n < most+acknowledged || n > most+acknowledged+1 ||
			len(s.Segments()) > 3*mergeFan {
			t.Fatalf("%d rows, %d before and %d acknowledged, %v, %d segments, rows %v, want at least %d, at most "+
				"%d, no error, at most %d and rows = %v", n, most, acknowledged, err, len(s.Segments()), rows,
				most+acknowledged, most+acknowledged+1, 3*mergeFan, n)
		}
		most = n
		closeStore(t, dir)
	}
	// Of an addition that was not acknowledged a file may be left, until it is there twice.
	s := openStore(t, dir)
	for i := range 2 {
		if _, _, err := s.Add(market.FR, fieldsOf(most+i)); err != nil {
			t.Fatal(err)
		}
	}
	if s = openStore(t, dir); len(segmentsIn(t, dir)) != len(s.Segments()) {
		t.Errorf("files = %v, want those of the segments %v", segmentsIn(t, dir), s.Segments())
	}
	t.Logf("%d speedtests", most)
}

// addInto adds speedtests and says so.
func addInto(dir folder.Dir, from string) error {
	s, err := openMeasures(dir, false, clockOf(now))
	if err != nil {
		return err
	}
	var i int
	fmt.Sscan(from, &i)
	for ; ; i++ {
		if _, isNew, err := s.Add(market.FR, fieldsOf(i)); err != nil || !isNew {
			return fmt.Errorf("speedtest %d: added = %v, %w, want true, nil", i, isNew, err)
		}
		fmt.Println(i)
		if err := s.MergeAll(); err != nil {
			return err
		}
	}
}
