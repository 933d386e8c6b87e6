package items

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// A pathReader finds the elements of nested lists. Each part of its path is the name of a member, "*" for any
// member, or "[]" for the elements of a list, which can only be last.
type pathReader struct {
	*Reader
	parts []string
	open  int      // containers of the path that are open
	names []string // of each open container: the member that was found
}

// NewPathReader reads the values at a path such as "queries/*/bindings/[]" or "items/*". What is not on the
// path is skipped. Key returns the name that "*" stood for.
func NewPathReader(in io.Reader, name, path string) (*Reader, error) {
	r := &Reader{in: source{in: withoutMark(in), left: maxValue}, name: name}
	r.json = json.NewDecoder(&r.in)
	r.json.UseNumber() // what is skipped may be any number
	parts := strings.Split(path, "/")
	r.path = &pathReader{Reader: r, parts: parts, names: make([]string, len(parts))}
	if err := r.path.enter(); err != nil {
		return nil, r.failed(err)
	}
	return r, nil
}

// Key returns the name that "*" of the path stands for.
func (r *Reader) Key() string {
	for i, part := range r.path.parts {
		if part == "*" {
			return r.path.names[i]
		}
	}
	return ""
}

// enter opens the next container of the path.
func (p *pathReader) enter() error {
	c, what := json.Delim('{'), "an object"
	if p.parts[p.open] == "[]" {
		c, what = '[', "a list"
	}
	if err := p.begin(c, what); err != nil {
		return err
	}
	p.names[p.open] = ""
	p.open++
	return nil
}

// errNoMore ends the reading of a path.
var errNoMore = errors.New("no more")

// next advances to the next value. Errors: errNoMore after the end of the file.
func (p *pathReader) next() error {
	for {
		p.in.left = maxValue
		last := p.open - 1
		switch {
		case !p.json.More():
			if _, err := p.json.Token(); err != nil { // the end of a container
				return err
			}
			if p.open--; p.open == 0 {
				return p.end()
			}
			continue
		case p.parts[last] == "[]":
			return nil
		}
		found, err := p.member(last)
		if err != nil {
			return err
		}
		switch {
		case !found:
			err = p.skip()
		case p.open == len(p.parts):
			return nil
		default:
			err = p.enter()
		}
		if err != nil {
			return err
		}
	}
}

// member reads the name of a member, and reports whether it is on the path.
func (p *pathReader) member(last int) (found bool, err error) {
	key, err := p.json.Token()
	if err != nil {
		return false, err
	}
	name, _ := key.(string)
	switch p.parts[last] {
	case "*":
		p.names[last] = name
		return true, nil
	case name:
		if p.names[last] == name {
			return false, p.fail("a second %q", name)
		}
		p.names[last] = name
		return true, nil
	}
	return false, nil
}

// end checks that nothing follows.
func (p *pathReader) end() error {
	switch _, err := p.json.Token(); {
	case err == io.EOF:
		return errNoMore
	case err != nil:
		return err
	}
	return p.fail("something follows the end")
}
