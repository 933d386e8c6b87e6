package address

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoCommune means that no commune has a code or name.
var ErrNoCommune = errors.New("no commune of the register of addresses has this code or name")

// A SeveralError means that several communes have a name.
type SeveralError struct{ Codes []string }

func (e *SeveralError) Error() string {
	return "several communes have this name: give one of their codes, " + strings.Join(e.Codes, ", ")
}

// Commune returns the name, the INSEE code and the streets of the commune with a code or name. Errors: ErrNoCommune, a
// SeveralError, those of Info.
func (s *Store) Commune(text string) (name, code string, streets []Street, err error) {
	b, err := s.open()
	if err != nil {
		return "", "", nil, err
	}
	defer b.file.Close()
	found := []int32{}
	for n := range b.entries {
		if strings.EqualFold(b.entries[n].code, text) {
			found = append(found, int32(n))
		}
	}
	if len(found) == 0 {
		if keys := townKeys(text); len(keys) > 0 {
			found = b.byName[keys[0]]
		}
	}
	switch len(found) {
	case 0:
		return "", "", nil, ErrNoCommune
	case 1:
		e := &b.entries[found[0]]
		streets, err = b.streets(found[0])
		return e.name, e.code, streets, err
	}
	several := &SeveralError{}
	for _, n := range found[:min(len(found), 10)] {
		several.Codes = append(several.Codes, fmt.Sprintf("%s (%s)", b.entries[n].code, b.entries[n].name))
	}
	return "", "", nil, several
}
