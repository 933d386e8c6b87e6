package export

import (
	"strconv"

	"relais/internal/jsontext"
)

// Features returns a function that appends a row as a GeoJSON Feature: a point, with the columns as properties.
// What is not stated is null.
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
		dst = jsontext.AppendNumber(append(dst, `,"geometry":{"type":"Point","coordinates":[`...), p.Lng)
		dst = jsontext.AppendNumber(append(dst, ','), p.Lat)
		dst = append(dst, `]},"properties":{`...)
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
	case Numbers:
		return appendList(dst, v.Numbers, jsontext.AppendNumber)
	}
	return jsontext.AppendString(dst, v.Text)
}

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
