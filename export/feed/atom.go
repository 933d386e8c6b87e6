package feed

import (
	"encoding/xml"
	"io"
	"strconv"
)

// AtomType is the media type of Atom.
const AtomType = "application/atom+xml"

// The names that Atom has. A prefix of a namespace is a part of a name, because package xml would
// otherwise repeat the namespace at each element.
type (
	atomFeed struct {
		XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		GeoRSS   string      `xml:"xmlns:georss,attr"`
		Lang     string      `xml:"xml:lang,attr,omitempty"`
		ID       string      `xml:"id"`
		Title    string      `xml:"title"`
		Subtitle string      `xml:"subtitle,omitempty"`
		Updated  string      `xml:"updated"`
		Author   atomPerson  `xml:"author"`
		Links    []atomLink  `xml:"link"`
		Rights   string      `xml:"rights,omitempty"`
		Entries  []atomEntry `xml:"entry"`
	}
	atomPerson struct {
		Name string `xml:"name"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID      string     `xml:"id"`
		Title   string     `xml:"title"`
		Updated string     `xml:"updated"`
		Links   []atomLink `xml:"link"`
		Tags    []atomTag  `xml:"category"`
		Content atomText   `xml:"content"`
		Point   string     `xml:"georss:point,omitempty"`
	}
	atomTag struct {
		Term string `xml:"term,attr"`
	}
	atomText struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
)

const (
	geoRSS   = "http://www.georss.org/georss"
	htmlType = "text/html"
)

// WriteAtom writes the feed as Atom.
func (f *Feed) WriteAtom(w io.Writer) error {
	v := atomFeed{GeoRSS: geoRSS, Lang: f.Lang, ID: f.ID, Title: f.Title, Subtitle: f.Subtitle,
		Updated: moment(f.Updated), Author: atomPerson{f.Author}, Rights: f.Rights,
		Links: []atomLink{{"self", AtomType, f.Atom}, {"alternate", htmlType, f.Home}, {"alternate", JSONType, f.JSON}}}
	if f.NextAtom != "" {
		v.Links = append(v.Links, atomLink{"next", AtomType, f.NextAtom})
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		one := atomEntry{ID: e.ID, Title: e.Title, Updated: moment(e.Updated), Content: atomText{"html", e.html()}}
		if e.Link != "" {
			one.Links = []atomLink{{"alternate", htmlType, e.Link}}
		}
		for _, tag := range e.Tags {
			one.Tags = append(one.Tags, atomTag{tag})
		}
		if e.At != nil {
			one.Point = degrees(e.At.Lat) + " " + degrees(e.At.Lng)
		}
		v.Entries = append(v.Entries, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(w).Encode(v)
}

func degrees(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
