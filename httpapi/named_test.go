package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The sites that ids name are those of the whole list with these ids, under every other filter.
func TestSitesByIDs(t *testing.T) {
	s := newServer(t)
	all := itemsOf(t, s, "/antennas?limit=1000")
	var names, keys []string
	for i := 0; i < len(all) && len(names) < 98; i += 10 {
		names = append(names, all[i]["id"].(string), strings.ToUpper(all[i+1]["siteKey"].(string)))
		keys = append(keys, all[i]["siteKey"].(string), all[i+1]["siteKey"].(string))
	}
	slices.Reverse(names)
	names = append(names, "nowhere", "be-1")
	list := "ids=" + strings.Join(names, ",")
	lat, lng := position(t, all[0])
	for _, filters := range []string{"", "&operator=ORANGE", "&generation=5G&limit=7", "&department=75",
		"&limit=3&offset=5", "&q=rue", fmt.Sprintf("&lat=%v&lon=%v&radiusKm=50", lat, lng), "&bbox=-5,42,5,47"} {
		t.Run(filters, func(t *testing.T) {
			var want []string
			whole := "/antennas?limit=1000" + strings.NewReplacer("&limit=7", "", "&limit=3&offset=5", "").Replace(filters)
			for offset := 0; ; offset += 1000 {
				items := itemsOf(t, s, fmt.Sprintf("%s&offset=%d", whole, offset))
				for _, item := range items {
					if key := item["siteKey"].(string); slices.Contains(keys, key) {
						want = append(want, key)
					}
				}
				if len(items) < 1000 {
					break
				}
			}
			total := len(want)
			switch {
			case strings.Contains(filters, "limit=7"):
				want = want[:min(7, total)]
			case strings.Contains(filters, "limit=3"):
				want = want[5:8]
			}
			o := parse(t, get(t, s, "/antennas?"+list+filters), 200)
			var got []string
			for _, item := range o["data"].([]any) {
				got = append(got, item.(object)["siteKey"].(string))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sites (-want +got)\n%s", diff)
			}
			meta := o["meta"].(object)
			if diff := cmp.Diff([]any{"be-1", "nowhere"}, meta["unknownIds"]); diff != "" {
				t.Errorf("unknownIds (-want +got)\n%s", diff)
			}
			if got := fmt.Sprint(meta["totalMatched"]); got != fmt.Sprint(total) {
				t.Errorf("totalMatched = %s, want %d", got, total)
			}
		})
	}
}

func TestBadIDs(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		name, query string
		mentions    string // "" for an answer
		sites       int
	}{
		{"one", "ids=90000010", "", 1},
		{"the same twice", "ids=90000010,fr-90000010,90000010", "", 1},
		{"another market's key", "market=DROM&ids=fr-90000010", "", 0},
		{"a market without sites", "market=PT&ids=pt-1", "", 0},
		{"a hundred", "ids=" + strings.Repeat("x,", 99) + "90000010", "", 1},
		{"a hundred and one", "ids=" + strings.Repeat("x,", 100) + "90000010", "at most 100", 0},
		{"an empty one", "ids=1,,2", "single commas", 0},
		{"a long one", "ids=" + strings.Repeat("x", 201), "at most 200", 0},
		{"twice", "ids=1&ids=2", "once", 0},
		{"on another route", "x", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			switch {
			case tt.query == "x":
				wantError(t, get(t, s, "/antennas/search?ids=1"), 400, "INVALID_PARAMETER", "ids")
			case tt.mentions != "":
				wantError(t, get(t, s, "/antennas?"+tt.query), 400, "INVALID_PARAMETER", "ids", tt.mentions)
			default:
				if got := itemsOf(t, s, "/antennas?"+tt.query); len(got) != tt.sites {
					t.Errorf("%d sites, want %d", len(got), tt.sites)
				}
			}
		})
	}
	meta := parse(t, get(t, s, "/antennas?ids=90000010"), 200)["meta"].(object)
	if _, given := meta["unknownIds"]; given {
		t.Errorf("meta has unknownIds %v, want none if every one is known", meta["unknownIds"])
	}
}
