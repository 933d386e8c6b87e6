package anfr

import (
	"relais/fold"
	"relais/market"
)

// spellings are the operators' names as the authority writes them, folded. A
// name that is not here belongs to no operator of the market table.
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

// operators resolves raw names to positions in a market's operators; each
// spelling is folded once.
type operators struct {
	market *market.Market
	known  map[string]int
}

func newOperators(m *market.Market) *operators {
	return &operators{market: m, known: map[string]int{}}
}

// find returns -1 for a name that the market does not serve.
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

// cacheable bounds the memory of what is looked up once for each spelling: a
// hostile file could have a new and long one in each row.
func cacheable(entries int, key []byte) bool { return entries < 10000 && len(key) <= 64 }
