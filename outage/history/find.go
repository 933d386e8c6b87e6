package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"relais/geo"
	"relais/market"
	"relais/outage"
	"relais/site"
)

// A Query asks for the outages of a period.
type Query struct {
	Market    market.Code
	Operators []string // keys; nil: every one
	Areas     []string // codes of the market's table; nil: anywhere
	Box       *geo.Box // nil: anywhere; sites without a position are in none
	// IsWanted selects sites by operator, code and position, which is nil where lists state none. nil: all.
	IsWanted func(operator, code string, at *geo.Point) bool
	From, To site.Date // both included
	// Offset is how many outages are passed over, and Limit how many there are at most.
	Offset, Limit int
}

// A Span is days in a row, both ends included.
type Span struct{ First, Last site.Date }

// An Episode is an outage of a site of an operator: the days in a row whose lists name it. Days without a list
// are passed over if the first list behind them says that the outage began before them; else another outage begins
// there.
type Episode struct {
	// Entry is what the last list says, with the services that are out on one of the days at least, and the
	// earliest beginning. It has no cells.
	*outage.Entry
	First, Last site.Date // in the period
	Days        int       // whose lists name it
	Gaps        []Span    // days between First and Last without a list of the operator
	Reasons     []string  // all of the days, as they are published, the first one first
	// Before and After report that the outage is on the list that was read last before the period, and on the
	// first one behind it.
	Before, After bool
}

// A Tally counts outages of an operator in a period.
type Tally struct {
	Operator string
	Read     int    // days whose lists name the operator
	Gaps     []Span // the other days
	Days     int    // of those that were read, with an outage
	SiteDays int    // sites that were out of service, added up over the days
}

// Found is the answer to a Query.
type Found struct {
	Overview
	Tallies  []Tally   // of the operators that were asked for and that a list ever named, by their keys
	Total    int       // outages
	Episodes []Episode // the page: what was seen last comes first, then what began last, then by operator and code
}

// An Overview says which days were read.
type Overview struct {
	First, Newest site.Date // of all that were read; 0 for none
	Read          int       // days in the period whose lists were read
	Gaps          []Span    // the other days
	Synthetic     bool      // a list of the period was made up for a demonstration
}

// Overview returns which days of a market were read, over all of them.
func (s *Store) Overview(ctx context.Context, code market.Code) (o Overview, err error) {
	months, err := s.calendarIn(ctx, code)
	if days := readDays(months, nil); err == nil && len(days) > 0 {
		o.First, o.Newest, o.Read = days[0], days[len(days)-1], len(days)
		o.Gaps = gapsIn(days, o.First, o.Newest)
	}
	return o, err
}

// Days returns the days of a market that were read, the oldest first.
func (s *Store) Days(ctx context.Context, code market.Code) ([]site.Date, error) {
	months, err := s.calendarIn(ctx, code)
	return readDays(months, nil), err
}

// readDays returns the days on which a list named one of the operators, or any, in their order.
func readDays(months []calendarMonth, operators []string) (days []site.Date) {
	for _, m := range months {
		read := dayBits(0)
		for _, o := range m.operators {
			if operators == nil || slices.Contains(operators, o.key) {
				read |= o.read
			}
		}
		for i := range site.Date(31) {
			if read>>i&1 != 0 {
				days = append(days, m.first+i)
			}
		}
	}
	return days
}

// within returns the part of sorted days that is in a period.
func within(days []site.Date, from, to site.Date) []site.Date {
	i, _ := slices.BinarySearch(days, from)
	j, _ := slices.BinarySearch(days, to+1)
	return days[i:max(i, j)]
}

// gapsIn returns the days of a period that sorted days lack.
func gapsIn(days []site.Date, from, to site.Date) (gaps []Span) {
	for _, day := range within(days, from, to) {
		if from < day {
			gaps = append(gaps, Span{from, day - 1})
		}
		from = day + 1
	}
	if from <= to {
		gaps = append(gaps, Span{from, to})
	}
	return gaps
}

// A hit is a site on a list.
type hit struct {
	site  int32 // number
	day   site.Date
	month int32
	row   int32
}

// An outageRun is an Episode before its entry is made: hits in a row.
type outageRun struct {
	hits          []hit // in the period
	before, after bool
}

// A search answers a Query.
type search struct {
	Query
	zone    *time.Location
	months  []*month
	sites   map[[2]string]int32 // numbers by operator and code
	names   [][2]string
	hits    []hit
	read    map[string][]site.Date // days by operator
	reach   map[string]Span        // the period, with the days next to it that were read, by operator
	tallies map[string]*Tally
	runs    []outageRun
}

// Find answers a query, all of it from one version of the file. Errors: that of ctx, of package store, and of a month that is
// damaged.
func (s *Store) Find(ctx context.Context, q Query) (*Found, error) {
	for {
		version := s.Version()
		found, err := s.find(ctx, q, version)
		if err != nil || s.Version() == version {
			return found, err
		}
	}
}

// find is Find if no day comes meanwhile.
func (s *Store) find(ctx context.Context, q Query, version string) (*Found, error) {
	calendar, err := s.calendarIn(ctx, q.Market)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(market.Get(q.Market).FeedZone)
	if err != nil {
		return nil, err
	}
	r := &search{Query: q, zone: zone, sites: map[[2]string]int32{}, read: map[string][]site.Date{},
		reach: map[string]Span{}, tallies: map[string]*Tally{}}
	days := readDays(calendar, q.Operators)
	found := &Found{Overview: Overview{Read: len(within(days, q.From, q.To)), Gaps: gapsIn(days, q.From, q.To)}}
	if len(days) > 0 {
		found.First, found.Newest = days[0], days[len(days)-1]
	}
	r.count(calendar)
	for _, m := range calendar {
		if !r.needs(m) {
			continue
		}
		found.Synthetic = found.Synthetic || m.synthetic != 0
		read, err := s.month(ctx, version, m.key)
		if err != nil {
			return nil, err
		}
		r.collect(read, m.first)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	r.split()
	for _, t := range r.tallies {
		found.Tallies = append(found.Tallies, *t)
	}
	slices.SortFunc(found.Tallies, func(a, b Tally) int { return cmp.Compare(a.Operator, b.Operator) })
	found.Total = len(r.runs)
	found.Episodes = r.page()
	return found, nil
}

// around returns a period with the last day that was read before it and the first one behind it.
func around(days []site.Date, from, to site.Date) Span {
	s := Span{from, to}
	if i, _ := slices.BinarySearch(days, from); i > 0 {
		s.First = days[i-1]
	}
	if i, _ := slices.BinarySearch(days, to+1); i < len(days) {
		s.Last = days[i]
	}
	return s
}

// needs reports whether a month has days that count.
func (r *search) needs(m calendarMonth) bool {
	last := m.first + 30 // or in the next month, which costs no more than reading this one
	if m.first <= r.To && last >= r.From {
		return true
	}
	for _, s := range r.reach {
		if m.first <= s.First && s.First <= last || m.first <= s.Last && s.Last <= last {
			return true
		}
	}
	return false
}

// count begins the tallies of the operators.
func (r *search) count(calendar []calendarMonth) {
	for _, m := range calendar {
		for _, o := range m.operators {
			if r.tallies[o.key] != nil || r.Operators != nil && !slices.Contains(r.Operators, o.key) {
				continue
			}
			days := readDays(calendar, []string{o.key})
			r.read[o.key], r.reach[o.key] = days, around(days, r.From, r.To)
			r.tallies[o.key] = &Tally{Operator: o.key, Read: len(within(days, r.From, r.To)), Gaps: gapsIn(days, r.From, r.To)}
		}
	}
}

// collect adds the hits of a month.
func (r *search) collect(m *month, first site.Date) {
	number := int32(len(r.months))
	r.months = append(r.months, m)
	reach := make([]Span, len(m.operators)) // of one that was not asked for, no day
	for i, o := range m.operators {
		reach[i] = r.reach[o.key]
	}
	areas := map[uint32]bool{}
	for i := range uint32(m.texts.Len()) {
		areas[i] = slices.Contains(r.Areas, m.texts.Text(i))
	}
	for i := range m.rows {
		row := &m.rows[i]
		within := reach[row.operator]
		if within.Last == 0 || r.Areas != nil && !areas[row.area] || !r.wants(m, row) {
			continue
		}
		place := r.number(m.operators[row.operator].key, m.texts.Text(row.code))
		for k := range 31 {
			if day := first + site.Date(k); row.days>>k&1 != 0 && day >= within.First && day <= within.Last {
				r.hits = append(r.hits, hit{place, day, number, int32(i)})
			}
		}
	}
}

// wants reports whether a row is at a wanted place and of a wanted site.
func (r *search) wants(m *month, row *row) bool {
	var at *geo.Point
	if row.lat != noPlace {
		at = &geo.Point{Lat: geo.Degrees(row.lat), Lng: geo.Degrees(row.lng)}
	}
	if r.Box != nil && (at == nil || !r.Box.Contains(*at)) {
		return false
	}
	return r.IsWanted == nil || r.IsWanted(m.operators[row.operator].key, m.texts.Text(row.code), at)
}

// number returns the number of a site.
func (r *search) number(operator, code string) int32 {
	key := [2]string{operator, code}
	n, ok := r.sites[key]
	if !ok {
		n = int32(len(r.names))
		r.sites[key], r.names = n, append(r.names, key)
	}
	return n
}

// split divides the hits into outages, and counts them.
func (r *search) split() {
	slices.SortFunc(r.hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.day, b.day)) })
	for begin := 0; begin < len(r.hits); {
		end := begin + 1
		for end < len(r.hits) && r.isSame(r.hits[end-1], r.hits[end]) {
			end++
		}
		r.add(r.hits[begin:end])
		begin = end
	}
	for operator, t := range r.tallies {
		seen := make([]bool, r.To-r.From+1)
		for _, h := range r.hits {
			if h.day >= r.From && h.day <= r.To && r.names[h.site][0] == operator {
				t.SiteDays++
				if at := h.day - r.From; !seen[at] {
					seen[at] = true
					t.Days++
				}
			}
		}
	}
}

// isSame reports whether two hits, with no other one in between, belong to the same outage.
func (r *search) isSame(a, b hit) bool {
	if a.site != b.site {
		return false
	}
	if b.day == a.day+1 {
		return true
	}
	if len(within(r.read[r.names[a.site][0]], a.day+1, b.day-1)) > 0 {
		return false // a list in between does not have it
	}
	start := r.months[b.month].rows[b.row].start
	behind := time.Date(1, 1, int(a.day)+1, 0, 0, 0, 0, r.zone)
	return start != 0 && time.Unix(int64(start), 0).Before(behind)
}

// add adds an outage as far as it is in the period.
func (r *search) add(hits []hit) {
	i, _ := slices.BinarySearchFunc(hits, r.From, func(h hit, day site.Date) int { return cmp.Compare(h.day, day) })
	j, _ := slices.BinarySearchFunc(hits, r.To+1, func(h hit, day site.Date) int { return cmp.Compare(h.day, day) })
	if i < j {
		r.runs = append(r.runs, outageRun{hits[i:j], i > 0, j < len(hits)})
	}
}

// page returns the outages of the page.
func (r *search) page() []Episode {
	slices.SortFunc(r.runs, func(a, b outageRun) int {
		x, y := a.hits, b.hits
		names, names2 := r.names[x[0].site], r.names[y[0].site]
		return cmp.Or(cmp.Compare(y[len(y)-1].day, x[len(x)-1].day), cmp.Compare(y[0].day, x[0].day),
			cmp.Compare(names[0], names2[0]), cmp.Compare(names[1], names2[1]))
	})
	runs := r.runs[min(r.Offset, len(r.runs)):]
	list := make([]Episode, min(r.Limit, len(runs)))
	for i := range list {
		list[i] = r.episode(runs[i])
	}
	return list
}

func (r *search) episode(run outageRun) Episode {
	last := run.hits[len(run.hits)-1]
	e := Episode{Entry: r.entry(last), First: run.hits[0].day, Last: last.day, Days: len(run.hits), Before: run.before,
		After: run.after}
	for i, h := range run.hits {
		said := r.entry(h)
		e.Services = e.Services.Join(said.Services)
		if said.Start != nil && (e.Start == nil || said.Start.Before(*e.Start)) {
			e.Start = said.Start
		}
		if said.Reason != "" && !slices.Contains(e.Reasons, said.Reason) {
			e.Reasons = append(e.Reasons, said.Reason)
		}
		if i > 0 && h.day > run.hits[i-1].day+1 {
			e.Gaps = append(e.Gaps, Span{run.hits[i-1].day + 1, h.day - 1})
		}
	}
	return e
}

func (r *search) entry(h hit) *outage.Entry {
	m := r.months[h.month]
	return m.entry(r.Market, &m.rows[h.row])
}
