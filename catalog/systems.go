package catalog

import (
	"slices"
	"strconv"
	"strings"

	"relais/index"
	"relais/internal/fold"
)

// systems returns the positions of the systems that have one of the technologies and one
// of the bands, nil for any.
func (s *Selection) systems(m *index.Market) (index.Choice, error) {
	byName, err := matchSystems(Technology, s.Technologies, m, wholeName)
	if err != nil {
		return nil, err
	}
	byBand, err := matchSystems(Band, s.Bands, m, bandOf)
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
func (s *Selection) eachValue(m *index.Market) (list []index.Choices) {
	for _, c := range []struct {
		values index.Choice
		one    func(c index.Choice) index.Choices
	}{
		{s.Operators, func(c index.Choice) index.Choices { return index.Choices{Operators: c} }},
		{s.Generations, func(c index.Choice) index.Choices { return index.Choices{Generations: c} }},
	} {
		if len(c.values) > 1 {
			for _, value := range c.values {
				list = append(list, c.one(index.Choice{value}))
			}
		}
	}
	// Two values may stand for the same systems: a condition twice would be tested twice for each site.
	add := func(systems index.Choice, _ error) {
		if !slices.ContainsFunc(list, func(c index.Choices) bool { return slices.Equal(c.Systems, systems) }) {
			list = append(list, index.Choices{Systems: systems})
		}
	}
	for _, value := range s.Technologies {
		add(matchSystems(Technology, []string{value}, m, wholeName))
	}
	for _, value := range s.Bands {
		add(matchSystems(Band, []string{value}, m, bandOf))
	}
	return list
}

// wholeName returns the name of a system.
func wholeName(system string) string { return system }

// matchSystems returns the systems whose part is one of the wanted values, nil if no value
// is wanted. It fails for a value that no system of the market has.
func matchSystems(filter string, wanted []string, m *index.Market, part func(system string) string) (c index.Choice,
	err error) {
	for _, want := range wanted {
		before := len(c)
		for i, system := range m.Snap.Systems {
			if text := part(system); text != "" && fold.Equal(text, want) {
				c = append(c, i)
			}
		}
		if len(c) > before {
			continue
		}
		return nil, &UnknownError{Filter: filter, Value: want, Market: m.Table, Known: parts(nil, m.Snap.Systems, part)}
	}
	return c, nil
}

// parts adds the parts of systems to a list, each once. "" stands for none.
func parts(list, systems []string, part func(system string) string) []string {
	for _, system := range systems {
		if text := part(system); text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// bandOf returns the band in MHz at the end of a system's name, "" if it has no band.
func bandOf(system string) string {
	last := system[strings.LastIndexByte(system, ' ')+1:]
	if _, err := strconv.ParseUint(last, 10, 32); err != nil {
		return ""
	}
	return last
}
