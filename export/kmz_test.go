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
	"testing"

	"relais/geo"
	"relais/index"
)

// A kml is what these tests read of a KML document.
type kml struct {
	Document struct {
		Style []struct {
			ID string `xml:"id,attr"`
		}
		Folder []struct {
			Name      string `xml:"name"`
			Placemark []struct {
				Name        string   `xml:"name"`
				Description string   `xml:"description"`
				Style       string   `xml:"styleUrl"`
				Point       string   `xml:"MultiGeometry>Point>coordinates"`
				Polygons    []string `xml:"MultiGeometry>Polygon>outerBoundaryIs>LinearRing>coordinates"`
			}
		}
	}
}

func readKMZ(t *testing.T, f KMZ, r *Register) (doc kml) {
	t.Helper()
	var b bytes.Buffer
	must(t, f.Write(&b, r))
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	file, err := z.Open("doc.kml")
	must(t, err)
	text, err := io.ReadAll(file)
	must(t, err)
	if err := xml.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return doc
}

// azimuth returns the direction in which a polygon opens, and checks that it is a ring of the right size.
func azimuth(t *testing.T, ring string) float64 {
	t.Helper()
	var corners []geo.Point
	for pair := range strings.FieldsSeq(ring) {
		lng, lat, _ := strings.Cut(pair, ",")
		x, err := strconv.ParseFloat(lng, 64)
		y, err2 := strconv.ParseFloat(lat, 64)
		if err != nil || err2 != nil {
			t.Fatalf("corner %q: %v, %v", pair, err, err2)
		}
		corners = append(corners, geo.Point{Lat: y, Lng: x})
	}
	if corners[0] != corners[len(corners)-1] || corners[0] != paris {
		t.Errorf("the ring goes from %v to %v, want %v", corners[0], corners[len(corners)-1], paris)
	}
	for _, c := range corners[1 : len(corners)-1] {
		if d := geo.Distance(paris, c); math.Abs(d-WedgeMetres) > 1 {
			t.Errorf("a corner is %v m away, want %v", d, WedgeMetres)
		}
	}
	if area := signedArea(corners); area <= 0 {
		t.Errorf("the ring goes clockwise: signed area %v, want one above 0", area)
	}
	return math.Mod(math.Round(geo.Bearing(paris, corners[len(corners)/2])), 360)
}

// signedArea returns the area of a ring by the shoelace formula, in square degrees: above 0 for counterclockwise.
func signedArea(ring []geo.Point) (area float64) {
	for i, a := range ring[1:] {
		b := ring[i]
		area += ((b.Lng-paris.Lng)*(a.Lat-paris.Lat) - (a.Lng-paris.Lng)*(b.Lat-paris.Lat)) / 2
	}
	return area
}

// Each operator has its sites, with the sectors that the register states for it.
func TestKMZ(t *testing.T) {
	r := sites(t, mast("1"), mast("2"))
	doc := readKMZ(t, KMZ{French: true}, r)
	var got []string
	for _, folder := range doc.Document.Folder {
		for _, p := range folder.Placemark {
			var azimuths []float64
			for _, ring := range p.Polygons {
				azimuths = append(azimuths, azimuth(t, ring))
			}
			got = append(got, fmt.Sprint(folder.Name, " ", p.Name, " ", p.Point != "", " ", azimuths))
			styled := slices.ContainsFunc(doc.Document.Style, func(s struct {
				ID string `xml:"id,attr"`
			}) bool {
				return "#"+s.ID == p.Style
			})
			if !styled {
				t.Errorf("%s has the style %s, which is not there", p.Name, p.Style)
			}
		}
	}
	slices.Sort(got)
	operators := r.Market.Table.Operators
	first, third := operators[0].Label, operators[2].Label
	want := []string{first + " fr-1 true [0 120]", first + " fr-2 true [0 120]", third + " fr-1 true []", third + " fr-2 true []"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	text := doc.Document.Folder[0].Placemark[0].Description
	for _, part := range []string{"Technologies : LTE 800\n", "Statut : En service\n", "Hauteur (m) : 31.5\n", "LE ‹HAUT› & Cie",
		"2020-02-29"} {
		if !strings.Contains(text, part) {
			t.Errorf("the description lacks %q: %q", part, text)
		}
	}
	english := readKMZ(t, KMZ{}, r).Document.Folder[0].Placemark[0].Description
	if !strings.Contains(english, "Height (m): 31.5\n") {
		t.Errorf("the description in English is %q", english)
	}
}

// A filter leaves out operators without an emission that it selects.
func TestFilteredKMZ(t *testing.T) {
	r := sites(t, mast("1"))
	f := index.All
	f.Operator = 2
	r.Filter = &f
	doc := readKMZ(t, KMZ{}, r)
	if n := len(doc.Document.Folder); n != 1 || doc.Document.Folder[0].Name != r.Market.Table.Operators[2].Label {
		t.Errorf("%d folders, want that of %s: %+v", n, r.Market.Table.Operators[2].Label, doc)
	}
}

func TestTooManySites(t *testing.T) {
	r := sites(t, mast("1"))
	r.Whole, r.Sites = false, make([]uint32, MaxKMZ+1)
	var b bytes.Buffer
	if err := (KMZ{}).Write(&b, r); !errors.Is(err, ErrTooManySites) || b.Len() > 0 {
		t.Errorf("error %v after %d bytes, want ErrTooManySites before the first", err, b.Len())
	}
}
