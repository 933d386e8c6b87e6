package measure

import (
	"time"

	_ "time/tzdata" // a static binary finds the zones of markets on any machine
)

// oldest is the earliest time of a measurement. Clocks that were never set say 1970 or 1980,
// and no measured network is older.
var oldest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// maxClockLead is how far the clock of a phone may be ahead of ours.
const maxClockLead = 10 * time.Minute

// Reasons about times.
const (
	noTime       = "no time"
	badTime      = "invalid time"
	earlyTime    = "time before 2000"
	futureTime   = "time in the future"
	zonelessTime = "time without its zone"
	manyZones    = "local time, in a market of several time zones"
)

// parse reads a time as Unix seconds. zone is that of the market, nil if it has several. A
// reason says why the time cannot be used.
func (c clock) parse(day, tod []byte, zone *time.Location, now time.Time) (uint32, string) {
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
	case t.After(now.Add(maxClockLead)):
		return 0, futureTime
	}
	return uint32(t.Unix()), "" // the future ends before 2106
}

// fromEpoch reads Unix seconds, or milliseconds.
func fromEpoch(b []byte) (time.Time, string) {
	n, ok := numberBetween(b, 0, 0, 1<<52)
	if !ok {
		return time.Time{}, badTime
	}
	if n >= 1e11 {
		n /= 1000
	}
	return time.Unix(n, 0), ""
}

// A scanner consumes the parts of a time.
type scanner struct{ rest []byte }

// takeDigits consumes n digits.
func (s *scanner) takeDigits(n int) (v int, ok bool) {
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

// takeOneOf consumes one byte of a set, and reports whether it did.
func (s *scanner) takeOneOf(set string) bool {
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

// civil reads a day and a time of day, which are in one field or in two.
func (c clock) civil(day, tod []byte, zone *time.Location) (time.Time, string) {
	s := scanner{day}
	y, m, d, ok := s.takeDay(c == local)
	if !ok {
		return time.Time{}, badTime
	}
	if tod != nil {
		if len(s.rest) > 0 {
			return time.Time{}, badTime
		}
		s.rest = tod
	} else if !s.takeOneOf("T ") {
		return time.Time{}, badTime
	}
	hour, minute, second, ok := s.takeClock()
	if !ok {
		return time.Time{}, badTime
	}
	where, reason := c.takeZone(&s, zone)
	if reason != "" {
		return time.Time{}, reason
	}
	t := time.Date(y, time.Month(m), d, hour, minute, second, 0, where)
	// time.Date accepts any day, and counts on into the next month. In UTC, since a zone may lack a midnight.
	if civil := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC); civil.Day() != d || int(civil.Month()) != m {
		return time.Time{}, badTime // such as 2026-02-30
	}
	return t, ""
}

// takeDay consumes yyyy-mm-dd, yyyy/mm/dd or yyyymmdd, and with european also dd/mm/yyyy.
func (s *scanner) takeDay(european bool) (y, m, d int, ok bool) {
	if european && len(s.rest) > 2 && (s.rest[2] == '/' || s.rest[2] == '.') {
		d, ok1 := s.takeDigits(2)
		ok2 := s.takeOneOf("/.")
		m, ok3 := s.takeDigits(2)
		ok4 := s.takeOneOf("/.")
		y, ok5 := s.takeDigits(4)
		return y, m, d, ok1 && ok2 && ok3 && ok4 && ok5
	}
	y, ok1 := s.takeDigits(4)
	s.takeOneOf("-/")
	m, ok2 := s.takeDigits(2)
	s.takeOneOf("-/")
	d, ok3 := s.takeDigits(2)
	return y, m, d, ok1 && ok2 && ok3
}

// takeClock consumes hh:mm, hh:mm:ss or hhmmss, and a fraction, which it ignores.
func (s *scanner) takeClock() (hour, minute, second int, ok bool) {
	hour, ok1 := s.takeDigits(2)
	s.takeOneOf(":")
	minute, ok2 := s.takeDigits(2)
	s.takeOneOf(":")
	second, _ = s.takeDigits(2)
	if s.takeOneOf(".,") {
		for s.takeOneOf("0123456789") {
		}
	}
	return hour, minute, second, ok1 && ok2 && hour < 24 && minute < 60 && second < 61
}

// takeZone consumes Z or an offset. Without either, the zone is that of the format.
func (c clock) takeZone(s *scanner, market *time.Location) (*time.Location, string) {
	switch {
	case s.takeOneOf("Z"):
		if len(s.rest) > 0 {
			return nil, badTime
		}
		return time.UTC, ""
	case len(s.rest) > 0:
		return s.takeOffset()
	case c == utc:
		return time.UTC, ""
	case c == zoned:
		return nil, zonelessTime
	case market == nil:
		return nil, manyZones
	}
	return market, ""
}

// takeOffset consumes +hh:mm, +hhmm or +hh.
func (s *scanner) takeOffset() (*time.Location, string) {
	east := s.rest[0] == '+'
	if !s.takeOneOf("+-") {
		return nil, badTime
	}
	hours, ok := s.takeDigits(2)
	s.takeOneOf(":")
	minutes, _ := s.takeDigits(2)
	if !ok || hours > 15 || minutes > 59 || len(s.rest) > 0 {
		return nil, badTime
	}
	seconds := hours*3600 + minutes*60
	if !east {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), ""
}
