package feed

import (
	"encoding/json"
	"io"
	"strings"
)

// JSONType is the media type of JSON Feed.
const JSONType = "application/feed+json"

type (
	jsonFeed struct {
		Version     string       `json:"version"`
		Title       string       `json:"title"`
		Home        string       `json:"home_page_url"`
		URL         string       `json:"feed_url"`
		Next        string       `json:"next_url,omitempty"`
		Description string       `json:"description,omitempty"`
		Language    string       `json:"language,omitempty"`
		Authors     []jsonAuthor `json:"authors"`
		Items       []jsonItem   `json:"items"`
	}
	jsonAuthor struct {
		Name string `json:"name"`
	}
	jsonItem struct {
		ID       string     `json:"id"`
		URL      string     `json:"url,omitempty"`
		Title    string     `json:"title"`
		HTML     string     `json:"content_html"`
		Text     string     `json:"content_text"`
		Date     string     `json:"date_published"`
		Modified string     `json:"date_modified"`
		Tags     []string   `json:"tags,omitempty"`
		At       *jsonPoint `json:"_geo,omitempty"` // names of extensions begin with an underscore
	}
	// A jsonPoint is a point of GeoJSON.
	jsonPoint struct {
		Type        string     `json:"type"`
		Coordinates [2]float64 `json:"coordinates"`
	}
)

// WriteJSON writes the feed as JSON Feed. The position of an entry is a GeoJSON point in the member
// _geo.
func (f *Feed) WriteJSON(w io.Writer) error {
	v := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: f.Title, Home: f.Home, URL: f.JSON, Next: f.NextJSON,
		Description: f.Subtitle, Language: f.Lang, Authors: []jsonAuthor{{f.Author}}, Items: []jsonItem{}}
	for i := range f.Entries {
		e := &f.Entries[i]
		one := jsonItem{ID: e.ID, URL: e.Link, Title: e.Title, HTML: e.html(), Text: strings.Join(e.Lines, "\n"),
			Date: moment(e.Updated), Modified: moment(e.Updated), Tags: e.Tags}
		if e.At != nil {
			one.At = &jsonPoint{"Point", [2]float64{e.At.Lng, e.At.Lat}}
		}
		v.Items = append(v.Items, one)
	}
	return json.NewEncoder(w).Encode(v)
}
