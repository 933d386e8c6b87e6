package admit

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// maxCounts bounds the memory of a Rate to a few megabytes.
const maxCounts = 1 << 16

// A Limit is how much one holder may do in a window.
type Limit struct {
	Name string // of the holder, unique in a rate
	Most int    // 0 for no limit: then nothing is counted
}

// Of returns the limit of an address: of one IPv4 address, or of one /64 of IPv6.
func Of(addr netip.Addr, most int) Limit { return Limit{Line(addr).String(), most} }

// A Rate counts what holders do, such as the requests of addresses, in windows of time. The counts begin at
// zero with each window of the wall clock. They are kept in memory only.
//
// At most 65536 holders have a count in a window. Beyond that, the smallest counts are forgotten: somebody
// with very many addresses is not counted for long, but nobody is counted for what another one did.
type Rate struct {
	seconds int64 // of a window

	mu      sync.Mutex
	window  int64 // since 1970
	counts  map[string]int
	refused uint64
}

// NewRate returns a rate with no counts. The window is in whole seconds.
func NewRate(window time.Duration) *Rate {
	return &Rate{seconds: int64(window / time.Second), counts: map[string]int{}}
}

// Take counts n for the holders of the limits, and reports whether all of them may do so much. If not, it
// counts nothing: what is refused because of one holder does not use up the limits of others.
func (r *Rate) Take(now time.Time, n int, limits ...Limit) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.startWindow(now)
	for _, l := range limits {
		if l.Most > 0 && r.counts[l.Name]+n > l.Most {
			r.refused++
			return false
		}
	}
	for _, l := range limits {
		if l.Most > 0 {
			r.add(l.Name, n)
		}
	}
	return true
}

// GiveBack subtracts n that was taken at a time. It does nothing once the window of that time has ended,
// because the next window counts separately.
func (r *Rate) GiveBack(taken time.Time, n int, limits ...Limit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if taken.Unix()/r.seconds != r.window {
		return
	}
	for _, l := range limits {
		if r.counts[l.Name] > 0 {
			r.add(l.Name, -n)
		}
	}
}

// Add adds n, whatever the limit, and returns the count in the window of now.
func (r *Rate) Add(now time.Time, name string, n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.startWindow(now)
	return r.add(name, n)
}

// Count returns the count of a holder in the window of now.
func (r *Rate) Count(now time.Time, name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.startWindow(now)
	return r.counts[name]
}

// End returns the end of the window of now.
func (r *Rate) End(now time.Time) time.Time { return time.Unix((now.Unix()/r.seconds+1)*r.seconds, 0) }

func (r *Rate) add(name string, n int) int {
	if r.counts[name] == 0 && n > 0 && len(r.counts) >= maxCounts {
		r.forget()
	}
	sum := max(0, r.counts[name]+n)
	if r.counts[name] = sum; sum == 0 { // who takes back takes no memory
		delete(r.counts, name)
	}
	return sum
}

// forget forgets a quarter of the counts, the smallest ones. It is slow but rare, as it takes many holders
// to fill them again.
func (r *Rate) forget() {
	names := make([]string, 0, len(r.counts))
	for name := range r.counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(r.counts[a], r.counts[b]) })
	for _, name := range names[:maxCounts/4] {
		delete(r.counts, name)
	}
}

// startWindow starts a new window if now is in one. A time in the previous window comes from a request that
// waited for the lock; an earlier one from a clock that was set back.
func (r *Rate) startWindow(now time.Time) {
	window := now.Unix() / r.seconds
	if window > r.window || window < r.window-1 {
		r.window, r.counts = window, map[string]int{} // not cleared: after a flood the memory goes back
	}
}
