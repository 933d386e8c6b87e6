package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"relais/geo"
	"relais/internal/jsontext"
)

// Parquet is GeoParquet 1.1: the columns of a table, a point in WKB, and a box for each row by which readers
// leave out groups of rows. Rows stay in their order.
type Parquet struct{}

// Sizes of parts of a Parquet file.
const (
	groupRows = 20000 // rows of a group, in which readers can skip
	batchRows = 1000  // rows that are collected before they are encoded
)

// The columns that a Parquet file has in addition to those of a table.
const (
	geometryColumn = "geometry"
	boxColumn      = "bbox"
)

var boxEdges = []string{"xmin", "ymin", "xmax", "ymax"}

// Write writes a table with positions. A file that was not written to its end has no footer, without which no
// reader takes it.
func (Parquet) Write(w io.Writer, t *Table) error {
	p := &parquetWriter{table: t, file: parquet.NewGenericWriter[any](w, parquet.NewSchema("relais", parquetSchema(t)),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("relais", "1", "")),
		batch: make([][]parquet.Value, len(t.Columns)+1+len(boxEdges)), bounds: emptyBox}
	rows := 0
	for r := range t.Rows {
		p.add(r)
		rows++
		if rows%batchRows == 0 {
			if err := p.writeBatch(); err != nil {
				return err
			}
		}
		if rows%groupRows == 0 {
			if err := p.file.Flush(); err != nil {
				return err
			}
		}
	}
	if err := p.writeBatch(); err != nil {
		return err
	}
	p.file.SetKeyValueMetadata("geo", p.geoMetadata())
	return p.file.Close()
}

type parquetWriter struct {
	table  *Table
	file   *parquet.GenericWriter[any]
	batch  [][]parquet.Value // by column
	value  Value
	bounds geo.Box // of all positions
}

// emptyBox is the bounds of no positions.
var emptyBox = geo.Box{South: math.Inf(1), West: math.Inf(1), North: math.Inf(-1), East: math.Inf(-1)}

func (p *parquetWriter) add(r Row) {
	for i, c := range p.table.Columns {
		r.Cell(i, &p.value)
		p.batch[i] = appendParquet(p.batch[i], &p.value, c.Type)
	}
	at := p.table.position(r, &p.value)
	b := &p.bounds
	b.South, b.North = min(b.South, at.Lat), max(b.North, at.Lat)
	b.West, b.East = min(b.West, at.Lng), max(b.East, at.Lng)
	n := len(p.table.Columns)
	p.batch[n] = append(p.batch[n], parquet.ByteArrayValue(wkb(at)))
	for k, x := range []float64{at.Lng, at.Lat, at.Lng, at.Lat} {
		p.batch[n+1+k] = append(p.batch[n+1+k], parquet.DoubleValue(x))
	}
}

// wkb returns a point in little-endian well-known binary.
func wkb(p geo.Point) []byte {
	const littleEndian, point = 1, 1
	b := binary.LittleEndian.AppendUint32(append(make([]byte, 0, 21), littleEndian), point)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Lng))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Lat))
}

func (p *parquetWriter) writeBatch() error {
	if len(p.batch[0]) == 0 {
		return nil // parquet-go takes the address of the first value
	}
	for i, column := range p.file.ColumnWriters() {
		if _, err := column.WriteRowValues(p.batch[i]); err != nil {
			return err
		}
		p.batch[i] = p.batch[i][:0]
	}
	return nil
}

// geoMetadata returns the metadata of GeoParquet.
func (p *parquetWriter) geoMetadata() string {
	covering := ""
	for i, edge := range boxEdges {
		if i > 0 {
			covering += ","
		}
		covering += fmt.Sprintf("%q:[%q,%q]", edge, boxColumn, edge)
	}
	bounds := ""
	if b := p.bounds; b.West <= b.East {
		bounds = fmt.Sprintf(`"bbox":%s,`,
			appendList(nil, []float64{b.West, b.South, b.East, b.North}, jsontext.AppendNumber))
	}
	return fmt.Sprintf(`{"version":"1.1.0","primary_column":%q,"columns":{%q:{"encoding":"WKB","geometry_types":["Point"],`+
		`%s"covering":{"bbox":{%s}}}}}`, geometryColumn, geometryColumn, bounds, covering)
}

// Definition levels: of what is stated, and of lists, which may be not stated, empty or have elements.
const (
	notStated = 0
	stated    = 1
	element   = 2
)

// appendParquet appends a cell with its levels.
func appendParquet(dst []parquet.Value, v *Value, t Type) []parquet.Value {
	if v.Null {
		return append(dst, parquet.NullValue().Level(0, notStated, 0))
	}
	var x parquet.Value
	switch t {
	case Text:
		x = parquetText(v.Text)
	case Whole:
		x = parquet.Int64Value(v.Whole)
	case Number:
		x = parquet.DoubleValue(v.Number)
	case Boolean:
		x = parquet.BooleanValue(v.Boolean)
	case Date:
		x = parquet.Int32Value(int32(v.Date.Time().Unix() / (24 * 60 * 60)))
	case Time:
		x = parquet.Int64Value(v.Time.UnixMilli())
	case Texts:
		return appendElements(dst, v.Texts, parquetText)
	case Wholes:
		return appendElements(dst, v.Wholes, func(n int64) parquet.Value { return parquet.Int64Value(n) })
	case Numbers:
		return appendElements(dst, v.Numbers, parquet.DoubleValue)
	}
	return append(dst, x.Level(0, stated, 0))
}

func appendElements[E any](dst []parquet.Value, list []E, value func(E) parquet.Value) []parquet.Value {
	if len(list) == 0 {
		return append(dst, parquet.NullValue().Level(0, stated, 0))
	}
	for i, e := range list {
		dst = append(dst, value(e).Level(min(i, 1), element, 0))
	}
	return dst
}

// parquetText returns a text as a value, which shares its memory. The writer copies it and changes nothing.
func parquetText(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// parquetSchema returns the columns of a table, then the geometry and its box.
func parquetSchema(t *Table) parquet.Node {
	group := orderedGroup{Group: parquet.Group{}}
	add := func(name string, n parquet.Node) {
		group.Group[name] = n
		group.names = append(group.names, name)
	}
	for _, c := range t.Columns {
		add(c.Name, parquet.Optional(parquetNode(c.Type)))
	}
	add(geometryColumn, parquet.Leaf(parquet.ByteArrayType))
	box := orderedGroup{parquet.Group{}, boxEdges}
	for _, edge := range boxEdges {
		box.Group[edge] = parquet.Leaf(parquet.DoubleType)
	}
	add(boxColumn, box)
	return group
}

func parquetNode(t Type) parquet.Node {
	text := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	switch t {
	case Whole:
		return parquet.Int(64)
	case Number:
		return parquet.Leaf(parquet.DoubleType)
	case Boolean:
		return parquet.Leaf(parquet.BooleanType)
	case Date:
		return parquet.Date()
	case Time:
		return parquet.Timestamp(parquet.Millisecond)
	case Texts:
		return parquet.List(text)
	case Wholes:
		return parquet.List(parquet.Int(64))
	case Numbers:
		return parquet.List(parquet.Leaf(parquet.DoubleType))
	}
	return text
}

// An orderedGroup is a group whose fields have an order. Those of a Group are sorted by name.
type orderedGroup struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node.
func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.names, a.Name()) - slices.Index(g.names, b.Name())
	})
	return fields
}
