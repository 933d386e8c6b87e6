package belgium

import (
	"slices"
	"strings"

	"relais/fold"
)

// spellings are the operators' names in both sources, folded and without what says
// only what kind of company they are. Mobistar is what Orange Belgium was called
// until 2016, Belgacom what Proximus was until 2015: old dossiers have them.
var spellings = map[string]string{
	"proximus":        "PROXIMUS_BE",
	"belgacom":        "PROXIMUS_BE",
	"belgacom mobile": "PROXIMUS_BE",
	"citymesh":        "CITYMESH_BE",
	"citymesh mobile": "CITYMESH_BE",
	"telenet":         "TELENET_BASE_BE",
	"telenet group":   "TELENET_BASE_BE",
	"base":            "TELENET_BASE_BE",
	"base company":    "TELENET_BASE_BE",
	"orange":          "ORANGE_BE",
	"orange belgium":  "ORANGE_BE",
	"mobistar":        "ORANGE_BE",
}

// company are the words of a company's legal form, in Dutch and French.
var company = []string{"nv", "sa", "bv", "bvba", "srl", "sprl", "cvba", "scrl", "van", "publiek", "recht", "de",
	"droit", "public"}

// separators are written between the words of a name and inside N.V.
var separators = strings.NewReplacer(".", "", ",", " ", "/", " ", "(", " ", ")", " ")

// operator returns the position of an operator in the table, and false for a name
// that belongs to none.
func (c *country) operator(name string) (int, bool) {
	if len(name) > maxText {
		return 0, false
	}
	words := fold.Words(separators.Replace(name))
	for len(words) > 0 && slices.Contains(company, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	key, ok := spellings[strings.Join(words, " ")]
	if !ok {
		return 0, false
	}
	return c.market.Operator(key)
}
