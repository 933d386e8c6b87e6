package table

import (
	"bytes"
	"unicode/utf8"
)

// record reads one record into fields and tells whether it did; where it
// did not, err may say why.
func (r *Reader) record() bool {
	for {
		// No more is looked at than a record may have, so that a line that is no
		// record costs no more than its length allows.
		b := r.buf[r.pos:min(r.end, r.pos+MaxRecord)]
		n, lines, st := r.split(b)
		switch {
		case st == whole:
			r.take(n, lines)
			return true
		case st == strayQuote:
			return r.broken()
		case !r.eof && r.end-r.pos < MaxRecord:
			if r.fill() != nil {
				return false
			}
		case len(b) == MaxRecord:
			return r.broken() // a record of over 64 KiB, unless its first line is
		case st == inQuotes:
			r.fail(r.line, "the file ends inside a quoted field that begins in this record: it was cut short")
			return false
		default:
			return r.last(n)
		}
	}
}

// take accepts the first n bytes of the buffer as the record.
func (r *Reader) take(n, lines int) {
	rec := r.buf[r.pos : r.pos+n]
	r.pos += n
	r.next += lines
	r.latin1 = !utf8.Valid(rec)
	if r.latin1 && r.opt.UTF8 {
		r.fail(r.line, "a byte that is not UTF-8; this file is published in UTF-8, so it was converted or damaged on its way")
	}
}

// last accepts what stands behind the last line feed.
func (r *Reader) last(n int) bool {
	if n == 0 {
		r.pos = r.end
		return false
	}
	if r.width > 0 && len(r.fields) < r.width && !r.empty() {
		r.fail(r.line, "the file ends in the middle of a record: it was cut short")
		return false
	}
	r.take(n, 1)
	r.unended = r.line > 1
	return true
}

// broken takes the first line of the buffer as a record without fields that
// anyone wants: a quote that opens and is never closed must not swallow what
// follows.
func (r *Reader) broken() bool {
	n := bytes.IndexByte(r.buf[r.pos:r.end], '\n') + 1
	if n == 0 {
		r.fail(r.line, "a line of over 64 KiB: this is no table of the kind")
		return false
	}
	r.take(n, 1)
	r.fields, r.stray = append(r.fields[:0], []byte("broken quote")), true
	return true
}

// A state is how far split came.
type state int

const (
	whole      state = iota // a record with its line feed
	inLine                  // the bytes end in a line
	inQuotes                // the bytes end in a quoted field
	strayQuote              // a quoted field goes on for too many lines
)

// split finds the fields of the first record of b. It returns the bytes and the
// line feeds that the record has.
func (r *Reader) split(b []byte) (n, lines int, st state) {
	r.fields, r.stray = r.fields[:0], false
	comma := r.opt.Comma
	if r.opt.Comment != 0 && len(b) > 0 && b[0] == r.opt.Comment { // as good as an empty line
		r.fields = append(r.fields, nil)
		if n = bytes.IndexByte(b, '\n') + 1; n > 0 {
			return n, 1, whole
		}
		return len(b), 0, inLine
	}
	for i := 0; ; {
		if i < len(b) && b[i] == '"' {
			end, feeds := quoted(b, i, r.feeds())
			if lines += feeds; lines > r.feeds() {
				return 0, 0, strayQuote
			}
			if end < 0 {
				return len(b), 0, inQuotes
			}
			start := i
			for i = end; i < len(b) && b[i] != comma && b[i] != '\n'; i++ {
			}
			r.fields = append(r.fields, unquote(b[start:i], end-start))
			r.stray = r.stray || r.opt.OneLine && len(bytes.TrimSpace(b[end:i])) > 0
		} else {
			start := i
			for i < len(b) && b[i] != comma && b[i] != '\n' {
				i++
			}
			r.fields = append(r.fields, b[start:i])
		}
		if i == len(b) {
			return i, lines, inLine
		}
		if b[i] == '\n' {
			return i + 1, lines + 1, whole
		}
		i++
	}
}

// feeds is the most line feeds that quotes may hold.
func (r *Reader) feeds() int {
	if r.opt.OneLine {
		return 0
	}
	return maxFeeds
}

// quoted returns where the quoted field that begins at b[i] ends, behind its
// closing quote, or -1, and the line feeds up to there; it stops looking when
// they are more than most.
func quoted(b []byte, i, most int) (end, feeds int) {
	for i++; ; i += 2 {
		for i < len(b) && b[i] != '"' {
			if b[i] == '\n' {
				if feeds++; feeds > most {
					return -1, feeds
				}
			}
			i++
		}
		if i >= len(b) {
			return -1, feeds
		}
		if i+1 >= len(b) || b[i+1] != '"' {
			return i + 1, feeds
		}
	}
}

// unquote takes the quotes off a field whose closing quote ends at end; what
// stands behind it, against the rules, is kept. It leaves f as it is.
func unquote(f []byte, end int) []byte {
	in, rest := f[1:end-1], f[end:]
	if len(rest) == 0 && bytes.IndexByte(in, '"') < 0 {
		return in
	}
	in = bytes.ReplaceAll(in, []byte(`""`), []byte(`"`))
	return append(in, rest...)
}
