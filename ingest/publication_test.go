package ingest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"relais/ingest/table/tabletest"
)

// A publication is a file as its authority publishes it: a table, or a list in JSON.
type publication struct {
	file     string
	columns  []string
	rows     [][]string // of a list: as JSON writes them
	comma    string     // "" for a list
	headless bool       // a table without a header
	before   string     // what stands before the header, or the rows of a list
	outer    []string   // columns of a list that are members of a row, when it has properties
}

// fill makes a row with mostly empty columns.
func fill(columns []string, otherwise string, values map[string]string) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		if v, ok := values[c]; ok {
			row[i] = v
		} else {
			row[i] = otherwise
		}
	}
	return row
}

// changed is the publication with the column at another name, without it, with two of it,
// the second with the values of other rows, or without any.
func (p publication) changed(how string, at int) publication {
	rows := tabletest.Change(append([][]string{p.columns}, p.rows...), how, at)
	p.columns, p.rows = rows[0], rows[1:]
	for _, row := range p.rows {
		switch {
		case how == "emptied" && p.comma == "":
			row[at] = "null"
		case how == "blanked":
			row[at] = `""`
		}
	}
	return p
}

// String is the text of the file.
func (p publication) String() string {
	if p.comma == "" {
		return p.list()
	}
	lines := []string{p.before + strings.Join(p.columns, p.comma)}
	if p.headless {
		lines = nil
	}
	for _, row := range p.rows {
		lines = append(lines, strings.Join(row, p.comma))
	}
	return strings.Join(lines, "\n") + "\n"
}

func (p publication) list() string {
	var rows []string
	for _, row := range p.rows {
		var outer, inner []string
		for i, c := range p.columns {
			name, _ := json.Marshal(c)
			member := string(name) + ":" + row[i]
			// The second of two stands where the first does.
			if first := slices.Index(p.columns, c); p.outer == nil || slices.Contains(p.outer, c) ||
				c == tabletest.Renamed && row[first][0] == '{' {
				outer = append(outer, member)
			} else {
				inner = append(inner, member)
			}
		}
		if p.outer != nil {
			outer = append(outer, `"properties":{`+strings.Join(inner, ",")+"}")
		}
		rows = append(rows, "{"+strings.Join(outer, ",")+"}")
	}
	if p.outer == nil {
		return "[" + strings.Join(rows, ",\n") + "]\n"
	}
	return p.before + strings.Join(rows, ",\n") + "]}\n"
}

// hasValues reports whether a column has something in any row.
func (p publication) hasValues(at int) bool {
	return slices.ContainsFunc(p.rows, func(row []string) bool { return strings.Trim(row[at], `" `) != "" && row[at] != "null" })
}

// table makes a publication of a header and rows; fields have no separator in them.
func table(file, comma, header string, rows ...string) publication {
	p := publication{file: file, comma: comma, columns: strings.Split(header, comma)}
	for _, row := range rows {
		fields := strings.Split(row, comma)
		if len(fields) != len(p.columns) {
			panic(fmt.Sprintf("%s: %d fields for %d columns: %s", file, len(fields), len(p.columns), row))
		}
		p.rows = append(p.rows, fields)
	}
	return p
}
