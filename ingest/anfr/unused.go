package anfr

import (
	"slices"
	"strings"
)

// Reasons for which a row is not used although nothing is wrong with it: the file is about more than
// the markets' sites.
const (
	otherTerritory = "territory not served"
	otherMarket    = "market " // with its code
	otherStation   = "station not served"
	otherSupport   = "support not served"
	otherEmitter   = "emitter not served"
	otherSystem    = "not a public mobile system"
	otherCommune   = "no site in the commune"
	otherPlace     = "not a commune"
	otherNode      = "no node identifier in this generation"
	noSupport      = "no support named"
	sentinel       = "sentinel"
)

// IsUnused reports whether nothing is wrong with a row that was rejected for the reason: it is only not
// about the markets' sites.
func IsUnused(reason string) bool {
	return slices.Contains([]string{otherStation, otherSupport, otherEmitter, otherSystem, otherCommune, otherPlace,
		otherNode, noSupport, sentinel}, reason) ||
		strings.HasPrefix(reason, otherTerritory) || strings.HasPrefix(reason, otherMarket)
}

// territories are the French territories that no market has, by the code that the register states in
// place of a department.
var territories = map[string]string{
	"975": "Saint-Pierre-et-Miquelon (PM)", "977": "Saint-Barthélemy (BL)", "978": "Saint-Martin (MF)",
	"984": "Terres australes (TF)", "986": "Wallis-et-Futuna (WF)", "987": "Polynésie française (PF)",
	"988": "Nouvelle-Calédonie (NC)", "989": "Clipperton (CP)",
}

// notServed returns the reason for not serving a row of a territory.
func notServed(code string) string {
	if name, ok := territories[code]; ok {
		return otherTerritory + ": " + name
	}
	return otherTerritory
}
