package community

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// A Subject is a fact about a site that somebody validates.
type Subject string

// The subjects.
const (
	Exists     Subject = "exists"     // without a value: the site stands there
	Gone       Subject = "gone"       // without a value: it does not, or no more
	Operator   Subject = "operator"   // the key of an operator that is there
	Technology Subject = "technology" // such as 5G, LTE or NR 3500
	ENB        Subject = "enb"        // decimal, as those that follow
	GNB        Subject = "gnb"
	Cell       Subject = "cell" // ECI or NCI
	PCI        Subject = "pci"
	Azimuth    Subject = "azimuth" // of a sector, degrees from true north
)

// subjects lists the subjects in the order of answers.
var subjects = []Subject{Exists, Gone, Operator, Technology, ENB, GNB, Cell, PCI, Azimuth}

// Values lists the subjects.
func (Subject) Values() []string {
	list := make([]string, len(subjects))
	for i, s := range subjects {
		list[i] = string(s)
	}
	return list
}

// value returns a value in its canonical spelling. The error says what is allowed.
func (s Subject) value(m *market.Market, text string) (string, error) {
	switch s {
	case Exists, Gone:
		if text != "" {
			return "", invalidValue(text, "none: that a site exists or is gone is all that is said")
		}
		return "", nil
	case Operator:
		return operatorOf(m, "value", text)
	case Technology:
		t := fold.UpperASCII(strings.Join(strings.Fields(text), " "))
		if t = strings.TrimPrefix(t, "5G "); !technology.MatchString(t) {
			return "", invalidValue(text,
				"a generation or a technology, with its band in MHz where that is known: 4G, LTE, LTE 800, NR 3500")
		}
		return t, nil
	}
	least, most, ok := s.span()
	if !ok {
		return "", &InvalidError{"subject", string(s), "one of " + strings.Join(s.Values(), ", ")}
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < least || n > most {
		return "", invalidValue(text,
			"a whole number from "+strconv.FormatUint(least, 10)+" to "+strconv.FormatUint(most, 10))
	}
	return strconv.FormatUint(n, 10), nil
}

// technology is that of registers: ANFR's 5G NR 3500 is NR 3500.
var technology = regexp.MustCompile(`^([2-5]G|GSM|UMTS|LTE|NR)( [0-9]{3,5})?$`)

// span is the range of a subject that is a number.
func (s Subject) span() (least, most uint64, ok bool) {
	switch s {
	case ENB:
		return 1, site.ENB.Max(), true
	case GNB:
		return 1, site.GNB.Max(), true
	case Cell:
		return 1, site.Cell.Max(), true
	case PCI:
		return 0, site.PCI.Max(), true
	case Azimuth:
		return 0, 359, true
	}
	return 0, 0, false
}

func invalidValue(text, want string) error { return &InvalidError{"value", text, want} }

// operatorOf returns an operator's key in its one spelling.
func operatorOf(m *market.Market, field, text string) (string, error) {
	i, ok := m.Operator(text)
	if !ok {
		keys := cmp.Or(strings.Join(m.OperatorKeys(), ", "), "none")
		return "", &InvalidError{field, text, string(m.Code) + " has " + keys}
	}
	return m.Operators[i].Key, nil
}

// ofOperator reports whether a subject may be about one operator's part of the site.
func (s Subject) ofOperator() bool { return !slices.Contains([]Subject{Exists, Gone, Operator}, s) }
