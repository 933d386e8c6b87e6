package areas

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// mark may begin a text in UTF-8.
const mark = "\xef\xbb\xbf"

// openGeoJSON reads the whole file once: its coordinates' system may stand at the end. Without one they are degrees
// (RFC 7946).
func openGeoJSON(in input) (*File, error) {
	f := &File{EPSG: 4326, close: in.Close}
	j := &geoJSON{in: in}
	if err := j.read(f, func(Feature) error { return nil }); err != nil {
		return nil, err
	}
	f.features = func(each func(Feature) error) error { return j.read(&File{}, each) }
	return f, nil
}

type geoJSON struct{ in input }

// maxToken bounds a text, and what stands between two.
const maxToken = 1 << 20

// A tokens reads JSON token by token in bounded memory.
type tokens struct {
	in    io.Reader
	left  int // bytes that may be read before the next token
	json  *json.Decoder
	begin int64 // where the reading began in the file
}

// tokensAt reads from a position of the file.
func (j *geoJSON) tokensAt(at int64) (*tokens, error) {
	info, err := j.in.Stat()
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(j.in, at, info.Size()-at), 64<<10)
	t := &tokens{in: in, begin: at}
	for { // a mark, or what stands between a name and its value
		c, err := in.Peek(1)
		if err != nil || strings.IndexByte(mark+" :\t\r\n", c[0]) < 0 {
			break
		}
		in.Discard(1)
		t.begin++
	}
	t.json = json.NewDecoder(t)
	return t, nil
}

var errLong = fmt.Errorf("a text has over %d bytes", maxToken)

// fault returns the error of reading JSON.
func (t *tokens) fault(err error) error {
	switch {
	case err == nil, errors.As(err, new(*os.PathError)):
		return err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return damaged("it ends in the middle")
	case errors.Is(err, errLong):
		return unsupported("byte %d: %w", t.at(), err)
	}
	return damaged("byte %d: it is not JSON: %v", t.at(), err)
}

func (t *tokens) Read(b []byte) (int, error) {
	if t.left <= 0 {
		return 0, errLong
	}
	n, err := t.in.Read(b[:min(len(b), t.left)])
	t.left -= n
	return n, err
}

func (t *tokens) next() (json.Token, error) {
	t.left = maxToken
	token, err := t.json.Token()
	return token, t.fault(err)
}

// at returns the position in the file after the last token.
func (t *tokens) at() int64 { return t.begin + t.json.InputOffset() }

func (t *tokens) more() bool {
	t.left = maxToken
	return t.json.More()
}

// members calls visit with the name of each member of an object. visit must read its value. A null has no members.
func (t *tokens) members(visit func(name string) error) error {
	token, err := t.next()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('{') {
		return damaged("byte %d: %.40q is in the place of an object", t.at(), fmt.Sprint(token))
	}
	for t.more() {
		name, err := t.next()
		if err != nil {
			return err
		}
		if err := visit(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err = t.next()
	return err
}

// value reads a value, and returns its text, and whether it has one: a null, a list and an object have none.
func (t *tokens) value() (text string, ok bool, err error) {
	for depth, first := 0, true; first || depth > 0; first = false {
		token, err := t.next()
		if err != nil {
			return "", false, err
		}
		switch v := token.(type) {
		case json.Delim:
			if depth++; v == '}' || v == ']' {
				depth -= 2
			}
			if depth > 100 {
				return "", false, damaged("byte %d: it is too deep", t.at())
			}
		case nil:
		default:
			text, ok = plain(v), first
		}
	}
	if !ok {
		text = ""
	}
	return text, ok, nil
}

// plain returns the text of a text, a number or a truth, as a GeoPackage has it.
func plain(v any) string {
	n, ok := v.(json.Number)
	if ok && strings.ContainsAny(string(n), ".eE") {
		if f, err := n.Float64(); err == nil {
			return number(f)
		}
	}
	return fmt.Sprint(v)
}

// read sets what the file says of itself, and calls each with the features.
func (j *geoJSON) read(f *File, each func(Feature) error) error {
	t, err := j.tokensAt(0)
	if err != nil {
		return err
	}
	t.json.UseNumber() // long whole numbers stay exact
	lists := 0
	err = t.members(func(name string) (err error) {
		switch name {
		case "features":
			lists++
			return j.list(t, each)
		case "crs":
			f.EPSG, err = t.system()
		default:
			_, _, err = t.value()
		}
		return err
	})
	if err == nil && lists != 1 {
		err = unsupported("it has %d lists of features: it is not a GeoJSON FeatureCollection", lists)
	}
	if err != nil {
		return err
	}
	t.left = maxToken
	if _, err := t.json.Token(); err != io.EOF {
		return damaged("byte %d: something follows the end", t.at())
	}
	return nil
}

var crsName = regexp.MustCompile(`(?i)^(?:urn:ogc:def:crs:EPSG:[^:]*:|EPSG:|https?://www\.opengis\.net/def/crs/EPSG/[^/]*/)(\d{1,6})$`)

// system reads a crs, and returns the code of EPSG, 0 if it is another system.
func (t *tokens) system() (code int, err error) {
	var crs *struct{ Properties struct{ Name string } }
	t.left = maxToken
	if err := t.json.Decode(&crs); err != nil {
		return 0, fmt.Errorf("the crs cannot be read: %w", t.fault(err))
	}
	if crs == nil {
		return 0, nil // RFC 7946's predecessor: no system can be assumed
	}
	if strings.Contains(crs.Properties.Name, "CRS84") {
		return 4326, nil
	}
	if m := crsName.FindStringSubmatch(crs.Properties.Name); m != nil {
		code, _ = strconv.Atoi(m[1])
	}
	return code, nil
}

func (j *geoJSON) list(t *tokens, each func(Feature) error) error {
	token, err := t.next()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return damaged("byte %d: the features are not a list", t.at())
	}
	for n := 1; t.more(); n++ {
		feature, err := j.feature(t)
		if err == nil {
			err = each(feature)
		}
		if err != nil {
			return fmt.Errorf("feature %d: %w", n, err)
		}
	}
	_, err = t.next()
	return err
}

func (j *geoJSON) feature(t *tokens) (Feature, error) {
	values, geometry, id := attributes{}, int64(-1), ""
	put := func(name string) error {
		text, ok, err := t.value()
		if err == nil && ok {
			err = values.put(name, text)
		}
		return err
	}
	err := t.members(func(name string) (err error) {
		switch name {
		case "id":
			id, _, err = t.value()
			return err
		case "properties":
			return t.members(put)
		case "geometry":
			geometry = t.at()
		}
		_, _, err = t.value()
		return err
	})
	if err == nil && id != "" { // it comes before a property of that name
		err = values.put("id", id)
	}
	return Feature{Attributes: values, Edges: func(edge func(x1, y1, x2, y2 float64)) error {
		if geometry < 0 {
			return nil
		}
		return j.edges(geometry, edge)
	}}, err
}

// edges reads the geometry at a position of the file.
func (j *geoJSON) edges(at int64, edge edgeFunc) error {
	t, err := j.tokensAt(at)
	if err != nil {
		return err
	}
	c, kind := coordinates{tokens: t, edge: edge}, "null"
	err = t.members(func(name string) (err error) {
		switch name {
		case "type":
			kind, _, err = t.value()
			return err
		case "coordinates":
			return c.read()
		}
		_, _, err = t.value()
		return err
	})
	levels, known := map[string]int{"Polygon": 2, "MultiPolygon": 3, "null": 0}[kind]
	switch {
	case err != nil:
		return err
	case !known:
		return unsupported("the geometry is a %.40q, not a Polygon or MultiPolygon", kind)
	case c.levels != 0 && c.levels != levels:
		return damaged("the coordinates are not those of a %s", kind)
	}
	return nil
}

// maxDimensions is how many numbers a position has at most.
const maxDimensions = 4

// coordinates are lists of lists of positions.
type coordinates struct {
	*tokens
	edge   edgeFunc
	levels int   // of lists, down to the positions; 0 before the first, -1 of a position alone
	path   []int // of the list that is read
}

func (c *coordinates) read() error {
	token, err := c.next()
	switch {
	case err != nil || token == nil:
		return err
	case token != json.Delim('['):
		return damaged("the coordinates are not a list")
	}
	position, err := c.list()
	if err != nil {
		return fmt.Errorf("coordinates %v: %w", c.path, err)
	}
	if position != nil {
		c.levels = -1
	}
	return nil
}

// list reads a list after its beginning. It returns the numbers if it is a position, otherwise nil.
func (c *coordinates) list() (position []float64, err error) {
	var ring ring
	for n := 0; c.more(); n++ {
		token, err := c.next()
		if err != nil {
			return nil, err
		}
		if v, ok := token.(float64); ok {
			if len(position) == maxDimensions {
				return nil, damaged("a position has over %d numbers", maxDimensions)
			}
			position = append(position, v)
			continue
		}
		if token != json.Delim('[') || len(c.path) == 3 || len(position) > 0 {
			return nil, damaged("%.40q is in the place of a number", fmt.Sprint(token))
		}
		c.path = append(c.path, n)
		at, err := c.list()
		if err == nil && at != nil {
			err = c.add(&ring, at)
		}
		if err != nil {
			return nil, err
		}
		c.path = c.path[:len(c.path)-1]
	}
	if _, err := c.next(); err != nil {
		return nil, err
	}
	return position, ring.close()
}

func (c *coordinates) add(ring *ring, at []float64) error {
	if c.levels == 0 {
		c.levels = len(c.path)
	}
	if len(at) < 2 || len(c.path) != c.levels {
		return damaged("it is not a position")
	}
	return ring.add(at[0], at[1], c.edge)
}
