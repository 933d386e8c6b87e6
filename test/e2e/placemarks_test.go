//go:build linux

package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// operatorLabels are the operators of FR with their labels, in the order of the market.
func (s *server) operatorLabels() (list [][2]string) {
	s.t.Helper()
	for _, o := range s.list("/markets")[0].(object)["operators"].([]any) {
		list = append(list, [2]string{o.(object)["key"].(string), o.(object)["label"].(string)})
	}
	return list
}

// A placemark is what a map has of an operator at a site.
type placemark struct {
	Folder, Name, Point, Text string
	Azimuths                  string // of the wedges, in order
}

// placemarks reads a KMZ.
func placemarks(t *testing.T, file []byte) (list []placemark) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	f, err := z.Open("doc.kml")
	must(t, err)
	text, err := io.ReadAll(f)
	must(t, err)
	var doc struct {
		Folder []struct {
			Name      string `xml:"name"`
			Placemark []struct {
				Name        string   `xml:"name"`
				Description string   `xml:"description"`
				Point       string   `xml:"MultiGeometry>Point>coordinates"`
				Rings       []string `xml:"MultiGeometry>Polygon>outerBoundaryIs>LinearRing>coordinates"`
			}
		} `xml:"Document>Folder"`
	}
	must(t, xml.Unmarshal(text, &doc))
	for _, folder := range doc.Folder {
		for _, p := range folder.Placemark {
			var azimuths []string
			for _, ring := range p.Rings {
				azimuths = append(azimuths, directionOf(t, ring))
			}
			list = append(list, placemark{folder.Name, p.Name, p.Point, p.Description, strings.Join(azimuths, ", ")})
		}
	}
	return list
}

// directionOf is the direction of a ring's middle from its beginning, in whole degrees.
func directionOf(t *testing.T, ring string) string {
	t.Helper()
	var corners [][2]float64
	for pair := range strings.FieldsSeq(ring) {
		var c [2]float64
		if _, err := fmt.Sscanf(pair, "%g,%g", &c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		corners = append(corners, c)
	}
	from, to := corners[0], corners[len(corners)/2]
	east := (to[0] - from[0]) * math.Cos(from[1]*math.Pi/180)
	degrees := math.Round(math.Atan2(east, to[1]-from[1])*180/math.Pi) + 360
	return strconv.Itoa(int(degrees) % 360)
}

// placemarks are those that the map must have: of each operator with emissions at a site.
func (l chosen) placemarks(operators [][2]string) (list []placemark) {
	for _, o := range operators {
		for _, item := range l.order {
			if p, is := l.placemark(item, o[0], o[1]); is {
				list = append(list, p)
			}
		}
	}
	return list
}

func (l chosen) placemark(item object, operator, label string) (p placemark, is bool) {
	stages := []string{"Projet approuvé", "Techniquement opérationnel", "En service"}
	var azimuths, systems []any
	stage, newest := -1, ""
	for _, e := range l.emissions(item) {
		if e["operator"] == operator {
			is = true
			systems = append(systems, e["technology"])
			stage = max(stage, slices.Index(stages, e["status"].(string)))
			newest = max(newest, cellText(e["date"]))
			if list, stated := e["azimuts"].([]any); stated {
				azimuths = append(azimuths, list...)
			}
		}
	}
	var names []string // in the order of the site's own list
	for _, name := range item["technologies"].([]any) {
		if slices.Contains(systems, name) {
			names = append(names, name.(string))
		}
	}
	p = placemark{label, item["siteKey"].(string), coordinates(item), "", joined(azimuths)}
	p.Text = "Operator: " + label + "\nTechnologies: " + strings.Join(names, ", ") + "\n"
	if !is {
		return p, false
	}
	p.Text += "Status: " + stages[stage] + "\n"
	if newest != "" {
		p.Text += "Newest emission: " + newest + "\n"
	}
	p.Text += l.commonLines(item, p.Azimuths)
	return p, true
}

func coordinates(item object) string {
	c := item["coordinates"].(object)
	return fmt.Sprintf("%.7f,%.7f", c["lng"], c["lat"])
}

// joined sorts azimuths, each once.
func joined(azimuths []any) string {
	var list []int
	for _, a := range azimuths {
		list = append(list, int(a.(float64)))
	}
	slices.Sort(list)
	var texts []string
	for _, a := range slices.Compact(list) {
		texts = append(texts, strconv.Itoa(a))
	}
	return strings.Join(texts, ", ")
}

// commonLines are those of a description that are not an operator's own.
func (l chosen) commonLines(item object, azimuths string) (text string) {
	if height := l.of[item["siteKey"]]["support"].(object)["height"]; height != nil {
		text += "Height (m): " + cellText(height) + "\n"
	}
	if azimuths != "" {
		text += "Azimuths (°): " + azimuths + "\n"
	}
	var place []string
	for _, name := range []string{"address", "postalCode", "commune"} {
		if part := cellText(item["location"].(object)[name]); part != "" {
			place = append(place, part)
		}
	}
	return text + "Place: " + strings.Join(place, ", ") + "\nSource: " + item["sourceLabel"].(string) + "\n"
}
