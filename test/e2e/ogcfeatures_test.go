//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// features are the tests of a class that asks every collection for its items with some values of a parameter.
func (o *ogcSuite) features(name, parameter string, valuesOf func(collection object) []string) []ogcTest {
	answers := map[[2]string]object{} // by collection and value
	operation := func(t *testing.T) {
		for id, c := range o.collections {
			for _, value := range valuesOf(c) {
				address := linksOf(c)["items"]["href"].(string)
				if parameter != "" {
					address += "?" + url.Values{parameter: {value}}.Encode()
				}
				_, answers[[2]string{id, value}] = o.asks(t, address, geoJSONType, http.StatusOK)
			}
		}
		if len(answers) == 0 {
			t.Errorf("no collection has a value of %s to ask for", parameter)
		}
	}
	each := func(check func(t *testing.T, where string, a object)) func(*testing.T) {
		return func(t *testing.T) {
			for _, key := range slices.SortedFunc(maps.Keys(answers), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
				check(t, fmt.Sprintf("%s %s=%s", key[0], parameter, key[1]), answers[key])
			}
		}
	}
	response, crs84 := "validate"+name+"Response", "validate"+name+"Response_GeometryInCRS84"
	tests := []ogcTest{{"validate" + name + "Operation", operation}}
	switch parameter {
	case "":
		tests = append(tests, ogcTest{"addFeatureIdToTestContext", func(*testing.T) { // a part of the operation
			for key, a := range answers {
				if list := a["features"].([]any); len(list) > 0 {
					o.ids[key[0]] = list[0].(object)["id"].(string)
				}
			}
		}})
	case "bbox":
		crs84 = "validateFeaturesResponse_GeometryInCRS84"
		tests = append(tests, ogcTest{response, each(inBox)})
	case "limit":
		tests = append(tests, ogcTest{response, each(withinLimit)})
	case "datetime": // the source has no check here
		tests = append(tests, ogcTest{response, each(inPeriod)})
	}
	return append(tests,
		ogcTest{crs84, each(inCRS84)},
		ogcTest{response + "_TypeProperty", each(func(t *testing.T, where string, a object) {
			if a["type"] != "FeatureCollection" {
				t.Errorf("%s: type %v, want FeatureCollection", where, a["type"])
			}
		})},
		ogcTest{response + "_FeaturesProperty", each(func(t *testing.T, where string, a object) {
			if _, ok := a["features"].([]any); !ok {
				t.Errorf("%s: features are %v, want a list", where, a["features"])
			}
		})},
		ogcTest{response + "_Links", each(func(t *testing.T, where string, a object) { selfAndAlternate(t, where, a, geoJSONType) })},
		ogcTest{response + "_TimeStamp", each(func(t *testing.T, where string, a object) {
			if stamp, ok := a["timeStamp"]; ok { // it is optional
				if _, err := time.Parse(time.RFC3339, fmt.Sprint(stamp)); err != nil {
					t.Errorf("%s: %v", where, err)
				}
			}
		})},
		ogcTest{response + "_NumberMatched", each(o.numberMatched)},
		ogcTest{"validateFeaturesResponse_NumberReturned", each(func(t *testing.T, where string, a object) {
			if n := len(a["features"].([]any)); a["numberReturned"] != float64(n) {
				t.Errorf("%s: numberReturned %v, want %d", where, a["numberReturned"], n)
			}
		})})
}

// numberMatched follows the links to the next page with the greatest limit, as the source does, up to four pages.
func (o *ogcSuite) numberMatched(t *testing.T, where string, a object) {
	matched, stated := a["numberMatched"].(float64)
	if !stated || matched > 10_000 { // the source skips both
		return
	}
	n := len(a["features"].([]any))
	for range 4 {
		next := linksOf(a)["next"]
		if next == nil {
			break
		}
		u, err := url.Parse(next["href"].(string))
		must(t, err)
		query := u.Query()
		query.Set("limit", fmt.Sprint(o.api.parameter("/collections/{collectionId}/items", "limit")["schema"].(object)["maximum"]))
		u.RawQuery = query.Encode()
		_, a = o.asks(t, u.String(), geoJSONType, http.StatusOK)
		n += len(a["features"].([]any))
	}
	if n != int(matched) {
		t.Errorf("%s: numberMatched %v, want %d", where, matched, n)
	}
}

// The source looks at the first hundred features only.
const checkedFeatures = 100

// cornersOf are all positions of a geometry.
func cornersOf(v any) (list [][2]float64) {
	coordinates, _ := v.([]any)
	if len(coordinates) == 2 {
		if x, ok := coordinates[0].(float64); ok {
			return [][2]float64{{x, coordinates[1].(float64)}}
		}
	}
	for _, part := range coordinates {
		list = append(list, cornersOf(part)...)
	}
	return list
}

// eachGeometry calls check with the box of the geometry of each feature.
func eachGeometry(a object, check func(id any, west, south, east, north float64)) {
	list := a["features"].([]any)
	for _, f := range list[:min(checkedFeatures, len(list))] {
		geometry, ok := f.(object)["geometry"].(object)
		if !ok {
			continue // a feature may have none
		}
		corners := cornersOf(geometry["coordinates"])
		west, south := corners[0][0], corners[0][1]
		east, north := west, south
		for _, c := range corners {
			west, south, east, north = min(west, c[0]), min(south, c[1]), max(east, c[0]), max(north, c[1])
		}
		check(f.(object)["id"], west, south, east, north)
	}
}

func inCRS84(t *testing.T, where string, a object) {
	eachGeometry(a, func(id any, west, south, east, north float64) {
		if west < -180 || east > 180 || south < -90 || north > 90 {
			t.Errorf("%s: %v is not in degrees", where, id)
		}
	})
}

func inBox(t *testing.T, where string, a object) {
	var w, s, e, n float64
	_, value, _ := strings.Cut(where, "=")
	if _, err := fmt.Sscanf(value, "%f,%f,%f,%f", &w, &s, &e, &n); err != nil {
		t.Fatal(err)
	}
	const rounded = 1e-7 // the box is asked for with seven digits
	eachGeometry(a, func(id any, west, south, east, north float64) {
		across := w > e && (west <= e+rounded || east >= w-rounded) // over 180°
		if south > n+rounded || north < s-rounded || !across && (west > e+rounded || east < w-rounded) {
			t.Errorf("%s: %v is outside of the box", where, id)
		}
	})
}

func withinLimit(t *testing.T, where string, a object) {
	_, value, _ := strings.Cut(where, "=")
	if most, err := strconv.Atoi(value); err != nil || len(a["features"].([]any)) > most {
		t.Errorf("%s: %d features", where, len(a["features"].([]any)))
	}
}

// inPeriod compares the days of features with those that were asked for: times are compared in package httpapi.
func inPeriod(t *testing.T, where string, a object) {
	_, value, _ := strings.Cut(where, "=")
	first, last, interval := strings.Cut(value, "/")
	if !interval {
		last = first
	}
	first, last = first[:len(time.DateOnly)], last[:min(len(last), len(time.DateOnly))]
	if last == "P2D" {
		day, _ := time.Parse(time.DateOnly, first)
		last = day.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	for _, f := range a["features"].([]any) {
		for _, name := range []string{"timestamp", "startedAt", "date"} {
			text, _ := f.(object)["properties"].(object)[name].(string)
			if text != "" && (text[:len(time.DateOnly)] < first || text[:len(time.DateOnly)] > last) {
				t.Errorf("%s: %v has the %s %s", where, f.(object)["id"], name, text)
			}
		}
	}
}

func (o *ogcSuite) limits(object) []string {
	schema := o.api.parameter("/collections/{collectionId}/items", "limit")["schema"].(object)
	least, most := int(schema["minimum"].(float64)), int(schema["maximum"].(float64))
	return []string{strconv.Itoa(least), strconv.Itoa(min(100, least+(most-least)/2))}
}

func (o *ogcSuite) bboxDefinition(t *testing.T) {
	schema := o.definition(t, "bbox")
	if schema["type"] != "array" || schema["items"].(object)["type"] != "number" {
		t.Errorf("bbox is %v, want an array of numbers", schema)
	}
	// Without oneOf the source wants 4 and 6, with it 4 and 4, or 6 and 6, in each of its schemas.
	if schema["minItems"] != 4.0 || schema["maxItems"] != 6.0 {
		t.Errorf("bbox has from %v to %v numbers, want from 4 to 6", schema["minItems"], schema["maxItems"])
	}
	for _, one := range schema["oneOf"].([]any) {
		if one := one.(object); one["minItems"] != one["maxItems"] || one["minItems"] != 4.0 && one["minItems"] != 6.0 {
			t.Errorf("one of bbox is %v, want 4 or 6 numbers", one)
		}
	}
}

func (o *ogcSuite) limitDefinition(t *testing.T) {
	schema := o.definition(t, "limit")
	least, _ := schema["minimum"].(float64)
	usual, _ := schema["default"].(float64)
	if schema["type"] != "integer" || least < 1 || usual < 1 {
		t.Errorf("limit is %v, want an integer with a minimum and a default", schema)
	}
}

func (o *ogcSuite) timeDefinition(t *testing.T) {
	if schema := o.definition(t, "datetime"); schema["type"] != "string" {
		t.Errorf("datetime is %v, want a string", schema)
	}
}

// definition checks what the three parameters have in common, in every path of items, and returns the schema.
func (o *ogcSuite) definition(t *testing.T, name string) (schema object) {
	t.Helper()
	for path := range o.api.doc["paths"].(object) {
		if !regexp.MustCompile("^/collections/.*/items$").MatchString(path) {
			continue
		}
		p := o.api.parameter(path, name)
		if p["in"] != "query" || p["required"] == true || p["style"] != "form" || p["explode"] != false {
			t.Errorf("%s of %s is %v, want in query, not required, with style form and without explode", name, path, p)
		}
		schema = p["schema"].(object)
	}
	return schema
}
