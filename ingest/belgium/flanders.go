package belgium

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"relais/ingest/source"
)

// A binding is a row of an answer of the query service, in the SPARQL 1.1 results format. What is not bound is absent.
type binding map[string]struct {
	Value string `json:"value"`
}

func (b binding) text(name string) string { return strings.TrimSpace(b[name].Value) }

// unitSuffix follows the name of a value in that of its unit.
const unitSuffix = "_eenheid"

// The technologies by the number at the end of their address, for stores without labels.
var technologyNumbers = map[string]string{"1": "4G", "2": "3G", "3": "2G", "5": "microwave", "6": "5G"}

// queried is the state while the answers of the query service are read.
type queried struct {
	*country
	operators    map[string]string // labels by address
	technologies map[string]string
	antennas     []queriedAntenna
	antennaOf    map[string]int // by address
	positions    map[string]foundPosition
	newest       map[string]attest // the newest approval at each operator's site
	odd          unknowns
	unknown      source.Spellings
	unlike       int // rows of one antenna that state different values
}

type foundPosition struct {
	spot
	reason string
}

// A queriedAntenna is what all answers say about an antenna.
type queriedAntenna struct {
	antenna
	stated              bool // the antennas' own answer has it
	operator, tech, wkt string
	site                string // its label, or else its address
	frequencies         []float64
	attests             []attest
}

// An attest says that antennas of a dossier may be in use.
type attest struct {
	dossier   string
	approved  approval
	withdrawn bool
}

// readQueries reads the answers of the Flemish query service. Its rows are antennas: the other lists are about these.
func (c *country) readQueries(f *source.Found, watch source.Watch) (*source.Report, error) {
	r, err := f.ReadItems(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	q := &queried{country: c, operators: map[string]string{}, technologies: map[string]string{}, antennaOf: map[string]int{},
		positions: map[string]foundPosition{}, newest: map[string]attest{}, odd: unknowns{}, unknown: source.Spellings{}}
	var row binding
	for r.NextRow(&row) {
		switch r.Key() {
		case "operators":
			q.operators[row.text("operator")] = row.text("label")
		case "technologies":
			q.technologies[row.text("technologie")] = row.text("label")
		case "dossiers":
			q.addDossier(row, r.Line())
		case "emissions":
			q.addFrequency(row, r.Line())
		case "antennas":
			if q.addAntenna(row, origin{r.Report, r.Line()}) {
				continue
			}
		}
		r.Rows-- // only antennas count
	}
	q.finish()
	if q.unlike > 0 {
		r.Warn(fmt.Sprintf("%d rows state another value of an antenna than an earlier row: what differs is left out", q.unlike))
	}
	return c.done(f, r, q.unknown, q.odd)
}

// about returns the antenna of a row.
func (q *queried) about(row binding) *queriedAntenna {
	name := row.text("antenne")
	i, known := q.antennaOf[name]
	if !known {
		i = len(q.antennas)
		q.antennas = append(q.antennas, queriedAntenna{})
		q.antennaOf[strings.Clone(name)] = i
	}
	return &q.antennas[i]
}

func (q *queried) addDossier(row binding, line int) {
	a := q.about(row)
	t := attest{dossier: row.text("dossier"), approved: parseApproval(row.text("goedkeuring_tijdstip"))}
	if t.approved == (approval{}) {
		q.odd.add("time of approval", row.text("goedkeuring_tijdstip"), line)
	}
	if at := row.text("intrekking_tijdstip"); at != "" {
		end := parseApproval(at)
		if end == (approval{}) {
			q.odd.add("time of withdrawal", at, line)
		}
		t.withdrawn = !end.at.After(q.now)
	}
	a.attests = append(a.attests, t)
}

func (q *queried) addFrequency(row binding, line int) {
	f := q.odd.quantity("frequency", frequencies, row.text("frequentie"), row.text("frequentie"+unitSuffix), line)
	if f.Known() {
		a := q.about(row)
		a.frequencies = append(a.frequencies, f.Value)
	}
}

// addAntenna adds a row of the antennas, and reports whether it is the first of its antenna.
func (q *queried) addAntenna(row binding, from origin) (first bool) {
	a, line := q.about(row), from.line
	value := func(name string) (value, unit string) { return row.text(name), row.text(name + unitSuffix) }
	read := antenna{origin: from, sitecode: row.text("site_label"), azimuth: readAzimuth(q.odd, row, line)}
	v, u := value("hoogte")
	read.height = q.odd.quantity("height", lengths, v, u, line)
	v, u = value("vermogen")
	read.power = q.odd.quantity("power", powers, v, u, line)
	v, u = value("mechtilt")
	read.tilt = q.odd.quantity("tilt", degrees, v, u, line)
	read.electrical.Value = math.NaN()
	if !a.stated {
		a.stated, a.antenna = true, read
		a.operator, a.tech, a.wkt = row.text("operator"), row.text("tech"), row.text("geometry")
		a.site = cmp.Or(row.text("site_label"), row.text("site"), a.wkt)
		return true
	}
	a.merge(&read, &q.unlike)
	return false
}

func readAzimuth(odd unknowns, row binding, line int) float64 {
	return odd.azimuth(row.text("azimut"), row.text("azimut"+unitSuffix), line)
}

// merge leaves out what another row of the antenna states otherwise.
func (a *queriedAntenna) merge(b *antenna, unlike *int) {
	other := false
	for _, x := range []struct{ kept, read *float64 }{{&a.azimuth, &b.azimuth}, {&a.height.Value, &b.height.Value},
		{&a.power.Value, &b.power.Value}, {&a.tilt.Value, &b.tilt.Value}} {
		if *x.kept != *x.read && !(math.IsNaN(*x.kept) && math.IsNaN(*x.read)) {
			*x.kept, other = math.NaN(), true
		}
	}
	if other {
		*unlike++
	}
}

// finish keeps the antennas in force: those of the newest approval at the operator's site, unless it was withdrawn.
func (q *queried) finish() {
	for i := range q.antennas {
		a := &q.antennas[i]
		for _, t := range a.attests {
			if n, known := q.newest[a.key()]; a.stated && (!known || n.compare(t) < 0) {
				q.newest[a.key()] = t
			}
		}
	}
	for i := range q.antennas {
		a := &q.antennas[i]
		if !a.stated {
			continue
		}
		if reason := q.fill(a); reason != "" {
			a.reject(reason)
			continue
		}
		q.country.antennas = append(q.country.antennas, a.antenna)
	}
}

func (a *queriedAntenna) key() string { return a.operator + "\n" + a.site }

// compare puts the newer approval last.
func (t attest) compare(u attest) int {
	return cmp.Or(t.approved.compare(u.approved), cmp.Compare(t.dossier, u.dossier))
}

// fill completes an antenna from the other answers. It returns the reason for rejection, "" if none.
func (q *queried) fill(a *queriedAntenna) (reason string) {
	if reason = q.inForce(a); reason != "" {
		return reason
	}
	name, ok := q.operators[a.operator], false
	if name = cmp.Or(name, a.operator); name == "" {
		return "no operator"
	}
	if a.antenna.operator, ok = q.operator(name); !ok {
		q.unknown.Add(name)
		return "operator not served"
	}
	at, known := q.positions[a.wkt]
	if !known {
		p, why := q.odd.parsePoint(a.wkt, a.line)
		if why == "" {
			at.spot, why = q.odd.spotOf(p, flemishBox, a.wkt, a.line)
		}
		at.reason = why
		q.positions[a.wkt] = at
	}
	if a.spot = at.spot; at.reason != "" {
		return at.reason
	}
	word := cmp.Or(q.technologies[a.tech], technologyNumbers[a.tech[strings.LastIndexByte(a.tech, '/')+1:]], a.tech)
	if a.technology, ok = q.odd.technology(word, a.line); !ok {
		return "technology not served"
	}
	q.addBands(a)
	return ""
}

// inForce returns why an antenna is not in use any more, "" if it is.
func (q *queried) inForce(a *queriedAntenna) string {
	newest, reason := q.newest[a.key()], "no approved dossier"
	for _, t := range a.attests {
		switch {
		case t.dossier != newest.dossier && t.approved.compare(newest.approved) != 0:
			if reason != withdrawn {
				reason = superseded
			}
		case t.withdrawn:
			reason = withdrawn
		default:
			return ""
		}
	}
	return reason
}

// addBands adds the systems of an antenna: its technology in the bands of its frequencies.
func (q *queried) addBands(a *queriedAntenna) {
	if a.technology.link {
		return
	}
	for _, mhz := range a.frequencies {
		band := bandOf(mhz)
		if band == "" {
			q.odd.add("band of frequency", fmt.Sprint(mhz), a.line)
		}
		a.inBand(band, uint64(math.Round(mhz*1e6)))
	}
	if len(a.frequencies) == 0 {
		a.inBand("", 0)
	}
}
