package address

import (
	"regexp"
	"strings"

	"relais/internal/fold"
	"relais/site/spelling"
)

// links are words that people leave out, and write in several ways. Cedex is for letters, and names no place.
var links = wordSet("a au aux d de des du et l la le les cedex")

// short are abbreviations that only questions have.
var short = map[string]string{"r": "rue", "boul": "boulevard", "blvd": "boulevard", "ch": "chemin", "res": "residence",
	"lot": "lotissement", "qu": "quai", "crs": "cours", "pass": "passage", "gal": "general", "gen": "general",
	"mal": "marechal", "cdt": "commandant", "col": "colonel", "cap": "capitaine", "lt": "lieutenant", "pdt": "president",
	"prof": "professeur", "pt": "pont", "gde": "grande", "gd": "grand", "zi": "zone industrielle"}

// abbreviated are the words of short in their long form.
var abbreviated = func() map[string]bool {
	all := map[string]bool{}
	for _, long := range short {
		for word := range strings.FieldsSeq(long) {
			all[word] = true
		}
	}
	return all
}()

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

var marks = strings.NewReplacer(",", " ", ";", " ", ".", " ", "(", " ", ")", " ", "/", " ", `"`, " ", ":", " ")

// wordsOf returns the words of a text for comparison: folded, long, without links. A text of nothing else keeps its links.
func wordsOf(text string) []string {
	var all, plain []string
	for word := range strings.FieldsSeq(marks.Replace(fold.String(text))) {
		long := spelling.Long(word)
		if other, ok := short[word]; ok && long == word {
			long = other
		}
		all = append(all, word)
		if !links[word] {
			plain = append(plain, strings.Fields(long)...)
		}
	}
	if plain == nil {
		return all
	}
	return plain
}

// district matches the names of the districts of Paris, Lyon and Marseille.
var district = regexp.MustCompile(`^(.*) ([0-9]+)(er|e) arrondissement$`)

// townKeys returns the keys under which a commune is found. A district also has the name of its city, alone and with the
// number.
func townKeys(name string) []string {
	key := strings.Join(wordsOf(name), " ")
	m := district.FindStringSubmatch(key)
	if m == nil {
		return []string{key}
	}
	city := m[1] + " " + m[2]
	return []string{key, m[1], city, city + m[3], city + "eme", city + "eme arrondissement"}
}
