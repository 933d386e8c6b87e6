// Package changes compares the changes that relais finds with those that a script finds, which shares
// no code with it.
package changes

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/archive"
	"relais/archive/change"
	"relais/internal/errtest"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/site"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// script runs changes.py, and returns the fields of each line.
func script(t testing.TB, args ...string) (records [][]string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	cmd := exec.Command("python3", append([]string{"changes.py"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("changes.py %q: %v\n%s", args, err, errs.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		records = append(records, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return records
}

// fields returns a record as the script prints it.
func fields(code market.Code, date string, r *change.Record) []string {
	before, after := r.Before.Status, r.After.Status
	if r.Kind == change.Moved {
		before = fmt.Sprintf("%.7f,%.7f", r.Before.Position.Lat, r.Before.Position.Lng)
		after = fmt.Sprintf("%.7f,%.7f", r.After.Position.Lat, r.After.Position.Lng)
	}
	return []string{string(code), date, r.Kind.String(), r.Site, r.Operator, r.Technology, before, after}
}

// mustBeSame compares records in any order. Positions may differ by what rounding does.
func mustBeSame(t *testing.T, what string, got, want [][]string) {
	t.Helper()
	slices.SortFunc(got, slices.Compare)
	slices.SortFunc(want, slices.Compare)
	kinds := map[string]int{}
	wrong := 0
	for i, k := 0, 0; i < len(got) || k < len(want); {
		switch {
		case i < len(got) && k < len(want) && slices.EqualFunc(got[i], want[k], alike):
			kinds[got[i][2]]++
			i, k = i+1, k+1
			continue
		case k == len(want) || i < len(got) && slices.Compare(got[i], want[k]) < 0:
			t.Errorf("%s: got %q, which the script does not find", what, got[i])
			i++
		default:
			t.Errorf("%s: got no %q, which the script finds", what, want[k])
			k++
		}
		if wrong++; wrong == 10 {
			t.FailNow()
		}
	}
	t.Logf("%s: %d records, %v", what, len(got), kinds)
}

func alike(a, b string) bool {
	if a == b {
		return true
	}
	var x, y [2]float64
	if !coordinates(a, &x) || !coordinates(b, &y) {
		return false
	}
	return math.Abs(x[0]-y[0]) < 2.5e-7 && math.Abs(x[1]-y[1]) < 2.5e-7
}

func coordinates(text string, p *[2]float64) bool {
	lat, lng, ok := strings.Cut(text, ",")
	var err1, err2 error
	p[0], err1 = strconv.ParseFloat(lat, 64)
	p[1], err2 = strconv.ParseFloat(lng, 64)
	return ok && err1 == nil && err2 == nil
}

// archives returns a store with the files, which were added in this order.
func archives(t testing.TB, paths ...string) *archive.Store {
	t.Helper()
	db := storetest.New(t, archive.Buckets...)
	s := archive.Open(db, time.Now)
	files, err := archive.Files(paths)
	must(t, err)
	for i := range files {
		if _, err := s.Add(t.Context(), &files[i], archive.Options{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func dateOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".csv")
	return name[strings.LastIndexByte(name, '_')+1:]
}

func named(paths ...string) (args []string) {
	for _, path := range paths {
		args = append(args, dateOf(path)+"="+path)
	}
	return args
}

// mustAgree compares all weeks, and the net differences of some pairs of dates, with the script's.
func mustAgree(t *testing.T, s *archive.Store, paths []string, pairs [][2]int) {
	t.Helper()
	var got [][]string
	for _, code := range []market.Code{market.FR, market.DROM} {
		for _, l := range between(t, s, code, dateOf(paths[0]), dateOf(paths[len(paths)-1])).Lists {
			for r := range l.Records(nil) {
				got = append(got, fields(code, l.Date.String(), &r))
			}
		}
	}
	mustBeSame(t, "weeks", got, script(t, append([]string{"fr"}, named(paths...)...)...))
	for _, p := range pairs {
		from, to := paths[p[0]], paths[p[1]]
		var got [][]string
		for _, code := range []market.Code{market.FR, market.DROM} {
			l, err := between(t, s, code, dateOf(from), dateOf(to)).Net(t.Context())
			must(t, err)
			for r := range l.Records(nil) {
				got = append(got, fields(code, dateOf(to), &r))
			}
		}
		mustBeSame(t, dateOf(from)+" to "+dateOf(to), got, script(t, append([]string{"--net", "fr"}, named(from, to)...)...))
	}
}

func between(t *testing.T, s *archive.Store, code market.Code, from, to string) *archive.Span {
	t.Helper()
	span, err := s.Between(context.Background(), code, site.ParseDate([]byte(from)), site.ParseDate([]byte(to)))
	must(t, err)
	return span
}

// TestReal compares weeks of real changes: those of $RELAIS_WEEKS, a folder of five files or more such as
// observatoire_2026-08-20.csv. It takes minutes.
func TestReal(t *testing.T) {
	dir := os.Getenv("RELAIS_WEEKS")
	if dir == "" {
		t.Skip("RELAIS_WEEKS names no folder with weeks")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "observatoire_*.csv"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("got %d files, %v, want 5 or more and no error", len(paths), err)
	}
	slices.Sort(paths)
	mustAgree(t, archives(t, paths...), paths, randomPairs(len(paths), 10))
}
