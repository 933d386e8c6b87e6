package ised

import (
	"fmt"

	"relais/ingest/source"
)

// shiftedColumns is what the reader calls a row with fields under other names than
// theirs.
const shiftedColumns = "shifted columns"

// A tally counts the rows of a licensee.
type tally struct{ rows, shifted, line int } // line: the first that is shifted

// tallies are by the licensee's name as written. Of a shifted row that may be
// somebody's, so that no name is ever told.
type tallies map[string]*tally

// add takes in a row that is whole, or shifted.
func (all tallies) add(r *source.Reader, shifted bool) {
	name := r.Field(colLicensee)
	t := all[string(name)]
	if t == nil {
		if !cacheable(len(all), name) {
			return
		}
		t = &tally{}
		all[string(name)] = t
	}
	t.rows++
	if shifted {
		if t.shifted++; t.shifted == 1 {
			t.line = r.Line()
		}
	}
}

// fewRows are no licensee's whole upload.
const fewRows = 10

// warning tells of the licensees that lose most of their rows, "" when there are none:
// what they write in some column may have been mistaken for another one's.
func (all tallies) warning() string {
	licensees, rows, shifted, line := 0, 0, 0, 0
	for _, t := range all {
		if t.rows < fewRows || 2*t.shifted <= t.rows {
			continue
		}
		if licensees++; line == 0 || t.line < line {
			line = t.line
		}
		rows, shifted = rows+t.rows, shifted+t.shifted
	}
	if licensees == 0 {
		return ""
	}
	return fmt.Sprintf("most rows of %d licensees have shifted columns, %d of %d, the first on line %d", licensees,
		shifted, rows, line)
}
