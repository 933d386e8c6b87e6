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
	maxBefore = 64 << 10 // bytes before the list, and of a name behind it
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
	list   string
	line   int // of the byte to come
	first  int // line of the object
	number int // of the object, the first is 1
	before []byte
	item   []byte
	broken string
	ended  bool
	err    error
}

// NewReader goes to the list: the member of the file's object that has this name,
// or the file itself when list is "". name is what errors call the file.
func NewReader(in io.Reader, name, list string) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 256<<10), name: name, list: list, line: 1}
	if start, err := r.in.Peek(3); err == nil && string(start) == "\xef\xbb\xbf" {
		r.in.Discard(3)
	}
	if err := r.find(); err != nil {
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

// Bytes is the object as it is written, valid until the next call of Next; empty when
// it is broken.
func (r *Reader) Bytes() []byte { return r.item }

// Broken says why the object was passed over, "" when it was not: it is none, too large
// or too deeply nested.
func (r *Reader) Broken() string { return r.broken }

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
	if err == nil {
		err = r.element(c)
	}
	r.err = err
	return err == nil
}

// element reads the element of the list that began with c.
func (r *Reader) element(c byte) error {
	to := buffer{bytes: append(r.item[:0], c), limit: MaxItem}
	r.first, r.broken = r.line, ""
	r.number++
	if err := r.value(c, &to); err != nil {
		return err
	}
	r.item = to.bytes
	switch {
	case c != '{':
		r.broken = "not an object"
	case to.nested > maxNested:
		r.broken = fmt.Sprintf("over %d objects and lists in each other", maxNested)
	case to.over:
		r.broken = fmt.Sprintf("over %d bytes", MaxItem)
	}
	if r.broken != "" {
		r.item = r.item[:0]
	}
	return nil
}

// rest reads to the end of the file: a file that was cut has none. A second list of
// the name is one that a reader of the whole file would take instead of the first.
func (r *Reader) rest() error {
	if len(r.before) > 0 {
		if err := r.members(); err != nil {
			return err
		}
	}
	c, err := r.significant()
	if err == nil {
		return r.fail(fmt.Sprintf("%q after the end", c))
	}
	if _, ended := err.(*Error); ended {
		return nil
	}
	return err
}

// members reads to the end of the file's object.
func (r *Reader) members() error {
	for {
		c, err := r.significant()
		switch {
		case err != nil:
			return err
		case c == '}':
			return nil
		case c != ',':
			return r.fail(fmt.Sprintf("%q where the object goes on", c))
		}
		if c, err = r.significant(); err != nil {
			return err
		}
		if c != '"' {
			return r.fail(fmt.Sprintf("%q where a name belongs", c))
		}
		to := buffer{limit: maxBefore}
		key, err := r.member(&to)
		if err != nil {
			return err
		}
		if key == r.list {
			return r.fail(fmt.Sprintf("a second %q", key))
		}
		if c, err = r.significant(); err != nil {
			return err
		}
		if err := r.value(c, &buffer{}); err != nil {
			return err
		}
	}
}

// member reads the name that has just begun, and the colon behind it.
func (r *Reader) member(to *buffer) (key string, err error) {
	name := buffer{bytes: []byte{'"'}, limit: to.limit}
	if err := r.text(&name); err != nil {
		return "", err
	}
	if name.over || json.Unmarshal(name.bytes, &key) != nil {
		return "", r.fail("a name that is no text")
	}
	c, err := r.significant()
	if err != nil {
		return "", err
	}
	if c != ':' {
		return "", r.fail("a member without a value")
	}
	to.bytes = append(append(to.bytes, name.bytes...), ':')
	return key, nil
}

// find goes to the beginning of the list.
func (r *Reader) find() error {
	c, err := r.significant()
	if err != nil {
		return err
	}
	if r.list == "" {
		if c != '[' {
			return r.fail(fmt.Sprintf("%q where a list belongs", c))
		}
		return nil
	}
	if c != '{' {
		return r.fail(fmt.Sprintf("%q where an object belongs", c))
	}
	before := buffer{bytes: []byte{c}, limit: maxBefore}
	for member := 0; ; member++ {
		start := len(before.bytes)
		if c, err = r.significant(); err != nil {
			return err
		}
		if c == ',' && member > 0 {
			before.bytes = append(before.bytes, c)
			if c, err = r.significant(); err != nil {
				return err
			}
		}
		if c != '"' {
			return r.fail(fmt.Sprintf("no list %q", r.list))
		}
		key, err := r.member(&before)
		if err != nil {
			return err
		}
		if c, err = r.significant(); err != nil {
			return err
		}
		if key == r.list && c == '[' {
			r.before = append(bytes.TrimRight(before.bytes[:start], ","), '}')
			return nil
		}
		before.add(c)
		if err := r.value(c, &before); err != nil {
			return err
		}
		switch {
		case before.over:
			return r.fail(fmt.Sprintf("no list %q in the first %d bytes", r.list, maxBefore))
		case before.nested > maxNested:
			return r.fail(fmt.Sprintf("over %d objects and lists in each other", maxNested))
		}
	}
}

// A buffer holds what was read, up to a limit.
type buffer struct {
	bytes  []byte
	limit  int
	over   bool
	nested int // the most objects and lists in each other that were in it
}

func (b *buffer) add(c byte) {
	if len(b.bytes) >= b.limit {
		b.over = true
		return
	}
	b.bytes = append(b.bytes, c)
}

// value reads on to the end of the value that began with c.
func (r *Reader) value(c byte, to *buffer) error {
	switch c {
	case '{', '[':
		return r.skip(to)
	case '"':
		return r.text(to)
	}
	if !plain(c) {
		return r.fail(fmt.Sprintf("%q where a value belongs", c))
	}
	for {
		next, err := r.in.Peek(1)
		if err != nil {
			return r.eof(err)
		}
		if !plain(next[0]) {
			return nil
		}
		r.in.Discard(1)
		to.add(next[0])
	}
}

// plain tells whether c may be in a number, true, false or null.
func plain(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// skip reads on to the end of the object or list that has just begun.
func (r *Reader) skip(to *buffer) error {
	for nested := 1; nested > 0; {
		to.nested = max(to.nested, nested)
		c, err := r.byte()
		if err != nil {
			return err
		}
		to.add(c)
		switch c {
		case '{', '[':
			nested++
		case '}', ']':
			nested--
		case '"':
			if err := r.text(to); err != nil {
				return err
			}
		}
	}
	return nil
}

// text reads on to the end of the text that has just begun.
func (r *Reader) text(to *buffer) error {
	for {
		c, err := r.byte()
		if err != nil {
			return err
		}
		to.add(c)
		switch c {
		case '"':
			return nil
		case '\\':
			if c, err = r.byte(); err != nil {
				return err
			}
			to.add(c)
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
