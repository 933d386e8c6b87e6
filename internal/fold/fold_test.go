package fold

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"relais/internal/tier"
)

func TestString(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"Saint-Étienne", "saint etienne"},
		{"L'Haÿ-les-Roses", "l hay les roses"},
		{"L’Haÿ\u00a0les  Roses ", "l hay les roses"},
		{"Cœur d'Ardenne", "coeur d ardenne"},
		{"ŒUVRE", "oeuvre"},
		{"Straße", "strasse"},
		{"Techniquement opérationnel", "techniquement operationnel"},
		{"Techniquement ope\u0301rationnel", "techniquement operationnel"},
		{"  -'  ", ""},
		{"12, RUE N°3/4", "12, rue n°3/4"},
		{"en-service", "en service"},
		{"a\u0301\u0302b", "ab"},
		{"Ǆ", "dz"},
		{"\xff", "\ufffd"},
		{"Malmö–Øst", "malmo ost"},
		{"é -è", "e e"},
	} {
		if got := String(tt.in); got != tt.want {
			t.Errorf("String(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Expected orders are those of Intl.Collator with numeric: true (ICU 78).
func TestCompare(t *testing.T) {
	for _, want := range [][]string{
		{"Échirolles", "Ecully", "Épinal", "Évian", "Œuilly", "Oger", "Orléans", "Yves", "Zuydcoote"},
		{"Ieper", "IJmuiden", "Île", "Izegem"},
		{"Aarau", "Äsch", "Basel", "Olten", "Zürich", "Zurzach"},
		{"", "LTE", "LTE 700", "LTE 1800", "LTE 2100", "LTE 02200"},
	} {
		got := slices.Clone(want)
		slices.Reverse(got)
		slices.SortFunc(got, Compare)
		if !slices.Equal(got, want) {
			t.Errorf("sorted: %q, want %q", got, want)
		}
	}
	if c := Compare("Cœur-007", "coeur 7"); c != 0 {
		t.Errorf("equal texts compare as %d", c)
	}
}

func TestWords(t *testing.T) {
	if got, want := Words(" Rue de l'Église "), []string{"rue", "de", "l", "eglise"}; !slices.Equal(got, want) {
		t.Errorf("words = %q, want %q", got, want)
	}
}

func FuzzString(f *testing.F) {
	f.Add("Saint-Étienne")
	f.Add("ſK\u212a ﬁ ①")
	f.Fuzz(func(t *testing.T, s string) {
		got := String(s)
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
			t.Errorf("String(%q) = %q, not valid", s, got)
		}
		if again := String(got); again != got {
			t.Errorf("String(%q) = %q, and that folds to %q", s, got, again)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	var dst []byte
	for b.Loop() {
		dst = Append(dst[:0], "LE BOUCHEREAUD, Résidence de l'Église, 03110 Saint-Rémy-en-Rollat")
	}
}

// Folding must be stable for every rune: the index stores folded
// texts and compares them with folded questions.
func TestStable(t *testing.T) {
	step := rune(1)
	if !tier.Full() {
		step = 11
	}
	for r := rune(0); r <= utf8.MaxRune; r += step {
		if s := "a" + string(r) + "b"; String(String(s)) != String(s) {
			t.Errorf("%U: %q folds to %q, and that to %q", r, s, String(s), String(String(s)))
		}
	}
}

func TestASCII(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"Orange", "oRANGE", true}, {"", "", true}, {"a", "ab", false}, {"k", "\u212a", false}, {"s", "\u017f", false},
		{"É", "é", false}, {"[", "{", false}, {"@", "`", false}} {
		if EqualASCII(tt.a, tt.b) != tt.want || (UpperASCII(tt.a) == UpperASCII(tt.b)) != tt.want {
			t.Errorf("equal %q and %q = %v, want %v", tt.a, tt.b, !tt.want, tt.want)
		}
	}
}
