package bakom

import (
	"cmp"
	"encoding/json"
	"html"
	"strings"
	"unicode"

	"relais/geo"
	"relais/ingest/source"
	"relais/internal/fold"
	"relais/site"
)

// A feature is a row of the file. Power class, adaptive operation and limit value are not
// read, because sites do not have them.
type feature struct {
	Geometry *struct {
		Type        string
		Coordinates json.RawMessage
	}
	Properties struct {
		Station      string
		Class        string `json:"typ_en"`
		TechnologyEN string `json:"techno_en"`
		TechnologyDE string `json:"techno_de"`
		TechnologyFR string `json:"techno_fr"`
		TechnologyIT string `json:"techno_it"`
		PermissionEN string `json:"bewilligung_en"`
		PermissionDE string `json:"bewilligung_de"`
		PermissionFR string `json:"bewilligung_fr"`
		PermissionIT string `json:"bewilligung_it"`
	}
}

// A station is a valid row. It is served unless another with its id is better.
type station struct {
	id, name, class string
	operator        int
	generations     uint8 // bit set
	position        geo.Point
	sheet           site.Date
	line            int
}

// spellings maps the first word of a station, folded, to the operator.
var spellings = map[string]string{"swisscom": "SWISSCOM_CH", "sunrise": "SUNRISE_CH", "salt": "SALT_CH"}

// Other networks in the file: the railway's, and German ones that reach over the border.
const railway = "SBB"

var borderNetworks = []string{"DB-", "DTM-", "VOD-"}

// Bounds of texts. A siteKey must fit the path parameter.
const (
	maxName  = 100
	maxClass = 80
)

// row adds a feature. It returns the reason for rejection, "" if none.
func (r *register) row(f *feature, in *source.ItemReader) string {
	p := &f.Properties
	sheet, odd := sheetDate(cmp.Or(p.PermissionEN, p.PermissionDE, p.PermissionFR, p.PermissionIT))
	if odd {
		in.NoteOdd("bewilligung_en", 1, in.Line(), source.Dates)
	}
	if sheet != 0 && !r.sheets.Add(sheet.Time()) {
		sheet = 0
	}
	name, ok := cleanText(p.Station, maxName)
	if !ok {
		return "station is not text"
	}
	operator, reason := r.operator(name)
	if reason != "" {
		return reason
	}
	class, ok := cleanText(p.Class, maxClass)
	if !ok {
		return "installation class is not text"
	}
	position, reason := r.findPosition(f)
	if reason != "" {
		return reason
	}
	t := station{id: strings.ToLower(strings.ReplaceAll(name, " ", "-")), name: name, class: class,
		operator: operator, position: position, sheet: sheet, line: in.Line()}
	r.technologies(&t, cmp.Or(p.TechnologyEN, p.TechnologyDE, p.TechnologyFR, p.TechnologyIT))
	if class != "" {
		r.classes[class] = true
	}
	r.stations = append(r.stations, t)
	return ""
}

// cleanText decodes HTML entities and collapses blanks. ok is false if the text is too long
// or has unprintable characters.
func cleanText(raw string, limit int) (text string, ok bool) {
	text = strings.Join(strings.Fields(html.UnescapeString(raw)), " ")
	return text, len(text) <= limit &&
		!strings.ContainsFunc(text, func(c rune) bool { return c == unicode.ReplacementChar || !unicode.IsPrint(c) })
}

// Stations that are not of the country's public networks.
const (
	border   = "border network"
	railways = "railway network"
)

// IsUnused reports whether nothing is wrong with a station that was rejected for the reason: it is only
// not of the country's public networks.
func IsUnused(reason string) bool {
	return strings.HasPrefix(reason, border) || strings.HasPrefix(reason, railways)
}

// operator returns the index of the operator that the station's first word names, or the
// reason for rejecting the station.
func (r *register) operator(name string) (int, string) {
	if name == "" {
		return 0, "no station"
	}
	for _, prefix := range borderNetworks {
		if strings.HasPrefix(fold.UpperASCII(name), prefix) {
			return 0, border + " (" + prefix + ")"
		}
	}
	word, _, blank := strings.Cut(name, " ")
	switch {
	case !blank:
		return 0, border + " (no blank in the station)"
	case fold.EqualASCII(word, railway):
		return 0, railways + " (" + railway + ")"
	}
	if i, ok := r.market.Operator(spellings[fold.String(word)]); ok {
		return i, ""
	}
	r.unknown.Add(word)
	return 0, "operator not served in " + string(r.market.Code)
}

// technologies adds the generations in a text such as "Technology 3G,4G,5G": they are the
// words with a digit.
func (r *register) technologies(t *station, text string) {
	for _, word := range strings.FieldsFunc(html.UnescapeString(text),
		func(c rune) bool { return c == ',' || c == ':' || unicode.IsSpace(c) }) {
		var g site.Generation
		if g.UnmarshalText([]byte(word)) == nil {
			t.generations |= 1 << g
		} else if strings.ContainsAny(word, "0123456789") {
			r.unknownTechnologies.Add(word)
		}
	}
}

// sheetDate returns the day in a text such as "Site data sheet 2023-04-11", 0 if it has none. odd reports whether the
// text ends in another form of a date. Installations of low power have a sentence instead, which ends in a number.
func sheetDate(text string) (day site.Date, odd bool) {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	if day = site.ParseDate([]byte(word)); day != 0 {
		return day, false
	}
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, word)
	return 0, len(digits) >= len("230411")
}

// compare orders stations with the same id, the best first: that with the newest data sheet.
// The other members only make the order definite.
func (t *station) compare(o *station) int {
	return cmp.Or(cmp.Compare(o.sheet, t.sheet), cmp.Compare(t.position.Lat, o.position.Lat),
		cmp.Compare(t.position.Lng, o.position.Lng),
		cmp.Compare(o.generations, t.generations), strings.Compare(t.class, o.class), strings.Compare(t.name, o.name))
}

// rejectReason returns why t is rejected when best, with the same id, is served.
func (t *station) rejectReason(best *station) string {
	switch {
	case t.compare(best) == 0:
		return "duplicate feature"
	case t.position != best.position:
		return "station is elsewhere in a better feature"
	}
	return "station is otherwise in a better feature"
}

// systems has the API's names of technologies by generation.
var systems = [site.Generations]string{site.G2: "GSM", site.G3: "UMTS", site.G4: "LTE", site.G5: "NR"}

// fill makes the site of t with an emission for each generation. Without a generation it has
// one empty emission, which carries the class.
func (t *station) fill(s *site.Site, status int) {
	_, own, _ := strings.Cut(t.name, " ")
	*s = site.Site{
		ID: t.id, SourceCode: t.name, Position: t.position, Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown,
		Stations:  append(s.Stations[:0], site.Station{Code: t.name, Operator: t.operator, OperatorSiteID: own}),
		Emissions: s.Emissions[:0],
	}
	for g, system := range systems {
		if t.generations>>g&1 != 0 {
			s.Emissions = append(s.Emissions,
				site.Emission{System: system, Generation: site.Generation(g), Status: status})
		}
	}
	if len(s.Emissions) == 0 {
		s.Emissions = append(s.Emissions, site.Emission{Status: status})
	}
}
