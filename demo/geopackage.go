package demo

import (
	"encoding/binary"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// A geoPackage is a GeoPackage (OGC 12-128) with one layer of multipolygons. It is an SQLite file of four tables without
// indexes, as https://www.sqlite.org/fileformat2.html describes it. A library would make each program 7 MB larger.
type geoPackage struct {
	layer   string
	epsg    int
	date    string   // of the contents, YYYY-MM-DD
	columns []string // of text
	rows    []areaRow
}

// An areaRow is a feature.
type areaRow struct {
	values []any    // of the columns, texts or nil
	areas  [][]ring // polygons: the outer ring, then holes
}

// A ring has corners x, y. The last one is not the first one again.
type ring [][2]float64

// pageBytes is the size of a page of the database.
const pageBytes = 4096

// A database has the pages that are written. The first one is for the schema.
type database [][]byte

// write writes the file.
func (g *geoPackage) write(w io.Writer) error {
	create := `CREATE TABLE "` + g.layer + `" (fid INTEGER PRIMARY KEY NOT NULL, geom MULTIPOLYGON`
	for _, c := range g.columns {
		create += ", " + c + " TEXT"
	}
	features := map[int][]any{}
	for i := range g.rows {
		features[i+1] = append([]any{nil, g.rows[i].geometry(g.epsg)}, g.rows[i].values...)
	}
	d := database{make([]byte, pageBytes)}
	var schema [][]byte
	for _, t := range []struct {
		name, sql string
		rows      map[int][]any
	}{
		{"gpkg_spatial_ref_sys", "CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, " +
			"organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)",
			map[int][]any{-1: {"Undefined Cartesian SRS", nil, "NONE", -1, "undefined", nil},
				0: {"Undefined geographic SRS", nil, "NONE", 0, "undefined", nil}, 4326: {"WGS 84", nil, "EPSG", 4326, "undefined", nil},
				g.epsg: {"EPSG:" + strconv.Itoa(g.epsg), nil, "EPSG", g.epsg, "undefined", nil}}},
		{"gpkg_contents", "CREATE TABLE gpkg_contents (table_name TEXT NOT NULL, data_type TEXT NOT NULL, identifier TEXT, " +
			"description TEXT, last_change DATETIME NOT NULL, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER)",
			map[int][]any{1: {g.layer, "features", g.layer, "SYNTHETIC", g.date + "T00:00:00.000Z", nil, nil, nil, nil, g.epsg}}},
		{"gpkg_geometry_columns", "CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, " +
			"geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL)",
			map[int][]any{1: {g.layer, "geom", "MULTIPOLYGON", g.epsg, 0, 0}}},
		{g.layer, create + ")", features},
	} {
		schema = append(schema, d.cell(len(schema)+1, []any{"table", t.name, t.name, d.table(t.rows), t.sql}))
	}
	leaf(d[0], 100, schema)
	d.head()
	for _, page := range d {
		if _, err := w.Write(page); err != nil {
			return err
		}
	}
	return nil
}

// head writes the header of the file.
func (d database) head() {
	h := d[0]
	copy(h, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(h[16:], pageBytes)
	copy(h[18:], []byte{1, 1, 0, 64, 32, 32})
	for at, v := range map[int]uint32{24: 1, 28: uint32(len(d)), 40: 1, 44: 4, 56: 1, 60: 10300, 92: 1, 96: 3045000} {
		binary.BigEndian.PutUint32(h[at:], v)
	}
	copy(h[68:], "GPKG")
}

// table adds the pages of a table, and returns the number of its root: one leaf, or a leaf for each row.
func (d *database) table(rows map[int][]any) (root int) {
	ids, cells, size := slices.Sorted(maps.Keys(rows)), [][]byte(nil), 8
	for i, id := range ids {
		cells = append(cells, d.cell(id, rows[id]))
		size += 2 + len(cells[i])
	}
	if size <= pageBytes {
		return d.add(func(page []byte) { leaf(page, 0, cells) })
	}
	var children []int
	for i := range cells {
		children = append(children, d.add(func(page []byte) { leaf(page, 0, cells[i:i+1]) }))
	}
	return d.add(func(page []byte) {
		last := len(children) - 1
		page[0] = 5
		binary.BigEndian.PutUint32(page[8:], uint32(children[last]))
		var inner [][]byte
		for i, child := range children[:last] {
			inner = append(inner, append(binary.BigEndian.AppendUint32(nil, uint32(child)), varint(uint64(ids[i]))...))
		}
		put(page, 0, 12, inner)
	})
}

// add adds a page, and returns its number.
func (d *database) add(fill func(page []byte)) int {
	page := make([]byte, pageBytes)
	fill(page)
	*d = append(*d, page)
	return len(*d)
}

// leaf writes cells to a page whose header is at a position.
func leaf(page []byte, at int, cells [][]byte) {
	page[at] = 13
	put(page, at, at+8, cells)
}

// put writes cells from the end of the page on, and where they are.
func put(page []byte, at, pointers int, cells [][]byte) {
	end := len(page)
	for i, c := range cells {
		end -= len(c)
		copy(page[end:], c)
		binary.BigEndian.PutUint16(page[pointers+2*i:], uint16(end))
	}
	binary.BigEndian.PutUint16(page[at+3:], uint16(len(cells)))
	binary.BigEndian.PutUint16(page[at+5:], uint16(end))
}

// cell returns a row as its leaf has it. What is too long goes on in a chain of other pages.
func (d *database) cell(id int, values []any) []byte {
	record := record(values)
	head := append(varint(uint64(len(record))), varint(uint64(id))...)
	const most, least = pageBytes - 35, (pageBytes-12)*32/255 - 23
	if len(record) <= most {
		return append(head, record...)
	}
	local := least + (len(record)-least)%(pageBytes-4)
	if local > most {
		local = least
	}
	head = binary.BigEndian.AppendUint32(append(head, record[:local]...), uint32(len(*d)+1))
	for rest := record[local:]; len(rest) > 0; {
		n := min(len(rest), pageBytes-4)
		d.add(func(page []byte) {
			copy(page[4:], rest[:n])
			if n < len(rest) {
				binary.BigEndian.PutUint32(page, uint32(len(*d)+2))
			}
		})
		rest = rest[n:]
	}
	return head
}

// record returns values in the form of SQLite: null, int, string and []byte.
func record(values []any) []byte {
	var types, body []byte
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			types = append(types, 0)
		case int:
			types, body = append(types, 4), binary.BigEndian.AppendUint32(body, uint32(v))
		case string:
			types, body = append(types, varint(uint64(13+2*len(v)))...), append(body, v...)
		case []byte:
			types, body = append(types, varint(uint64(12+2*len(v)))...), append(body, v...)
		}
	}
	return append(append([]byte{byte(1 + len(types))}, types...), body...) // fewer than 127 bytes of types
}

// varint returns a number in up to nine bytes, the highest bits first.
func varint(v uint64) []byte {
	low, bits := byte(v&0x7f), 7
	if v >= 1<<56 {
		low, bits = byte(v), 8 // the ninth byte has eight
	}
	b := []byte{low}
	for v >>= bits; v > 0; v >>= 7 {
		b = append([]byte{byte(v) | 0x80}, b...)
	}
	return b
}

// geometry returns the geometry of a feature: a header, then well-known binary.
func (a *areaRow) geometry(epsg int) []byte {
	order := binary.LittleEndian
	b := order.AppendUint32([]byte("GP\x00\x01"), uint32(epsg))
	head := func(kind, parts int) {
		b = order.AppendUint32(order.AppendUint32(append(b, 1), uint32(kind)), uint32(parts))
	}
	head(6, len(a.areas))
	for _, rings := range a.areas {
		head(3, len(rings))
		for _, r := range rings {
			b = order.AppendUint32(b, uint32(len(r)+1))
			for i := range len(r) + 1 {
				p := r[i%len(r)]
				b = order.AppendUint64(order.AppendUint64(b, math.Float64bits(p[0])), math.Float64bits(p[1]))
			}
		}
	}
	return b
}
