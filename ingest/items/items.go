// Package items reads the objects of a list in a JSON file, such as GeoJSON, one by one.
// Memory does not grow with the file, even if it is a single line of hundreds of megabytes.
// It does not know what objects mean.
package items

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of what is held in memory.
const (
	MaxItem   = 1 << 20     // bytes of one object
	maxBefore = 64 << 10    // bytes before the list
	maxValue  = 8 * MaxItem // bytes of any element or text: a larger one ends the reading
	maxDepth  = 10000       // of a value that is skipped, as package json has it for one that is kept
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
	in       source
	json     *json.Decoder
	name     string
	list     string
	itemLine int // line of the object
	before   []byte
	item     json.RawMessage
	broken   string
	ended    bool
	path     *pathReader // nil for one list
	err      error
}

// NewReader advances to the list: the member of the file's object with this name, or the
// file itself if list is "". name is the file's name in errors.
func NewReader(in io.Reader, name, list string) (*Reader, error) {
	r := &Reader{in: source{in: withoutMark(in), left: maxValue}, name: name, list: list}
	r.json = json.NewDecoder(&r.in)
	if err := r.findList(); err != nil {
		return nil, r.failed(err)
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

// Broken returns why the element was skipped, "" if it was not: it is not an object, or too large.
func (r *Reader) Broken() string { return r.broken }

// Err returns why Next stopped before the end of the list: an *Error or an error of reading.
func (r *Reader) Err() error { return r.err }

// Next advances to the next element of the list.
func (r *Reader) Next() bool {
	if r.err != nil || r.ended {
		return false
	}
	if !r.advance() {
		r.ended = true
		return false
	}
	if err := r.json.Decode(&r.item); err != nil {
		r.err = r.failed(err)
		return false
	}
	r.itemLine, r.broken = r.line()-bytes.Count(r.item, newline), ""
	switch {
	case r.item[0] != '{':
		r.broken = "not an object"
	case len(r.item) > MaxItem && r.path == nil: // at most maxValue
		r.broken = fmt.Sprintf("over %d bytes", MaxItem)
	}
	if r.broken != "" {
		r.item = nil
	}
	return true
}

// advance reads up to the next element, and reports whether there is one.
func (r *Reader) advance() bool {
	if r.path != nil {
		err := r.path.next()
		if err != nil && err != errNoMore {
			r.err = r.failed(err)
		}
		return err == nil
	}
	if r.in.left = maxValue; r.json.More() {
		return true
	}
	r.err = r.failed(r.readRest())
	return false
}

// findList advances to the beginning of the list, and keeps the members before it.
func (r *Reader) findList() error {
	if r.list == "" {
		return r.begin('[', "a list")
	}
	if err := r.begin('{', "an object"); err != nil {
		return err
	}
	r.before = []byte{'{'}
	for r.json.More() {
		key, err := r.json.Token()
		if err != nil {
			return err
		}
		if key == r.list {
			r.before = append(bytes.TrimRight(r.before, ","), '}')
			return r.begin('[', "a list")
		}
		var value json.RawMessage
		if err := r.json.Decode(&value); err != nil {
			return err
		}
		name, err := json.Marshal(key)
		if err != nil {
			return err
		}
		r.before = append(append(append(append(r.before, name...), ':'), value...), ',')
		if len(r.before) > maxBefore {
			return r.fail("no list %q in the first %d bytes", r.list, maxBefore)
		}
	}
	return r.fail("no list %q", r.list)
}

// begin reads the beginning of a list or an object.
func (r *Reader) begin(c json.Delim, what string) error {
	token, err := r.json.Token()
	if err == nil && token != c {
		return r.fail("it is not %s", what)
	}
	return err
}

// readRest reads to the end of the file, to detect a cut file. A second list of the same name
// is an error: other programs would read that one.
func (r *Reader) readRest() error {
	if _, err := r.json.Token(); err != nil { // the end of the list
		return err
	}
	if r.list != "" {
		if err := r.readMembers(); err != nil {
			return err
		}
	}
	switch _, err := r.json.Token(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return r.fail("something follows the end")
}

// readMembers reads to the end of the file's object.
func (r *Reader) readMembers() error {
	for r.json.More() {
		key, err := r.json.Token()
		if err == nil && key == r.list {
			return r.fail("a second %q", key)
		}
		if err == nil {
			err = r.skip()
		}
		if err != nil {
			return err
		}
	}
	_, err := r.json.Token()
	return err
}

// skip reads a value without keeping it.
func (r *Reader) skip() error {
	for depth, first := 0, true; first || depth > 0; first = false {
		r.in.left = maxValue
		token, err := r.json.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return r.fail("exceeded max depth")
		}
	}
	return nil
}

// line returns the line up to which values were read.
func (r *Reader) line() int {
	var ahead lines
	io.Copy(&ahead, r.json.Buffered()) // never fails
	return 1 + int(r.in.lines-ahead)
}

// fail returns an error about what comes next.
func (r *Reader) fail(what string, args ...any) error {
	ahead, _ := io.ReadAll(r.json.Buffered()) // never fails
	between := ahead[:len(ahead)-len(bytes.TrimLeft(ahead, ", \t\r\n"))]
	return &Error{r.name, r.line() + bytes.Count(between, newline), fmt.Sprintf(what, args...)}
}

// failed returns the error for the user.
func (r *Reader) failed(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return r.fail("it is not JSON: %v", err)
	}
	switch {
	case errors.Is(err, errLarge):
		return r.fail("%v", err)
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return &Error{r.name, 1 + int(r.in.lines), "the file ends in the middle"}
	}
	return err
}

// A source counts lines, and ends before a value that does not fit into memory.
type source struct {
	in    io.Reader
	left  int // bytes that may be read until the next value
	lines lines
}

var (
	errLarge = fmt.Errorf("a value of over %d bytes", maxValue)
	newline  = []byte{'\n'}
)

func (s *source) Read(b []byte) (n int, err error) {
	if s.left <= 0 {
		return 0, errLarge
	}
	n, err = s.in.Read(b[:min(len(b), s.left)])
	s.left -= n
	s.lines.Write(b[:n])
	return n, err
}

// lines are the ends of lines that were written.
type lines int

func (l *lines) Write(b []byte) (int, error) {
	*l += lines(bytes.Count(b, newline))
	return len(b), nil
}

// withoutMark returns a reader without a byte order mark.
func withoutMark(in io.Reader) io.Reader {
	r := bufio.NewReaderSize(in, 64<<10)
	if start, err := r.Peek(3); err == nil && string(start) == "\xef\xbb\xbf" {
		r.Discard(3)
	}
	return r
}
