package web

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/market"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"a small number", english.Number(7), "7"},
		{"thousands", english.Number(27691), "27,691"},
		{"millions in French", french.Number(1234567), "1\u202f234\u202f567"},
		{"below zero", english.Number(-123456), "-123,456"},
		{"a height", french.Metres(27.25), "27,3\u00a0m"},
		{"metres", english.Distance(999), "999\u00a0m"},
		{"kilometres", french.Distance(12345), "12,3\u00a0km"},
		{"north", english.Direction(353), "353°\u00a0N"},
		{"rounded to north", english.Direction(359.7), "0°\u00a0N"},
		{"west in French", french.Direction(270), "270°\u00a0O"},
		{"south-south-west", english.Direction(199), "199°\u00a0SSW"},
		{"a day", english.Date("2026-08-20"), "20\u00a0August 2026"},
		{"the first in French", french.Date("2026-08-01"), "1er\u00a0août 2026"},
		{"no day", english.Date("2026"), "2026"},
		{"an impossible day", english.Date("2026-02-30"), "2026-02-30"},
		{"a moment", english.Moment("2026-08-20T06:10:00.000Z"), "20\u00a0August 2026, 06:10\u00a0UTC"},
		{"a moment with a zone", english.Moment("2026-08-20T01:10:00+02:00"), "19\u00a0August 2026, 23:10\u00a0UTC"},
		{"no moment", english.Moment("<b>"), "<b>"},
		{"one", english.Count("siteCount", 1), "1 site"},
		{"none in English", english.Count("siteCount", 0), "0 sites"},
		{"none in French", french.Count("siteCount", 0), "0 site"},
		{"a status", english.Status("Projet approuvé"), "Project approved"},
		{"a status that says it itself", french.Status("Projet approuvé"), ""},
		{"an unknown status", english.Status("<script>"), ""},
		{"a support", english.Nature("26", "Pylône tubulaire"), "Tubular tower"},
		{"a support that says it itself", french.Nature("26", "Pylône tubulaire"), ""},
		{"marks of direction", cleanText("a\u202eb\u2067c\u200f"), "abc"},
		{"controls and blanks", cleanText("\x00 a\t\n\u00a0b\x1b[0m\ufeff "), "a b[0m"},
		{"not UTF-8", cleanText("a\xff\xc3b"), "ab"},
		{"the first characters", firstRunes("àéîõü", 3), "àéî"},
		{"all characters", firstRunes("àé", 3), "àé"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

func TestMarketNames(t *testing.T) {
	for _, m := range market.All {
		if english.Market(m.Code) == "" {
			t.Errorf("words/text.en.json has no name of the market %s", m.Code)
		}
	}
}

// breaks finds where a line of French could break before or after a sign.
var breaks = regexp.MustCompile(` [;:?!»]|« `)

// The languages have the same texts, with the same values in them, in the same order.
func TestWords(t *testing.T) {
	all := os.DirFS(".")
	var names []string
	for _, pattern := range []string{"words/*.en.json", "*/words/*.en.json"} {
		more, bad := fs.Glob(all, pattern)
		if names = append(names, more...); bad != nil || len(more) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(more), bad)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			en, fr := words{}, words{}
			if err := errors.Join(en.read(all, name), fr.read(all, strings.Replace(name, ".en.", ".fr.", 1))); err != nil {
				t.Fatal(err)
			}
			if a, b := slices.Sorted(maps.Keys(en)), slices.Sorted(maps.Keys(fr)); !slices.Equal(a, b) {
				t.Fatalf("names differ: %q and %q", a, b)
			}
			mayBreak := name == "words/page.en.json" || name == "words/map.en.json"
			for key, text := range en {
				if text == "" || fr[key] == "" {
					t.Errorf("%s: an empty text", key)
				}
				if strings.Count(text, "%s") != strings.Count(fr[key], "%s") ||
					strings.Contains(text, "|") != strings.Contains(fr[key], "|") {
					t.Errorf("%s: %q and %q have different values", key, text, fr[key])
				}
				if at := breaks.FindString(fr[key]); at != "" && !mayBreak {
					t.Errorf("%s: a line can break at %q of %q", key, at, fr[key])
				}
			}
		})
	}
}
