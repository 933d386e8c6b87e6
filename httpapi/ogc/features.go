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
	skip   int    // rows of the table before the page
	offset int    // of the page among what matches
	limit  int    // most rows
	total  int    // rows that match; -1: as many as the table has
	id     string // of the one that is wanted

	address string // of the service
	query   url.Values
}

const geoJSON = "application/geo+json"

// ContentType implements endpoint.Stream.
func (*features) ContentType() string { return geoJSON }

// Size implements endpoint.Stream.
func (*features) Size() int64 { return -1 }

// collection is the address of the collection.
func (f *features) collection() string {
	return f.address + "/collections/" + collectionID(f.market, f.kind)
}

// WriteTo implements endpoint.Stream.
func (f *features) WriteTo(w io.Writer) (int64, error) {
	c := &counted{w: w}
	c.put([]byte(`{"type":"FeatureCollection","features":[`))
	encode, text := export.Features(f.table), []byte(nil)
	rows, returned := 0, 0
	for r := range f.table.Rows {
		if c.err != nil || returned == f.limit && f.total != -1 {
			break
		}
		if rows++; rows <= f.skip || returned == f.limit {
			continue
		}
		if text = text[:0]; returned > 0 {
			text = append(text, ',')
		}
		text = encode(text, r)
		c.put(text)
		returned++
	}
	total := f.total
	if total == -1 {
		total = rows
	}
	c.put([]byte("]"))
	c.put(strconv.AppendInt([]byte(`,"numberMatched":`), int64(total), 10))
	c.put(strconv.AppendInt([]byte(`,"numberReturned":`), int64(returned), 10))
	links, err := view.JSON(f.links(f.offset+returned < total && returned > 0, f.offset+returned))
	if err != nil {
		return c.n, err
	}
	c.put(append([]byte(`,"links":`), links...))
	return c.n, c.err
}

// links are those of a page; more means that there is a next one.
func (f *features) links(more bool, next int) []link {
	items := f.collection() + "/items"
	list := []link{{items + suffix(f.query), "self", geoJSON, "This page"}, {f.collection(), "collection", jsonType, "The collection"}}
	if more {
		f.query.Set("offset", strconv.Itoa(next))
		list = append(list, link{items + suffix(f.query), "next", geoJSON, "The next page"})
	}
	return list
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

// A single is one of features as a Feature.
type single features

// ContentType implements endpoint.Stream.
func (*single) ContentType() string { return geoJSON }

// Size implements endpoint.Stream.
func (*single) Size() int64 { return -1 }

// WriteTo implements endpoint.Stream.
func (f *single) WriteTo(w io.Writer) (int64, error) {
	c := &counted{w: w}
	at := 0
	for r := range f.table.Rows {
		if at++; at > f.skip {
			feature := export.Features(f.table)(nil, r)
			c.put(feature[:len(feature)-1])
			break
		}
	}
	collection := (*features)(f).collection()
	links, err := view.JSON([]link{{collection + "/items/" + url.PathEscape(f.id), "self", geoJSON, "This feature"},
		{collection, "collection", jsonType, "The collection"}})
	if err != nil {
		return c.n, err
	}
	c.put(append([]byte(`,"links":`), links...))
	return c.n, c.err
}

type counted struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counted) put(b []byte) {
	if c.err == nil {
		var n int
		n, c.err = c.w.Write(b)
		c.n += int64(n)
	}
}
