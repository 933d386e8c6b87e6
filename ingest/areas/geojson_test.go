package areas

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/errtest"
	"relais/internal/filetest"
)

// collection has the members that GeoServer writes, in its order: the geometry before the properties, and the
// coordinates' system at the end (GeoServer 2.x, outputFormat=application/json).
const collection = `{"type":"FeatureCollection","features":[
{"type":"Feature","id":"Orange_4G.1","geometry":{"type":"MultiPolygon","coordinates":[
[[[490000,6660000],[491000,6660000],[491000,6661000],[490000,6661000],[490000,6660000]],
[[490100,6660100,3],[490100,6660200,3],[490200,6660200,3],[490100,6660100,3]]],
[[[500000,6660000],[501000,6660000],[500000,6661000],[500000,6660000]]]]},
"geometry_name":"geom","properties":{"Layer":3,"name":"d\u00e9ep","none":null,"list":[1,{"a":2}],"big":1.5e3,"yes":true}},
{"type":"Feature","id":7,"properties":{"id":8},"geometry":null},
{"type":"Feature","geometry":{"coordinates":[[[0,0],[1,0],[0,2],[0,0]]],"type":"Polygon"},"properties":{}}
],"totalFeatures":3,"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}}`

func TestGeoJSON(t *testing.T) {
	got, f, err := openAreas(filetest.New(t, "a.json", mark+"\n"+collection), t.TempDir())
	errtest.Must(t, err)
	want := []area{
		{map[string]string{"id": "Orange_4G.1", "Layer": "3", "name": "déep", "big": "1500", "yes": "true"}, 10, 1000000 - 5000 + 500000},
		{map[string]string{"id": "7"}, 0, 0},
		{map[string]string{}, 3, 1},
	}
	if diff := cmp.Diff(want, got, compareAreas); diff != "" || f.EPSG != 3857 {
		t.Errorf("EPSG:%d: %s", f.EPSG, diff)
	}
}

func TestGeoJSONSystems(t *testing.T) {
	for _, tt := range []struct {
		more string
		want int
	}{
		{``, 4326},
		{`,"crs":null`, 0},
		{`,"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}`, 4326},
		{`,"crs":{"type":"name","properties":{"name":"EPSG:2154"}}`, 2154},
		{`,"crs":{"type":"name","properties":{"name":"http://www.opengis.net/def/crs/EPSG/0/31370"}}`, 31370},
		{`,"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:ESRI::102110"}}`, 0},
		{`,"crs":{"type":"link"}`, 0},
	} {
		f, err := Open(t.Context(), filetest.New(t, "a.json", `{"type":"FeatureCollection","name":"n","features":[]`+tt.more+`}`), "", 0)
		errtest.Must(t, err)
		if f.EPSG != tt.want {
			t.Errorf("%s: got %d, want %d", tt.more, f.EPSG, tt.want)
		}
		errtest.Must(t, f.Close())
	}
}

func TestGeoJSONThatIsNotRead(t *testing.T) {
	of := func(geometry string) string {
		return `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":` + geometry + `}]}`
	}
	for _, tt := range []struct {
		name, text, want string
		is               error
	}{
		{"cut", collection[:200], "ends in the middle", ErrDamaged},
		{"cut at the end", collection[:len(collection)-1], "ends in the middle", ErrDamaged},
		{"more", collection + "{", "something follows", ErrDamaged},
		{"deep", `{"x":` + strings.Repeat("[", 1e6), "too deep", ErrDamaged},
		{"long text", `{"x":"` + strings.Repeat("x", 3e6) + `"}`, "over 1048576 bytes", ErrUnsupported},
		{"long crs", `{"features":[],"crs":"` + strings.Repeat("x", 3e6) + `"}`, "over 1048576 bytes", ErrUnsupported},
		{"crs of another kind", `{"features":[],"crs":7}`, "the crs cannot be read", ErrDamaged},
		{"more that closes", collection + "}", "something follows", ErrDamaged},
		{"two lists", `{"features":[],"features":[]}`, "2 lists", ErrUnsupported},
		{"no list", `{"features":{}}`, "not a list", ErrDamaged},
		{"not closed", of(`{"type":"Polygon","coordinates":[[],[[0,0],[1,0],[1,1]]]}`),
			"feature 1: coordinates [1]: it begins at 0, 0 and ends at 1, 1", ErrDamaged},
		{"large number", of(`{"type":"Polygon","coordinates":[[[0,1e999]]]}`), "1e999", ErrDamaged},
		{"not a number", of(`{"type":"Polygon","coordinates":[[[0,NaN]]]}`), "not JSON", ErrDamaged},
		{"text", of(`{"type":"Polygon","coordinates":[[["0",1]]]}`), `"0" is in the place of a number`, ErrDamaged},
		{"one number", of(`{"type":"Polygon","coordinates":[[[0]]]}`), "not a position", ErrDamaged},
		{"many numbers", of(`{"type":"Polygon","coordinates":[[[0,1,2,3` + strings.Repeat(",4", 1e6) + `]]]}`),
			"over 4 numbers", ErrDamaged},
		{"position", of(`{"type":"Polygon","coordinates":[1,2]}`), "not those of a Polygon", ErrDamaged},
		{"number alone", of(`{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]],5]}`), "not those of a Polygon", ErrDamaged},
		{"mixed levels", of(`{"type":"Polygon","coordinates":[[0,0],[[0,0]]]}`), "not a position", ErrDamaged},
		{"other levels", of(`{"type":"MultiPolygon","coordinates":[[[0,0],[0,0]]]}`), "not those of a MultiPolygon", ErrDamaged},
		{"too many levels", of(`{"type":"MultiPolygon","coordinates":[[[[[0,0]]]]]}`), "in the place of a number", ErrDamaged},
		{"point", of(`{"type":"Point","coordinates":[0,0]}`), `a "Point"`, ErrUnsupported},
		{"collection", of(`{"type":"GeometryCollection","geometries":[]}`), `a "GeometryCollection"`, ErrUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := openAreas(filetest.New(t, "a.json", tt.text), t.TempDir())
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q and %v", err, tt.want, tt.is)
			}
		})
	}
}
