package address

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"relais/geo"
	"relais/internal/fold"
)

// mostHeld is how many addresses the draft of an ingest holds in memory. Then it puts aside what it has.
const mostHeld = 400_000

// mostPostcodes bounds those of a commune. Paris has 21.
const mostPostcodes = 100

// scale is the number of steps in a degree that positions in files have: a step is about one metre.
const scale = 1e5

// A point is a position in steps.
type point struct{ lat, lng int32 }

func pointOf(p geo.Point) point {
	return point{int32(math.Round(p.Lat * scale)), int32(math.Round(p.Lng * scale))}
}

func (p point) degrees() geo.Point {
	return geo.Point{Lat: float64(p.lat) / scale, Lng: float64(p.lng) / scale}
}

// A draft gathers the addresses of communes, in any order, in bounded memory: what is too much goes to a scratch file,
// commune by commune.
type draft struct {
	communes   map[string]*commune
	held, most int
	scratch    *os.File
	written    int64
	aside      map[string][]section // by commune
	owner      map[string]int       // which input a commune is from
	last       *street
	lastOf     *commune
	lastName   []byte
}

// A section is a part of the scratch file.
type section struct{ at, length int64 }

// A commune is what a draft holds of a commune.
type commune struct {
	code, name string
	postcodes  []string
	streets    map[string]*street // by folded name; of hamlets after a line end, which no name has
}

type street struct {
	name     string
	hamlet   bool
	postcode int // position in the commune's list plus 1; 0: unknown
	at       []point
}

func newDraft(scratch *os.File, most int) *draft {
	return &draft{most: most, communes: map[string]*commune{}, scratch: scratch, aside: map[string][]section{}, owner: map[string]int{}}
}

// next says that another input begins: a commune is in one of them only.
func (d *draft) next() { d.last, d.lastOf = nil, nil }

// add adds an address of input i. Errors: another input has addresses of the commune; writing the scratch file failed.
func (d *draft) add(i int, code, name, postcode, streetName, hamlet []byte, at geo.Point) error {
	c := d.lastOf
	if c == nil || c.code != string(code) {
		if owner, known := d.owner[string(code)]; known && owner != i {
			return &twiceError{code: string(code), first: owner, second: i}
		} else if !known {
			d.owner[string(code)] = i
		}
		if c = d.communes[string(code)]; c == nil {
			c = &commune{code: string(code), name: string(name), streets: map[string]*street{}}
			d.communes[c.code] = c
		}
		d.last, d.lastOf = nil, c
	}
	if d.last == nil || !bytes.Equal(d.lastName, streetName) {
		d.last = c.street("", streetName, postcode, false)
		d.lastName = append(d.lastName[:0], streetName...)
	}
	p := pointOf(at)
	d.last.at = append(d.last.at, p)
	d.held++
	if len(hamlet) > 0 && !bytes.Equal(hamlet, streetName) {
		h := c.street("\n", hamlet, postcode, true)
		h.at = append(h.at, p)
		d.held++
	}
	if d.held >= d.most {
		return d.putAside()
	}
	return nil
}

// A twiceError reports a commune that two inputs have.
type twiceError struct {
	code          string
	first, second int
}

func (e *twiceError) Error() string { return "two inputs have the commune " + e.code }

// street returns the street with a name, which it makes if it is new.
func (c *commune) street(mark string, name, postcode []byte, hamlet bool) *street {
	key := mark + fold.String(string(name))
	s := c.streets[key]
	if s == nil {
		s = &street{name: string(name), hamlet: hamlet, postcode: c.postcode(string(postcode))}
		c.streets[key] = s
	}
	return s
}

func (c *commune) postcode(code string) int {
	i := slices.Index(c.postcodes, code)
	if code == "" || i < 0 && len(c.postcodes) == mostPostcodes {
		return 0
	}
	if i < 0 {
		i, c.postcodes = len(c.postcodes), append(c.postcodes, code)
	}
	return i + 1
}

// putAside writes what is held to the scratch file.
func (d *draft) putAside() error {
	w := bufio.NewWriterSize(d.scratch, 1<<16)
	var b []byte
	for code, c := range d.communes {
		b = c.append(b[:0])
		if _, err := w.Write(b); err != nil {
			return err
		}
		d.aside[code] = append(d.aside[code], section{d.written, int64(len(b))})
		d.written += int64(len(b))
	}
	clear(d.communes)
	d.held, d.last, d.lastOf = 0, nil, nil
	return w.Flush()
}

// finish calls yield with each commune, complete, in the order of the codes.
func (d *draft) finish(yield func(*commune) error) error {
	if err := d.putAside(); err != nil {
		return err
	}
	for _, code := range slices.Sorted(maps.Keys(d.aside)) {
		c := &commune{code: code, streets: map[string]*street{}}
		for _, s := range d.aside[code] {
			b := make([]byte, s.length)
			if _, err := d.scratch.ReadAt(b, s.at); err != nil {
				return err
			}
			if err := c.merge(b); err != nil {
				return err
			}
		}
		c.dropHamlets()
		if err := yield(c); err != nil {
			return err
		}
	}
	return nil
}

// dropHamlets removes hamlets that have the name of a street, which has their addresses too.
func (c *commune) dropHamlets() {
	maps.DeleteFunc(c.streets, func(key string, s *street) bool { return s.hamlet && c.streets[key[1:]] != nil })
}

// append appends the commune for merge.
func (c *commune) append(b []byte) []byte {
	b = appendText(b, c.name)
	b = binary.AppendUvarint(b, uint64(len(c.postcodes)))
	for _, p := range c.postcodes {
		b = appendText(b, p)
	}
	for _, s := range c.streets {
		b = appendText(b, s.name)
		b = binary.AppendUvarint(b, flags(s.postcode, s.hamlet))
		b = binary.AppendUvarint(b, uint64(len(s.at)))
		for _, p := range s.at {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(p.lat)), int64(p.lng))
		}
	}
	return b
}

// merge adds what append wrote.
func (c *commune) merge(b []byte) error {
	r := &reader{rest: b}
	if name := r.text(); c.name == "" {
		c.name = name
	}
	postcodes := make([]string, r.count(1))
	for i := range postcodes {
		postcodes[i] = r.text()
	}
	for len(r.rest) > 0 && !r.bad {
		name := r.text()
		postcode, hamlet := unflag(r.number())
		code, mark := "", ""
		if postcode > 0 && postcode <= len(postcodes) {
			code = postcodes[postcode-1]
		}
		if hamlet {
			mark = "\n"
		}
		s := c.street(mark, []byte(name), []byte(code), hamlet)
		for range r.count(2) {
			s.at = append(s.at, point{int32(r.signed()), int32(r.signed())})
		}
	}
	if r.bad {
		return fmt.Errorf("%s: the scratch file changed: %w", c.code, io.ErrUnexpectedEOF)
	}
	return nil
}

// middle returns the position that is nearest to the median of all. There must be one.
func middle(all []point) point {
	lats, lngs := make([]int32, len(all)), make([]int32, len(all))
	for i, p := range all {
		lats[i], lngs[i] = p.lat, p.lng
	}
	slices.Sort(lats)
	slices.Sort(lngs)
	median := point{lats[len(lats)/2], lngs[len(lngs)/2]}.degrees()
	best, least := all[0], 2.0
	for _, p := range all {
		if h := geo.Haversine(p.degrees(), median); h < least || h == least && (p.lat < best.lat || p.lat == best.lat && p.lng < best.lng) {
			best, least = p, h
		}
	}
	return best
}
