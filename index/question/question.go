// Package question parses what people type when they search for antennas, in French, English, Dutch and
// German: which words name an operator, a technology, a status, a radio identifier, a site, a position or a
// topic, which are noise, and which are left as the name of a place. It makes one pass over the words with
// tables. It does not know the places: the rest may not name one.
package question

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// A Question is a parsed question. Zero members do not restrict the answer.
type Question struct {
	Operators  []string        // keys of any markets; alternatives
	Generation site.Generation // 0: any
	Systems    []string        // such as LTE 700; alternatives, folded
	Bands      []int           // in MHz, of any technology; alternatives
	Phase      market.Phase    // 0: any
	// BareBand says that Bands has one number that stood alone: next to the name of a place it
	// may be a postal code.
	BareBand bool
	// BarePLMN says the same of PLMN.
	BarePLMN bool
	Country  string // ISO 3166-1 alpha-2, "" for any
	PLMN     string // five or six digits, "" for none; Operators are those that have it
	// Identifier is a radio identifier. A number alone may be a postal code, or name a site, as well.
	Identifier *Identifier
	Key        string     // a siteKey, or the number of a site that "site" or "support" stands before
	Position   *geo.Point // in the text
	Here       bool       // the place of who asks is meant
	Topic      Topic      // "" for sites
	Days       int        // of the topic Changes, 0 if the text states none
	// Landmark says that Place is a building rather than a town: gare de Rennes.
	Landmark bool
	// Place is the rest, folded: the name of a place, or words of an address. Words are
	// its words without articles and prepositions.
	Place string
	Words []string
	// Named is the folded text that the operators were read from; it may also be a place.
	Named string
}

// Filters reports whether the question asks only for some emissions.
func (q *Question) Filters() bool {
	return len(q.Operators)+len(q.Systems)+len(q.Bands) > 0 || q.Generation != 0 || q.Phase != 0
}

// InMHz returns the bands in MHz, also those of systems.
func (q *Question) InMHz() []int {
	list := slices.Clone(q.Bands)
	for _, system := range q.Systems {
		mhz, _ := strconv.Atoi(system[strings.LastIndexByte(system, ' ')+1:])
		list = appendNew(list, mhz)
	}
	return list
}

// Parse parses a text.
func Parse(text string) Question {
	var q Question
	if p, rest, ok := cutPosition(text); ok {
		q.Position, text = &p, rest
	}
	q.Key, text = cutKey(text)
	s := scan{words: split(text), q: &q}
	for len(s.words) > 0 {
		n := s.identifier()
		for _, read := range []func() int{s.registered, s.network, s.here, s.noisePhrase, s.operator, s.topic, s.technology,
			s.status, s.country, s.noise} {
			if n == 0 {
				n = read()
			}
		}
		if n == 0 {
			s.kept = append(s.kept, s.words[0])
			n = 1
		}
		s.words = s.words[n:]
	}
	if s.plmnOperator != "" {
		q.Operators, q.Named = []string{s.plmnOperator}, ""
	}
	s.number()
	s.band()
	s.place()
	q.Landmark = landmark(q.Words)
	return q
}

// split returns the folded words of a text. A comma is a word, except within a
// number.
func split(text string) []string {
	text = decimalComma.ReplaceAllString(fold.String(text), "$1.$2")
	return strings.Fields(strings.NewReplacer(",", " , ", "?", " ", "!", " ", ";", " , ", "(", " ", ")", " ", "\"", " ",
		"/", " ", ":", " ", "=", " ", "#", " ").Replace(text))
}

var decimalComma = regexp.MustCompile(`\b(\d),(\d)`)

// A scan is a pass over the words of a question.
type scan struct {
	words        []string // not read yet
	kept         []string // of the place
	plmnOperator string   // key of the operator of the PLMN
	q            *Question
}

// starts returns the number of words of the phrase if the words begin with it, else 0.
func (s *scan) starts(phrase string) int {
	n := 0
	for word := range strings.FieldsSeq(phrase) {
		if n >= len(s.words) || s.words[n] != word {
			return 0
		}
		n++
	}
	return n
}

// operator reads the longest name of an operator.
func (s *scan) operator() (n int) {
	best := ""
	for name := range operators {
		if have := s.starts(name); have > n {
			n, best = have, name
		}
	}
	for _, key := range operators[best] {
		s.q.Operators = appendNew(s.q.Operators, key)
	}
	if n > 0 {
		s.q.Named = best
	}
	return n
}

// status reads a status of an emission.
func (s *scan) status() int {
	for _, one := range statuses {
		if n := s.starts(one.phrase); n > 0 {
			s.q.Phase = one.phase
			return n
		}
	}
	return 0
}

// country reads the name of a country, unless it is part of a name such as "Île de France"
// or "rue de Suisse".
func (s *scan) country() int {
	for name, code := range countries {
		if n := s.starts(name); n > 0 && !s.within() {
			s.q.Country = code
			return n
		}
	}
	return 0
}

// noise reads a word that says nothing about place or content.
func (s *scan) noise() int {
	if noiseWords[s.words[0]] && !s.within() { // Saint-Germain-des-Prés
		return 1
	}
	return 0
}

// noisePhrase reads words that say nothing together: a GSM mast has 5G too.
func (s *scan) noisePhrase() int {
	for _, phrase := range noisePhrases {
		if n := s.starts(phrase); n > 0 && !s.within() {
			return n
		}
	}
	return 0
}

// within reports whether the scan is inside a name: after a word of it and an article or preposition.
func (s *scan) within() bool {
	n := len(s.kept)
	return n > 1 && links[s.kept[n-1]] && s.kept[n-1] != "," && !links[s.kept[n-2]]
}

// place sets the place to the rest, without articles, prepositions and commas at its ends.
func (s *scan) place() {
	kept := s.kept
	for len(kept) > 0 && (leading[kept[0]] || len(kept) > 1 && links[kept[0]] &&
		leading[kept[1]]) { // les (antennes) à Rennes
		kept = kept[1:]
	}
	for len(kept) > 0 && links[kept[len(kept)-1]] {
		kept = kept[:len(kept)-1]
	}
	if len(kept) == 1 && links[kept[0]] {
		kept = nil
	}
	s.q.Place = strings.ReplaceAll(strings.Join(kept, " "), " ,", ",")
	for _, word := range kept {
		if !links[word] {
			s.q.Words = appendNew(s.q.Words, word)
		}
	}
}

// WithoutLinks returns the folded words of a text, without articles and prepositions.
func WithoutLinks(text string) string {
	return strings.Join(slices.DeleteFunc(split(text), func(word string) bool { return links[word] }), " ")
}

func appendNew[T comparable](list []T, one T) []T {
	for _, have := range list {
		if have == one {
			return list
		}
	}
	return append(list, one)
}
