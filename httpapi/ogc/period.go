package ogc

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"relais/site"
)

// when is a period.
type when struct {
	Datetime period `param:"datetime" code:"INVALID_DATE" max:"100" doc:"A moment of RFC 3339, a day as YYYY-MM-DD, or two of them with a slash between; one of the two may be .. or empty, and the second a duration of ISO 8601 such as P2D. Features without a time are always there." example:"2026-08-20/.."`
}

// A period is the parameter datetime.
type period string

var errPeriod = errors.New("a moment as 2026-08-20T06:00:00Z, a day as 2026-08-20, or two of them as START/END, START/.. or ../END, the start first, or START/P2D")

// UnmarshalText accepts a period.
func (p *period) UnmarshalText(b []byte) error {
	*p = period(b)
	if _, _, ok := p.bounds(); !ok {
		return errPeriod
	}
	return nil
}

// bounds returns the first moment and the one after the last; zero for an open end.
func (p period) bounds() (from, to time.Time, ok bool) {
	if p == "" {
		return from, to, true
	}
	first, last, interval := strings.Cut(string(p), "/")
	if !interval {
		last = first
	}
	from, _, ok = moment(first, interval)
	if !ok {
		return from, to, false
	}
	if strings.HasPrefix(last, "P") {
		to, ok = addDuration(from, last)
		return from, to, ok && !from.IsZero()
	}
	_, to, ok = moment(last, interval)
	return from, to, ok && (from.IsZero() || to.IsZero() || from.Before(to)) && !(from.IsZero() && to.IsZero())
}

// moment returns the beginning and the end of a day or a second. An open end is zero.
func moment(text string, open bool) (from, to time.Time, ok bool) {
	if open && (text == "" || text == "..") {
		return from, to, true
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, t.AddDate(0, 0, 1), true
	}
	t, err := time.Parse(time.RFC3339, text)
	return t, t.Truncate(time.Second).Add(time.Second), err == nil
}

// durations are those of RFC 3339, appendix A. The standard does not name them, but its official test suite sends them.
var durations = regexp.MustCompile(`^P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?` +
	`(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$`)

// addDuration returns the moment after a duration such as P1M2DT3H. It returns false for one that is empty or malformed.
func addDuration(t time.Time, duration string) (time.Time, bool) {
	parts := durations.FindStringSubmatch(duration)
	if parts == nil || strings.Trim(duration, "PT") == "" {
		return t, false
	}
	var n [8]int
	for i, text := range parts[1:] {
		n[i], _ = strconv.Atoi(text) // "" is 0
	}
	clock := time.Duration(n[4])*time.Hour + time.Duration(n[5])*time.Minute + time.Duration(n[6])*time.Second
	return t.AddDate(n[0], n[1], 7*n[2]+n[3]).Add(clock), true
}

// days returns the first and the last day, 0 for an open end.
func (p period) days() (first, last site.Date) {
	from, to, _ := p.bounds()
	if !from.IsZero() {
		from = from.UTC()
		first = site.DateOf(from.Year(), int(from.Month()), from.Day())
	}
	if !to.IsZero() {
		to = to.UTC().Add(-time.Nanosecond)
		last = site.DateOf(to.Year(), int(to.Month()), to.Day())
	}
	return first, last
}
