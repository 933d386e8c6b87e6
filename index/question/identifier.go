package question

import (
	"regexp"
	"strconv"
	"strings"

	"relais/internal/fold"
	"relais/market"
)

// An Identifier is a number that a phone or a base station shows.
type Identifier struct {
	// Kind is ENB, GNB, Cell, PCI or Area, or Any for a number alone.
	Kind  IdentifierKind
	Value uint64
}

// An IdentifierKind is the kind of an identifier.
type IdentifierKind string

// The kinds of identifiers.
const (
	Any  IdentifierKind = "any" // a number without a name
	ENB  IdentifierKind = "enb"
	GNB  IdentifierKind = "gnb"
	Cell IdentifierKind = "cell" // ECI, NCI
	PCI  IdentifierKind = "pci"
	Area IdentifierKind = "tac" // TAC or LAC, which no register states
)

// Values lists the kinds.
func (IdentifierKind) Values() []string {
	return []string{string(Any), string(ENB), string(GNB), string(Cell), string(PCI), string(Area)}
}

// identifierKinds are the kinds by the names that stand before a number.
var identifierKinds = map[string]IdentifierKind{
	"enb": ENB, "enodeb": ENB, "enbid": ENB, "gnb": GNB, "gnodeb": GNB, "gnbid": GNB, "eci": Cell, "nci": Cell, "ci": Cell,
	"cid": Cell, "cell": Cell, "cellid": Cell, "cellule": Cell, "cel": Cell, "zelle": Cell, "pci": PCI, "tac": Area,
	"lac": Area,
}

// wordsToo are those of the names that addresses have too.
var wordsToo = map[string]bool{"lac": true, "cel": true, "cell": true, "cellule": true, "zelle": true, "ci": true}

var (
	joined  = regexp.MustCompile(`^([a-z]+)(\d+|0x[0-9a-f]+)$`) // enb1234
	siteKey = regexp.MustCompile(`(?i)(?:^|[\s(,;])(` + strings.Join(market.Code("").Values(), "|") +
		`)-([a-z0-9._-]*[0-9][a-z0-9._-]*)`)
)

// cutKey takes a siteKey out of a text.
func cutKey(text string) (key, rest string) {
	at := siteKey.FindStringSubmatchIndex(text)
	if at == nil {
		return "", text
	}
	return strings.ToLower(text[at[2]:at[3]]) + "-" + text[at[4]:at[5]], text[:at[0]] + " " + text[at[1]:]
}

// postalKey is a postal code after its country: CH-1200 Genève.
var postalKey = regexp.MustCompile(`(?i)^\s*(` + strings.Join(market.Code("").Values(), "|") + `)-(\d{4,5}\s+\pL.*)$`)

// Postal reads a text that begins with a siteKey as a postal code and a town in a country. It reports whether that can be
// meant.
func Postal(text string) (string, bool) {
	m := postalKey.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	country := market.Get(market.Code(strings.ToUpper(m[1]))).Names
	return m[2] + ", " + country[0], len(country) > 0
}

// identifier reads a name and its number: eNB 1234, cell id 0x1A2B, PCI: 12.
func (s *scan) identifier() int {
	if s.within() || wordsToo[s.words[0]] && len(s.kept) > 0 { // 5 rue du Lac 74000 Annecy
		return 0
	}
	if m := joined.FindStringSubmatch(s.words[0]); m != nil && s.setIdentifier(m[1], m[2]) {
		return 1
	}
	for n := 1; n < min(len(s.words), 3); n++ { // cell id 7
		if s.setIdentifier(s.words[0], s.words[n]) {
			return n + 1
		}
		if s.words[n] != "id" {
			break
		}
	}
	return 0
}

func (s *scan) setIdentifier(name, number string) bool {
	kind, ok := identifierKinds[name]
	value, isNumber := parseIdentifier(number)
	if !ok || !isNumber {
		return false
	}
	s.q.Identifier = &Identifier{kind, value}
	return true
}

// parseIdentifier reads a decimal number, or with 0x a hexadecimal one.
func parseIdentifier(text string) (uint64, bool) {
	digits, hex := strings.CutPrefix(text, "0x")
	base := 10
	if hex {
		base = 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	return n, err == nil && n < 1<<53 // as JSON has numbers
}

// registered reads the number of a site after its noun: site 2894812, support 77.
func (s *scan) registered() int {
	if len(s.words) < 2 || s.words[0] != "site" && s.words[0] != "support" || len(s.words[1]) < 3 || !isDigits(s.words[1]) {
		return 0
	}
	s.q.Key = s.words[1]
	return 2
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// network reads a PLMN: 20801, 208 01, PLMN 208-01.
func (s *scan) network() int {
	words, n := s.words, 0
	if words[0] == "plmn" || words[0] == "mccmnc" {
		words, n = words[1:], 1
	}
	for length := range min(len(words), 2) {
		code := strings.Join(words[:length+1], "")
		if m, at := market.Network(code); m != nil && (length == 0 || len(words[0]) == 3) {
			s.q.PLMN, s.plmnOperator = code, m.Operators[at].Key
			s.q.BarePLMN = n == 0 && length == 0
			return n + length + 1
		}
	}
	return 0
}

// number reads a number that is all that is left as an identifier of any kind.
func (s *scan) number() {
	if s.q.Identifier != nil || len(s.kept) != 1 {
		return
	}
	word := fold.String(s.kept[0])
	if value, ok := parseIdentifier(word); ok {
		s.q.Identifier = &Identifier{Any, value}
	}
}
