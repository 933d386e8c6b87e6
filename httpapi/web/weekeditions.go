package web

import (
	"slices"

	"relais/archive"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

// weekEditions are the editions of each market, oldest first.
type weekEditions map[market.Code][]archive.Edition

// editions returns the editions that are kept.
func (p *Pages) editions() (weekEditions, error) {
	env, all := p.Env(), weekEditions{}
	if err := env.Usable(catalog.Archives); err != nil {
		return all, err
	}
	for _, m := range market.All {
		list, err := env.Editions(m)
		if err != nil {
			return nil, err
		}
		all[m.Code] = list
	}
	return all, nil
}

// market returns the market of a code, and whether there is such a register.
func (all weekEditions) market(text string) (market.Code, bool) {
	m := market.Get(market.Code(text))
	return market.Code(text), m != nil && m.HasInventory()
}

// first returns the first market with something to compare, else the first with an edition, else the default.
func (all weekEditions) first() market.Code {
	for least := 2; least > 0; least-- {
		for _, m := range market.All {
			if len(all[m.Code]) >= least {
				return m.Code
			}
		}
	}
	return market.Default
}

// newest returns the date of the newest edition of a market that has some.
func (all weekEditions) newest(code market.Code) string {
	return all[code][len(all[code])-1].Date.String()
}

// near returns the date of the newest edition of a market that is not after a date, or else of the
// newest of all.
func (all weekEditions) near(code market.Code, date site.Date) string {
	for _, e := range slices.Backward(all[code]) {
		if e.Date <= date {
			return e.Date.String()
		}
	}
	return all.newest(code)
}

// weekLink returns the address of the newest edition of a market, "" if it has none.
func (all weekEditions) weekLink(code market.Code, lang string) string {
	if len(all[code]) == 0 {
		return ""
	}
	return figureLink(weekPath, "market", string(code), "lang", lang)
}
