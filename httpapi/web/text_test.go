package web

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"relais/internal/errtest"
	"relais/internal/lang"
	"relais/market"
	"relais/outage/history"
	"relais/site"
)

// The languages that tests ask for.
var english, french, dutch, german = texts["en"], texts["fr"], texts["nl"], texts["de"]

func TestText(t *testing.T) {
	day := func(s string) site.Date { return site.ParseDate([]byte(s)) }
	gaps := []history.Span{{First: day("2026-09-03"), Last: day("2026-09-03")}, {First: day("2026-09-21"), Last: day("2026-10-01")}}
	for _, tt := range []struct{ name, got, want string }{
		{"a small number", english.Number(7), "7"},
		{"thousands", english.Number(27691), "27,691"},
		{"millions in French", french.Number(1234567), "1\u202f234\u202f567"},
		{"below zero", english.Number(-123456), "-123,456"},
		{"thousands in Dutch", dutch.Number(27691), "27.691"},
		{"thousands in German", german.Number(27691), "27.691"},
		{"a height", french.Metres(27.25), "27,3\u00a0m"},
		{"metres", english.Distance(999), "999\u00a0m"},
		{"kilometres", french.Distance(12345), "12,3\u00a0km"},
		{"kilometres in Dutch", dutch.Distance(12345), "12,3\u00a0km"},
		{"a decimal in German", german.Metres(27.25), "27,3\u00a0m"},
		{"north", english.Direction(353), "353°\u00a0N"},
		{"rounded to north", english.Direction(359.7), "0°\u00a0N"},
		{"west in French", french.Direction(270), "270°\u00a0O"},
		{"south-east in Dutch", dutch.Direction(135), "135°\u00a0ZO"},
		{"east in German", german.Direction(90), "90°\u00a0O"},
		{"south-south-west", english.Direction(199), "199°\u00a0SSW"},
		{"a day", english.Date("2026-08-20"), "20\u00a0August 2026"},
		{"the first in French", french.Date("2026-08-01"), "1er\u00a0août 2026"},
		{"a day in Dutch", dutch.Date("2026-08-20"), "20\u00a0augustus 2026"},
		{"a day in German", german.Date("2026-08-20"), "20.\u00a0August 2026"},
		{"the first in German", german.Date("2026-03-01"), "1.\u00a0März 2026"},
		{"no day", english.Date("2026"), "2026"},
		{"an impossible day", english.Date("2026-02-30"), "2026-02-30"},
		{"a moment", english.Moment("2026-08-20T06:10:00.000Z"), "20\u00a0August 2026, 06:10\u00a0UTC"},
		{"a moment with a zone", english.Moment("2026-08-20T01:10:00+02:00"), "19\u00a0August 2026, 23:10\u00a0UTC"},
		{"a moment in French", french.Moment("2026-11-29T06:35:00.000Z"), "29\u00a0novembre 2026 à 06:35\u00a0UTC"},
		{"a moment in German", german.Moment("2026-11-29T06:35:00.000Z"), "29.\u00a0November 2026, 06:35\u00a0UTC"},
		{"days in French", french.spans(gaps),
			"le 3\u00a0septembre 2026\u202f; du 21\u00a0septembre 2026 au 1er\u00a0octobre 2026"},
		{"days in Dutch", dutch.spans(gaps),
			"3\u00a0september 2026; 21\u00a0september 2026 tot 1\u00a0oktober 2026"},
		{"no moment", english.Moment("<b>"), "<b>"},
		{"one", english.Count("siteCount", 1), "1 site"},
		{"none in English", english.Count("siteCount", 0), "0 sites"},
		{"none in French", french.Count("siteCount", 0), "0 site"},
		{"none in Dutch", dutch.Count("editionCount", 0), "0 edities"},
		{"one in German", german.Count("editionCount", 1), "1 Ausgabe"},
		{"several in German", german.Count("editionCount", 1234), "1.234 Ausgaben"},
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

// sameWords are the texts that a language has in common with English.
var sameWords = map[string]string{
	"fr": "%s confirmation|%s confirmations;%s site|%s sites;Canada;Date;Direction;Distance;Documentation;France;" +
		"Guides;Latitude;Longitude;Maritimes;Note;Pages;Photo;Photos;Portugal;Position;Province;Routes;SMS;Silo;Site;" +
		"Sites;Source;Support;Technologies;Total;Tunnel;commune;date;latitude;longitude;position;province;sites",
	"nl": "%s site|%s sites;Account;Bugs;Canada;Details;Download;Feeds;Filters;Headers;Mast;Open;Operator;Portugal;" +
		"Register;Routes;Silo;Site;Sites;Speedtest;Speedtests;Status;Tools;Tunnel;Upload;band;data;download;moderator;" +
		"operator;register;sites;status;upload",
	"de": "Details;Download;Feeds;Generation;Mast;Moderation;Name;Portugal;Position;Register;SMS;Silo;Speedtest;" +
		"Speedtests;Status;System;Tunnel;Upload",
}

// isSign reports whether a text has names and signs alone, which are the same in all languages.
func isSign(text string) bool {
	return slices.Contains([]string{"eNB", "gNB", "PCI", "TAC", ":", ";", "%s", "%s, %s", "%s: %s", "%s %s\u00a0Mbit/s"}, text)
}

// values are what a text is filled with, in its order, and what separates its forms.
var values = regexp.MustCompile(`%[sd]|\|`)

// All languages have the same texts, with the same values in the same order. A text that equals the English one is
// one of sameWords. Moderators have their pages in English and French.
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
		en := words{}
		errtest.Must(t, en.read(all, name))
		for _, l := range lang.All[1:] {
			if strings.HasPrefix(name, "moderation/") && l.Tag != "fr" {
				continue
			}
			other := strings.Replace(name, ".en.", "."+l.Tag+".", 1)
			t.Run(other, func(t *testing.T) {
				w := words{}
				errtest.Must(t, w.read(all, other))
				if missing := namesWithout(en, w); len(missing) > 0 {
					t.Errorf("%s lacks %q", other, missing)
				}
				if missing := namesWithout(w, en); len(missing) > 0 {
					t.Errorf("%s lacks %q, which %s has", name, missing, other)
				}
				mayBreak := strings.HasPrefix(name, "words/page.") || strings.HasPrefix(name, "words/map.")
				for key, text := range w {
					testText(t, l.Tag, key, en[key], text)
					if at := breaks.FindString(text); at != "" && !mayBreak && l.Tag == "fr" {
						t.Errorf("%s: a line can break at %q of %q", key, at, text)
					}
				}
			})
		}
	}
}

// namesWithout lists the names of texts that other words lack.
func namesWithout(w, other words) (names []string) {
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if _, ok := other[key]; !ok {
			names = append(names, key)
		}
	}
	return names
}

func testText(t *testing.T, tag, key, english, text string) {
	t.Helper()
	if text == "" || english == "" {
		t.Errorf("%s: an empty text", key)
	}
	if a, b := values.FindAllString(english, -1), values.FindAllString(text, -1); !slices.Equal(a, b) {
		t.Errorf("%s: %q has the values %q, %q has %q", key, english, a, text, b)
	}
	if text == english && !isSign(text) && !slices.Contains(strings.Split(sameWords[tag], ";"), text) {
		t.Errorf("%s: %q is the English text: translate it, or list it in sameWords", key, text)
	}
	if tag == "de" && strings.Contains(text, "ß") {
		t.Errorf("%s: %q: in Switzerland ß is not written; take a word that Germany and Switzerland write alike", key, text)
	}
}
