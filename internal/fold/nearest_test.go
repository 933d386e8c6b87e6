package fold

import (
	"strings"
	"testing"
)

// The distances are counted by hand.
func TestNearest(t *testing.T) {
	names := []string{"limit", "offset", "operator", "radiusKm", "bbox", "lat", "lng", "lon", "generation", "south", "north",
		"department", "province", "market"}
	for _, tt := range []struct{ name, want string }{
		{"limit", "limit"},
		{"limt", "limit"},    // one letter is missing
		{"ofsfet", "offset"}, // two are swapped
		{"Operators", "operator"},
		{"radius_km", "radiusKm"}, // case and underscores do not count
		{"RADIUS-KM", "radiusKm"},
		{"radius", "radiusKm"}, // the beginning of a name
		{"lang", "lng"},        // one letter is too many
		{"latitude", "lat"},
		{"longitude", "lon"},
		{"gen", "generation"},
		{"Nord", "north"},
		{"sotuh", "south"},
		{"departement", "department"},
		{"opérateur", "operator"},
		{"marke", "market"},
		{"zzzzzzzz", "limit"},                     // equally far: the first
		{strings.Repeat("offset", 1e5), "offset"}, // cut before it is compared
	} {
		t.Run(tt.name[:min(len(tt.name), 20)], func(t *testing.T) {
			if got := Nearest(tt.name, names); got != tt.want {
				t.Errorf("Nearest(%.20q) = %s, want %s", tt.name, got, tt.want)
			}
		})
	}
}

// What is not like any name is not taken for a misspelling of one.
func TestAlike(t *testing.T) {
	at := []string{"lat", "lon", "lng", "q", "siteId", "operator", "technology", "edition"}
	for _, tt := range []struct {
		name  string
		names []string
		want  string
	}{
		{"operater", at, "operator"},
		{"OPERATORS", at, "operator"},
		{"latitude", at, "lat"},
		{"tech", at, "technology"},
		{"generation", at, ""}, // 5 of 10 letters from operator
		{"radius", at, ""},
		{"lat", []string{"department", "east", "west"}, ""},
		{"department", []string{"market", "operator"}, ""},
		{"x", at, ""},
		{"", at, ""},
		{"--", at, ""},
		{"lat", nil, ""},
	} {
		if got := Alike(tt.name, tt.names); got != tt.want {
			t.Errorf("Alike(%q, %v) = %q, want %q", tt.name, tt.names, got, tt.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "abc", 0},
		{"ab", "", 2},
		{"ab", "abc", 1},
		{"abc", "abcdefgh", 1}, // a beginning
		{"kitten", "sitting", 3},
		{"ca", "abc", 3}, // no letter moves twice
		{"ab", "ba", 1},
	} {
		t.Run(tt.a+" "+tt.b, func(t *testing.T) {
			if got := editDistance(tt.a, tt.b); got != tt.want {
				t.Errorf("editDistance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
			}
			if got := editDistance(tt.b, tt.a); got != tt.want {
				t.Errorf("editDistance(%q, %q) = %d, want %d as the other way round", tt.b, tt.a, got, tt.want)
			}
		})
	}
}
