package question

import (
	"slices"
	"strings"
)

// landmarks are words for buildings, with those of other languages that registers may have instead.
var landmarks = func() map[string][]string {
	table := map[string][]string{}
	for _, line := range []string{
		"gare station bahnhof hauptbahnhof", "tour tower turm toren", "aeroport airport flughafen luchthaven",
		"hopital hospital spital krankenhaus ziekenhuis", "stade stadium stadion", "eglise church kirche kerk",
		"cathedrale cathedral kathedraal", "chateau castle schloss kasteel", "pont bridge brucke brug",
		"mairie rathaus gemeentehuis", "universite university universitat universiteit", "port harbour hafen haven",
		"zoo", "parc park", "phare lighthouse leuchtturm vuurtoren", "metro", "tunnel",
	} {
		all := strings.Fields(line)
		for _, word := range all {
			table[word] = all
		}
	}
	return table
}()

// landmark reports whether words name a building: one of them is a word for it, and others say which.
func landmark(words []string) bool {
	return len(words) > 1 && slices.ContainsFunc(words, func(word string) bool { return landmarks[word] != nil })
}

// Spellings returns the words of a landmark as registers of several languages may have them, as given first. Its first
// word for a building changes.
func Spellings(words []string) (list []string) {
	list = []string{strings.Join(words, " ")}
	for i, word := range words {
		for _, other := range landmarks[word] {
			changed := slices.Clone(words)
			changed[i] = other
			list = appendNew(list, strings.Join(changed, " "))
		}
		if len(list) > 1 {
			break
		}
	}
	return list
}
