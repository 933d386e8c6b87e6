// Package items reads the objects of a list in a JSON file, such as GeoJSON, one by one.
// Memory does not grow with the file, even if it is a single line of hundreds of megabytes.
// It does not know what objects mean.
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
	maxBefore = 64 << 10 // bytes before the list, and of a name after it
	maxNested = 64       // depth of objects and lists
)

// An Error ends the reading of a file.
type Error struct {
	Name string
	Line int
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.What) }

// A Reader reads the objects of one list.
type Reader struct {
	in       *bufio.Reader
	name     string
	list     string
	line     int // of the next byte
	itemLine int // line of the object
	number   int // of the object, from 1
	before   []byte
	item     []byte
	broken   string
	ended    bool
	err      error
}

// NewReader advances to the list: the member of the file's object with this name, or the
// file itself if list is "". name is the file's name in errors.
func NewReader(in io.Reader, name, list string) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 256<<10), name: name, list: list, line: 1}
	if start, err := r.in.Peek(3); err == nil && string(start) == "\xef\xbb\xbf" {
		r.in.Discard(3)
	}
	if err := r.findList(); err != nil {
		return nil, err
	}
	return r, nil
}

// Before returns an object with the members before the list; "" if the file is the list.
func (r *Reader) Before() []byte { return r.before }

// Line returns the line on which the object begins.
func (r *Reader) Line() int { return r.itemLine }

// Bytes returns the object as written, valid until the next call of Next; empty if it is
// broken.
func (r *Reader) Bytes() []byte { return r.item }

// Broken returns why the element was skipped, "" if it was not: it is not an object, too
// large or too deeply nested.
func (r *Reader) Broken() string { return r.broken }

// Err returns why Next stopped before the end of the list: an *Error or an error of reading.
func (r *Reader) Err() error { return r.err }

// Next advances to the next element of the list.
func (r *Reader) Next() bool {
	if r.err != nil || r.ended {
		return false
	}
	c, err := r.nextByte()
	if err == nil && c == ']' {
		r.ended, r.err = true, r.readRest()
		return false
	}
	if err == nil && r.number > 0 {
		if c != ',' {
			err = r.fail(fmt.Sprintf("%q where the list goes on", c))
		} else {
			c, err = r.nextByte()
		}
	}
	if err == nil {
		err = r.readElement(c)
	}
	r.err = err
	return err == nil
}

// readElement reads the element of the list that begins with c.
func (r *Reader) readElement(c byte) error {
	to := buffer{bytes: append(r.item[:0], c), limit: MaxItem}
	r.itemLine, r.broken = r.line, ""
	r.number++
	if err := r.readValue(c, &to); err != nil {
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

// readRest reads to the end of the file, to detect a cut file. A second list of the same name
// is an error: other programs would read that one.
func (r *Reader) readRest() error {
	if len(r.before) > 0 {
		if err := r.readMembers(); err != nil {
			return err
		}
	}
	c, err := r.nextByte()
	if err == nil {
		return r.fail(fmt.Sprintf("%q after the end", c))
	}
	if _, ended := err.(*Error); ended {
		return nil
	}
	return err
}

// readMembers reads to the end of the file's object.
func (r *Reader) readMembers() error {
	for {
		c, err := r.nextByte()
		switch {
		case err != nil:
			return err
		case c == '}':
			return nil
		case c != ',':
			return r.fail(fmt.Sprintf("%q where the object goes on", c))
		}
		if c, err = r.nextByte(); err != nil {
			return err
		}
		if c != '"' {
			return r.fail(fmt.Sprintf("%q where a name belongs", c))
		}
		to := buffer{limit: maxBefore}
		key, err := r.readName(&to)
		if err != nil {
			return err
		}
		if key == r.list {
			return r.fail(fmt.Sprintf("a second %q", key))
		}
		if c, err = r.nextByte(); err != nil {
			return err
		}
		if err := r.readValue(c, &buffer{}); err != nil {
			return err
		}
	}
}

// readName reads the rest of a name and the colon after it.
func (r *Reader) readName(to *buffer) (key string, err error) {
	name := buffer{bytes: []byte{'"'}, limit: to.limit}
	if err := r.readText(&name); err != nil {
		return "", err
	}
	if name.over || json.Unmarshal(name.bytes, &key) != nil {
		return "", r.fail("a name that is not text")
	}
	c, err := r.nextByte()
	if err != nil {
		return "", err
	}
	if c != ':' {
		return "", r.fail("a member without a value")
	}
	to.bytes = append(append(to.bytes, name.bytes...), ':')
	return key, nil
}

// findList advances to the beginning of the list.
func (r *Reader) findList() error {
	c, err := r.nextByte()
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
		if c, err = r.nextByte(); err != nil {
			return err
		}
		if c == ',' && member > 0 {
			before.bytes = append(before.bytes, c)
			if c, err = r.nextByte(); err != nil {
				return err
			}
		}
		if c != '"' {
			return r.fail(fmt.Sprintf("no list %q", r.list))
		}
		key, err := r.readName(&before)
		if err != nil {
			return err
		}
		if c, err = r.nextByte(); err != nil {
			return err
		}
		if key == r.list && c == '[' {
			r.before = append(bytes.TrimRight(before.bytes[:start], ","), '}')
			return nil
		}
		before.add(c)
		if err := r.readValue(c, &before); err != nil {
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

// A buffer collects bytes up to a limit.
type buffer struct {
	bytes  []byte
	limit  int
	over   bool
	nested int // greatest depth of objects and lists
}

func (b *buffer) add(c byte) {
	if len(b.bytes) >= b.limit {
		b.over = true
		return
	}
	b.bytes = append(b.bytes, c)
}

// readValue reads the rest of the value that begins with c.
func (r *Reader) readValue(c byte, to *buffer) error {
	switch c {
	case '{', '[':
		return r.skip(to)
	case '"':
		return r.readText(to)
	}
	if !isLiteralByte(c) {
		return r.fail(fmt.Sprintf("%q where a value belongs", c))
	}
	for {
		next, err := r.in.Peek(1)
		if err != nil {
			return r.eof(err)
		}
		if !isLiteralByte(next[0]) {
			return nil
		}
		r.in.Discard(1)
		to.add(next[0])
	}
}

// isLiteralByte reports whether c may be in a number, true, false or null.
func isLiteralByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// skip reads the rest of an object or list.
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
			if err := r.readText(to); err != nil {
				return err
			}
		}
	}
	return nil
}

// readText reads the rest of a text.
func (r *Reader) readText(to *buffer) error {
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

// nextByte returns the next byte that is not a blank.
func (r *Reader) nextByte() (byte, error) {
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
