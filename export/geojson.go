package export

import (
	"strconv"

	"relais/geo"
	"relais/internal/jsontext"
)

// Features returns a function that appends a row as a GeoJSON Feature: a point or a wedge, with the columns as
// properties. What is not stated is null.
func Features(t *Table) func(dst []byte, r Row) []byte {
	names := make([][]byte, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = append(jsontext.AppendString(nil, c.Name), ':')
	}
	v := new(Value)
	return func(dst []byte, r Row) []byte {
		r.Cell(t.ID, v)
		dst = jsontext.AppendString(append(dst, `{"type":"Feature","id":`...), v.Text)
		p := t.position(r, v)
		if dst = append(dst, `,"geometry":{"type":`...); t.Wedge {
			r.Cell(len(t.Columns)-1, v)
			dst = append(appendList(append(dst, `"Polygon","coordinates":[`...), Wedge(p, float64(v.Whole)), appendPoint), ']')
		} else {
			dst = appendPoint(append(dst, `"Point","coordinates":`...), p)
		}
		dst = append(dst, `},"properties":{`...)
		for i, name := range names {
			if i > 0 {
				dst = append(dst, ',')
			}
			r.Cell(i, v)
			dst = v.appendJSON(append(dst, name...), t.Columns[i].Type)
		}
		return append(dst, "}}"...)
	}
}

// appendPoint appends longitude and latitude.
func appendPoint(dst []byte, p geo.Point) []byte {
	dst = jsontext.AppendNumber(append(dst, '['), p.Lng)
	return append(jsontext.AppendNumber(append(dst, ','), p.Lat), ']')
}

// appendJSON appends the value of a column of the type.
func (v *Value) appendJSON(dst []byte, t Type) []byte {
	if v.Null {
		return append(dst, "null"...)
	}
	switch t {
	case Whole:
		return strconv.AppendInt(dst, v.Whole, 10)
	case Number:
		return jsontext.AppendNumber(dst, v.Number)
	case Boolean:
		return strconv.AppendBool(dst, v.Boolean)
	case Date:
		return append(v.Date.Append(append(dst, '"')), '"')
	case Time:
		return append(v.Time.UTC().AppendFormat(append(dst, '"'), timeFormat), '"')
	case Texts:
		return appendList(dst, v.Texts, jsontext.AppendString)
	case Wholes:
		return appendList(dst, v.Wholes, appendWhole)
	case Numbers:
		return appendList(dst, v.Numbers, jsontext.AppendNumber)
	}
	return jsontext.AppendString(dst, v.Text)
}

func appendWhole(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

func appendList[E any](dst []byte, list []E, element func([]byte, E) []byte) []byte {
	dst = append(dst, '[')
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, e)
	}
	return append(dst, ']')
}
