// Package demotest breaks files of package demo, for tests of what reads them.
package demotest

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"relais/demo"
)

// CA is what WriteCA wrote.
type CA struct {
	Rows, Places int            // places have at least one good row
	Broken       map[string]int // rows by fault
}

// faults has the faults of broken rows, with the columns that change. Rows with the last fault are served, without
// these values.
var faults = []struct {
	name    string
	columns map[string]string
}{
	{"stray quote", nil}, {"one field more", nil}, {"swapped", nil},
	{"zero", map[string]string{"latitude": "0", "longitude": "0"}},
	{"not a number", map[string]string{"latitude": "NaN"}},
	{"outside", map[string]string{"latitude": "38.9"}},
	{"technology", map[string]string{"technology": "WIMAX"}},
	{"category", map[string]string{"licence_category": "FWA"}},
	{"no changes", map[string]string{"location": "NOCHANGES"}},
	{"no licence", map[string]string{"licence_number": "-"}},
	{"values", map[string]string{"structure_height": "99999", "tx_ant_azimuth": "361", "tx_frequency": "9",
		"physical_id": "4711"}},
}

// WriteCA writes the extract of demo.WriteCA with invented contacts in every row. Every nth row is broken, none if
// every is 0.
func WriteCA(w io.Writer, rows, every int) (CA, error) {
	from, to := io.Pipe()
	defer from.Close()
	go func() { to.CloseWithError(demo.WriteCA(to, rows)) }()
	in, out := csv.NewReader(from), bufio.NewWriter(w)
	in.ReuseRecord = true
	good := csv.NewWriter(out) // has no buffer of its own
	columns, places, count := map[string]int{}, map[string]bool{}, CA{Rows: rows, Broken: map[string]int{}}
	names, err := in.Read()
	for i, name := range names {
		columns[strings.Trim(name, "*")] = i
	}
	_ = good.Write(names)
	for n := 1; err == nil && n <= rows; n++ {
		var row []string
		if row, err = in.Read(); err != nil {
			break
		}
		row[columns["contact_name"]] = fmt.Sprint("PERSONAL Name ", n)
		row[columns["business_telephone"]] = fmt.Sprintf("555-PERSONAL-%04d", n%10000)
		row[columns["email_address"]] = fmt.Sprintf("n%d@personal.example", n)
		place := row[columns["location"]]
		if every == 0 || n%every != 0 {
			places[place] = true
			_ = good.Write(row)
			continue
		}
		wrong := damage(row, columns, n/every)
		count.Broken[wrong]++
		if wrong == "values" {
			places[place] = true
		}
		text, changed := line(row, wrong)
		if !changed {
			err = fmt.Errorf("row %d: %q changed nothing", n, wrong)
		}
		out.Write(text)
	}
	count.Places = len(places)
	return count, errors.Join(err, out.Flush())
}

// damage changes a row, and returns the name of the fault.
func damage(row []string, columns map[string]int, n int) string {
	wrong := faults[n%len(faults)]
	for name, value := range wrong.columns {
		row[columns[name]] = value
	}
	if lat, lng := &row[columns["latitude"]], &row[columns["longitude"]]; wrong.name == "swapped" {
		*lat, *lng = *lng, *lat
	}
	return wrong.name
}

// line returns the text of a broken row. changed is false if it should have broken the text, and did not.
func line(row []string, wrong string) (text []byte, changed bool) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(row)
	w.Flush()
	switch text := b.Bytes(); wrong {
	case "stray quote": // the closing one of the location is lost
		before, after, found := bytes.Cut(text, []byte(`",FX,`))
		return slices.Concat(before, []byte(`,FX,`), after), found
	case "one field more":
		return append(text[:len(text)-1], ",\n"...), true
	default:
		return text, true
	}
}
