package measure

import (
	"time"

	_ "time/tzdata" // a static binary finds the zones of markets on any machine
)

// oldest is the first time that a measure can be of: before it there was no network
// that is measured here, and clocks that were never set say 1970 or 1980.
var oldest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// ahead is how far a phone's clock may be ahead of ours.
const ahead = 10 * time.Minute

// Reasons about times.
const (
	noTime       = "no time"
	badTime      = "time that is none"
	earlyTime    = "time before 2000"
	futureTime   = "time in the future"
	zonelessTime = "time without its zone"
	manyZones    = "local time, in a market of several time zones"
)

// moment reads a time, as Unix seconds. zone is that of the market, nil when it has
// several.
func (c clock) moment(day, tod []byte, zone *time.Location, now time.Time) (uint32, string) {
	if c == noClock {
		return 0, ""
	}
	if absent(day) {
		return 0, noTime
	}
	var t time.Time
	var reason string
	if c == epoch {
		t, reason = fromEpoch(day)
	} else {
		t, reason = c.civil(day, tod, zone)
	}
	switch {
	case reason != "":
		return 0, reason
	case t.Before(oldest):
		return 0, earlyTime
	case t.After(now.Add(ahead)):
		return 0, futureTime
	}
	return uint32(t.Unix()), "" // the future ends before 2106
}

// fromEpoch reads Unix seconds, or milliseconds.
func fromEpoch(b []byte) (time.Time, string) {
	n, ok := between(b, 0, 0, 1<<52)
	if !ok {
		return time.Time{}, badTime
	}
	if n >= 1e11 {
		n /= 1000
	}
	return time.Unix(n, 0), ""
}

// A scanner takes the parts of a time off its front.
type scanner struct{ rest []byte }

// digits takes n digits.
func (s *scanner) digits(n int) (v int, ok bool) {
	if len(s.rest) < n {
		return 0, false
	}
	for _, c := range s.rest[:n] {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	s.rest = s.rest[n:]
	return v, true
}

// one takes a byte of a set.
func (s *scanner) one(set string) bool {
	if len(s.rest) > 0 {
		for i := range len(set) {
			if s.rest[0] == set[i] {
				s.rest = s.rest[1:]
				return true
			}
		}
	}
	return false
}

// civil reads a day and a time of day, which stand in one field or in two.
func (c clock) civil(day, tod []byte, zone *time.Location) (time.Time, string) {
	s := scanner{day}
	y, m, d, ok := s.day(c == local)
	if !ok {
		return time.Time{}, badTime
	}
	if tod != nil {
		if len(s.rest) > 0 {
			return time.Time{}, badTime
		}
		s.rest = tod
	} else if !s.one("T ") {
		return time.Time{}, badTime
	}
	hour, minute, second, ok := s.clock()
	if !ok {
		return time.Time{}, badTime
	}
	where, reason := c.zone(&s, zone)
	if reason != "" {
		return time.Time{}, reason
	}
	t := time.Date(y, time.Month(m), d, hour, minute, second, 0, where)
	if civil := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC); civil.Day() != d || int(civil.Month()) != m {
		return time.Time{}, badTime // such as 2026-02-30
	}
	return t, ""
}

// day takes yyyy-mm-dd, yyyy/mm/dd or yyyymmdd, and dd/mm/yyyy where that is said.
func (s *scanner) day(european bool) (y, m, d int, ok bool) {
	if european && len(s.rest) > 2 && (s.rest[2] == '/' || s.rest[2] == '.') {
		d, ok1 := s.digits(2)
		ok2 := s.one("/.")
		m, ok3 := s.digits(2)
		ok4 := s.one("/.")
		y, ok5 := s.digits(4)
		return y, m, d, ok1 && ok2 && ok3 && ok4 && ok5
	}
	y, ok1 := s.digits(4)
	s.one("-/")
	m, ok2 := s.digits(2)
	s.one("-/")
	d, ok3 := s.digits(2)
	return y, m, d, ok1 && ok2 && ok3
}

// clock takes hh:mm, hh:mm:ss, hhmmss, and a fraction, which is cut.
func (s *scanner) clock() (hour, minute, second int, ok bool) {
	hour, ok1 := s.digits(2)
	s.one(":")
	minute, ok2 := s.digits(2)
	s.one(":")
	second, _ = s.digits(2)
	if s.one(".,") {
		for s.one("0123456789") {
		}
	}
	return hour, minute, second, ok1 && ok2 && hour < 24 && minute < 60 && second < 61
}

// zone takes what says the zone: Z or an offset; without, it is what the clock says.
func (c clock) zone(s *scanner, market *time.Location) (*time.Location, string) {
	switch {
	case s.one("Z"):
		if len(s.rest) > 0 {
			return nil, badTime
		}
		return time.UTC, ""
	case len(s.rest) > 0:
		return s.offset()
	case c == utc:
		return time.UTC, ""
	case c == zoned:
		return nil, zonelessTime
	case market == nil:
		return nil, manyZones
	}
	return market, ""
}

// offset takes +hh:mm, +hhmm or +hh.
func (s *scanner) offset() (*time.Location, string) {
	east := s.rest[0] == '+'
	if !s.one("+-") {
		return nil, badTime
	}
	hours, ok := s.digits(2)
	s.one(":")
	minutes, _ := s.digits(2)
	if !ok || hours > 15 || minutes > 59 || len(s.rest) > 0 {
		return nil, badTime
	}
	seconds := hours*3600 + minutes*60
	if !east {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), "" // a table of offsets would save nothing that can be measured
}
