package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"relais/api/endpoint"
	"relais/index"
	"relais/internal/fold"
)

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
func systemsIn(technologies, bands []string, m *index.Market) (index.Choice, error) {
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
	for _, value := range p.Technology {
		add(matchSystems("technology", []string{value}, m, wholeName))
	}
	for _, value := range p.Band {
		add(matchSystems("band", []string{value}, m, bandOf))
	}
	return list
}

// wholeName returns the name of a system.
func wholeName(system string) string { return system }

// matchSystems returns the systems whose part is one of the wanted values, nil if no value
// is wanted. It fails for a value that no system of the market has.
func matchSystems(param string, wanted []string, m *index.Market, part func(system string) string) (c index.Choice,
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
