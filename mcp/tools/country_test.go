package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
)

// country is one synthetic country for tests of the package.
var country = sync.OnceValues(func() (*index.Set, error) { return indextest.Country(1500) })

// inCountry reads the country.
func inCountry(t testing.TB) *Reading {
	t.Helper()
	set, err := country()
	if err != nil {
		t.Fatal(err)
	}
	return &Reading{Env: &api.Env{Catalog: catalog.Catalog{Set: set, Now: time.Now()}, BaseURL: "http://relais.test"}}
}

// object is any JSON object.
type object = map[string]any

// wantMembers compares the members of o that want has.
func wantMembers(t *testing.T, o, want object, what string, args ...any) {
	t.Helper()
	got := object{}
	for name := range want {
		got[name] = o[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf(what+" (-want +got):\n%s", append(args, diff)...)
	}
}

// call calls a tool by its name, with arguments in JSON.
func call(r *Reading, name, arguments string) (object, error) {
	for _, tool := range All() {
		if tool.Name != name {
			continue
		}
		bound, err := tool.BindJSON([]byte(arguments))
		if err != nil {
			return nil, err
		}
		answer, err := bound.Do(context.Background(), r)
		if err != nil {
			return nil, err
		}
		text, err := view.JSON(answer)
		if err != nil {
			return nil, err
		}
		var o object
		return o, json.Unmarshal(text, &o)
	}
	return nil, fmt.Errorf("no tool %s", name)
}

func mustCall(t testing.TB, r *Reading, name, arguments string) object {
	t.Helper()
	o, err := call(r, name, arguments)
	if err != nil {
		t.Fatalf("%s %s: %v, want no error", name, arguments, err)
	}
	checkTimes(t, name, o)
	return o
}

// inUTC is a time with its zone, and asAPI the one way in which the API writes it.
var (
	inUTC = regexp.MustCompile(`^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$`)
	asAPI = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// checkTimes looks at all texts of an answer.
func checkTimes(t testing.TB, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case object:
		for member, value := range v {
			checkTimes(t, name+" "+member, value)
		}
	case []any:
		for _, item := range v {
			checkTimes(t, name, item)
		}
	case string:
		if inUTC.MatchString(v) && !asAPI.MatchString(v) {
			t.Errorf("%s: %q is not written as the API writes times", name, v)
		}
	}
}

// apiAnswer asks the API's operation for its data and meta.
func apiAnswer(t testing.TB, r *Reading, name string, given map[string]string) object {
	t.Helper()
	i := slices.IndexFunc(api.Operations(), func(op *endpoint.Op[*api.Env]) bool { return op.Name == name })
	bound, err := api.Operations()[i].Bind(func(p *endpoint.Param) (string, error) { return given[p.Name], nil })
	if err != nil {
		t.Fatal(err)
	}
	answer, err := bound.Do(t.Context(), r.Env)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if a, ok := answer.(*endpoint.Answer); ok {
		if err := a.Write(&text); err != nil {
			t.Fatal(err)
		}
		text.WriteByte('}')
	} else if whole, err := view.JSON(answer); err != nil {
		t.Fatal(err)
	} else {
		text.Write(whole)
	}
	var o object
	if err := json.Unmarshal(text.Bytes(), &o); err != nil {
		t.Fatalf("%v: %.300s, want no error", err, text.Bytes())
	}
	return o
}

// keys are the siteKeys of an answer's items.
func keys(list any) (names []string) {
	for _, item := range list.([]any) {
		names = append(names, item.(object)["siteKey"].(string))
	}
	return names
}

// Searches find what the API's list finds, in pages.
func TestSearchAgrees(t *testing.T) {
	r := inCountry(t)
	for _, c := range []map[string]string{
		{"market": "FR"}, {"market": "FR", "operator": "ORANGE", "generation": "5G"},
		{"market": "DROM", "department": "974"}, {"market": "FR", "status": "projet"},
	} {
		want := apiAnswer(t, r, "antennas.list", c)
		var fields []string
		for name, value := range c {
			fields = append(fields, fmt.Sprintf("%q:%q", name, value))
		}
		var got []string
		for offset := 0; offset < 100; offset += 7 {
			page := mustCall(t, r, "sites_search",
				fmt.Sprintf(`{%s,"limit":7,"offset":%d}`, strings.Join(fields, ","), offset))
			if page["total"] != want["meta"].(object)["totalMatched"] {
				t.Fatalf("%v: total %v, want %v", c, page["total"], want["meta"])
			}
			got = append(got, keys(page["items"])...)
			if page["truncated"] != (page["nextOffset"] != nil) {
				t.Fatalf("%v: got %v, want truncated exactly with a nextOffset", c, page)
			}
		}
		all := keys(want["data"])
		if n := min(len(got), len(all)); n == 0 || !slices.Equal(got[:n], all[:n]) {
			t.Errorf("%v: %v, want %v", c, got, all)
		}
	}
}

// The detail is the API's.
func TestDetailAgrees(t *testing.T) {
	r := inCountry(t)
	key := keys(apiAnswer(t, r, "antennas.list", map[string]string{})["data"])[3]
	want := apiAnswer(t, r, "antennas.get", map[string]string{"id": key})["data"]
	if got := mustCall(t, r, "sites_get",
		fmt.Sprintf(`{"siteId":%q}`, key))["site"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	doc := mustCall(t, r, "fetch", fmt.Sprintf(`{"id":%q}`, key))
	address := want.(object)["location"].(object)["address"].(string)
	if doc["id"] != key || doc["url"] != "http://relais.test/site/"+key ||
		!strings.Contains(doc["text"].(string), address) ||
		!strings.Contains(fmt.Sprint(doc["metadata"]), "SYNTHETIC") {
		t.Errorf("got %v, want id = %v, url = %v, %q in text and SYNTHETIC in metadata", doc, key,
			"http://relais.test/site/"+key, address)
	}
}

// Statistics are the API's.
func TestStatsAgree(t *testing.T) {
	r := inCountry(t)
	want := apiAnswer(t, r, "stats.departments", map[string]string{"operator": "ORANGE"})
	got := mustCall(t, r, "anfr_get_stats", `{"operator":"ORANGE"}`)
	if fmt.Sprint(got["items"]) != fmt.Sprint(want["data"]) || got["allSites"] != want["meta"].(object)["total"] {
		t.Errorf("got %v\n%v, want items = %v and allSites = %v", got, want, want["data"],
			want["meta"].(object)["total"])
	}
	if one := mustCall(t, r, "anfr_get_stats", `{"department":"3"}`)["items"].([]any); len(one) != 1 ||
		one[0].(object)["code"] != "03" {
		t.Errorf("got %v, want len(one) = 1 and code = 03", one)
	}
	if _, err := call(r, "anfr_get_stats", `{"department":"99"}`); err == nil {
		t.Error("department 99")
	}
}

// Every tool that shows data of a register says whose it is, and the guide lists every
// tool.
func TestGuide(t *testing.T) {
	r := inCountry(t)
	g := mustCall(t, r, "capabilities_guide", `{}`)
	if len(g["tools"].([]any)) != len(All())-1 || len(g["markets"].([]any)) != len(market.All) ||
		!strings.Contains(fmt.Sprint(g["sources"]), "SYNTHETIC") {
		t.Errorf("got %v, want every other tool, every market and synthetic sources", g)
	}
	names := map[string]bool{}
	for _, tool := range All() {
		if names[tool.Name] || tool.Title == "" || len(tool.Summary) < 40 {
			t.Errorf("%s: got title %q, summary %q, want both, of a tool that is listed once", tool.Name, tool.Title,
				tool.Summary)
		}
		names[tool.Name] = true
	}
	for _, row := range g["tools"].([]any) {
		if question := row.(object)["question"].(string); len(question) < 20 || !strings.HasSuffix(question, ".") {
			t.Errorf("got %v, question %v, want len(question) at least 20 and . at the question's end", row, question)
		}
	}
}

// The two of the connector's contract have its members and no others.
func TestConnector(t *testing.T) {
	r := inCountry(t)
	found := mustCall(t, r, "search", `{"query":"97400"}`)["results"].([]any)
	if len(found) == 0 || len(found) > maxResults {
		t.Fatalf("%d results, want 1 to %d", len(found), maxResults)
	}
	seen := map[string]bool{}
	for _, f := range found {
		o := f.(object)
		if len(o) != 3 || seen[o["id"].(string)] || o["url"] != "http://relais.test/site/"+o["id"].(string) ||
			o["title"] == "" {
			t.Errorf("got %v, want an id that is new, its address and a title", o)
		}
		seen[o["id"].(string)] = true
	}
	if doc := mustCall(t, r, "fetch", fmt.Sprintf(`{"id":%q}`, found[0].(object)["id"])); len(doc) != 5 {
		t.Errorf("got %v, want len(doc) = 5", doc)
	}
	if none := mustCall(t, r, "search", `{"query":"xyzzy plugh"}`)["results"].([]any); len(none) != 0 {
		t.Errorf("got %v, want none", none)
	}
}

// An answer that is too long is cut at its end, and says where it goes on.
func TestShorten(t *testing.T) {
	l := listOf(make([]int, 40), 10, 100)
	n := 40
	for l.Shorten() {
		if len(l.Items) >= n || l.Returned != len(l.Items) || *l.NextOffset != 10+len(l.Items) || !l.Truncated {
			t.Fatalf("got %+v, want fewer than %d items, truncated, and the offset after the last", l, n)
		}
		n = len(l.Items)
	}
	if n != 1 {
		t.Errorf("%d items stay, want 1", n)
	}
	if last := listOf([]int{1}, 99, 100); last.Truncated || last.NextOffset != nil {
		t.Errorf("got %+v, want it whole and no nextOffset", last)
	}
	if past := listOf([]int(nil), 200, 100); past.Truncated || past.Items == nil {
		t.Errorf("got %+v, want an empty list, not truncated", past)
	}
}

// What is not there is named, with what to do about it.
func TestUnknownSite(t *testing.T) {
	r := inCountry(t)
	for _, tt := range []struct{ tool, arguments string }{
		{"sites_get", `{"siteId":"fr-99999999"}`},
		{"fetch", `{"id":"fr-99999999"}`},
		{"sites_nearby_from_site", `{"siteId":"fr-99999999","market":"DROM"}`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			_, err := call(r, tt.tool, tt.arguments)
			if err == nil {
				t.Fatalf("%s: got no error, want one", tt.tool)
			}
			message, _ := api.PublicMessage(err)
			if !strings.Contains(message, `"fr-99999999"`) || !strings.Contains(message, "search") ||
				strings.Contains(tt.arguments, "DROM") != strings.Contains(message, "DROM") {
				t.Errorf("%s: got %s, want the site's key, search, and DROM as in the question", tt.tool, message)
			}
		})
	}
}
