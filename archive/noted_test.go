package archive

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"relais/archive/change"
	"relais/geo"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A listed is the sites of a register by id: metres to the north of a point, and the statuses of
// systems, of operator 0 and, if they begin with "+", of operator 1.
type listed map[string]listedSite

type listedSite struct {
	north   int
	systems map[string]int
}

var listedStatuses = []string{"Tunnel", "Outdoor ≤ 6 Werp", "Outdoor > 6 Werp"}

func operatorOf(system string) int {
	if system[0] == '+' {
		return 1
	}
	return 0
}

// snapshotOf returns a snapshot of CH.
func snapshotOf(t testing.TB, date string, sites listed) *snapshot.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "CH.snap")
	writeSnapshot(t, path, date, sites)
	s, err := snapshot.ReadFile(path, market.CH)
	must(t, err)
	return s
}

func writeSnapshot(t testing.TB, path, date string, sites listed) {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(market.CH), listedStatuses)
	b.SourceDate, b.UpdatedAt = date, date+"T00:00:00"
	for _, id := range slices.Sorted(maps.Keys(sites)) {
		s := site.Site{ID: id, SourceCode: id, Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown,
			Position: geo.Point{Lat: 47 + float64(sites[id].north)/111195, Lng: 8}}
		for _, y := range slices.Sorted(maps.Keys(sites[id].systems)) { // "+" is before letters
			if n := len(s.Stations); n == 0 || s.Stations[n-1].Operator != operatorOf(y) {
				s.Stations = append(s.Stations, site.Station{Code: id, Operator: operatorOf(y)})
			}
			s.Emissions = append(s.Emissions, site.Emission{Station: len(s.Stations) - 1, System: y,
				Generation: site.G4, Status: sites[id].systems[y]})
		}
		must(t, b.Add(&s))
	}
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
}

// randomListed returns a register that follows from another one by random changes. No site moves by
// 5 m in all: rounding would decide whether that is over 5 m.
func randomListed(r *rand.Rand, from listed) listed {
	next := listed{}
	for _, id := range slices.Sorted(maps.Keys(from)) {
		s := from[id]
		systems := maps.Clone(s.systems)
		switch r.IntN(10) {
		case 0:
			continue
		case 1:
			s.north += []int{2, 4, 8, -4, -300}[r.IntN(5)]
		case 2:
			systems[fmt.Sprint([]string{"LTE ", "+LTE "}[r.IntN(2)], r.IntN(3))] = r.IntN(3)
		case 3:
			if len(systems) > 1 {
				delete(systems, slices.Min(slices.Collect(maps.Keys(systems))))
			}
		}
		s.systems = systems
		next[id] = s
	}
	for range 4 {
		next[fmt.Sprint("ch-", r.IntN(60))] = listedSite{r.IntN(5000), map[string]int{"LTE 0": r.IntN(3), "+LTE 1": 1}}
	}
	return next
}

// set adds what a register says at each level, by key.
func (l listed) set() (keys map[string]string) {
	keys = map[string]string{}
	for id, s := range l {
		keys["site "+id] = ""
		for y, status := range s.systems {
			operator := market.Get(market.CH).Operators[operatorOf(y)].Key
			keys["operator "+id+" "+operator] = ""
			keys["system "+id+" "+operator+" "+y] = listedStatuses[status]
		}
	}
	return keys
}

// differences returns what differs between two registers, as texts.
func (l listed) differences(to listed) (texts []string) {
	before, after := l.set(), to.set()
	for k, was := range before {
		switch is, ok := after[k]; {
		case !ok:
			texts = append(texts, "removed "+k+" "+was)
		case was != is:
			texts = append(texts, "changed "+k+" "+was+" "+is)
		}
	}
	for k, is := range after {
		if _, ok := before[k]; !ok {
			texts = append(texts, "added "+k+" "+is)
		}
	}
	for id, s := range l {
		if d := to[id].north - s.north; to[id].systems != nil && (d > 5 || d < -5) {
			texts = append(texts, "moved site "+id)
		}
	}
	slices.Sort(texts)
	return texts
}

// textsOf returns the records of a list like differences.
func textsOf(l *change.List) (texts []string) {
	for r := range l.Records(nil) {
		what := [...]string{"added site", "removed site", "added operator", "removed operator", "added system",
			"removed system", "changed system", "moved site"}[r.Kind]
		text := what + " " + r.Site
		switch r.Kind {
		case change.SiteAdded, change.SiteRemoved:
			text += " "
		case change.OperatorAdded, change.OperatorRemoved:
			text += " " + r.Operator + " "
		case change.SystemAdded:
			text += " " + r.Operator + " " + r.Technology + " " + r.After.Status
		case change.SystemRemoved:
			text += " " + r.Operator + " " + r.Technology + " " + r.Before.Status
		case change.StatusChanged:
			text += " " + r.Operator + " " + r.Technology + " " + r.Before.Status + " " + r.After.Status
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts
}

func mustNote(t testing.TB, s *Store, snap *snapshot.Snapshot, want bool) {
	t.Helper()
	if got, err := s.Note(t.Context(), snap); got != want || err != nil {
		t.Fatalf("Note of %s: got %v, %v, want %v and no error", snap.SourceDate, got, err, want)
	}
}

// mustDiffer compares the differences of all pairs of editions with those of the registers.
func mustDiffer(t *testing.T, s *Store, dates []string, all []listed) {
	t.Helper()
	day := func(i int) site.Date { return site.ParseDate([]byte(dates[i])) }
	for to := range all {
		for from := range to {
			span, err := s.Between(t.Context(), market.CH, day(from), day(to))
			if err != nil || len(span.Lists) != to-from {
				t.Fatalf("%s to %s: got %v, %v, want %d lists and no error", dates[from], dates[to], span, err, to-from)
			}
			net, err := span.Net(t.Context())
			must(t, err)
			if got, want := textsOf(net), all[from].differences(all[to]); !slices.Equal(got, want) {
				t.Fatalf("%s to %s: got %q, want %q", dates[from], dates[to], got, want)
			}
			for i, l := range span.Lists {
				got, want := textsOf(l.List), all[to-i-1].differences(all[to-i])
				if !slices.Equal(got, want) || l.Date != day(to-i) || l.Previous != day(to-i-1) {
					t.Fatalf("%s since %s: got %q, want %q on %s", l.Date, l.Previous, got, want, dates[to-i])
				}
			}
		}
	}
}

// Whatever the order in which snapshots are noted, some of them again and some in place of others, the
// differences are those of the registers.
func TestNote(t *testing.T) {
	dates := []string{"2026-01-05", "2026-02-05", "2026-03-05", "2026-04-05", "2026-05-05"}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, seed))
			s, _ := opened(t)
			all, now := make([]listed, len(dates)), listed{}
			for i := range all {
				now = randomListed(r, now)
				all[i] = now
			}
			wrong := r.IntN(len(dates)) // noted first, and replaced
			mustNote(t, s, snapshotOf(t, dates[wrong], randomListed(r, all[wrong])), true)
			for _, i := range r.Perm(len(dates)) {
				snap := snapshotOf(t, dates[i], all[i])
				mustNote(t, s, snap, true)
				mustNote(t, s, snap, false)
			}
			mustDiffer(t, s, dates, all)
			other := randomListed(r, all[wrong])
			mustNote(t, s, snapshotOf(t, dates[wrong], other), true)
			all[wrong] = other
			mustDiffer(t, s, dates, all)
			if _, _, n, err := s.CheckRecords(); n != len(dates) || err != nil {
				t.Errorf("got %d editions, %v, want %d and no error", n, err, len(dates))
			}
			for _, date := range []string{"2026-01-04", "2025-01-05"} {
				_, err := s.Between(t.Context(), market.CH, site.ParseDate([]byte(date)), site.ParseDate([]byte(dates[4])))
				if !errors.Is(err, ErrNoArchive) {
					t.Errorf("since %s: got %v, want ErrNoArchive", date, err)
				}
			}
		})
	}
}

// encoded returns the encoded differences of both markets whose editions are publications, by date.
func encoded(t testing.TB, s *Store) (all map[string]string) {
	t.Helper()
	all = map[string]string{}
	for _, code := range Markets {
		editions, err := s.Editions(code)
		if err != nil || len(editions) == 0 {
			t.Fatalf("got %v, %v, want editions and no error", editions, err)
		}
		span, err := s.Between(t.Context(), code, editions[0].Date, editions[len(editions)-1].Date)
		must(t, err)
		for _, l := range span.Lists {
			all[string(code)+" "+l.Date.String()] = string(l.Append(nil))
		}
	}
	return all
}

// A folder that may not be written to is read.
func TestReadOnlyFolder(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 9))
	path := filepath.Join(t.TempDir(), "archives.db")
	db := storetest.Open(t, path, Buckets...)
	s := Open(db, november)
	addWeeks(t, s, r)
	want := encoded(t, s)
	must(t, db.Close())
	db, err := store.OpenReadOnly(path)
	must(t, err)
	defer db.Close()
	read := Open(db, november)
	if got := encoded(t, read); !maps.Equal(got, want) || len(want) != 2*(len(sinceDates)-1) {
		t.Errorf("got %d differences, want the %d that were stored", len(got), 2*(len(sinceDates)-1))
	}
	snap := snapshotOf(t, "2026-08-01", randomListed(r, nil))
	if ok, err := read.Note(t.Context(), snap); ok || !errors.Is(err, errReadOnly) {
		t.Errorf("Note: got %v, %v, want false and errReadOnly", ok, err)
	}
	mustBeWhole(t, read, len(sinceDates))
}
