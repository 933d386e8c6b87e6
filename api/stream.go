package api

import (
	"io"
	"iter"
	"math"
	"reflect"
	"strconv"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/export"
	"relais/index"
	"relais/site"
)

// A sitePage is a list of encoded summaries: {"data":[…],"meta":{…}. Sites that
// are neighbours in memory are written in one piece.
type sitePage struct {
	market *index.Market // nil for an empty list
	sites  []uint32
	metres []float64 // of each site, nil without a disc
	whole  bool      // all sites instead of sites
	meta   []byte
}

const (
	pageHead   = `{"data":[`
	pageMiddle = `],"meta":`
	distance   = `,"distanceMeters":`
)

// register returns the sites as rows of tables.
func (p *sitePage) register() *export.Register {
	r := &export.Register{Market: p.market, Sites: p.sites, Metres: p.metres, Whole: p.whole}
	if p.market != nil {
		r.Source = view.SourceOf(p.market.Table, p.market.Snap)
	}
	return r
}

// answer returns the page as it is.
func (p *sitePage) answer() *endpoint.Answer {
	return &endpoint.Answer{ContentType: endpoint.JSONType, Size: p.size(), Write: p.write}
}

// eachRun yields each run of sites that are neighbours in memory, in order.
func (p *sitePage) eachRun(yield func(text []byte) bool) {
	for i := 0; i < len(p.sites); {
		from, n := p.sites[i], uint32(1)
		for i+int(n) < len(p.sites) && p.sites[i+int(n)] == from+n {
			n++
		}
		text, end := p.market.FragmentRun(from, from+n)
		if !yield(text) {
			return
		}
		i += int(end - from)
	}
}

// eachWithDistance yields each summary with the distance added.
func (p *sitePage) eachWithDistance(yield func(text []byte) bool) {
	var item []byte
	for i, s := range p.sites {
		item = append(append(item[:0], openObject(p.market.Fragment(s))...), distance...)
		item = append(strconv.AppendInt(item, int64(math.Round(p.metres[i])), 10), "},"...)
		if !yield(item) {
			return
		}
	}
}

// openObject returns an encoded summary without its end, so that members can follow.
func openObject(fragment []byte) []byte { return fragment[:len(fragment)-len("},")] }

// texts returns the encoded summaries in pieces.
func (p *sitePage) texts() iter.Seq[[]byte] {
	switch {
	case p.market == nil:
		return func(func([]byte) bool) {}
	case p.whole:
		return p.market.Fragments()
	case p.metres != nil:
		return p.eachWithDistance
	}
	return p.eachRun
}

// length returns the length of the texts. It is not known of a whole register before that was read once.
func (p *sitePage) length() (n int64, known bool) {
	if p.whole && p.market != nil {
		return p.market.FragmentsLength()
	}
	for text := range p.texts() {
		n += int64(len(text))
	}
	return n, true
}

// size returns what write writes, in bytes; -1 if unknown.
func (p *sitePage) size() int64 {
	n, known := p.length()
	if !known {
		return -1
	}
	if n > 0 {
		n-- // the last comma
	}
	return n + int64(len(pageHead)+len(pageMiddle)+len(p.meta))
}

func (p *sitePage) write(w io.Writer) error {
	c := &commaWriter{w: w}
	c.write([]byte(pageHead))
	for text := range p.texts() {
		if c.item(text); c.err != nil {
			break
		}
	}
	c.write([]byte(pageMiddle))
	c.write(p.meta)
	return c.err
}

// A commaWriter writes items that end with a comma, and leaves out the last one.
type commaWriter struct {
	w     io.Writer
	err   error
	comma bool // the comma of the last item is not written yet
}

func (c *commaWriter) write(b []byte) {
	c.comma = false
	c.put(b)
}

func (c *commaWriter) item(b []byte) {
	if c.comma {
		c.put([]byte(","))
	}
	c.put(b[:len(b)-1])
	c.comma = true
}

func (c *commaWriter) put(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

const collectionHead = `{"type":"FeatureCollection","features":[`

// geoJSON returns an answer in GeoJSON, encoded while it is written.
func geoJSON(write func(io.Writer) error) *endpoint.Answer {
	return &endpoint.Answer{ContentType: geoJSONType, Size: -1, Write: write}
}

// writeRegister writes the sites in GeoJSON with a few properties.
func (p *sitePage) writeRegister(w io.Writer) error {
	c := &commaWriter{w: w}
	c.write([]byte(collectionHead))
	if p.market != nil {
		encode := view.Features(p.market.Snap)
		var s site.Site
		var text []byte
		n := len(p.sites)
		if p.whole {
			n = p.market.Len()
		}
		for k := range n {
			i := uint32(k)
			if !p.whole {
				i = p.sites[k]
			}
			p.market.Site(i, &s)
			var err error
			if text, err = encode(text[:0], &s); err != nil {
				return err
			}
			if c.item(text); c.err != nil {
				return c.err
			}
		}
	}
	c.write([]byte(pageMiddle))
	c.write(p.meta)
	return c.err
}

// writeTable writes the sites in GeoJSON with the columns of tables as properties.
func (p *sitePage) writeTable(w io.Writer) error {
	c := &commaWriter{w: w}
	c.write([]byte(collectionHead))
	var text []byte
	table := p.register().SiteTable()
	encode := export.Features(table)
	for r := range table.Rows {
		text = append(encode(text[:0], r), ',')
		if c.item(text); c.err != nil {
			return c.err
		}
	}
	c.write([]byte(pageMiddle))
	c.write(p.meta)
	return c.err
}

// writeFeatures writes the sites in GeoJSON with the members of summaries as properties.
func (p *sitePage) writeFeatures(w io.Writer) error {
	c := &commaWriter{w: w}
	c.write([]byte(collectionHead))
	var text []byte
	for k, i := range p.sites {
		var err error
		if text, err = view.AppendFeature(text[:0], p.market.Snap.ID(int(i)), p.market.Position(i)); err != nil {
			return err
		}
		if p.metres == nil {
			text = append(text, p.market.Fragment(i)...)
			text = text[:len(text)-1] // without the comma
		} else {
			text = append(append(text, openObject(p.market.Fragment(i))...), distance...)
			text = append(strconv.AppendInt(text, int64(math.Round(p.metres[k])), 10), '}')
		}
		if c.item(append(text, "},"...)); c.err != nil {
			return c.err
		}
	}
	c.write([]byte(pageMiddle))
	c.write(p.meta)
	return c.err
}

// shapes returns the shape of a body in JSON.
func shapes[D, M any]() map[string]reflect.Type {
	return map[string]reflect.Type{endpoint.JSON: bodyType[D, M]()}
}

func bodyType[D, M any]() reflect.Type { return reflect.TypeFor[view.Body[D, M]]() }

// encodeBody encodes a body.
func encodeBody(body any) (*endpoint.Answer, error) {
	text, err := view.JSON(body)
	if err != nil {
		return nil, err
	}
	return endpoint.Encoded(text[:len(text)-1]), nil
}
