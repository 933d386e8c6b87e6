package export

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"relais/site"
)

// parquetOf writes a table and opens it.
func parquetOf(t *testing.T, table *Table) *parquet.File {
	t.Helper()
	var b bytes.Buffer
	must(t, (Parquet{}).Write(&b, table))
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	return f
}

// rowsOf reads all rows as objects, by a reader that knows nothing of tables.
func rowsOf(t *testing.T, f *parquet.File) (rows []map[string]any) {
	t.Helper()
	r := parquet.NewGenericReader[map[string]any](f, f.Schema())
	defer r.Close()
	rows = make([]map[string]any, f.NumRows())
	for i := range rows {
		rows[i] = map[string]any{}
	}
	if n, err := r.Read(rows); n != len(rows) {
		t.Fatalf("read %d rows of %d: %v", n, len(rows), err)
	}
	return rows
}

// A Parquet file has the values of the table, nulls and empty lists among them.
func TestParquetValues(t *testing.T) {
	table := NewTable(append(thingColumns,
		Column[thing]{"lat", Number, func(_ *thing, v *Value) { v.Number = 48.5 }},
		Column[thing]{"lng", Number, func(_ *thing, v *Value) { v.Number = -1.25 }}), each([]thing{
		{"é", 7, -48.5, []string{"a", "b"}, []float64{0, 120.5}, site.DateOf(1970, 1, 3), time.UnixMilli(1500).UTC()},
		{text: "", whole: -1, number: math.NaN()}}))
	f := parquetOf(t, table)
	rows := rowsOf(t, f)
	wkb := binary.LittleEndian.AppendUint64([]byte{1, 1, 0, 0, 0}, math.Float64bits(-1.25))
	wkb = binary.LittleEndian.AppendUint64(wkb, math.Float64bits(48.5))
	for name, want := range map[string]string{"id": "é", "whole": "7", "number": "-48.5", "day": "2", "at": "1500", "yes": "true",
		"geometry": string(wkb), "bbox": "map[xmax:-1.25 xmin:-1.25 ymax:48.5 ymin:48.5]"} {
		t.Run(name, func(t *testing.T) {
			got := fmt.Sprint(rows[0][name])
			if b, is := rows[0][name].([]byte); is {
				got = string(b)
			}
			if got != want {
				t.Errorf("got %v, want %s", rows[0][name], want)
			}
			if got := rows[1][name]; got != nil && name != "yes" && name != "geometry" && name != "bbox" {
				t.Errorf("what is not stated is %v, want nothing", got)
			}
		})
	}
	for name, want := range map[string]string{"texts": "a b", "numbers": "0 120.5"} {
		if got := fmt.Sprint(rows[0][name]); !strings.Contains(strings.NewReplacer("map[element:", "", "]", "", "[", "").Replace(got),
			want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for i, c := range table.Columns {
		if got := f.Schema().Fields()[i].Name(); got != c.Name {
			t.Errorf("column %d is %s, want %s: they keep their order", i, got, c.Name)
		}
	}
}

func TestGeoMetadata(t *testing.T) {
	f := parquetOf(t, sites(t, mast("1")).SiteTable())
	text, _ := f.Lookup("geo")
	var got struct {
		Version string
		Primary string `json:"primary_column"`
		Columns map[string]struct {
			Encoding string
			Types    []string `json:"geometry_types"`
			BBox     []float64
			Covering struct{ BBox map[string][]string }
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	g := got.Columns["geometry"]
	if got.Version != "1.1.0" || got.Primary != "geometry" || g.Encoding != "WKB" || fmt.Sprint(g.Types) != "[Point]" ||
		fmt.Sprint(g.BBox) != "[2.3522 48.8566 2.3522 48.8566]" || fmt.Sprint(g.Covering.BBox["ymax"]) != "[bbox ymax]" {
		t.Errorf("got %s", text)
	}
	if text, _ := parquetOf(t, (&Register{}).SiteTable()).Lookup("geo"); strings.Contains(text, `"bbox":[`) {
		t.Errorf("without rows there are bounds: %s", text)
	}
}

// Groups have 20,000 rows, and each states the bounds of its boxes, so that readers can skip it.
func TestParquetGroups(t *testing.T) {
	const rows = 45000
	table := NewTable([]Column[int]{{"id", Whole, func(r *int, v *Value) { v.Whole = int64(*r) }},
		{"lat", Number, func(r *int, v *Value) { v.Number = float64(*r) / 1000 }},
		{"lng", Number, func(*int, *Value) {}}}, func(yield func(*int) bool) {
		for i := 0; i < rows && yield(&i); i++ {
		}
	})
	f := parquetOf(t, table)
	var sizes []int64
	for _, g := range f.RowGroups() {
		sizes = append(sizes, g.NumRows())
	}
	if fmt.Sprint(sizes) != "[20000 20000 5000]" {
		t.Errorf("groups of %v rows, want 20000, 20000 and 5000", sizes)
	}
	for i, g := range f.Metadata().RowGroups {
		for _, c := range g.Columns {
			if strings.Join(c.MetaData.PathInSchema, ".") == "bbox.ymax" {
				most := math.Float64frombits(binary.LittleEndian.Uint64(c.MetaData.Statistics.MaxValue))
				if want := float64(min(rows, (i+1)*20000)-1) / 1000; most != want {
					t.Errorf("group %d: greatest ymax %v, want %v", i, most, want)
				}
			}
		}
	}
}

// A file that was cut is not read.
func TestCutParquet(t *testing.T) {
	var b bytes.Buffer
	must(t, (Parquet{}).Write(&b, sites(t, mast("1"), mast("2")).EmissionTable()))
	for _, n := range []int{0, 4, b.Len() / 2, b.Len() - 1} {
		if _, err := parquet.OpenFile(bytes.NewReader(b.Bytes()[:n]), int64(n)); err == nil {
			t.Errorf("the first %d of %d bytes can be read", n, b.Len())
		}
	}
	if err := (Parquet{}).Write(&failingWriter{100}, sites(t, mast("1")).SiteTable()); err == nil {
		t.Error("no error for a writer that fails")
	}
}

// The rows of Parquet are those of CSV. Bands and azimuths are whole numbers in both tables.
func TestParquetAgainstCSV(t *testing.T) {
	r := sites(t, mast("1"), mast("2"))
	for name, table := range map[string]*Table{"sites": r.SiteTable(), "emissions": r.EmissionTable()} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must(t, (CSV{}).Write(&b, table))
			want, err := csv.NewReader(&b).ReadAll()
			must(t, err)
			f := parquetOf(t, table)
			wholes := map[string][]string{"sites": {"azimuts", "bands"}, "emissions": {"azimuts", "band"}}[name]
			for _, leaf := range f.Schema().Columns() {
				if i := slices.Index(wholes, leaf[0]); i >= 0 {
					column, _ := f.Schema().Lookup(leaf...)
					if column.Node.Type().Kind() != parquet.Int64 {
						t.Errorf("%s is of %v, want int64", leaf[0], column.Node.Type())
					}
					wholes = slices.Delete(wholes, i, i+1)
				}
			}
			if len(wholes) > 0 {
				t.Errorf("there is no %v", wholes)
			}
			got := rowsOf(t, f)
			if len(got) != len(want)-1 {
				t.Fatalf("%d rows, want %d", len(got), len(want)-1)
			}
			for i, row := range got {
				for k, c := range table.Columns {
					if value := row[c.Name]; c.Type == Text && value != nil && fmt.Sprint(value) != want[i+1][k] {
						t.Errorf("row %d: %s is %v, want %s", i, c.Name, value, want[i+1][k])
					}
					if c.Type == Wholes {
						numbers := regexp.MustCompile(`\d+`).FindAllString(fmt.Sprint(row[c.Name]), -1)
						if list := strings.Join(numbers, ";"); list != want[i+1][k] {
							t.Errorf("row %d: %s is %v, want %s", i, c.Name, row[c.Name], want[i+1][k])
						}
					}
				}
			}
		})
	}
}
