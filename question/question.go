// Package question understands what people type when they look for antennas: which words
// name an operator, a technology or a status, which say nothing, and which are left as the
// name of a place. It is a table of words and one pass over those of a question. It does not
// know which places there are: what is left may name none.
package question

import (
	"regexp"
	"strings"

	"relais/fold"
	"relais/market"
	"relais/site"
)

// A Question is what a text asks for. Its zero members ask nothing.
type Question struct {
	Operators  []string        // keys of any markets; alternatives
	Generation site.Generation // 0: any
	Systems    []string        // such as LTE 700; alternatives, folded
	Bands      []int           // in MHz, of any technology; alternatives
	Phase      market.Phase    // 0: any
	// BareBand says that Bands has one number that stood alone: beside the name of a place it
	// may be a postal code.
	BareBand bool
	Country  string // ISO 3166-1 alpha-2, "" for any
	// Place is what is left, folded: the name of a place, or words of an address. Words are
	// those of its words that are no articles or prepositions.
	Place string
	Words []string
	// Named is the folded text that the operators were read from: it may be a place as well.
	Named string
}

// Filters reports whether the question asks for some emissions only.
func (q *Question) Filters() bool {
	return len(q.Operators)+len(q.Systems)+len(q.Bands) > 0 || q.Generation != 0 || q.Phase != 0
}

// Parse understands a text.
func Parse(text string) Question {
	var q Question
	s := scan{words: split(text), q: &q}
	for len(s.words) > 0 {
		n := s.operator()
		for _, read := range []func() int{s.technology, s.status, s.country, s.nothing} {
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
	s.band()
	s.place()
	return q
}

// split returns the folded words of a text, with commas as words of their own but within a
// number.
func split(text string) []string {
	text = decimalComma.ReplaceAllString(fold.String(text), "$1.$2")
	return strings.Fields(strings.NewReplacer(",", " , ", "?", " ", "!", " ", ";", " , ", "(", " ", ")", " ", "\"", " ",
		"/", " ").Replace(text))
}

var decimalComma = regexp.MustCompile(`\b(\d),(\d)`)

// A scan goes over the words of a question.
type scan struct {
	words []string // that are left
	kept  []string // of the place
	q     *Question
}

// starts reports how many words a phrase has that the words begin with, 0 where they do not.
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

// operator reads the name of an operator, the longest that there is.
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

// status reads how far an emission is.
func (s *scan) status() int {
	for _, one := range statuses {
		if n := s.starts(one.phrase); n > 0 {
			s.q.Phase = one.phase
			return n
		}
	}
	return 0
}

// country reads the name of a country, which "Île de France" and "rue de Suisse" only have in
// them.
func (s *scan) country() int {
	for name, code := range countries {
		if n := s.starts(name); n > 0 && !s.within() {
			s.q.Country = code
			return n
		}
	}
	return 0
}

// nothing reads a word that says nothing about where or what.
func (s *scan) nothing() int {
	for _, phrase := range noise {
		if n := s.starts(phrase); n > 0 && !s.within() { // Saint-Germain-des-Prés
			return n
		}
	}
	return 0
}

// within reports whether a name is under way: a word of it, and an article or preposition.
func (s *scan) within() bool {
	n := len(s.kept)
	return n > 1 && links[s.kept[n-1]] && s.kept[n-1] != "," && !links[s.kept[n-2]]
}

// place sets what is left, without articles, prepositions and commas at its ends.
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
			s.q.Words = append(s.q.Words, word)
		}
	}
}

func appendNew[T comparable](list []T, one T) []T {
	for _, have := range list {
		if have == one {
			return list
		}
	}
	return append(list, one)
}
