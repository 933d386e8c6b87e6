package belgium

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"relais/ingest/source"
	"relais/site"
)

// A dossier is a row of the Flemish register: the approved antennas of one operator
// at one place, until a newer dossier replaces it.
type dossier struct {
	spot
	id       uint64
	operator int
	approved approval
	number   string // dossiernummer
	sitecode string
	location string // locatiebeschrijving
	origin
}

// same reports whether two rows have the same content.
func (d dossier) same(e dossier) bool {
	d.origin, e.origin = origin{}, origin{}
	return d == e
}

// compare puts the newer dossier last, of those approved together the one with the higher
// id. The other members only make the order definite.
func (d *dossier) compare(e *dossier) int {
	return cmp.Or(d.approved.compare(e.approved), cmp.Compare(d.id, e.id), cmp.Compare(d.number, e.number),
		cmp.Compare(d.sitecode, e.sitecode), cmp.Compare(d.location, e.location), cmp.Compare(d.operator, e.operator),
		cmp.Compare(d.x, e.x), cmp.Compare(d.y, e.y))
}

// A feature of the register's GeoJSON. Two members are not read: referentie, which repeats
// the sitecode, and conformiteitsattest, the address of a document.
type feature struct {
	Properties *struct {
		ID       text `json:"id"`
		Approved text `json:"goedkeuringsdatum"`
		Sitecode text `json:"sitecode"`
		Location text `json:"locatiebeschrijving"`
		Operator text `json:"operatornaam"`
		Number   text `json:"dossiernummer"`
	} `json:"properties"`
	Geometry *struct {
		Type        string    `json:"type"`
		Coordinates []float64 `json:"coordinates"`
	} `json:"geometry"`
}

func (c *country) readRegister(f *source.Found, watch source.Watch) (*source.Report, error) {
	r, err := f.ReadItems(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := checkCRS(f.Name(), r.Before()); err != nil {
		return nil, err
	}
	unknown, days := source.Spellings{}, source.NewDays(time.Now())
	var newest approval
	var row feature
	for r.NextRow(&row) {
		d := dossier{origin: origin{r.Report, r.Line()}}
		if reason := c.fillDossier(&d, &row, unknown); reason != "" {
			r.Reject(reason)
			continue
		}
		if d.approved == (approval{}) && row.Properties.Approved.published() != "" {
			r.NoteOdd("goedkeuringsdatum", 1, r.Line(), source.Dates)
		}
		if days.Add(d.approved.at) && newest.compare(d.approved) < 0 {
			newest = d.approved
		}
		c.addDossier(d)
	}
	r.Unknown = unknown.Top()
	report, err := r.Done()
	if err != nil {
		return nil, err
	}
	return report, c.dateFile(f, report, days, newest)
}

// lambert72 matches the names of the register's reference system: EPSG:31370,
// urn:ogc:def:crs:EPSG::31370, or an address.
var lambert72 = regexp.MustCompile(`(?i)^(?:.*\bEPSG\b.*[:/#])31370$`)

// checkCRS returns an error if a file states another reference system than the register's.
func checkCRS(name string, before []byte) error {
	var head struct {
		CRS json.RawMessage `json:"crs"`
	}
	if err := json.Unmarshal(before, &head); err != nil {
		return fmt.Errorf("%s:1: before the features: %w", name, err)
	}
	var crs struct {
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
	}
	if len(head.CRS) == 0 || string(head.CRS) == "null" {
		return nil
	}
	if err := json.Unmarshal(head.CRS, &crs); err == nil && lambert72.MatchString(crs.Properties.Name) {
		return nil
	}
	return fmt.Errorf("%s:1: the crs is %.100q, the register's is EPSG:31370 (Lambert 72, metres): ask the "+
		"service for it with srsName=EPSG:31370",
		name, cmp.Or(crs.Properties.Name, string(head.CRS)))
}

// fillDossier fills d from a row. It returns the reason for rejection, "" if none.
func (c *country) fillDossier(d *dossier, row *feature, unknown source.Spellings) (reason string) {
	p, g := row.Properties, row.Geometry
	if p == nil {
		return "no properties"
	}
	var err error
	if d.id, err = strconv.ParseUint(string(p.ID), 10, 63); err != nil {
		return "no register id"
	}
	if g == nil || g.Type != "Point" || len(g.Coordinates) < 2 {
		return "no position"
	}
	if d.spot, reason = c.inFlanders(g.Coordinates[0], g.Coordinates[1]); reason != "" {
		return reason
	}
	name, ok := p.Operator.words(), false
	if name == "" {
		return "no operator"
	}
	if d.operator, ok = c.operator(name); !ok {
		unknown.Add(name)
		return "operator not served"
	}
	d.approved = parseApproval(string(p.Approved))
	d.number, d.sitecode, d.location = p.Number.words(), p.Sitecode.published(), p.Location.words()
	if max(len(d.number), len(d.sitecode), len(d.location)) > maxText {
		return tooLong
	}
	return ""
}

var tooLong = fmt.Sprintf("a text of over %d bytes", maxText)

// addDossier keeps one row of each register id, independent of their order.
func (c *country) addDossier(d dossier) {
	at, known := c.dossierOf[d.id]
	if !known {
		c.dossierOf[d.id] = len(c.dossiers)
		c.dossiers = append(c.dossiers, d)
		return
	}
	kept := &c.dossiers[at]
	switch {
	case kept.same(d):
		d.reject("duplicate dossier")
	case kept.compare(&d) < 0:
		kept.reject(otherContent)
		*kept = d
	default:
		d.reject(otherContent)
	}
}

const otherContent = "duplicate dossier with other content"

// An approval is the time at which a dossier was approved. The zero value is unknown and
// older than any other.
type approval struct {
	at   time.Time // UTC
	text string    // as published, YYYY-MM-DDTHH:MM:SS
}

// compare puts the later approval last.
func (a approval) compare(b approval) int {
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.text, b.text))
}

// parseApproval parses ISO 8601, with or without fractions of a second and a zone. The
// register's times without a zone are in UTC.
func parseApproval(s string) approval {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1900 {
			return approval{t.UTC(), t.Format(seconds)}
		}
	}
	return approval{}
}

// migration is the day on which the dossiers of an older register were imported. Nothing was
// approved on it.
var migration = site.DateOf(2013, 12, 31)

// day returns the day of the approval, 0 if it is unknown.
func (a approval) day() site.Date {
	if d := site.ParseDate([]byte(a.text)); d != migration {
		return d
	}
	return 0
}
