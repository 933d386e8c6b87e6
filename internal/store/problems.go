package store

import (
	"errors"
	"fmt"
)

// Problems are the errors that a check finds: the first ten, and how many more there are.
type Problems struct {
	first []error
	more  int
}

const maxProblems = 10

// Add takes an error, and leaves out nil.
func (p *Problems) Add(err error) {
	switch {
	case err == nil:
	case len(p.first) < maxProblems:
		p.first = append(p.first, err)
	default:
		p.more++
	}
}

// Err joins them; it is nil without problems.
func (p *Problems) Err() error {
	if p.more > 0 {
		return errors.Join(append(p.first, fmt.Errorf("and %d more", p.more))...)
	}
	return errors.Join(p.first...)
}
