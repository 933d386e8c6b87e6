package source

import (
	"cmp"
	"slices"
	"strings"
)

// A Report is the account of one input: every row is served or rejected.
type Report struct {
	Path     string         `json:"path"`
	Kind     string         `json:"kind"`
	Rows     int            `json:"rows"`
	Served   int            `json:"served"`
	Rejected map[string]int `json:"rejected"`
	Examples []Example      `json:"examples,omitempty"`
	// Unknown are the most frequent operator names that no operator of the table
	// is called by. Where a row names several operators, it need not be rejected.
	Unknown []Spelling `json:"unknownOperators,omitempty"`
	Kept    bool       `json:"kept,omitempty"` // read from the data folder's sources
	Warning string     `json:"warning,omitempty"`
	// Date is the day that the input is of, YYYY-MM-DD; "" when the parser dates all
	// inputs together, or none.
	Date    string `json:"date,omitempty"`
	Edition `json:"-"`
	// Lacks are the columns that the input does not have, or that are empty in every row,
	// of those that would matter.
	Lacks []Lack `json:"-"`
}

// NewReport starts the account of an input.
func NewReport(f *Found) *Report {
	return &Report{Path: f.Name(), Kind: f.Kind.Name, Rejected: map[string]int{}}
}

// An Edition says by what a later edition of an input is known: days as YYYY-MM-DD, ""
// where the input does not state them.
type Edition struct {
	Named  string `json:"named,omitempty"`  // in the input's name
	Newest string `json:"newest,omitempty"` // of its newest row
	// Floor is the day that the rows of a later edition reach at least, although some
	// rows of this one may be gone.
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

// Add counts a name; there are at most so many different ones.
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

// RejectAt counts a row as not served, for a reason.
func (r *Report) RejectAt(line int, reason string) {
	r.Rejected[reason]++
	if r.Rejected[reason] <= examplesEach {
		r.Examples = append(r.Examples, Example{line, reason})
	}
}

// RejectMany counts n rows as not served whose lines are no longer known.
func (r *Report) RejectMany(n int, reason string) {
	if n > 0 {
		r.Rejected[reason] += n
	}
}

// Settle fills in how many rows were served: those that were not rejected.
func (r *Report) Settle() {
	r.Served = r.Rows
	for _, n := range r.Rejected {
		r.Served -= n
	}
}
