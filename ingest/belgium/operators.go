package belgium

import (
	"slices"
	"strings"

	"relais/internal/fold"
)

// spellings maps operators' names in both sources, folded and without legal forms, to keys.
// Old dossiers have the names Mobistar (Orange Belgium until 2016) and Belgacom (Proximus
// until 2015).
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

// legalForms are the words of a company's legal form, in Dutch and French.
var legalForms = []string{"nv", "sa", "bv", "bvba", "srl", "sprl", "cvba", "scrl", "van", "publiek", "recht", "de",
	"droit", "public"}

// separators removes the punctuation between words and in "N.V.".
var separators = strings.NewReplacer(".", "", ",", " ", "/", " ", "(", " ", ")", " ")

// operator returns the index of an operator in the table, and false for an unknown name.
func (c *country) operator(name string) (int, bool) {
	if len(name) > maxText {
		return 0, false
	}
	words := fold.Words(separators.Replace(name))
	for len(words) > 0 && slices.Contains(legalForms, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	key, ok := spellings[strings.Join(words, " ")]
	if !ok {
		return 0, false
	}
	return c.market.Operator(key)
}
