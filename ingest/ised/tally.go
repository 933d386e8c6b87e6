package ised

import (
	"fmt"

	"relais/ingest/source"
)

// shiftedColumns is the reader's reason for a row with fields in the wrong columns.
const shiftedColumns = "shifted columns"

// A tally counts the rows of a licensee.
type tally struct{ rows, shifted, line int } // line: the first shifted row

// tallies are the tallies by licensee's name as written. In a shifted row that may be a
// person's name, so names are never shown.
type tallies map[string]*tally

// add counts a row, which may be shifted but not broken.
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

// fewRows is less than any licensee's complete upload.
const fewRows = 10

// warning describes the licensees that lose most of their rows, "" if it finds none: the
// test for shifted columns may misread one of their columns.
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
