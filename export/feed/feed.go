// Package feed writes lists of news as Atom (RFC 4287, with positions in GeoRSS) and as JSON Feed 1.1.
// It decides nothing about what is news, and knows no transport.
package feed

import (
	"html"
	"strings"
	"time"

	"relais/geo"
)

// A Feed is news, the newest first. Texts are plain: the writers escape them.
type Feed struct {
	ID       string // a URI that stays the same wherever the feed is read
	Title    string
	Subtitle string // "" for none
	Lang     string // of the texts, such as fr
	// Atom and JSON are the addresses of the feed in both formats, Home that of a page for people.
	Atom, JSON, Home string
	// NextAtom and NextJSON are those of the next page, with older entries, "" for none.
	NextAtom, NextJSON string
	Author             string // who publishes the data
	Rights             string // "" for none
	Updated            time.Time
	Entries            []Entry
}

// An Entry is one piece of news.
type Entry struct {
	ID      string // a URI that stays the same wherever the feed is read
	Title   string
	Link    string   // address of a page for people, "" for none
	Lines   []string // what happened
	Updated time.Time
	At      *geo.Point // where, nil if that is unknown
	Tags    []string
}

// html returns the lines as a list in HTML.
func (e *Entry) html() string {
	var b strings.Builder
	b.WriteString("<ul>")
	for _, line := range e.Lines {
		b.WriteString("<li>" + html.EscapeString(line) + "</li>")
	}
	b.WriteString("</ul>")
	return b.String()
}

// moment formats a time as both formats do: RFC 3339 in UTC.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
