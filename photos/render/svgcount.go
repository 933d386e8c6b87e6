package render

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of an SVG. The library reads all of it into memory, draws a copy of what
// <use> names at each place, and cannot be stopped.
const (
	maxSVG      = 5 << 20 // bytes of the file
	maxElements = 100_000 // including those that <use> repeats
	maxNesting  = 256
	maxUses     = 32         // one within the other
	maxMarks    = 1_000_000  // numbers and commands of paths, also repeated
	maxText     = 64_000_000 // bytes of attributes and styles that are read, also repeated
)

// A cost is how much the library has to read.
type cost struct{ elements, marks, text int64 }

func (c *cost) add(more cost) {
	c.elements, c.marks, c.text = c.elements+more.elements, c.marks+more.marks, c.text+more.text
}

// check compares the cost with the limits. It is called at each step, so that sums do not overflow.
func (c cost) check() error {
	switch {
	case c.elements > maxElements:
		return fmt.Errorf("%w: an SVG may have %d elements, those that <use> repeats included", ErrTooLarge,
			maxElements)
	case c.marks > maxMarks:
		return fmt.Errorf("%w: the paths of an SVG may have %d numbers and commands, repeated ones included",
			ErrTooLarge, maxMarks)
	case c.text > maxText:
		return fmt.Errorf("%w: the attributes and styles of this SVG take too long to read", ErrTooLarge)
	}
	return nil
}

// A definition can be repeated by <use>: the library begins one at each id inside <defs>.
type definition struct {
	cost
	uses []string // ids
}

// An svgCounter follows the file as the library does.
type svgCounter struct {
	total    cost
	uses     []string // ids, outside of definitions
	defs     map[string][]*definition
	current  *definition // that is being read, nil for none
	inDefs   bool
	inGrad   bool
	stops    int64
	depth    int
	style    string
	inStyle  bool
	perClass int64 // cost of an element with a class
	label    int64 // bytes of the title or description so far
	inLabel  bool
}

// countSVG refuses an SVG that would take the library much memory or time.
func countSVG(data []byte) error {
	if len(data) > maxSVG {
		return fmt.Errorf("%w: an SVG may have %d MiB", ErrTooLarge, maxSVG>>20)
	}
	dec, c := scan(data), &svgCounter{defs: map[string][]*definition{}}
	for {
		t, err := dec.RawToken()
		switch {
		case err == io.EOF:
			return c.resolve()
		case err != nil:
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			err = c.start(t)
		case xml.EndElement:
			c.end(t.Name.Local)
		case xml.CharData:
			c.chars(t)
		}
		if err == nil {
			err = c.total.check()
		}
		if err != nil {
			return err
		}
	}
}

func (c *svgCounter) start(e xml.StartElement) error {
	if c.depth++; c.depth > maxNesting {
		return fmt.Errorf("%w: the elements of an SVG may be nested %d deep", ErrTooLarge, maxNesting)
	}
	id, href, own := c.read(e.Attr)
	c.total.add(own)
	tag := e.Name.Local
	gradient := tag == "radialGradient" || tag == "linearGradient"
	switch {
	case gradient:
		c.inGrad, c.stops = true, 0
	case tag == "stop":
		if c.stops++; c.stops > maxStops {
			return fmt.Errorf("%w: a gradient of an SVG may have %d stops", ErrTooLarge, maxStops)
		}
	case tag == "title", tag == "desc":
		c.inLabel, c.label = true, 0
	case tag == "style":
		c.inStyle = true
	}
	switch {
	case c.inDefs && tag == "defs":
		return errors.New("it has <defs> inside of <defs>, which is not supported: draw it as a PNG")
	case c.inDefs && !c.inGrad:
		if id != "" || c.current == nil {
			c.current = &definition{}
			c.defs[id] = append(c.defs[id], c.current)
		}
		c.current.add(own)
		if tag == "use" {
			c.current.uses = append(c.current.uses, href)
		}
	case tag == "defs":
		c.inDefs = true
	case tag == "use":
		c.uses = append(c.uses, href)
	}
	return nil
}

// read counts an element by its attributes.
func (c *svgCounter) read(attrs []xml.Attr) (id, href string, own cost) {
	own.elements = 1
	for _, a := range attrs {
		own.text += int64(len(a.Name.Local) + len(a.Value))
		switch a.Name.Local {
		case "id":
			id = a.Value
		case "href":
			href = strings.TrimPrefix(a.Value, "#")
		case "d", "points":
			own.marks += marks(a.Value)
		case "class":
			own.text += c.perClass
		}
	}
	return id, href, own
}

// marks counts the numbers, twice those with a decimal point, and the commands.
func marks(path string) (n int64) {
	inNumber := false
	for i := range len(path) {
		digit := path[i] >= '0' && path[i] <= '9'
		letter := path[i]|0x20 >= 'a' && path[i]|0x20 <= 'z'
		if letter || digit && !inNumber {
			n++
		}
		inNumber = digit
	}
	return n
}

func (c *svgCounter) end(tag string) {
	c.depth--
	switch tag {
	case "defs":
		c.inDefs, c.current = false, nil
	case "radialGradient", "linearGradient":
		c.inGrad = false
	case "title", "desc":
		c.inLabel = false
	case "style": // the library reads it once more at each end
		c.inStyle = false
		for block := range strings.SplitSeq(c.style, "}") {
			names, rules, _ := strings.Cut(block, "{")
			c.total.text += int64(len(block)) + int64(1+strings.Count(names, ","))*int64(1+strings.Count(rules, ";"))
		}
		c.perClass = int64(strings.Count(c.style, ";"))
	}
}

func (c *svgCounter) chars(text []byte) {
	if c.inStyle {
		c.style = string(text)
	}
	if c.inLabel { // the library copies it each time
		c.label += int64(len(text))
		c.total.text += c.label
	}
}

// resolve adds the costs of <use>.
func (c *svgCounter) resolve() error {
	known := map[string]cost{}
	for _, id := range c.uses {
		more, err := c.repeated(id, known, 1)
		if err != nil {
			return err
		}
		c.total.add(more)
		if err := c.total.check(); err != nil {
			return err
		}
	}
	return nil
}

// repeated returns the cost of drawing a definition; of several with one id, the highest cost.
func (c *svgCounter) repeated(id string, known map[string]cost, depth int) (most cost, err error) {
	if most, ok := known[id]; ok {
		return most, nil
	}
	if depth > maxUses {
		return most, fmt.Errorf("its <use> elements are nested more than %d deep, or one uses itself", maxUses)
	}
	for _, d := range c.defs[id] {
		sum := d.cost
		for _, used := range d.uses {
			more, err := c.repeated(used, known, depth+1)
			if err != nil {
				return most, err
			}
			sum.add(more)
			if err := sum.check(); err != nil {
				return most, err
			}
		}
		most = cost{max(most.elements, sum.elements), max(most.marks, sum.marks), max(most.text, sum.text)}
	}
	known[id] = most
	return most, nil
}
