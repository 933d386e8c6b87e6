package table

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Authorities sort their tables, so that most fields of a record repeat those of the record before. They
// are found by comparing bytes, which is much faster than to look for their ends.

// maxMarks is how many fields, or columns, have a bit that says that they repeat.
const maxMarks = 64

// A repeatable is the last whole record of one line, split.
type repeatable struct {
	text   []byte
	fields [][]byte // none if there is no such record
	starts []int    // as in Reader
}

func (p *repeatable) forget() { p.fields = p.fields[:0] }

// remember makes the record the one that the next is compared with.
func (r *Reader) remember() {
	switch p := &r.before; {
	case len(r.fields) == 0 || r.broken != "":
	case r.raw == nil:
		p.forget()
	default:
		p.text, r.raw = r.raw, nil
		p.fields, r.fields = r.fields, p.fields
		p.starts, r.starts = r.starts, p.starts
	}
}

// repeat adds the fields from b[i] on that repeat those of the record before. It returns where the field
// after them begins, or the end of the record.
func (r *Reader) repeat(b []byte, i int) int {
	p, k := &r.before, len(r.fields)
	if k >= min(len(p.fields), maxMarks) || i == len(b) || b[i] != p.text[p.starts[k]] {
		return i
	}
	shift := i - p.starts[k]
	end := p.starts[k] + samePrefix(b[i:], p.text[p.starts[k]:])
	for ; k < min(len(p.fields), maxMarks) && p.starts[k+1] <= end; k++ {
		r.fields = append(r.fields, p.fields[k])
		r.starts = append(r.starts, p.starts[k]+shift)
		r.repeats |= 1 << k
	}
	return p.starts[k] + shift
}

// samePrefix returns how many bytes at the beginning of a and b are the same.
func samePrefix(a, b []byte) (n int) {
	a, b = a[:min(len(a), len(b))], b[:min(len(a), len(b))]
	for ; len(a)-n >= 8; n += 8 {
		if differ := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// valid reports whether a record is UTF-8. Fields that repeat those of a record of UTF-8 are.
func (r *Reader) valid(record []byte) bool {
	if r.repeats == 0 {
		return utf8.Valid(record)
	}
	for k := range r.fields {
		if r.repeats>>k&1 == 0 && !utf8.Valid(record[r.starts[k]:r.starts[k+1]]) {
			return false
		}
	}
	return true
}
