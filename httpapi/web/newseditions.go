package web

import (
	"slices"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

// newsEditions are the editions of each market, oldest first.
type newsEditions map[market.Code][]archive.Edition

// editionsOf returns the editions that are kept.
func editionsOf(env *api.Env) (newsEditions, error) {
	all := newsEditions{}
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

// first returns the first market with something to compare, else the first with an edition, else the default.
func (all newsEditions) first() market.Code {
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
func (all newsEditions) newest(code market.Code) string {
	return all[code][len(all[code])-1].Date.String()
}

// near returns the date of the newest edition of a market that is not after a date, or else of the
// newest of all.
func (all newsEditions) near(code market.Code, date site.Date) string {
	for _, e := range slices.Backward(all[code]) {
		if e.Date <= date {
			return e.Date.String()
		}
	}
	return all.newest(code)
}

// newsLink returns the address of the newest edition of a market, "" if it has none.
func (all newsEditions) newsLink(code market.Code, lang string) string {
	if len(all[code]) == 0 {
		return ""
	}
	return figureLink(newsPath, "market", string(code), "lang", lang)
}
