package areas

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// openGeoPackage returns the only layer of features (OGC 12-128r19).
func openGeoPackage(in input) (*File, error) {
	d, err := openDatabase(in)
	if err != nil {
		return nil, err
	}
	f := &File{close: in.Close}
	name, err := d.layer()
	if err != nil {
		return nil, err
	}
	l := layer{}
	if l.table, err = d.table(name); err != nil {
		return nil, err
	}
	if l.geometry, f.EPSG, err = d.geometry(name); err != nil {
		return nil, err
	}
	if l.column(l.geometry) < 0 {
		return nil, damaged("layer %q has no column %q", name, l.geometry)
	}
	f.features = l.features
	return f, nil
}

// layer returns the name of the only layer.
func (d *database) layer() (string, error) {
	contents, err := d.table("gpkg_contents")
	if err != nil {
		return "", err
	}
	var names []string
	err = contents.each(func(_ row, values attributes) error {
		if values["data_type"] == "features" {
			names = append(names, values["table_name"])
		}
		if len(names) > 1 {
			return unsupported("there are several layers: %.80q and %.80q", names[0], names[1])
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = unsupported("there is no layer of features")
	}
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// geometry returns the column with the geometry of a layer, and the EPSG code of its system, 0 if it has none.
func (d *database) geometry(layer string) (column string, code int, err error) {
	columns, err := d.table("gpkg_geometry_columns")
	if err != nil {
		return "", 0, err
	}
	system, found := "", 0
	err = columns.each(func(_ row, values attributes) error {
		if strings.EqualFold(values["table_name"], layer) {
			column, system = values["column_name"], values["srs_id"]
			found++
		}
		return nil
	})
	if err == nil && found != 1 {
		err = damaged("layer %q has %d columns with geometry", layer, found)
	}
	if err != nil {
		return "", 0, err
	}
	systems, err := d.table("gpkg_spatial_ref_sys")
	if err != nil {
		return "", 0, err
	}
	err = systems.each(func(r row, values attributes) error {
		// Where the column is the table's INTEGER PRIMARY KEY, SQLite keeps it as the number of the row.
		id, ok := values["srs_id"]
		if !ok {
			id = strconv.FormatInt(r.id, 10)
		}
		if id == system && strings.EqualFold(values["organization"], "EPSG") {
			code, _ = strconv.Atoi(values["organization_coordsys_id"])
		}
		return nil
	})
	return column, code, err
}

// A table has rows with named columns.
type table struct {
	*database
	root    uint32
	columns []string
	filled  int // the last column that has a value in rows that lack it, or -1
}

// table finds a table by its name.
func (d *database) table(name string) (found table, err error) {
	schema := table{d, 1, []string{"type", "name", "tbl_name", "rootpage", "sql"}, -1}
	err = schema.each(func(_ row, values attributes) error {
		if values["type"] != "table" || !strings.EqualFold(values["name"], name) {
			return nil
		}
		root, err := strconv.ParseUint(values["rootpage"], 10, 32)
		if err != nil || root == 0 {
			return damaged("table %q has no root page", name)
		}
		found = table{database: d, root: uint32(root)}
		found.columns, found.filled, err = columnsOf(values["sql"])
		if strings.HasPrefix(name, "gpkg_") {
			found.filled = -1 // extensions add columns to the format's own tables, and they are not read
		}
		return err
	})
	if err == nil && found.root == 0 {
		err = unsupported("there is no table %.80q: it is not a GeoPackage", name)
	}
	return found, err
}

// column returns the position of a column, or -1.
func (t table) column(name string) int {
	for i, c := range t.columns {
		if strings.EqualFold(c, name) {
			return i
		}
	}
	return -1
}

// each calls visit with each row and its values.
func (t table) each(visit func(row, attributes) error) error {
	return t.rows(t.root, func(r row) error {
		values, err := t.values(r)
		if err != nil {
			return fmt.Errorf("row %d: %w", r.id, err)
		}
		return visit(r, values)
	})
}

// values returns the texts of a row. Columns that were added to the table later may be missing at the end: they are null,
// or what their DEFAULT says, which is not read. A column that is the number of the row is null too.
func (t table) values(r row) (attributes, error) {
	record := r.open()
	columns, err := record.columns()
	if err != nil {
		return nil, err
	}
	if len(columns) > len(t.columns) {
		return nil, damaged("there are %d values for %d columns", len(columns), len(t.columns))
	}
	if len(columns) <= t.filled {
		return nil, unsupported("column %.80q was added with a DEFAULT, and the row lacks it", t.columns[t.filled])
	}
	values := attributes{}
	for i, c := range columns {
		text, ok, err := record.text(c)
		if ok {
			err = values.put(t.columns[i], text)
		}
		if err != nil {
			return nil, fmt.Errorf("column %.80q: %w", t.columns[i], err)
		}
	}
	return values, nil
}

// A layer is a table with a column of geometry.
type layer struct {
	table
	geometry string
}

func (l layer) features(each func(Feature) error) error {
	return l.each(func(r row, values attributes) error {
		return each(Feature{Attributes: values, Edges: func(edge func(x1, y1, x2, y2 float64)) error {
			if err := l.edges(r, edge); err != nil {
				return fmt.Errorf("row %d: %w", r.id, err)
			}
			return nil
		}})
	})
}

// edges reads the geometry of a row. A null has no edges.
func (l layer) edges(r row, edge edgeFunc) error {
	record := r.open()
	columns, err := record.columns()
	if err != nil {
		return err
	}
	at := l.column(l.geometry)
	if at >= len(columns) || columns[at] == null {
		return nil
	}
	for _, c := range columns[:at] {
		if err := record.skip(c.size()); err != nil {
			return err
		}
	}
	return readGeometry(io.LimitReader(record, columns[at].size()), edge)
}
