package measure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/market"
)

// A marker checks what stands for the rows of runs.
type marker struct {
	*testing.T
	marks, notches, others int
}

func (m *marker) some(*filter, []uint32) {}

func (m *marker) all(f *filter, r *runRows) {
	for i := range r.rows() {
		if at := f.time[r.row(i)]; at < f.since {
			m.Fatalf("row %d is too old", r.row(i))
		}
		for _, step := range []int{1, notchRows, markRows} {
			n := r.near(i, step)
			if n == nil {
				m.others++
				continue
			}
			// Which of the rows, of those that are of as many as a mark or a notch is of, it is.
			is := func(each int) bool {
				first := (r.older + i) / each * each
				return slices.ContainsFunc(r.byTime[first:min(first+each, len(r.byTime))], func(row uint16) bool { return f.notch(r.from+int(row)) == *n })
			}
			switch {
			case step == 1 || n.time < f.since:
				m.Fatalf("step %d: %+v stands for row %d", step, n, r.row(i))
			case is(notchRows):
				m.notches++
			case step == markRows && is(markRows):
				m.marks++
			default:
				m.Fatalf("step %d: %+v stands for row %d", step, n, r.row(i))
			}
		}
	}
}

// What stands for a row is of the same rows, of the same network and technology, and matches.
func TestMarksStandForTheirRows(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var b strings.Builder
	b.WriteString(coverageHead)
	const n = 20_000 // more than a tile of the largest
	for i := range n {
		fmt.Fprintf(&b, "cp%d,%s,%.5f,%.5f,-60,%d,%d,%s,CELLULAR,208,%d,1000,,256000,7\n", i, now.Add(-time.Duration(r.IntN(300*86400))*time.Second).Format(time.RFC3339),
			45+r.Float64(), 4+r.Float64(), -60-r.IntN(60), r.IntN(30), techs[r.IntN(2)], []int{1, 10, 15, 20}[r.IntN(4)])
	}
	s := openStore(t, t.TempDir())
	imported(t, s, market.FR, write(t, "a.csv", b.String()))
	for _, days := range []int{0, 200, 20} {
		for _, operator := range []string{"", "SFR"} {
			m := &marker{T: t}
			for _, f := range s.view().filters(Coverage, &Query{Market: market.FR, Operator: operator, Since: since(days)}) {
				for level := range f.tilings {
					for k := range f.tilings[level].tiles {
						f.visitRuns(m, &f.tilings[level], k)
					}
				}
			}
			if m.marks == 0 || m.notches == 0 || m.others == 0 {
				t.Errorf("%d days of %q: %d marks, %d notches, %d others", days, operator, m.marks, m.notches, m.others)
			}
		}
	}
}
