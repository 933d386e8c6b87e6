package measure

import (
	"slices"
	"strconv"
	"strings"

	"relais/internal/fold"
	"relais/market"
)

// A network has the codes and the name that a source states for the measured network.
type network struct {
	MCC      int    `json:"mcc"` // -1: not known, as MNC
	MNC      int    `json:"mnc"`
	Operator string `json:"operator,omitempty"` // key, where the source has a name only
	Name     string `json:"name,omitempty"`     // if it is not the name of an operator of the table
}

// countries lists the mobile country codes of a market's networks.
func countries(m *market.Market) (all []int) {
	if m == nil {
		return nil
	}
	for _, o := range m.Operators {
		for _, p := range o.PLMNs {
			mcc, _ := splitPLMN(p)
			if !slices.Contains(all, mcc) {
				all = append(all, mcc)
			}
		}
	}
	return all
}

// splitPLMN reads a code of the table.
func splitPLMN(p string) (mcc, mnc int) {
	mcc, _ = strconv.Atoi(p[:3]) // the table has digits only
	mnc, _ = strconv.Atoi(p[3:])
	return mcc, mnc
}

// operatorByCode returns the position of a network's operator in the market's table, or -1. It
// compares codes as numbers, because many tables have no leading zeros.
func operatorByCode(m *market.Market, mcc, mnc int) int {
	return slices.IndexFunc(m.Operators, func(o market.Operator) bool {
		return slices.ContainsFunc(o.PLMNs, func(p string) bool {
			c, n := splitPLMN(p)
			return c == mcc && n == mnc
		})
	})
}

// genericWords are words that occur in the names of several operators.
var genericWords = []string{"mobile", "telecom", "telekom", "carriers", "the", "and", "et", "de", "la"}

// operatorByName returns the position of the only operator of the market that shares a word with
// a name, such as Free with Free Mobile, or -1.
func operatorByName(m *market.Market, name string) int {
	words := fold.Words(name)
	found := -1
	for i, o := range m.Operators {
		if fold.Equal(name, o.Key) || fold.Equal(name, o.Label) {
			return i
		}
		for _, w := range fold.Words(strings.ReplaceAll(o.Key, "_", " ")) {
			if slices.Contains(genericWords, w) || w == fold.String(string(m.Code)) || !slices.Contains(words, w) {
				continue
			}
			if found >= 0 && found != i {
				return -1
			}
			found = i
		}
	}
	return found
}

// infer sets the operator of the network and the codes that all networks of the operator share,
// unless a stated code contradicts them.
func (n *network) infer(o *market.Operator) {
	mcc, mnc := -1, -1
	for i, p := range o.PLMNs {
		c, k := splitPLMN(p)
		if i == 0 {
			mcc, mnc = c, k
		}
		if c != mcc {
			mcc = -1
		}
		if k != mnc {
			mnc = -1
		}
	}
	if mcc < 0 { // network codes are not unique among countries
		mnc = -1
	}
	if n.MCC >= 0 && mcc >= 0 && n.MCC != mcc || n.MNC >= 0 && mnc >= 0 && n.MNC != mnc {
		return
	}
	n.MCC, n.MNC = max(n.MCC, mcc), max(n.MNC, mnc)
	n.Operator, n.Name = o.Key, ""
}

// operator returns the position of the network's operator in the market's table, or -1.
func (n *network) operator(m *market.Market) int {
	if i := operatorByCode(m, n.MCC, n.MNC); i >= 0 {
		return i
	}
	if i, ok := m.Operator(n.Operator); ok && n.Operator != "" {
		return i
	}
	return -1
}

// nameBytes is the most bytes of a network's name.
const nameBytes = 40

// networkName returns a name that may be kept: letters, digits, and the separators that names of
// networks have. It returns "" for anything else, which may be a person's address.
func networkName(b []byte) string {
	name := strings.TrimSpace(string(b[:min(len(b), nameBytes+1)]))
	letters := false
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= 0xC0 && r <= 0x24F:
			letters = true
		case r >= '0' && r <= '9', strings.ContainsRune(" &-'+", r):
		default:
			return ""
		}
	}
	if !letters || len(name) > nameBytes {
		return ""
	}
	return name
}
