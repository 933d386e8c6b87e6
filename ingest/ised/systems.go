package ised

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"relais/ingest/source"
	"relais/internal/fold"
	"relais/site"
)

// A category of cellular licences has the usual number of its band and the band's range in
// MHz. A licence is for one band: a frequency outside the range is wrong.
type category struct {
	code     string
	band     string
	low, top float64
}

var categories = []category{
	{"CELL", "850", 824, 894},
	{"PCS", "1900", 1850, 1995},
	{"PCSG", "1900", 1850, 1995},
	{"AWS", "1700", 1695, 2200},
	{"AWS-3", "1700", 1695, 2200},
	{"BRS", "2500", 2496, 2690},
	{"MBS", "700", 698, 806},
	{"600B", "600", 614, 698},
	{"3500B", "3500", 3400, 3900},
}

func findCategory(code []byte) int {
	for i, c := range categories {
		if fold.EqualASCII(c.code, string(code)) {
			return i
		}
	}
	return -1
}

// families maps parts of technologies' names to generations, the newest first.
var families = []struct {
	part       string
	generation site.Generation
}{
	{"5g", site.G5}, {"nr", site.G5}, {"lte", site.G4}, {"hspa", site.G3}, {"umts", site.G3}, {"gsm", site.G2},
}

// A technology as published.
type technology struct {
	name       string
	generation site.Generation
}

const (
	maxTechnologies = 100
	unstated        = 0 // the technology in tables without that column
	unknown         = -1
)

// technology returns the index of a row's technology, or unknown.
func (c *country) technology(r *source.Reader) int {
	if !r.HasBound(colTechnology) {
		return unstated
	}
	raw := text(r, colTechnology)
	if i, ok := c.technologyOf[string(raw)]; ok {
		return i
	}
	i := unknown
	if g := generation(raw); g != 0 && len(c.technologies) < maxTechnologies {
		i = len(c.technologies)
		c.technologies = append(c.technologies, technology{string(raw), g})
	}
	if i != unknown || cacheable(len(c.technologyOf), raw) {
		c.technologyOf[string(raw)] = i
	}
	return i
}

// generation returns the generation of a technology, 0 if it is unknown.
func generation(raw []byte) site.Generation {
	if len(raw) > 32 || bytes.ContainsFunc(raw,
		func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return 0
	}
	name := fold.String(string(raw))
	for _, f := range families {
		if hasWordPart(name, f.part) {
			return f.generation
		}
	}
	return 0
}

// hasWordPart reports whether a part begins or ends a word of a name: "nr" is in "5gnr",
// but not in "Henry".
func hasWordPart(name, part string) bool {
	for from := 0; ; from++ {
		i := strings.Index(name[from:], part)
		if i < 0 {
			return false
		}
		from += i
		before, _ := utf8.DecodeLastRuneInString(name[:from])
		after, _ := utf8.DecodeRuneInString(name[from+len(part):])
		if !unicode.IsLetter(before) || !unicode.IsLetter(after) {
			return true
		}
	}
}

// systemNumber returns the number of a technology in a category's band. Categories of the
// same band have the same number.
func systemNumber(technology, of int) uint32 {
	if technology == unstated {
		return 0
	}
	first := slices.IndexFunc(categories, func(k category) bool { return k.band == categories[of].band })
	return uint32(technology*len(categories) + first)
}

// emission returns the name and generation of a system, "" and 0 if its technology is not
// stated.
func (c *country) emission(system uint32) (name string, g site.Generation) {
	t := c.technologies[int(system)/len(categories)]
	if t.name == "" {
		return "", 0
	}
	return t.name + " " + categories[int(system)%len(categories)].band, t.generation
}
