package source

// A Report is the account of one input: every row is served or rejected.
type Report struct {
	Path     string         `json:"path"`
	Kind     string         `json:"kind"`
	Rows     int            `json:"rows"`
	Served   int            `json:"served"`
	Rejected map[string]int `json:"rejected"`
	Examples []Example      `json:"examples,omitempty"`
	Kept     bool           `json:"kept,omitempty"` // read from the data folder's sources
	Warning  string         `json:"warning,omitempty"`
}

// An Example is one of the first rows that were rejected for a reason.
type Example struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// examplesEach is how many examples each reason gets.
const examplesEach = 3

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
