package belgium

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/geo"
	"relais/ingest/source"
)

// A biptSite is a row of BIPT's list: a site with its owners.
type biptSite struct {
	spot
	id     uint64
	status int
	owners []owner
	address
	origin
}

// An owner of antennas on a site.
type owner struct {
	operator int
	sitecode string
}

func (s *biptSite) same(t *biptSite) bool { return s.compare(t) == 0 }

// compare puts the row with the more advanced status last. The other members only make the
// order definite.
func (s *biptSite) compare(t *biptSite) int {
	return cmp.Or(cmp.Compare(s.status, t.status), cmp.Compare(s.id, t.id), cmp.Compare(s.x, t.x),
		cmp.Compare(s.y, t.y),
		slices.CompareFunc(s.owners, t.owners, func(a, b owner) int {
			return cmp.Or(cmp.Compare(a.operator, b.operator), cmp.Compare(a.sitecode, b.sitecode))
		}),
		cmp.Compare(s.street, t.street), cmp.Compare(s.place, t.place), cmp.Compare(s.town, t.town),
		cmp.Compare(s.postal, t.postal), cmp.Compare(s.city, t.city))
}

// maxOwners is the number of owners' columns in a row.
const maxOwners = 15

func (c *country) readBIPT(f *source.Found, watch source.Watch) (*source.Report, error) {
	r, err := f.ReadItems(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	unknown := source.Spellings{}
	var row map[string]text
	for r.NextRow(&row) {
		s := biptSite{origin: origin{r.Report, r.Line()}}
		if reason := c.fillBIPT(&s, row, unknown); reason != "" {
			r.Reject(reason)
			continue
		}
		c.addBIPT(s)
	}
	r.Unknown = unknown.Top()
	report, err := r.Done()
	if err != nil {
		return nil, err
	}
	return report, c.dateFile(f, report, source.NewDays(time.Now()), approval{})
}

// fillBIPT fills s from a row. It returns the reason for rejection, "" if none.
func (c *country) fillBIPT(s *biptSite, row map[string]text, unknown source.Spellings) (reason string) {
	var err error
	if s.id, err = strconv.ParseUint(string(row["ID"]), 10, 63); err != nil {
		return "no site id"
	}
	switch strings.ToUpper(row["Status"].published()) {
	case "O":
		s.status = statusO
	case "A":
		s.status = statusA
	case "":
		s.status = noStatus
	case "R":
		return "refused by the authority"
	default:
		return "unknown status"
	}
	if s.spot, reason = c.biptPosition(row); reason != "" {
		return reason
	}
	if s.owners, reason = c.owners(row, unknown); reason != "" {
		return reason
	}
	s.address = splitTown(row["PostcodeGemeente"].words())
	s.street = row["Adres"].words()
	if s.place = row["Locatie"].words(); s.place == "-" {
		s.place = ""
	}
	if max(len(s.street), len(s.place), len(s.town), len(s.city)) > maxText {
		return tooLong
	}
	return ""
}

// maxDifference is the largest allowed distance in metres between the two positions of a
// row. In the real list it is at most three.
const maxDifference = 100

// biptPosition parses X and Y, and compares them with Longitude and Latitude if the row has
// these.
func (c *country) biptPosition(row map[string]text) (s spot, reason string) {
	x, errX := strconv.ParseFloat(row["X"].published(), 64)
	y, errY := strconv.ParseFloat(row["Y"].published(), 64)
	if errX != nil || errY != nil {
		return spot{}, "no position"
	}
	if s, reason = c.inBelgium(x, y); reason != "" {
		return spot{}, reason
	}
	lng, errX := strconv.ParseFloat(row["Longitude"].published(), 64)
	lat, errY := strconv.ParseFloat(row["Latitude"].published(), 64)
	p := geo.Point{Lat: lat, Lng: lng}
	if errX == nil && errY == nil && !(geo.Distance(p, s.point()) <= maxDifference) { // also of NaN
		return spot{}, "position differs from the row's own longitude and latitude"
	}
	return s, ""
}

// owners parses "Operator: sitecode" of each owner. Unknown operators are counted and left
// out.
func (c *country) owners(row map[string]text, unknown source.Spellings) (list []owner, reason string) {
	reason = "no operator"
	for i := range maxOwners {
		name, sitecode, _ := strings.Cut(row[ownerColumn+strconv.Itoa(i+1)].published(), ":")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		operator, ok := c.operator(name)
		if !ok {
			unknown.Add(name)
			reason = "operator not served"
			continue
		}
		if sitecode = strings.TrimSpace(sitecode); len(sitecode) > maxText {
			return nil, tooLong
		}
		list = append(list, owner{operator, sitecode})
	}
	if len(list) == 0 {
		return nil, reason
	}
	return list, ""
}

// addBIPT keeps one row of each ID, independent of their order.
func (c *country) addBIPT(s biptSite) {
	at, known := c.siteOf[s.id]
	if !known {
		c.siteOf[s.id] = len(c.sites)
		c.sites = append(c.sites, s)
		return
	}
	kept := &c.sites[at]
	switch {
	case kept.same(&s):
		s.reject("duplicate site")
	case kept.compare(&s) < 0:
		kept.reject("duplicate site with other content")
		*kept = s
	default:
		s.reject("duplicate site with other content")
	}
}
