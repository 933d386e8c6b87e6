package market

import "relais/internal/fold"

// legalNames are the operators' names in contracts and registers in addition to their labels,
// by key.
var legalNames = map[string][]string{
	"SFR":               {"Société française du radiotéléphone", "SFR SA"},
	"BOUYGUES":          {"Bouygues Telecom SA"},
	"ORANGE":            {"Orange SA", "Orange France"},
	"FREE":              {"Free Mobile SAS"},
	"FREE_CARAIBES":     {"Free Caraibe"},
	"DIGICEL":           {"Digicel Antilles Françaises Guyane"},
	"SRR":               {"Société réunionnaise du radiotéléphone", "SFR Réunion"},
	"BELL":              {"Bell Canada", "Bell Mobility", "Bell Mobility Inc."},
	"ROGERS":            {"Rogers Communications", "Rogers Communications Canada Inc."},
	"TELUS":             {"Telus Communications", "Telus Communications Inc."},
	"VIDEOTRON_FREEDOM": {"Vidéotron", "Vidéotron ltée", "Freedom Mobile", "Freedom Mobile Inc."},
	"PROXIMUS_BE":       {"Proximus SA", "Proximus NV"},
	"CITYMESH_BE":       {"Citymesh NV", "Citymesh Mobile"},
	"TELENET_BASE_BE":   {"Telenet", "Telenet Group", "BASE"},
	"ORANGE_BE":         {"Orange Belgium SA", "Orange Belgium NV"},
	"SWISSCOM_CH":       {"Swisscom (Schweiz) AG", "Swisscom AG"},
	"SUNRISE_CH":        {"Sunrise GmbH", "Sunrise UPC"},
	"SALT_CH":           {"Salt Mobile", "Salt Mobile SA"},
}

// nicknames are names of operators that people use, in lower case without accents, by key.
var nicknames = map[string][]string{
	"FREE": {"iliad"}, "BOUYGUES": {"bytel"}, "FREE_CARAIBES": {"free"}, "TELCO_OI": {"free"}, "SRR": {"sfr"},
	"OUTREMER_TELECOM": {"sfr caraibe", "sfr caraibes"}, "VIDEOTRON_FREEDOM": {"freedom"}, "MAORE_MOBILE": {"maore"},
}

// OperatorNamed returns the position of the operator with this key, label or legal name,
// without regard to case and accents, and false when the market has none.
func (m *Market) OperatorNamed(name string) (int, bool) {
	if i, ok := m.Operator(name); ok {
		return i, true
	}
	folded := fold.String(name)
	if folded == "" {
		return 0, false
	}
	for i, o := range m.Operators {
		for _, other := range o.Names() {
			if fold.String(other) == folded {
				return i, true
			}
		}
	}
	return 0, false
}

// Label returns the usual spelling of an operator of the market c, given by key, label or legal name. A
// name that the market does not have is returned as it is.
func Label(c Code, name string) string {
	if m := Get(c); m != nil {
		if i, ok := m.OperatorNamed(name); ok {
			return m.Operators[i].Label
		}
	}
	return name
}

// Names returns the operator's label and its legal names.
func (o *Operator) Names() []string { return append([]string{o.Label}, legalNames[o.Key]...) }

// Nicknames returns further names that people use, which no parameter takes.
func (o *Operator) Nicknames() []string { return nicknames[o.Key] }
