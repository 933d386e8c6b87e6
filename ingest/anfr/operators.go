package anfr

import (
	"relais/internal/fold"
	"relais/market"
)

// spellings maps the authority's names of operators, folded, to their keys. Other names
// are not served.
var spellings = map[string]string{
	"sfr":              "SFR",
	"bouygues telecom": "BOUYGUES",
	"bouygues":         "BOUYGUES",
	"orange":           "ORANGE",
	"free mobile":      "FREE",
	"free":             "FREE",
	"free caraibes":    "FREE_CARAIBES",
	"digicel":          "DIGICEL",
	"outremer telecom": "OUTREMER_TELECOM",
	"srr":              "SRR",
	"telco oi":         "TELCO_OI",
	"zeop":             "ZEOP",
	"maore mobile":     "MAORE_MOBILE",
}

// operators finds operators of a market by raw name. It folds each spelling once.
type operators struct {
	market *market.Market
	known  map[string]int
}

func newOperators(m *market.Market) *operators {
	return &operators{market: m, known: map[string]int{}}
}

// find returns the index of an operator, -1 if the market does not serve it.
func (o *operators) find(raw []byte) int {
	if i, ok := o.known[string(raw)]; ok {
		return i
	}
	i := -1
	if key, ok := spellings[fold.String(string(raw))]; ok {
		if at, ok := o.market.Operator(key); ok {
			i = at
		}
	}
	if cacheable(len(o.known), raw) {
		o.known[string(raw)] = i
	}
	return i
}

// cacheable bounds the memory of a cache of spellings: a hostile file could have a new,
// long one in each row.
func cacheable(entries int, key []byte) bool { return entries < 10000 && len(key) <= 64 }
