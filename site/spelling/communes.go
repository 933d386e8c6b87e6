package spelling

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sort"
	"strconv"
	"strings"
	"sync"

	"relais/internal/fold"
)

//go:embed communes.txt.gz
var packed []byte

// communes are the lines of communes.txt, in the order of the folded names; see communes.mjs.
var communes = sync.OnceValue(func() []string {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	var text []byte
	if err == nil {
		text, err = io.ReadAll(r)
	}
	if err != nil {
		panic("spelling: communes.txt.gz: " + err.Error()) // the file is in the program
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
})

// listed returns the name of a commune of France as INSEE spells it, "" if the list does not have it, or if it has
// several that differ in their accents and none with the code.
func listed(name, code string) string {
	words := fold.Words(name)
	for i, word := range words {
		if long := saints[strings.ToUpper(word)]; long != "" {
			words[i] = strings.ToLower(long)
		}
	}
	key, all := strings.Join(words, " "), communes()
	nameOf := func(i int) string {
		name, _, _ := strings.Cut(all[i], "\t")
		return name
	}
	at := sort.Search(len(all), func(i int) bool { return fold.String(nameOf(i)) >= key })
	for ; at < len(all) && fold.String(nameOf(at)) == key; at++ {
		name, codes, several := strings.Cut(all[at], "\t")
		if !several || code != "" && strings.Contains(codes, code) {
			return name
		}
	}
	return ""
}

// Commune returns the name of a commune for people. A name that is not all capitals stays as it is. code is that of
// INSEE, or "".
func Commune(name, code string, l Language) string {
	if !capitals(name) {
		return name
	}
	if l != French {
		return Text(name, l)
	}
	if town, number, ok := arrondissement(name); ok { // PARIS 07
		return Commune(town, "", l) + " " + number
	}
	if known := listed(name, code); known != "" {
		return known
	}
	return Text(name, l)
}

// arrondissement splits a name that ends in the number of an arrondissement.
func arrondissement(name string) (town, ordinal string, ok bool) {
	at := strings.LastIndexByte(name, ' ')
	if at < 1 {
		return "", "", false
	}
	n, err := strconv.Atoi(name[at+1:])
	switch {
	case err != nil || n < 1 || n > 20:
		return "", "", false
	case n == 1:
		return name[:at], "1er", true
	}
	return name[:at], strconv.Itoa(n) + "e", true
}
