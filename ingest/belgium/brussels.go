package belgium

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/ingest/source"
	"relais/site"
)

// A brusselsSite is a site of Brussels with the antennas of its permit.
type brusselsSite struct {
	spot
	id       string
	antennas []*antenna
}

// A brusselsItem is what the pages of a site say.
type brusselsItem struct {
	Meta *struct {
		Old     bool `json:"isOldPermit"`
		Outdoor text `json:"id_global_outdoor"`
		Horiz   text `json:"id_global_horiz"`
	} `json:"meta"`
	Panels map[string]*struct {
		Geometry struct {
			Coordinates []float64 `json:"coordinates"` // degrees of WGS84, east first
		} `json:"geometry"`
		Properties struct {
			Transmitters []transmitter `json:"transmitters"`
		} `json:"properties"`
	} `json:"permitantennas"`
}

// A transmitter is a system of an antenna. The diagrams are not read. Nothing states the units; antazi is in degrees.
type transmitter struct {
	Sitecode   text `json:"antbts"`
	Azimuth    text `json:"antazi"`
	Power      text `json:"anteff"`
	Electrical text `json:"antelect"`
	Mechanical text `json:"antmect"`
	Height     text `json:"anthma"`
	Operator   text `json:"operateur"`
	System     text `json:"system"` // its first word is the technology, its last the band in MHz
}

// readBrussels reads the sites of Brussels. Its rows are transmitters, and sites without one.
func (c *country) readBrussels(f *source.Found, watch source.Watch) (*source.Report, error) {
	r, err := f.ReadItems(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	unknown, odd, seen := source.Spellings{}, unknowns{}, map[string]bool{}
	var row brusselsItem
	for r.NextRow(&row) {
		s := brusselsSite{id: r.Key()}
		reason := s.checkItem(&row)
		if reason == "" && seen[s.id] {
			reason = "duplicate site"
		}
		if reason != "" {
			r.Reject(reason)
			continue
		}
		seen[s.id] = true
		r.Rows-- // its transmitters count
		c.addPanels(&s, &row, r, unknown, odd)
		if len(s.antennas) > 0 {
			c.brussels = append(c.brussels, s)
		}
	}
	return c.done(f, r, unknown, odd)
}

// checkItem returns why nothing of a site can be served.
func (s *brusselsSite) checkItem(row *brusselsItem) string {
	transmitters := 0
	for _, p := range row.Panels {
		if p != nil {
			transmitters += len(p.Properties.Transmitters)
		}
	}
	switch {
	case s.id == "" || len(s.id) > maxText:
		return "no site id"
	case row.Meta != nil && row.Meta.Old:
		return oldPermit
	case transmitters == 0:
		return "a site without antennas"
	}
	return ""
}

// addPanels adds the antennas of a site. It is where its first panel is.
func (c *country) addPanels(s *brusselsSite, row *brusselsItem, r *source.ItemReader, unknown source.Spellings,
	odd unknowns) {
	permit := s.id
	if row.Meta != nil {
		permit = cmp.Or(row.Meta.Outdoor.words(), row.Meta.Horiz.words(), s.id)
	}
	placed := false
	for _, name := range slices.SortedFunc(maps.Keys(row.Panels), compareIDs) {
		panel := row.Panels[name]
		if panel == nil {
			continue
		}
		at, why := spot{}, "no position"
		if xy := panel.Geometry.Coordinates; len(xy) >= 2 {
			at, why = odd.spotOf(geo.Point{Lat: xy[1], Lng: xy[0]}, brusselsBox, fmt.Sprint(xy), r.Line())
		}
		if !placed && why == "" {
			s.spot, placed = at, true
		}
		for i := range panel.Properties.Transmitters {
			r.Rows++
			a := &antenna{spot: at, permit: permit, origin: origin{r.Report, r.Line()}}
			if reason := cmp.Or(why, c.fillTransmitter(a, &panel.Properties.Transmitters[i], unknown, odd)); reason != "" {
				r.Reject(reason)
				continue
			}
			s.antennas = append(s.antennas, a)
		}
	}
}

// fillTransmitter fills a from t. It returns the reason for rejection, "" if none.
func (c *country) fillTransmitter(a *antenna, t *transmitter, unknown source.Spellings, odd unknowns) (reason string) {
	name, ok := t.Operator.words(), false
	if name == "" {
		return "no operator"
	}
	if a.operator, ok = c.operator(name); !ok {
		unknown.Add(name)
		return "operator not served"
	}
	words := strings.Fields(t.System.words())
	if len(words) == 0 {
		return "no system"
	}
	if a.technology, ok = odd.technology(words[0], a.line); !ok {
		return "technology not served"
	}
	band := ""
	if n, err := strconv.ParseUint(words[len(words)-1], 10, 16); err == nil && n > 0 {
		band = strconv.FormatUint(n, 10)
	} else if !a.technology.link {
		odd.add("band of system", t.System.words(), a.line)
	}
	if !a.technology.link {
		a.inBand(band, 0)
	}
	if a.sitecode = t.Sitecode.words(); len(a.sitecode) > maxText || len(a.permit) > maxText {
		return tooLong
	}
	a.azimuth = odd.azimuth(string(t.Azimuth), "", a.line)
	a.height = odd.quantity("height", lengths, string(t.Height), "", a.line)
	a.power = odd.quantity("power", powers, string(t.Power), "", a.line)
	a.tilt = odd.quantity("tilt", degrees, string(t.Mechanical), "", a.line)
	a.electrical = odd.quantity("electrical tilt", degrees, string(t.Electrical), "", a.line)
	return ""
}

// addPermits adds the stations of the sites of Brussels at a place, one for each operator.
func addPermits(s *site.Site, sites []*brusselsSite) {
	for _, b := range sites {
		for _, a := range b.antennas {
			i := slices.IndexFunc(s.Stations, func(t site.Station) bool { return t.Operator == a.operator })
			if i < 0 {
				addStation(s, site.Station{Code: a.permit, Operator: a.operator, OperatorSiteID: a.sitecode}, noStatus, 0)
				continue
			}
			s.Stations[i].OperatorSiteID = cmp.Or(s.Stations[i].OperatorSiteID, a.sitecode)
		}
	}
}
