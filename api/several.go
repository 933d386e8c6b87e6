package api

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"relais/api/endpoint"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// Bounds of a parameter with several values.
const (
	maxValues    = 50
	maxValueText = 200 // characters of one
)

// splitValues splits a parameter with several values.
func splitValues(text string) ([]string, error) { return splitAtMost(maxValues, text) }

// splitAtMost is splitValues for another number of values.
func splitAtMost(most int, text string) ([]string, error) {
	parts := strings.Split(text, ",")
	if len(parts) > most {
		return nil, fmt.Errorf("at most %d values", most)
	}
	for i, p := range parts {
		if parts[i] = strings.TrimSpace(p); parts[i] == "" {
			return nil, errors.New("values separated by single commas")
		}
		if utf8.RuneCountInString(parts[i]) > maxValueText {
			return nil, fmt.Errorf("values of at most %d characters", maxValueText)
		}
	}
	return parts, nil
}

// A textList is a list of texts, separated by commas.
type textList string

// Several is the type of one value.
func (textList) Several() any { return "" }

// UnmarshalText accepts any texts.
func (l *textList) UnmarshalText(b []byte) error {
	parts, err := splitValues(string(b))
	slices.Sort(parts) // for caches: one question has one key
	*l = textList(strings.Join(slices.Compact(parts), ","))
	return err
}

// values returns the values, nil for none.
func (l textList) values() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), ",")
}

// A generationList is a list of generations, separated by commas.
type generationList string

// Several is the type of one value.
func (generationList) Several() any { return site.Generation(0) }

// UnmarshalText accepts generations in any case.
func (l *generationList) UnmarshalText(b []byte) error {
	parts, err := splitValues(string(b))
	if err != nil {
		return err
	}
	var canonical []string
	for i, p := range parts {
		var g site.Generation
		if err := g.UnmarshalText([]byte(p)); err != nil {
			return err
		}
		if parts[i] = g.String(); !slices.Contains(canonical, parts[i]) {
			canonical = append(canonical, parts[i])
		}
	}
	slices.Sort(canonical)
	*l = generationList(strings.Join(canonical, ","))
	return nil
}

// choice returns the generations, nil for any.
func (l generationList) choice() (c index.Choice) {
	for _, text := range textList(l).values() {
		var g site.Generation
		if g.UnmarshalText([]byte(text)) == nil { // always, as it was bound before
			c = append(c, int(g))
		}
	}
	return c
}

// An operatorList is a list of operators by key, label or legal name, separated by commas.
type operatorList string

// Several is the type of one value.
func (operatorList) Several() any { return "" }

// UnmarshalText accepts any texts. Whether the market has the operators is checked once the
// market is known.
func (l *operatorList) UnmarshalText(b []byte) error {
	parts, err := splitValues(string(b))
	for i, p := range parts {
		parts[i] = fold.UpperASCII(p)
	}
	*l = operatorList(strings.Join(parts, ","))
	return err
}

// names returns the operators, nil for all.
func (l operatorList) names() []string {
	list := textList(l).values()
	if slices.Contains(list, market.AllOperators) {
		return nil
	}
	return list
}

// positions returns the positions of the operators in the market's table, in its order; nil for
// ALL.
func (l operatorList) positions(m *market.Market) (c index.Choice, err error) {
	for _, name := range l.names() {
		i, err := operatorName(name).position(m)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(c, i) {
			c = append(c, i)
		}
	}
	slices.Sort(c)
	return c, nil
}

// keys returns the keys of the operators, nil for all. The market has them.
func (l operatorList) keys(m *market.Market) []string {
	c, err := l.positions(m)
	if err != nil || c == nil {
		return nil
	}
	return keysOf(m, c)
}

func keysOf(m *market.Market, c index.Choice) (keys []string) {
	for _, i := range c {
		keys = append(keys, m.Operators[i].Key)
	}
	return keys
}

// canonical returns the operators as answers name them. The market has them.
func (l operatorList) canonical(m *market.Market) string {
	if keys := l.keys(m); keys != nil {
		return strings.Join(keys, ",")
	}
	return market.AllOperators
}

// presentIn returns the positions of the operators that the market has, nil for all, and
// whether it has any of them.
func (l operatorList) presentIn(m *market.Market) (c index.Choice, has bool) {
	names := l.names()
	for _, name := range names {
		if i, err := operatorName(name).position(m); err == nil && !slices.Contains(c, i) {
			c = append(c, i)
		}
	}
	slices.Sort(c)
	return c, len(c) > 0 || len(names) == 0
}

// canonicalIn is like canonical, for operators of several markets.
func (l operatorList) canonicalIn(markets []*market.Market) string {
	var keys []string
	for _, m := range markets {
		c, _ := l.presentIn(m)
		for _, key := range keysOf(m, c) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) == 0 {
		return market.AllOperators
	}
	return strings.Join(keys, ",")
}

// checkMarkets fails if one of the operators is in no market of the list.
func (l operatorList) checkMarkets(markets []*market.Market) error {
	for _, name := range l.names() {
		if err := operatorName(name).checkMarkets(markets); err != nil {
			return err
		}
	}
	return nil
}

// statusesIn returns the positions of statuses in the loaded data, nil for any. The text
// may be one status with a comma in it.
func statusesIn(text string, m *index.Market) index.Choice {
	if text == "" {
		return nil
	}
	if i := statusIn(text, m); i != index.NoStatus {
		return index.Choice{i}
	}
	c := index.Choice{}
	for part := range strings.SplitSeq(text, ",") {
		if i := statusIn(strings.TrimSpace(part), m); i >= 0 && !slices.Contains(c, i) {
			c = append(c, i)
		}
	}
	return c
}

// systemsIn returns the positions of the systems that have one of the technologies and one
// of the bands, nil for any.
func systemsIn(technologies, bands textList, m *index.Market) (index.Choice, error) {
	byName, err := matchSystems("technology", technologies, m, wholeName)
	if err != nil {
		return nil, err
	}
	byBand, err := matchSystems("band", bands, m, bandOf)
	if err != nil || byName == nil {
		return byBand, err
	}
	if byBand == nil {
		return byName, nil
	}
	both := index.Choice{}
	for _, i := range byName {
		if slices.Contains(byBand, i) {
			both = append(both, i)
		}
	}
	return both, nil
}

// eachValue returns a condition for each value of lists with several values. The values are known.
func eachValue(all index.Choices, p emissionParams, m *index.Market) (list []index.Choices) {
	for _, c := range []struct {
		values index.Choice
		one    func(c index.Choice) index.Choices
	}{
		{all.Operators, func(c index.Choice) index.Choices { return index.Choices{Operators: c} }},
		{all.Generations, func(c index.Choice) index.Choices { return index.Choices{Generations: c} }},
	} {
		if len(c.values) > 1 {
			for _, value := range c.values {
				list = append(list, c.one(index.Choice{value}))
			}
		}
	}
	add := func(systems index.Choice, _ error) {
		if !slices.ContainsFunc(list, func(c index.Choices) bool { return slices.Equal(c.Systems, systems) }) {
			list = append(list, index.Choices{Systems: systems})
		}
	}
	for _, value := range p.Technology.values() {
		add(matchSystems("technology", textList(value), m, wholeName))
	}
	for _, value := range p.Band.values() {
		add(matchSystems("band", textList(value), m, bandOf))
	}
	return list
}

// wholeName returns the name of a system.
func wholeName(system string) string { return system }

// matchSystems returns the systems whose part is one of the wanted values, nil if no value
// is wanted. It fails for a value that no system of the market has.
func matchSystems(param string, wanted textList, m *index.Market, part func(system string) string) (c index.Choice,
	err error) {
	for _, want := range wanted.values() {
		before := len(c)
		for i, system := range m.Snap.Systems {
			if text := part(system); text != "" && fold.Equal(text, want) {
				c = append(c, i)
			}
		}
		if len(c) > before {
			continue
		}
		var known []string
		for _, system := range m.Snap.Systems {
			if text := part(system); text != "" && !slices.Contains(known, text) {
				known = append(known, text)
			}
		}
		e := &endpoint.ParamError{Param: param, Value: want, Allowed: known,
			Want: fmt.Sprintf("%s has %s", m.Table.Code, strings.Join(known, ", "))}
		if len(known) == 0 {
			e.Want = fmt.Sprintf("the source of %s does not state it: leave it out", m.Table.Code)
		}
		return nil, e
	}
	return c, nil
}

// bandOf returns the band in MHz at the end of a system's name, "" if it has no band.
func bandOf(system string) string {
	last := system[strings.LastIndexByte(system, ' ')+1:]
	if _, err := strconv.ParseUint(last, 10, 32); err != nil {
		return ""
	}
	return last
}
