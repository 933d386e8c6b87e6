package ogc

import (
	"fmt"
	"io"
	"net/url"
	"strconv"

	"relais/api"
	"relais/api/view"
	"relais/export"
	"relais/market"
)

// features are a page of rows as a FeatureCollection.
type features struct {
	market market.Code
	kind   string
	table  *export.Table
	skip   int    // rows of the table before the page, or before the one that is wanted
	offset int    // of the page among what matches
	limit  int    // most rows
	total  int    // rows that match; unknown if nobody has counted them
	id     string // of the one that is wanted
	// after means that the next page is named by the last id of this one, not by an offset.
	after bool

	address string // of the service
	query   url.Values
}

const geoJSON = "application/geo+json"

// unknown is a number of features that nobody has counted.
const unknown = -1

// collection is the address of the collection.
func (f *features) collection() string {
	return f.address + "/collections/" + collectionID(f.market, f.kind)
}

func (f *features) write(w io.Writer) error {
	c := &errWriter{w: w}
	c.put([]byte(`{"type":"FeatureCollection","features":[`))
	encode, text, last := export.Features(f.table), []byte(nil), new(export.Value)
	rows, returned, more := 0, 0, false
	for r := range f.table.Rows {
		if rows++; rows <= f.skip {
			continue
		}
		if more = returned == f.limit; more || c.err != nil {
			break
		}
		if text = text[:0]; returned > 0 {
			text = append(text, ',')
		}
		text = encode(text, r)
		c.put(text)
		r.Cell(f.table.ID, last)
		returned++
	}
	c.put([]byte("]"))
	if f.total != unknown {
		more = f.offset+returned < f.total && returned > 0
		c.put(strconv.AppendInt([]byte(`,"numberMatched":`), int64(f.total), 10))
	}
	c.put(strconv.AppendInt([]byte(`,"numberReturned":`), int64(returned), 10))
	links, err := view.JSON(f.links(more, f.offset+returned, last.Text))
	if err != nil {
		return err
	}
	c.put(append([]byte(`,"links":`), links...))
	return c.err
}

// links are those of a page; more means that there is a next one, which begins at an offset, or after an id.
func (f *features) links(more bool, offset int, last string) []link {
	items := f.collection() + "/items"
	list := []link{{items + suffix(f.query), "self", geoJSON, "This page"}, {f.collection(), "collection", jsonType, "The collection"}}
	if !more {
		return list
	}
	if f.after {
		f.query.Set("after", last)
	} else {
		f.query.Set("offset", strconv.Itoa(offset))
	}
	return append(list, link{items + suffix(f.query), "next", geoJSON, "The next page"})
}

// suffix returns a query with its question mark, "" for none.
func suffix(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// find narrows the features to the one that is wanted. It fails if the table does not have it.
func (f *features) find() error {
	v, at := new(export.Value), 0
	for r := range f.table.Rows {
		if r.Cell(f.table.ID, v); v.Text == f.id {
			f.skip = at
			return nil
		}
		at++
	}
	return api.NotFound(fmt.Sprintf("%s has no feature %q: take an id of %s/items", collectionID(f.market, f.kind), f.id,
		f.collection()))
}

// writeOne writes one of the features as a Feature.
func (f *features) writeOne(w io.Writer) error {
	c := &errWriter{w: w}
	at := 0
	for r := range f.table.Rows {
		if at++; at > f.skip {
			feature := export.Features(f.table)(nil, r)
			c.put(feature[:len(feature)-1])
			break
		}
	}
	collection := f.collection()
	links, err := view.JSON([]link{{collection + "/items/" + url.PathEscape(f.id), "self", geoJSON, "This feature"},
		{collection, "collection", jsonType, "The collection"}})
	if err != nil {
		return err
	}
	c.put(append([]byte(`,"links":`), links...))
	return c.err
}

// An errWriter writes until a write fails.
type errWriter struct {
	w   io.Writer
	err error
}

func (c *errWriter) put(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}
