package site

import "time"

// A Date is a day; 0 is unknown. It counts from 1 January of the year 1, which
// is day 1.
type Date int32

var epoch = time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC)

// maxDate is the last day of the year 9999.
var maxDate = DateOf(9999, 12, 31)

// DateOf returns the day, or 0 for one that does not exist.
func DateOf(year, month, day int) Date {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return 0
	}
	return Date(t.Unix()/86400 - epoch.Unix()/86400)
}

// ParseDate reads YYYY-MM-DD or DD/MM/YYYY, with or without a time behind a T
// or a blank, and returns 0 for anything else.
func ParseDate(b []byte) Date {
	if len(b) > 10 && (b[10] == 'T' || b[10] == ' ') {
		b = b[:10]
	}
	if len(b) != 10 {
		return 0
	}
	if b[4] == '-' && b[7] == '-' {
		return DateOf(number(b[0:4]), number(b[5:7]), number(b[8:10]))
	}
	if b[2] == '/' && b[5] == '/' {
		return DateOf(number(b[6:10]), number(b[3:5]), number(b[0:2]))
	}
	return 0
}

// number returns the value of digits, or -1 for other text.
func number(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// Time returns the start of the day in UTC.
func (d Date) Time() time.Time { return time.Unix(epoch.Unix()+86400*int64(d), 0).UTC() }

// String returns YYYY-MM-DD, and "" for an unknown date.
func (d Date) String() string { return string(d.Append(nil)) }

// Append appends the text of String.
func (d Date) Append(dst []byte) []byte {
	if d <= 0 || d > maxDate {
		return dst
	}
	year, month, day := d.Time().Date()
	text := [len(time.DateOnly)]byte{4: '-', 7: '-'}
	digits(text[0:4], year)
	digits(text[5:7], int(month))
	digits(text[8:10], day)
	return append(dst, text[:]...)
}

// digits writes n into dst with leading zeros.
func digits(dst []byte, n int) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
}
