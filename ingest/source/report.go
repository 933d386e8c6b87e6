package source

import (
	"cmp"
	"slices"
	"strings"
)

// A Report counts the rows of one input: every row is served or rejected.
type Report struct {
	Path     string         `json:"path"`
	Kind     string         `json:"kind"`
	Rows     int            `json:"rows"`
	Served   int            `json:"served"`
	Rejected map[string]int `json:"rejected"`
	// Unused are those of Rejected that nothing is wrong with: their rows are about what the market
	// does not have, such as another territory, or a commune without a site.
	Unused   map[string]int `json:"unused,omitempty"`
	Examples []Example      `json:"examples,omitempty"`
	// Unknown are the most frequent unknown operator names. A row with several operators
	// may be served although one is unknown.
	Unknown []Spelling `json:"unknownOperators,omitempty"`
	Kept    bool       `json:"kept,omitempty"` // read from the data folder's sources
	Warning string     `json:"warning,omitempty"`
	// Campaign is the id of the campaign of measurements that an authority published, and Became what became of it.
	Campaign string `json:"campaign,omitempty"`
	Became   string `json:"became,omitempty"`
	// Date is the date of the input, YYYY-MM-DD; "" if the parser does not date inputs
	// separately.
	Date    string `json:"date,omitempty"`
	Edition `json:"-"`
	// Lacks are the notable columns that are missing or empty in every row.
	Lacks   []Lack  `json:"-"`
	Columns Columns `json:"-"`
	odd     []oddValues
}

// NewReport returns an empty report on an input.
func NewReport(f *Found) *Report {
	return &Report{Path: f.Name(), Kind: f.Kind.Name, Rejected: map[string]int{}}
}

// An Edition has the days that distinguish editions of an input, as YYYY-MM-DD; "" if the
// input does not state them.
type Edition struct {
	Named  string `json:"named,omitempty"`  // in the input's name
	Newest string `json:"newest,omitempty"` // of its newest row
	// Floor is the least newest day of a later edition, which may lack some rows of this
	// one.
	Floor string `json:"floor,omitempty"`
}

// A Spelling is a name as the source writes it.
type Spelling struct {
	Name string `json:"name"` // its first characters
	Rows int    `json:"rows"`
}

// Spellings counts names.
type Spellings map[string]int

// Bounds of Spellings.
const (
	spellingsKnown = 10000
	spellingLength = 80
	spellingsShown = 3
)

// Add counts a name. The number of different names is bounded.
func (s Spellings) Add(name string) {
	if len(name) > spellingLength {
		name = strings.ToValidUTF8(name[:spellingLength], "") + "…"
	}
	if _, known := s[name]; known || len(s) < spellingsKnown {
		s[name]++
	}
}

// Top returns the most frequent names.
func (s Spellings) Top() []Spelling {
	var list []Spelling
	for name, n := range s {
		list = append(list, Spelling{name, n})
	}
	slices.SortFunc(list, func(a,
		b Spelling) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), spellingsShown)]
}

// An Example is one of the first rows that were rejected for a reason.
type Example struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// examplesEach is how many examples each reason gets.
const examplesEach = 3

// Unended is the warning of a table whose last line has no line end.
const Unended = "the last line has no line end: the file may have been cut short"

// Warn adds to the warning.
func (r *Report) Warn(text string) {
	if r.Warning != "" {
		r.Warning += "; "
	}
	r.Warning += text
}

// RejectAt counts a row as rejected for a reason.
func (r *Report) RejectAt(line int, reason string) {
	r.Rejected[reason]++
	if r.Rejected[reason] <= examplesEach {
		r.Examples = append(r.Examples, Example{line, reason})
	}
}

// RejectMany counts n rows as rejected; their lines are unknown.
func (r *Report) RejectMany(n int, reason string) {
	if n > 0 {
		r.Rejected[reason] += n
	}
}

// NoteUnused sets Unused to those of the rejected rows whose reason is one of an unused row.
func (r *Report) NoteUnused(isUnused func(reason string) bool) {
	r.Unused = nil
	for reason, n := range r.Rejected {
		if !isUnused(reason) {
			continue
		}
		if r.Unused == nil {
			r.Unused = map[string]int{}
		}
		r.Unused[reason] = n
	}
}

// Sum returns the sum of counts by reason.
func Sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// CountServed sets Served to the number of rows that were not rejected.
func (r *Report) CountServed() {
	r.Served = r.Rows
	for _, n := range r.Rejected {
		r.Served -= n
	}
}
