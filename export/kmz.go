package export

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/site"
)

// MaxKMZ is the greatest number of sites of a KMZ. Programs for maps on phones take no more.
const MaxKMZ = 5000

// ErrTooManySites means that a KMZ would have more sites than MaxKMZ.
var ErrTooManySites = errors.New("too many sites for a KMZ")

// KMZ is a map for Google Earth, OsmAnd and the like: a folder for each operator with a placemark for each of
// its sites, which has the sectors of the operator as wedges.
type KMZ struct {
	French bool // descriptions are in French, not in English
}

// Sectors are drawn as wedges of this size.
const (
	WedgeMetres  = 250.0
	wedgeDegrees = 60 // from side to side
	wedgeStep    = 10 // between two points of the arc
)

// kmlColours are the colours of operators in the order of the market, as aabbggrr.
var kmlColours = []string{"ff240a8f", "ffb85c1f", "ff006ac4", "ff8a48e5", "ffbd46e8", "ffa4128c", "ff779212", "ff6d442c"}

// Write writes the sites of a register. Its error is ErrTooManySites before anything is written.
func (f KMZ) Write(w io.Writer, r *Register) error {
	if r.Market != nil && (r.Whole && r.Market.Len() > MaxKMZ || len(r.Sites) > MaxKMZ) {
		return ErrTooManySites
	}
	z := zip.NewWriter(w)
	doc, err := z.Create("doc.kml")
	if err != nil {
		return err
	}
	k := &kmlWriter{w: doc, words: englishKML}
	if f.French {
		k.words = frenchKML
	}
	k.document(r)
	if k.err != nil {
		return k.err
	}
	return z.Close()
}

// kmlWords are what a KMZ says in a language.
type kmlWords struct {
	colon                                                                        string
	sites, operator, technologies, status, height, azimuths, place, date, source string
}

var (
	englishKML = kmlWords{": ", "antenna sites", "Operator", "Technologies", "Status", "Height (m)",
		"Azimuths (°)", "Place", "Newest emission", "Source"}
	frenchKML = kmlWords{" : ", "sites d’antennes", "Opérateur", "Technologies", "Statut", "Hauteur (m)",
		"Azimuts (°)", "Lieu", "Émission la plus récente", "Source"}
)

type kmlWriter struct {
	w     io.Writer
	words kmlWords
	buf   bytes.Buffer
	err   error
}

// put writes XML. Its arguments must be escaped.
func (k *kmlWriter) put(format string, args ...any) {
	fmt.Fprintf(&k.buf, format, args...)
	if k.buf.Len() >= bufferBytes {
		k.flush()
	}
}

func (k *kmlWriter) flush() {
	if k.err == nil {
		_, k.err = k.w.Write(k.buf.Bytes())
	}
	k.buf.Reset()
}

// escaped returns a text for XML. What XML cannot have becomes U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

func (k *kmlWriter) document(r *Register) {
	k.put(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>`)
	if r.Market != nil {
		k.put("<name>relais %s: %s</name>", escaped(string(r.Market.Table.Code)), escaped(k.words.sites))
		for i := range r.Market.Table.Operators {
			k.style(strconv.Itoa(i), kmlColours[i%len(kmlColours)])
		}
		for i, o := range r.Market.Table.Operators {
			k.folder(r, i, o.Label)
		}
	}
	k.put("</Document></kml>\n")
	k.flush()
}

// style writes the style of an operator: its colour, half of it for wedges.
func (k *kmlWriter) style(id, colour string) {
	k.put(`<Style id="o%s"><IconStyle><color>%s</color></IconStyle><LineStyle><color>%s</color></LineStyle>`+
		`<PolyStyle><color>80%s</color></PolyStyle></Style>`, id, colour, colour, colour[2:])
}

// folder writes the sites of an operator, nothing if it has none.
func (k *kmlWriter) folder(r *Register, operator int, name string) {
	open := false
	for s := range r.rows() {
		if !s.shows(operator) {
			continue
		}
		if !open {
			k.put("<Folder><name>%s</name>", escaped(name))
			open = true
		}
		k.placemark(s, operator, s.azimuthsOf(operator))
	}
	if open {
		k.put("</Folder>\n")
	}
}

func (k *kmlWriter) placemark(s *siteRow, operator int, azimuths []uint16) {
	style, p := strconv.Itoa(operator), s.site.Position
	k.put(`<Placemark id="%s-%s"><name>%s</name><description>%s</description><styleUrl>#o%s</styleUrl><MultiGeometry>`,
		escaped(s.key), style, escaped(s.key), escaped(plain.Replace(k.description(s, operator, azimuths))), style)
	k.put("<Point><coordinates>%s</coordinates></Point>", kmlPoint(p))
	for _, azimuth := range azimuths {
		k.put("<Polygon><outerBoundaryIs><LinearRing><coordinates>")
		for _, corner := range Wedge(p, float64(azimuth)) {
			k.put("%s ", kmlPoint(corner))
		}
		k.put("</coordinates></LinearRing></outerBoundaryIs></Polygon>")
	}
	k.put("</MultiGeometry></Placemark>\n")
}

// plain makes a text that is the same as plain text and as HTML: programs take a description for one or the other.
var plain = strings.NewReplacer("<", "‹", ">", "›")

func kmlPoint(p geo.Point) string {
	return strconv.FormatFloat(p.Lng, 'f', 7, 64) + "," + strconv.FormatFloat(p.Lat, 'f', 7, 64)
}

// Wedge returns the corners of a sector on the map, counterclockwise as GeoJSON and KML want it, the first one
// again at the end.
func Wedge(p geo.Point, azimuth float64) []geo.Point {
	const degree = math.Pi / 180
	const metres = geo.EarthRadius * degree // of a degree of latitude
	round := func(x float64) float64 { return math.Round(x*1e7) / 1e7 }
	corners := []geo.Point{p}
	for turn := wedgeDegrees / 2; turn >= -wedgeDegrees/2; turn -= wedgeStep {
		north, east := math.Cos((azimuth+float64(turn))*degree), math.Sin((azimuth+float64(turn))*degree)
		corners = append(corners, geo.Point{Lat: round(p.Lat + north*WedgeMetres/metres),
			Lng: round(p.Lng + east*WedgeMetres/metres/math.Cos(p.Lat*degree))})
	}
	return append(corners, p)
}

// shows reports whether the operator has a station at the site, and with a filter an emission that is shown.
func (r *siteRow) shows(operator int) bool {
	if r.common.Filter == nil {
		return slices.ContainsFunc(r.site.Stations, func(t site.Station) bool { return t.Operator == operator })
	}
	return len(r.emissionsOf(operator)) > 0
}

// emissionsOf returns the emissions of an operator that are shown.
func (r *siteRow) emissionsOf(operator int) (list []*site.Emission) {
	for i := range r.site.Emissions {
		if e := &r.site.Emissions[i]; r.site.Stations[e.Station].Operator == operator && r.selects(e) {
			list = append(list, e)
		}
	}
	return list
}

// azimuthsOf returns the azimuths of an operator's emissions that are shown.
func (r *siteRow) azimuthsOf(operator int) []uint16 {
	azimuths, _ := r.site.Azimuths(func(e *site.Emission) bool {
		return r.site.Stations[e.Station].Operator == operator && r.selects(e)
	})
	return azimuths
}

// description says in lines what the register states about an operator at a site.
func (k *kmlWriter) description(s *siteRow, operator int, azimuths []uint16) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + k.words.colon + value + "\n")
		}
	}
	line(k.words.operator, s.common.table.Operators[operator].Label)
	var systems []int
	best, newest := -1, site.Date(0)
	for _, e := range s.emissionsOf(operator) {
		systems, best, newest = append(systems, e.Order), max(best, e.Status), max(newest, e.On)
	}
	slices.Sort(systems)
	var names []string
	for _, i := range slices.Compact(systems) {
		names = append(names, s.common.snap.Systems[i])
	}
	line(k.words.technologies, strings.Join(names, ", "))
	if best >= 0 {
		line(k.words.status, s.common.snap.Statuses[best])
	}
	line(k.words.date, newest.String())
	if site.Known(s.site.Height) {
		line(k.words.height, strconv.FormatFloat(s.site.Height, 'f', -1, 64))
	}
	var degrees []string
	for _, a := range azimuths {
		degrees = append(degrees, strconv.Itoa(int(a)))
	}
	line(k.words.azimuths, strings.Join(degrees, ", "))
	line(k.words.place, strings.Join(slices.DeleteFunc([]string{s.where, s.site.PostalCode, s.site.Commune},
		func(part string) bool { return part == "" }), ", "))
	line(k.words.source, s.common.Source.Source)
	return b.String()
}
