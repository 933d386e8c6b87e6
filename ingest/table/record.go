package table

import "bytes"

// record reads one record into fields and reports whether it did. If not, err may be set.
func (r *Reader) record() bool {
	for {
		// Looking at one record's bytes at most keeps the cost of broken lines low.
		b := r.buf[r.pos:min(r.end, r.pos+MaxRecord)]
		n, lines, st := r.split(b)
		switch {
		case st == whole:
			r.accept(n, lines)
			return true
		case st == strayQuote:
			return r.acceptBroken()
		case !r.eof && r.end-r.pos < MaxRecord:
			if r.fill() != nil {
				return false
			}
		case len(b) == MaxRecord:
			return r.acceptBroken() // a record of over 64 KiB
		case st == inQuotes:
			r.fail(r.line, "the file ends inside a quoted field that begins in this record: it was cut short")
			return false
		default:
			return r.acceptLast(n)
		}
	}
}

// accept accepts the first n bytes of the buffer as the record.
func (r *Reader) accept(n, lines int) {
	rec := r.buf[r.pos : r.pos+n]
	r.pos += n
	r.next += lines
	r.latin1 = r.special > 0 && !r.valid(rec)
	if r.raw = nil; lines == 1 && !r.latin1 {
		r.raw = rec
	}
	if r.latin1 && r.opt.UTF8 {
		r.fail(r.line, "a byte that is not UTF-8; this file is published in UTF-8, so it was converted or damaged on its way")
	}
}

// acceptLast accepts the record after the last line feed.
func (r *Reader) acceptLast(n int) bool {
	if n == 0 {
		r.pos = r.end
		return false
	}
	if r.width > 0 && len(r.fields) < r.width && !r.empty() {
		r.fail(r.line, "the file ends in the middle of a record: it was cut short")
		return false
	}
	r.accept(n, 1)
	r.raw, r.unended = nil, r.line > 1
	return true
}

// acceptBroken accepts the first line of the buffer as a broken record: a quote that is
// never closed must not swallow the following records.
func (r *Reader) acceptBroken() bool {
	n := bytes.IndexByte(r.buf[r.pos:r.end], '\n') + 1
	r.repeats, r.special = 0, n // nobody has looked at the bytes
	if n == 0 {
		r.fail(r.line, "a line of over 64 KiB: this is not a table")
		return false
	}
	r.accept(n, 1)
	r.fields, r.stray = append(r.fields[:0], []byte("broken quote")), true
	return true
}

// A state is the result of split.
type state int

const (
	whole      state = iota // a record with its line feed
	inLine                  // the bytes end in a line
	inQuotes                // the bytes end in a quoted field
	strayQuote              // a quoted field goes on for too many lines
)

// split finds the fields of the first record of b. It returns the record's number of bytes
// and of line feeds.
func (r *Reader) split(b []byte) (n, lines int, st state) {
	r.fields, r.starts, r.repeats, r.stray, r.special = r.fields[:0], r.starts[:0], 0, false, 0
	if r.opt.Comment != 0 && len(b) > 0 && b[0] == r.opt.Comment { // like an empty line
		r.fields = append(r.fields, nil)
		if n = bytes.IndexByte(b, '\n') + 1; n > 0 {
			return n, 1, whole
		}
		return len(b), 0, inLine
	}
	for i := 0; ; {
		if next := r.repeat(b, i); next > i {
			if i = next; b[i-1] == '\n' {
				r.starts = append(r.starts, i)
				return i, lines + 1, whole
			}
		}
		r.starts = append(r.starts, i)
		if i < len(b) && b[i] == '"' {
			end, feeds := quoted(b, i, r.maxLineFeeds())
			if lines += feeds; lines > r.maxLineFeeds() {
				return 0, 0, strayQuote
			}
			if end < 0 {
				return len(b), 0, inQuotes
			}
			i = r.addQuoted(b, i, end)
		} else {
			i = r.addPlain(b, i)
		}
		if i == len(b) {
			r.starts = append(r.starts, i)
			return i, lines, inLine
		}
		if b[i] == '\n' {
			if b[max(i, 1)-1] == '\r' { // of the line's end
				r.special--
			}
			r.starts = append(r.starts, i+1)
			return i + 1, lines + 1, whole
		}
		i++
	}
}

// addQuoted adds the field at b[i:], whose closing quote is before end. It returns where the field ends.
func (r *Reader) addQuoted(b []byte, i, end int) int {
	start := i
	for i = end; i < len(b) && b[i] != r.opt.Comma && b[i] != '\n'; i++ {
	}
	r.special += countSpecial(b[start:i])
	r.fields = append(r.fields, unquote(b[start:i], end-start))
	r.stray = r.stray || r.opt.OneLine && len(bytes.TrimSpace(b[end:i])) > 0
	return i
}

// addPlain adds the field at b[i:], which has no quotes around it. It returns where the field ends.
func (r *Reader) addPlain(b []byte, i int) int {
	start, comma, special := i, r.opt.Comma, 0
	for ; i < len(b) && b[i] != comma && b[i] != '\n'; i++ {
		special += int(isSpecial[b[i]])
	}
	r.special += special
	r.fields = append(r.fields, b[start:i])
	return i
}

// maxLineFeeds returns the largest number of line feeds in quotes.
func (r *Reader) maxLineFeeds() int {
	if r.opt.OneLine {
		return 0
	}
	return maxFeeds
}

// quoted returns the end of the quoted field that begins at b[i], after its closing quote,
// or -1, and the number of line feeds in it. It stops after limit line feeds.
func quoted(b []byte, i, limit int) (end, feeds int) {
	for i++; ; i += 2 {
		for i < len(b) && b[i] != '"' {
			if b[i] == '\n' {
				if feeds++; feeds > limit {
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

// unquote returns a field without quotes; the closing quote is before end. It keeps text
// after the closing quote, which is against the rules. It does not change f.
func unquote(f []byte, end int) []byte {
	in, rest := f[1:end-1], f[end:]
	if len(rest) == 0 && bytes.IndexByte(in, '"') < 0 {
		return in
	}
	in = bytes.ReplaceAll(in, []byte(`""`), []byte(`"`))
	return append(in, rest...)
}
