// Package items reads the objects of a list in a JSON file one after the other,
// as authorities publish GeoJSON: memory does not grow with the file, even when it
// is a single line of hundreds of megabytes. What an object means is the parser's
// business.
package items

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Bounds of what is held in memory.
const (
	MaxItem   = 1 << 20  // bytes of one object
	maxBefore = 64 << 10 // bytes before the list
	maxNested = 64       // objects and lists in each other
)

// An Error is a file that cannot be read any further.
type Error struct {
	Name string
	Line int
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.What) }

// A Reader reads the objects of one list.
type Reader struct {
	in     *bufio.Reader
	name   string
	line   int // of the byte to come
	first  int // line of the object
	number int // of the object, the first is 1
	before []byte
	item   []byte
	ended  bool
	err    error
}

// NewReader goes to the list: the member of the file's object that has this name,
// or the file itself when list is "". name is what errors call the file.
func NewReader(in io.Reader, name, list string) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 256<<10), name: name, line: 1}
	if start, err := r.in.Peek(3); err == nil && string(start) == "\xef\xbb\xbf" {
		r.in.Discard(3)
	}
	if err := r.find(list); err != nil {
		return nil, err
	}
	return r, nil
}

// Before returns what stood before the list, without what comes after it: an
// object with the members that came first, completed so that it can be parsed; ""
// when the file is the list itself.
func (r *Reader) Before() []byte { return r.before }

// Line is the line on which the object begins, and Number its place in the list.
func (r *Reader) Line() int { return r.first }

// Number counts the objects from 1 on.
func (r *Reader) Number() int { return r.number }

// Bytes is the object as it is written, valid until the next call of Next.
func (r *Reader) Bytes() []byte { return r.item }

// Err is why Next returned false before the end of the list: an *Error or an error
// of reading.
func (r *Reader) Err() error { return r.err }

// Next goes to the next object of the list.
func (r *Reader) Next() bool {
	if r.err != nil || r.ended {
		return false
	}
	c, err := r.significant()
	if err == nil && c == ']' {
		r.ended, r.err = true, r.rest()
		return false
	}
	if err == nil && r.number > 0 {
		if c != ',' {
			err = r.fail(fmt.Sprintf("%q where the list goes on", c))
		} else {
			c, err = r.significant()
		}
	}
	if err == nil && c != '{' {
		err = r.fail(fmt.Sprintf("%q where an object of the list belongs", c))
	}
	if err == nil {
		r.first, r.item = r.line, append(r.item[:0], c)
		r.number++
		err = r.skip(&r.item, MaxItem)
	}
	r.err = err
	return err == nil
}

// rest reads to the end of the file: a file that was cut has none.
func (r *Reader) rest() error {
	for open := len(r.before) > 0; ; {
		c, err := r.significant()
		switch {
		case err != nil && open:
			return err
		case err != nil:
			if _, cut := err.(*Error); cut {
				return nil
			}
			return err
		case !open:
			return r.fail(fmt.Sprintf("%q after the end", c))
		case c == '}':
			open = false
		case c == '{' || c == '[':
			var none []byte
			if err := r.skip(&none, 0); err != nil {
				return err
			}
		case c == '"':
			if err := r.text(nil); err != nil {
				return err
			}
		}
	}
}

// find goes to the beginning of the list.
func (r *Reader) find(list string) error {
	c, err := r.significant()
	if err != nil {
		return err
	}
	if list == "" {
		if c != '[' {
			return r.fail(fmt.Sprintf("%q where a list belongs", c))
		}
		return nil
	}
	if c != '{' {
		return r.fail(fmt.Sprintf("%q where an object belongs", c))
	}
	before, member := []byte{c}, 0
	for {
		key, start := "", len(before)
		if c, err = r.significant(); err != nil {
			return err
		}
		if c == ',' && member > 0 {
			before = append(before, c)
			if c, err = r.significant(); err != nil {
				return err
			}
		}
		if c != '"' {
			return r.fail(fmt.Sprintf("no list %q", list))
		}
		name := []byte{c}
		if err := r.text(&name); err != nil {
			return err
		}
		if json.Unmarshal(name, &key) != nil {
			return r.fail("a name that is no text")
		}
		if c, err = r.significant(); err != nil {
			return err
		}
		if c != ':' {
			return r.fail("a member without a value")
		}
		if c, err = r.significant(); err != nil {
			return err
		}
		if key == list && c == '[' {
			r.before = append(bytes.TrimRight(before[:start], ","), '}')
			return nil
		}
		before = append(append(before, name...), ':', c)
		if err := r.value(c, &before); err != nil {
			return err
		}
		member++
		if len(before) > maxBefore {
			return r.fail(fmt.Sprintf("no list %q in the first %d bytes", list, maxBefore))
		}
	}
}

// value reads on to the end of the value that began with c.
func (r *Reader) value(c byte, to *[]byte) error {
	switch c {
	case '{', '[':
		return r.skip(to, maxBefore)
	case '"':
		return r.text(to)
	}
	for {
		next, err := r.in.Peek(1)
		if err != nil {
			return r.eof(err)
		}
		if next[0] == ',' || next[0] == '}' || next[0] == ']' || len(*to) > maxBefore {
			return nil
		}
		b, _ := r.byte()
		*to = append(*to, b)
	}
}

// skip reads on to the end of the object or list that has just begun.
func (r *Reader) skip(to *[]byte, limit int) error {
	for nested := 1; nested > 0; {
		c, err := r.byte()
		if err != nil {
			return err
		}
		if limit > 0 {
			*to = append(*to, c)
		}
		switch c {
		case '{', '[':
			if nested++; nested > maxNested {
				return r.fail(fmt.Sprintf("over %d objects and lists in each other", maxNested))
			}
		case '}', ']':
			nested--
		case '"':
			into := to
			if limit == 0 {
				into = nil
			}
			if err := r.text(into); err != nil {
				return err
			}
		}
		if limit > 0 && len(*to) > limit {
			return r.fail(fmt.Sprintf("object %d has over %d bytes", r.number, limit))
		}
	}
	return nil
}

// text reads on to the end of the text that has just begun; to may be nil.
func (r *Reader) text(to *[]byte) error {
	for n := 0; ; n++ {
		c, err := r.byte()
		if err != nil {
			return err
		}
		if n > MaxItem {
			return r.fail(fmt.Sprintf("a text of over %d bytes", MaxItem))
		}
		if to != nil {
			*to = append(*to, c)
		}
		switch c {
		case '"':
			return nil
		case '\\':
			if c, err = r.byte(); err != nil {
				return err
			}
			if to != nil {
				*to = append(*to, c)
			}
		}
	}
}

// significant is the next byte that is no blank.
func (r *Reader) significant() (byte, error) {
	for {
		c, err := r.byte()
		if err != nil || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, err
		}
	}
}

func (r *Reader) byte() (byte, error) {
	c, err := r.in.ReadByte()
	if err != nil {
		return 0, r.eof(err)
	}
	if c == '\n' {
		r.line++
	}
	return c, nil
}

func (r *Reader) eof(err error) error {
	if err == io.EOF {
		return r.fail("the file ends in the middle")
	}
	return err
}

func (r *Reader) fail(what string) error { return &Error{r.name, r.line, what} }
