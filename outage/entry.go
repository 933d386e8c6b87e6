package outage

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"relais/geo"
	"relais/market"
)

// A Status is the status of a service of a site, as operators write it; "" means not stated.
type Status string

// The statuses of api.md.
const (
	statusOK Status = "OK"
	statusHS Status = "HS" // hors service
	statusDE Status = "DE"
	statusNE Status = "NE"
)

// Services are the statuses of a site's services.
type Services struct {
	Voice2G Status `json:"voice2g,omitempty"`
	Voice3G Status `json:"voice3g,omitempty"`
	Voice4G Status `json:"voice4g,omitempty"`
	Voice5G Status `json:"voice5g,omitempty"` // stated by lists of all operators only
	Data2G  Status `json:"data2g,omitempty"`  // as above
	Data3G  Status `json:"data3g,omitempty"`
	Data4G  Status `json:"data4g,omitempty"`
	Data5G  Status `json:"data5g,omitempty"`
	Voice   Status `json:"voice,omitempty"`
	Data    Status `json:"data,omitempty"`
	// VoiceSMS is the status of voice and SMS together. In a file with a column for voice only,
	// operators mean both.
	VoiceSMS Status `json:"voiceSms,omitempty"`
}

// A Severity says how bad an outage is.
type Severity string

// The severities.
const (
	Down     Severity = "down"
	Degraded Severity = "degraded"
)

// An Entry is a site that its operator says is unavailable.
type Entry struct {
	Market     market.Code `json:"-"`
	Operator   string      `json:"-"`              // key
	Code       string      `json:"code"`           // the operator's; others may use the same one
	Area       string      `json:"area,omitempty"` // code of the market's table, "" when not known
	Lat        float64     `json:"lat"`
	Lng        float64     `json:"lng"`
	Unplaced   bool        `json:"-"` // without a position, which only rows of a List can be
	Region     string      `json:"region,omitempty"`
	Department string      `json:"department,omitempty"` // as published: a code or a name
	Commune    string      `json:"commune,omitempty"`
	INSEE      string      `json:"insee,omitempty"` // code of the commune, with its zeros
	Services   Services    `json:"services"`
	// Managed reports whether the operator runs the site itself; nil: not stated.
	Managed *bool      `json:"managed,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	Detail  string     `json:"detail,omitempty"`
	Start   *time.Time `json:"start,omitempty"` // UTC; nil: not stated
	End     *time.Time `json:"end,omitempty"`   // UTC, as expected; nil: not stated
	Cells   Cells      `json:"cells"`           // of the row, by rawColumns
}

// Cells are the cells of a row, one per line; in JSON they are a list. A cell has no line breaks.
// They are one string because the garbage collector would scan the lists of all rows again and
// again.
type Cells string

func cellsOf(list []string) Cells { return Cells(strings.Join(list, "\n")) }

// list returns the cells.
func (c Cells) list() []string { return strings.Split(string(c), "\n") }

// MarshalJSON implements json.Marshaler.
func (c Cells) MarshalJSON() ([]byte, error) { return json.Marshal(c.list()) }

// UnmarshalJSON implements json.Unmarshaler.
func (c *Cells) UnmarshalJSON(text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*c = cellsOf(list)
	return nil
}

// share replaces texts by equal ones in met, so that each text is in memory once.
func (e *Entry) share(met map[string]string) {
	for _, text := range []*string{&e.Area, &e.Region, &e.Department, &e.Commune, &e.INSEE, &e.Reason, &e.Detail} {
		shareText(text, met)
	}
	for _, status := range e.Services.each() {
		shareText(status, met)
	}
}

func shareText[T ~string](text *T, met map[string]string) {
	first, ok := met[string(*text)]
	if !ok {
		first = string(*text)
		met[first] = first
	}
	*text = T(first)
}

// SourceID returns the name of the entry's feed.
func (e *Entry) SourceID() string { return feedID(e.Market, e.Operator) }

// ID returns the entry's id, unique among all feeds.
func (e *Entry) ID() string { return "operator:" + e.SourceID() + ":" + e.Code }

// Point returns the position of the site.
func (e *Entry) Point() geo.Point { return geo.Point{Lat: e.Lat, Lng: e.Lng} }

// Place implements Located.
func (e *Entry) Place() (operator, area string, p geo.Point) { return e.Operator, e.Area, e.Point() }

// Began returns when the outage began, the zero time if that is not stated.
func (e *Entry) Began() time.Time {
	if e.Start == nil {
		return time.Time{}
	}
	return *e.Start
}

// Raw returns the row by the names of its columns in api.md. It has every column; one that the file
// lacks is "". Start and end are written like 2026-08-20 06:10:00 in the zone of the file; other
// cells are as published.
func (e *Entry) Raw() map[string]string {
	raw := make(map[string]string, len(rawColumns))
	cells := e.Cells.list()
	for i, name := range rawColumns {
		if i == colManaged {
			name = ManagedColumn(e.Operator)
		}
		if i < len(cells) {
			raw[name] = cells[i]
		} else {
			raw[name] = ""
		}
	}
	return raw
}

// Severity is Down if a service is HS or DE and none is OK, else Degraded. So is a row that states no
// status: being in the list says that something is wrong, not that all is.
func (e *Entry) Severity() Severity {
	severity := Degraded
	for _, st := range e.Services.each() {
		switch *st {
		case statusOK:
			return Degraded
		case statusHS, statusDE:
			severity = Down
		}
	}
	return severity
}

func (s *Services) each() []*Status {
	return []*Status{&s.Voice2G, &s.Voice3G, &s.Voice4G, &s.Data3G, &s.Data4G, &s.Data5G, &s.Voice, &s.Data,
		&s.VoiceSMS, &s.Voice5G, &s.Data2G}
}

// statusCodes are the statuses by their codes in Services.Code.
var statusCodes = []Status{"", statusOK, statusNE, statusHS, statusDE}

// Code returns the statuses as a number, three bits for each.
func (s Services) Code() (code uint64) {
	for i, status := range s.each() {
		code |= uint64(max(0, slices.Index(statusCodes, *status))) << (3 * i)
	}
	return code
}

// ServicesOf is the reverse of Services.Code. Codes that it does not return count as not stated.
func ServicesOf(code uint64) (s Services) {
	for i, status := range s.each() {
		if n := code >> (3 * i) & 7; n < uint64(len(statusCodes)) {
			*status = statusCodes[n]
		}
	}
	return s
}

// Join returns the worse status of each service in either: out of service, then not in use, then OK.
func (s Services) Join(other Services) Services {
	list := other.each()
	for i, status := range s.each() {
		if slices.Index(statusCodes, *list[i]) > slices.Index(statusCodes, *status) {
			*status = *list[i]
		}
	}
	return s
}

// Affected lists the services (of Services) and technologies (of Technologies) that
// the operator says are HS or DE.
func (e *Entry) Affected() (services, technologies []string) { return e.Services.Affected() }

// Affected lists the services (of AllServices) and technologies (of AllTechnologies) that are HS or DE.
func (s Services) Affected() (services, technologies []string) {
	services = affectedNames(AllServices, [][]Status{
		{s.Data, s.Data2G, s.Data3G, s.Data4G, s.Data5G}, {s.Voice, s.Voice2G, s.Voice3G, s.Voice4G, s.Voice5G}, {s.VoiceSMS}})
	technologies = affectedNames(AllTechnologies,
		[][]Status{{s.Voice2G, s.Data2G}, {s.Voice3G, s.Data3G}, {s.Voice4G, s.Data4G}, {s.Voice5G, s.Data5G}})
	return services, technologies
}

// affectedNames returns the names for which one of the statuses at the same index is HS or DE.
func affectedNames(names []string, statuses [][]Status) []string {
	list := []string{}
	for i, some := range statuses {
		for _, st := range some {
			if st == statusHS || st == statusDE {
				list = append(list, names[i])
				break
			}
		}
	}
	return list
}

// AllServices and AllTechnologies are the values of api.md, in the order of answers.
var (
	AllServices     = []string{"data", "voice", "sms"}
	AllTechnologies = []string{"2g", "3g", "4g", "5g"}
)
