//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The official test suite of OGC API - Features Part 1 is ets-ogcapi-features10 of the Open Geospatial Consortium: Java
// and TestNG. Here is what its tests do, read in its source (src/main/java/org/opengis/cite/ogcapifeatures10/conformance,
// which comments here call the source), under the names of its classes and methods. It has no place for an API key:
// to run it, put a proxy in between that adds one. All collections are tested: the suite takes three, or
// twenty at most. Its tests of Part 2 begin with CrsRequirementClassPrecondition, which skips them where the service
// does not claim that part; SuitePreconditions is about the suite's own arguments.
func TestOGCSuite(t *testing.T) {
	s, _ := assistants(t)
	s.measured()
	o := &ogcSuite{server: s, root: s.base + "/ogc", collections: map[string]object{}, ids: map[string]string{}}
	for _, c := range []struct {
		class string
		tests []ogcTest
	}{
		{"GeneralHttp", []ogcTest{{"http", o.http}}},
		{"LandingPage", []ogcTest{{"landingPageRetrieval", o.landingPageRetrieval},
			{"landingPageValidation", o.landingPageValidation}}},
		{"ApiDefinition", []ogcTest{{"openapiDocumentRetrieval", o.openapiDocumentRetrieval},
			{"apiDefinitionValidation", o.apiDefinitionValidation}}},
		{"Conformance", []ogcTest{{"validateConformanceOperationAndResponse", o.conformance}}},
		{"FeatureCollections", o.featureCollections()},
		{"FeatureCollection", []ogcTest{{"validateFeatureCollectionMetadataOperation", o.collectionOperation},
			{"validateFeatureCollectionMetadataResponse", o.collectionResponse}}},
		{"Features", o.features("Features", "", func(object) []string { return []string{""} })},
		{"FeaturesErrorConditions", []ogcTest{{"validateFeaturesOperation_QueryParamInvalid", o.refuses("limit=unlimited")},
			{"validateFeaturesOperation_QueryParamUnknown", o.refuses("unknownQueryParameter12345=1")}}},
		{"FeaturesBBox", append([]ogcTest{{"boundingBoxParameterDefinition", o.bboxDefinition}},
			o.features("FeaturesWithBoundingBox", "bbox", boxesOf)...)},
		{"FeaturesLimit", append([]ogcTest{{"limitParameterDefinition", o.limitDefinition}},
			o.features("FeaturesWithLimit", "limit", o.limits)...)},
		{"FeaturesTime", append([]ogcTest{{"timeParameterDefinition", o.timeDefinition}},
			o.features("FeaturesWithDateTime", "datetime", timesOf)...)},
		{"Feature", []ogcTest{{"featureOperation", o.featureOperation}, {"validateFeatureResponse", o.featureResponse}}},
	} {
		passed := t.Run(c.class, func(t *testing.T) {
			for _, test := range c.tests {
				t.Run(test.method, test.run)
			}
		})
		if !passed && len(o.collections) == 0 {
			t.Fatalf("the classes after %s depend on it", c.class)
		}
	}
	if len(o.ids) < 12 {
		t.Errorf("%d collections had features, want at least 12", len(o.ids))
	}
}

// An ogcTest is a test of the suite.
type ogcTest struct {
	method string
	run    func(*testing.T)
}

// An ogcSuite holds what the suite's tests leave for later ones.
type ogcSuite struct {
	*server
	root    string // the address that the suite is given
	landing object
	api     ogcAPI
	list    object            // /collections
	single  map[string]object // /collections/{collectionId}
	ids     map[string]string // of a feature, by collection

	collections map[string]object
}

// What RestAssured sends as Accept for ContentType.JSON.
const acceptJSON = "application/json, application/javascript, text/javascript, text/json"

const (
	openAPIType = "application/vnd.oai.openapi+json;version=3.0"
	geoJSONType = "application/geo+json"
)

// asks asks an address that must be answered with a status.
func (o *ogcSuite) asks(t *testing.T, address, accept string, status int) (answer, object) {
	t.Helper()
	a := call(t, http.DefaultClient, http.MethodGet, address, nil, "Accept", accept, "X-API-Key", o.key)
	if a.status != status {
		t.Errorf("GET %s: got %s, want %d", address, a, status)
	}
	return a, a.object()
}

func (o *ogcSuite) http(t *testing.T) {
	response, err := http.Get(o.root + "/")
	must(t, err)
	response.Body.Close()
	if response.Proto != "HTTP/1.1" {
		t.Errorf("got %s, want HTTP/1.1", response.Proto)
	}
}

func (o *ogcSuite) landingPageRetrieval(t *testing.T) {
	_, o.landing = o.asks(t, o.root+"/", acceptJSON, http.StatusOK)
	if _, without := o.asks(t, o.root, acceptJSON, http.StatusOK); cmp.Diff(o.landing, without) != "" { // ours
		t.Errorf("without the slash: got %v, want the same as with it: %v", without, o.landing)
	}
}

func (o *ogcSuite) landingPageValidation(t *testing.T) {
	links := linksOf(o.landing)
	if links["service-desc"] == nil && links["service-doc"] == nil || links["conformance"] == nil || links["data"] == nil {
		t.Errorf("links %v, want service-desc or service-doc, conformance and data", links)
	}
}

func (o *ogcSuite) openapiDocumentRetrieval(t *testing.T) {
	link := linksOf(o.landing)["service-desc"]
	if link == nil || strings.ReplaceAll(fmt.Sprint(link["type"]), " ", "") != openAPIType {
		t.Fatalf("the link service-desc is %v, want one of the type %s", link, openAPIType)
	}
	_, doc := o.asks(t, link["href"].(string), openAPIType, http.StatusOK)
	o.api = ogcAPI{doc}
}

func (o *ogcSuite) apiDefinitionValidation(t *testing.T) {
	if o.api.doc == nil {
		t.Fatal("there is no description of the API")
	}
	o.api.validate(t)
}

func (o *ogcSuite) conformance(t *testing.T) {
	_, doc := o.asks(t, o.testPoint(t, "/conformance"), acceptJSON, http.StatusOK)
	classes, _ := doc["conformsTo"].([]any)
	// The first is the suite's. The others are what the standard's requirements are met of.
	for _, class := range []string{"core", "geojson", "oas30"} {
		if !slices.Contains(classes, any("http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/"+class)) {
			t.Errorf("conformsTo is %v, want %s in it", classes, class)
		}
	}
	if len(classes) != 3 {
		t.Errorf("conformsTo is %v; the suite asks for more where html, gmlsf0, gmlsf2 or crs are claimed", classes)
	}
}

// testPoint is the address of a path of the API's description.
func (o *ogcSuite) testPoint(t *testing.T, path string) string {
	t.Helper()
	for template := range o.api.doc["paths"].(object) {
		if regexp.MustCompile("^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(template, "[^/]+") + "$").MatchString(path) {
			return o.api.doc["servers"].([]any)[0].(object)["url"].(string) + path
		}
	}
	t.Fatalf("the description of the API has no path %s", path)
	return ""
}

func (o *ogcSuite) featureCollections() (tests []ogcTest) {
	const operation = "validateFeatureCollectionsMetadataOperation"
	links := func(t *testing.T) { selfAndAlternate(t, "/collections", o.list, "application/json") }
	each := func(check func(t *testing.T, c object)) func(*testing.T) {
		return func(t *testing.T) {
			for _, id := range slices.Sorted(maps.Keys(o.collections)) {
				check(t, o.collections[id])
			}
		}
	}
	return []ogcTest{
		{operation, func(t *testing.T) {
			_, o.list = o.asks(t, o.testPoint(t, "/collections"), acceptJSON, http.StatusOK)
		}},
		{operation + "Response_Links", links},
		{operation + "Response_Items", func(t *testing.T) {
			for _, c := range o.list["collections"].([]any) {
				if c := c.(object); c["itemType"] == nil || c["itemType"] == "feature" {
					o.collections[c["id"].(string)] = c
				}
			}
			if len(o.collections) < 30 {
				t.Errorf("%d collections, want six of each of five markets", len(o.collections))
			}
		}},
		// The source looks for a member of the list, which has none; the collections have it.
		{operation + "Response_CrsProperty", each(func(t *testing.T, c object) {
			if crs, _ := c["crs"].([]any); len(crs) == 0 || crs[0] != "http://www.opengis.net/def/crs/OGC/1.3/CRS84" {
				t.Errorf("%v: crs is %v, want CRS84 first", c["id"], crs)
			}
		})},
		{operation + "Response_Content", func(t *testing.T) {
			if len(o.list["links"].([]any)) == 0 || len(o.list["collections"].([]any)) == 0 {
				t.Error("no links or no collections")
			}
		}},
		{operation + "Response_Links_v101", links},
		{operation + "Response_Items_v101", each(o.collectionEntry)},
		{operation + "Response_Items_Links_v101", each(func(t *testing.T, c object) {
			if linksOf(c)["items"] == nil {
				t.Errorf("%v has no link to its items", c["id"])
			}
			for _, l := range c["links"].([]any) {
				if l := l.(object); l["rel"] == nil || l["type"] == nil || l["href"] == nil || l["href"] == "" {
					t.Errorf("%v: link %v, want href, rel and type", c["id"], l)
				}
			}
		})},
		{operation + "Response_Extent_v101", links}, // as in the source; package httpapi compares extents with the features
	}
}

// collectionEntry is what Items_v101 checks of an entry of the list.
func (o *ogcSuite) collectionEntry(t *testing.T, c object) {
	if id, ok := c["id"].(string); !ok || id == "" {
		t.Errorf("the id is %v, want a text", c["id"])
	}
	boxesOf(c) // it panics where the source fails
	timesOf(c)
	items := linksOf(c)["items"]
	if items["type"] != geoJSONType {
		t.Errorf("%v: the items are %v, want %s", c["id"], items["type"], geoJSONType)
	}
	if _, page := o.asks(t, items["href"].(string), geoJSONType, http.StatusOK); page["type"] != "FeatureCollection" {
		t.Errorf("%v: the items have the type %v, want FeatureCollection", c["id"], page["type"])
	}
}

func (o *ogcSuite) collectionOperation(t *testing.T) {
	o.single = map[string]object{}
	for id := range o.collections {
		_, o.single[id] = o.asks(t, o.testPoint(t, "/collections/"+id), acceptJSON, http.StatusOK)
	}
}

func (o *ogcSuite) collectionResponse(t *testing.T) {
	for id, c := range o.collections {
		for _, member := range []string{"id", "title", "description", "extent"} {
			if diff := cmp.Diff(c[member], o.single[id][member]); diff != "" {
				t.Errorf("%s: %s in the list (-), alone (+):\n%s", id, member, diff)
			}
		}
	}
}

// refuses is the test of a query that every collection must refuse. The source passes over it where the description
// has a parameter with additionalProperties.
func (o *ogcSuite) refuses(query string) func(*testing.T) {
	return func(t *testing.T) {
		for _, c := range o.collections {
			o.asks(t, linksOf(c)["items"]["href"].(string)+"?"+query, geoJSONType, http.StatusBadRequest)
		}
	}
}

func (o *ogcSuite) featureOperation(t *testing.T) {
	o.single = map[string]object{}
	for id, feature := range o.ids {
		address := linksOf(o.collections[id])["items"]["href"].(string) + "/" + url.PathEscape(feature)
		_, o.single[id] = o.asks(t, address, geoJSONType, http.StatusOK)
	}
}

func (o *ogcSuite) featureResponse(t *testing.T) {
	for id, f := range o.single {
		selfAndAlternate(t, id, f, geoJSONType)
		if l := linksOf(f)["collection"]; l == nil || l["type"] == nil {
			t.Errorf("%s: the link to the collection is %v, want one with a type", id, l)
		}
	}
}

// boxesOf are the values of bbox that FeaturesBBox asks a collection for: its extent, and boxes over the meridian, the
// equator, 180° and the poles.
func boxesOf(c object) []string {
	box := c["extent"].(object)["spatial"].(object)["bbox"].([]any)[0].([]any)
	boxes := [][]any{box, {-1.5, 50.0, 1.5, 53.0}, {-80.0, -5.0, -70.0, 5.0}, {177.0, 65.0, -177.0, 70.0},
		{-180.0, 85.0, 180.0, 90.0}, {-180.0, -90.0, 180.0, -85.0}}
	list := make([]string, len(boxes))
	for i, b := range boxes {
		list[i] = fmt.Sprintf("%.7f,%.7f,%.7f,%.7f", b...)
	}
	return list
}

// timesOf are the values of datetime that FeaturesTime asks a collection for: a moment, a period, and a start with a
// duration as java.time.Period writes it.
func timesOf(c object) []string {
	when, ok := c["extent"].(object)["temporal"].(object)
	if !ok {
		return nil
	}
	interval := when["interval"].([]any)[0].([]any)
	begin, err := time.Parse(time.RFC3339, interval[0].(string))
	if err != nil {
		panic(err)
	}
	end, err := time.Parse(time.RFC3339, interval[1].(string))
	if err != nil || end.Before(begin) {
		panic(fmt.Sprintf("%v: the interval is %v", c["id"], interval))
	}
	quarter := end.Sub(begin) / 4
	from, to := begin.Add(quarter), begin.Add(2*quarter)
	return []string{begin.Format(time.RFC3339Nano), from.Format(time.RFC3339Nano) + "/" + to.Format(time.RFC3339Nano),
		from.Format(time.DateOnly) + "/P2D"}
}
