// Package market is the table of markets: their operators, areas, sources,
// filters and available data. It is the only place that knows them:
// a difference between markets is a column here, never an if elsewhere.
// It holds no data of the registers.
package market

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/geo"
	"relais/internal/fold"
	"relais/site/spelling"
)

// A Code names a market, as in the market parameter of the API.
type Code string

// The markets, in the order in which the API lists them.
const (
	FR   Code = "FR"
	DROM Code = "DROM"
	CA   Code = "CA"
	BE   Code = "BE"
	CH   Code = "CH"
	PT   Code = "PT"
	ES   Code = "ES"
	BA   Code = "BA"
)

// Default is the market of a question that names none.
const Default = FR

// UnmarshalText accepts a code of the table, in any case.
func (c *Code) UnmarshalText(b []byte) error {
	for _, m := range All {
		if fold.EqualASCII(string(m.Code), string(b)) {
			*c = m.Code
			return nil
		}
	}
	return fmt.Errorf("one of %s", strings.Join(Code("").Values(), ", "))
}

// Values lists the codes of the table.
func (Code) Values() []string {
	codes := make([]string, len(All))
	for i, m := range All {
		codes[i] = string(m.Code)
	}
	return codes
}

// An Availability is how much of a market's data is available.
type Availability string

// The availabilities of the API.
const (
	Available   Availability = "available"
	Partial     Availability = "partial"
	Unavailable Availability = "unavailable"
)

// Values lists the availabilities.
func (Availability) Values() []string {
	return []string{string(Available), string(Partial), string(Unavailable)}
}

// AllOperators is the operator value for every operator of a
// market.
const AllOperators = "ALL"

// An Operator is a row of a market's operators.
type Operator struct {
	Key   string   // of the API, such as ORANGE or SWISSCOM_CH
	Label string   // usual spelling
	PLMNs []string // mobile country code and network code, five or six digits; none: a group of operators

	// The colours of its marks in the two themes, #rrggbb, and their shape: circle, square, triangle,
	// diamond, pentagon, hexagon, star or cross. They differ from those of the market's others.
	Light, Dark, Shape string
}

// An Area is an administrative area of a market.
type Area struct {
	Code  string
	Label string
	Box   *geo.Box // where its sites can be; nil: anywhere in the market's Box
}

// A Phase is the phase of an emission that a status states; 0 is unknown.
type Phase uint8

// The phases, each a column of the statistics.
const (
	Project Phase = iota + 1
	Operational
	InService
)

// A Status is a publication state of an emission.
type Status struct {
	Name  string // as published and answered
	Short string // alternative in the status parameter
	Phase Phase
}

// A Register is a source of sites.
type Register struct {
	Authority string // who publishes it
	Source    string // its name
	Licence   string
	// Region is the part of the market that it covers, "" for all of it.
	Region string
	// Antennas: it states each antenna. Adds: it adds to places of the others only.
	Antennas, Adds bool
}

// A Market is a row of the table.
type Market struct {
	Code           Code
	Country        string // ISO 3166-1 alpha-2
	Label          string
	Names          []string // of the country, as people write it after a place, in lower case without accents
	Availability   Availability
	Register                     // the market's own
	FreshFor       time.Duration // how old the register may be until somebody should update it
	OtherRegisters []Register    // sites may come from these also, or only
	NeedPermission []string      // names of the registers whose rows nobody may redistribute without the publisher's permission
	Operators      []Operator
	AreaType       string // "department", "province"; "" when the source names no areas
	Areas          []Area
	Regions        []Region          // of areas; empty if none are in use
	Box            geo.Box           // where sites of the market can be
	Spelling       spelling.Language // of addresses and communes in the register
	Zone           string            // legal time, by its IANA name; "" when the market has several zones
	Statuses       []Status          // from least to most advanced; empty when the source has none of its own
	Filters        []string
	LegacyCode     bool // sites have an anfrCode
	Licences       bool // sites are known by licences, which are their stations' codes, and a reference
	Departments    bool // included in /stats/departments
	Deployments    bool // dates of emissions are those of deployments; else of documents
	// FeedZone is the IANA time zone of the times in the files of unavailable sites
	// that operators publish; "" when they publish none.
	FeedZone string
	// OutageLists publishes for each day the unavailable sites of all operators; without an Authority nobody does.
	OutageLists Register
	// Coverage publishes where operators expect their networks to be received; without an Authority nobody does.
	Coverage Register
	// UnavailableReason states in a sentence why a market has no inventory; ""
	// if it has one.
	UnavailableReason string
	// Notice states in a sentence what the data lacks; "" if nothing has to be said.
	Notice string
	// Supplements name the sources of what the registers do not state.
	Supplements Supplements
}

// Supplements are names of sources; "" stands for the market's registers.
type Supplements struct {
	Antennas string // of azimuths by antenna, and of the heights of antennas
	Communes string
	SiteIDs  string // of the operators' own names of sites
}

// Get returns the market c, or nil.
func Get(c Code) *Market {
	for _, m := range All {
		if m.Code == c {
			return m
		}
	}
	return nil
}

// OfSiteKey returns the market of a site key such as fr-23444, "" if it has none.
func OfSiteKey(siteKey string) Code {
	code, _, _ := strings.Cut(siteKey, "-")
	if m := Get(Code(strings.ToUpper(code))); m != nil {
		return m.Code
	}
	return ""
}

// NeedsPermission reports whether rows of one of the registers with these names may not be
// redistributed without the publisher's permission.
func (m *Market) NeedsPermission(registers []string) bool {
	return slices.ContainsFunc(registers, func(name string) bool { return slices.Contains(m.NeedPermission, name) })
}

// Withheld returns, as bits of site.Site.Registers, those of the registers with these names whose rows need permission.
// apart reports whether the sites can be separated from them: each states antennas, which are all that it says about places
// of other registers, and another register with places is there.
func (m *Market) Withheld(registers []string) (bits uint8, apart bool) {
	places, told := false, true
	for i, r := range m.Registers() {
		switch {
		case !slices.Contains(registers, r.Source):
		case m.NeedsPermission([]string{r.Source}):
			bits, told = bits|1<<i, told && r.Antennas
		default:
			places = places || !r.Adds
		}
	}
	return bits, bits != 0 && told && places
}

// Registers returns the market's own register and the others, in the table's order.
func (m *Market) Registers() []Register { return append([]Register{m.Register}, m.OtherRegisters...) }

// Attribution joins the registers with these names to one, in the table's order and with
// semicolons in between. Without a known name it returns the market's own.
func (m *Market) Attribution(names []string) Register {
	var all Register
	for _, r := range m.Registers() {
		switch {
		case !slices.Contains(names, r.Source):
		case all.Source == "":
			all = r
		default:
			all = Register{Authority: joinDistinct(all.Authority, r.Authority), Source: all.Source + "; " + r.Source,
				Licence: all.Licence + "; " + r.Licence}
		}
	}
	if all.Source == "" {
		return m.Register
	}
	return all
}

// joinDistinct adds a text to a list, unless it is the last there.
func joinDistinct(list, text string) string {
	if list == text || strings.HasSuffix(list, "; "+text) {
		return list
	}
	return list + "; " + text
}

// HasInventory reports whether the market's register can be loaded at all.
func (m *Market) HasInventory() bool { return m.UnavailableReason == "" }

// Operator returns the position of the operator with this key, in any case,
// and false when the market has none.
func (m *Market) Operator(key string) (int, bool) {
	i := slices.IndexFunc(m.Operators, func(o Operator) bool { return fold.EqualASCII(o.Key, key) })
	return i, i >= 0
}

// OperatorKeys lists the keys of the operators, in table order.
func (m *Market) OperatorKeys() []string {
	keys := make([]string, len(m.Operators))
	for i, o := range m.Operators {
		keys[i] = o.Key
	}
	return keys
}

// KeysOf lists the keys of the operators at positions, nil for nil.
func (m *Market) KeysOf(positions []int) []string {
	if positions == nil {
		return nil
	}
	keys := make([]string, len(positions))
	for i, at := range positions {
		keys[i] = m.Operators[at].Key
	}
	return keys
}

// AreaCodes lists the codes of the areas, in table order.
func (m *Market) AreaCodes() []string {
	codes := make([]string, len(m.Areas))
	for i, a := range m.Areas {
		codes[i] = a.Code
	}
	return codes
}

// Area returns the position of the area with this code, and false when the
// market has none. Departments are found in every usual spelling: 1, 01, 001,
// 2a, 02A.
func (m *Market) Area(code string) (int, bool) {
	if code == "" || len(code) > 8 {
		return 0, false
	}
	code = fold.UpperASCII(code)
	if i := m.area(code); i >= 0 {
		return i, true
	}
	if m.AreaType != "department" {
		return 0, false
	}
	short := strings.TrimLeft(code, "0")
	if len(code) > 3 || short == "" {
		return 0, false
	}
	if len(short) == 1 {
		short = "0" + short
	}
	i := m.area(short)
	return i, i >= 0
}

func (m *Market) area(code string) int {
	return slices.IndexFunc(m.Areas, func(a Area) bool { return a.Code == code })
}

// Phase returns the phase of a status, by its position in Statuses.
func (m *Market) Phase(status int) Phase {
	if status < 0 || status >= len(m.Statuses) {
		return 0
	}
	return m.Statuses[status].Phase
}

// HasFilter reports whether the market has the filter: department, territory,
// province, generation, status, bbox or operator.
func (m *Market) HasFilter(name string) bool { return slices.Contains(m.Filters, name) }

// AreaAt returns the position of the area whose box has p, and false when none has.
func (m *Market) AreaAt(p geo.Point) (int, bool) {
	i := slices.IndexFunc(m.Areas, func(a Area) bool { return a.Box != nil && a.Box.Contains(p) })
	return i, i >= 0
}

// Contains reports whether p lies in one of the areas of the market, or in its box when the
// areas have none.
func (m *Market) Contains(p geo.Point) bool {
	if slices.ContainsFunc(m.Areas, func(a Area) bool { return a.Box != nil }) {
		_, ok := m.AreaAt(p)
		return ok
	}
	return m.Box.Contains(p)
}

// Holds reports whether a site of the area, which may be unknown (-1), can be
// at p.
func (m *Market) Holds(area int, p geo.Point) bool {
	if area >= 0 && m.Areas[area].Box != nil {
		return m.Areas[area].Box.Contains(p)
	}
	return m.Box.Contains(p)
}

// Network returns the market of a network code, and the position of its operator in the market's table; nil
// if the table does not know it.
func Network(plmn string) (*Market, int) {
	for _, m := range All {
		for i, o := range m.Operators {
			if slices.Contains(o.PLMNs, plmn) {
				return m, i
			}
		}
	}
	return nil, -1
}

// ByPLMN returns the operator key of a network code, or "" if the
// table does not know it. The same key may be an operator of several markets.
func ByPLMN(plmn string) string {
	if m, i := Network(plmn); m != nil {
		return m.Operators[i].Key
	}
	return ""
}
