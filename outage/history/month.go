package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"relais/geo"
	"relais/internal/intern"
	"relais/market"
	"relais/outage"
	"relais/site"
)

// maxRows bounds the different rows of a month, a hundred times those of a bad one.
const maxRows = 1 << 20

// dayBits are days of a month: bit 0 is its first.
type dayBits uint32

func bitOf(day site.Date) dayBits { return 1 << (day.Time().Day() - 1) }

// A month is the rows of its days.
type month struct {
	operators []operatorDays
	synthetic dayBits // lists that were made up for a demonstration
	texts     intern.Table
	rows      []row
}

// operatorDays are the days on which a list named an operator.
type operatorDays struct {
	key  string
	read dayBits
}

// A row is what lists say of a site on some days. Texts are numbers in the table of the month.
type row struct {
	operator   uint32 // position in the operators of the month
	code       uint32
	area       uint32
	commune    uint32
	insee      uint32
	reason     uint32
	detail     uint32
	lat, lng   int32  // see geo.Fix; noPlace: not stated
	services   uint64 // see outage.Services.Code
	start, end uint32 // Unix seconds; 0: not stated
	days       dayBits
}

const noPlace = math.MinInt32

// size returns the bytes of the month in memory.
func (m *month) size() int64 {
	return int64(len(m.rows))*64 + int64(m.texts.Size()) + int64(m.texts.Len())*4
}

// fewRows is how many rows a day may always lose: among few, a share says little.
const fewRows = 10

// fewer says why a list must not replace a day, "" if it may. A list that an authority published replaces one that
// was made up for a demonstration, whatever its size.
func (m *month) fewer(day dayBits, l DayList) string {
	had, has := 0, len(l.Entries)
	for i := range m.rows {
		if m.rows[i].days&day != 0 {
			had++
		}
	}
	if l.Force || m.synthetic&day != 0 && !l.Synthetic || had-has <= fewRows || has*100 >= had*95 {
		return ""
	}
	return fmt.Sprintf("it has %d sites, and the list of this day that is there has %d: over 5 %% would be gone, so the file "+
		"may be a part; what is there stays (--force overrides)", has, had)
}

// replace makes the rows of a day those of a list, and says what that did.
func (m *month) replace(day dayBits, l *outage.List) (done Added) {
	read := m.isRead(day)
	had := make(map[row]bool, len(l.Entries)) // rows of the day
	known := make(map[row]int, len(m.rows))
	for i := range m.rows {
		r := &m.rows[i]
		without := *r
		without.days = 0
		known[without] = i
		had[without] = r.days&day != 0
		r.days &^= day
	}
	changed := m.readOnly(day, l.Operators)
	if m.synthetic &^= day; l.Synthetic {
		m.synthetic |= day
	}
	for _, e := range l.Entries {
		r := m.rowOf(e)
		i, ok := known[r]
		if !ok {
			i = len(m.rows)
			known[r] = i
			m.rows = append(m.rows, r)
		}
		changed = changed || !had[r]
		delete(had, r)
		m.rows[i].days |= day
	}
	for _, before := range had {
		changed = changed || before // a row that the list lacks
	}
	m.rows = slices.DeleteFunc(m.rows, func(r row) bool { return r.days == 0 })
	return Added{Replaced: read && changed, Unchanged: !changed}
}

// readOnly makes the operators of a day those of a list, and reports whether they were others.
func (m *month) readOnly(day dayBits, operators []string) (changed bool) {
	for _, key := range operators {
		m.operator(key)
	}
	for i := range m.operators {
		o := &m.operators[i]
		before := o.read
		if o.read &^= day; slices.Contains(operators, o.key) {
			o.read |= day
		}
		changed = changed || o.read != before
	}
	return changed
}

// operator returns the position of an operator, which is added if it is new.
func (m *month) operator(key string) int {
	i := slices.IndexFunc(m.operators, func(o operatorDays) bool { return o.key == key })
	if i < 0 {
		i = len(m.operators)
		m.operators = append(m.operators, operatorDays{key: key})
	}
	return i
}

// isRead reports whether a list was read of a day.
func (m *month) isRead(day dayBits) bool {
	return slices.ContainsFunc(m.operators, func(o operatorDays) bool { return o.read&day != 0 })
}

// rowOf returns an entry as a row without days.
func (m *month) rowOf(e *outage.Entry) row {
	r := row{
		operator: uint32(m.operator(e.Operator)), code: intern.Add(&m.texts, e.Code), area: intern.Add(&m.texts, e.Area),
		commune: intern.Add(&m.texts, e.Commune), insee: intern.Add(&m.texts, e.INSEE),
		reason: intern.Add(&m.texts, e.Reason), detail: intern.Add(&m.texts, e.Detail),
		lat: geo.Fix(e.Lat), lng: geo.Fix(e.Lng), services: e.Services.Code(), start: seconds(e.Start), end: seconds(e.End),
	}
	if e.Unplaced {
		r.lat, r.lng = noPlace, noPlace
	}
	return r
}

// entry returns a row as its list has it, without the cells of the file.
func (m *month) entry(code market.Code, r *row) *outage.Entry {
	e := &outage.Entry{
		Market: code, Operator: m.operators[r.operator].key, Code: m.texts.Text(r.code), Area: m.texts.Text(r.area),
		Commune: m.texts.Text(r.commune), INSEE: m.texts.Text(r.insee), Reason: m.texts.Text(r.reason),
		Detail: m.texts.Text(r.detail), Services: outage.ServicesOf(r.services),
		Start: timeOf(r.start), End: timeOf(r.end), Unplaced: r.lat == noPlace,
	}
	if !e.Unplaced {
		e.Lat, e.Lng = geo.Degrees(r.lat), geo.Degrees(r.lng)
	}
	return e
}

// seconds returns a time of this century as Unix seconds, 0 for none.
func seconds(t *time.Time) uint32 {
	if t == nil {
		return 0
	}
	return uint32(t.Unix())
}

func timeOf(seconds uint32) *time.Time {
	if seconds == 0 {
		return nil
	}
	return new(time.Unix(int64(seconds), 0).UTC())
}

// sorted returns the month in the one order in which it is stored, without texts that no row has. Codes come first
// among the texts, so that those of neighbours differ by one.
func (m *month) sorted() *month {
	order := slices.Clone(m.rows)
	slices.SortFunc(order, func(a, b row) int {
		return cmp.Or(cmp.Compare(m.operators[a.operator].key, m.operators[b.operator].key),
			cmp.Compare(m.texts.Text(a.code), m.texts.Text(b.code)), cmp.Compare(a.days, b.days),
			cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.services, b.services),
			cmp.Compare(a.lat, b.lat), cmp.Compare(a.lng, b.lng), cmp.Compare(m.texts.Text(a.area), m.texts.Text(b.area)),
			cmp.Compare(m.texts.Text(a.commune), m.texts.Text(b.commune)),
			cmp.Compare(m.texts.Text(a.insee), m.texts.Text(b.insee)),
			cmp.Compare(m.texts.Text(a.reason), m.texts.Text(b.reason)),
			cmp.Compare(m.texts.Text(a.detail), m.texts.Text(b.detail)))
	})
	next := &month{synthetic: m.synthetic}
	for _, o := range m.operators {
		if o.read != 0 {
			next.operators = append(next.operators, o)
		}
	}
	slices.SortFunc(next.operators, func(a, b operatorDays) int { return cmp.Compare(a.key, b.key) })
	for i := range order {
		r := &order[i]
		r.operator = uint32(next.operator(m.operators[r.operator].key))
		r.code = intern.Add(&next.texts, m.texts.Text(r.code))
	}
	for i := range order {
		for _, text := range order[i].texts() {
			*text = intern.Add(&next.texts, m.texts.Text(*text))
		}
	}
	next.rows = order
	return next
}

// texts are the texts of a row apart from its code.
func (r *row) texts() []*uint32 {
	return []*uint32{&r.area, &r.commune, &r.insee, &r.reason, &r.detail}
}
