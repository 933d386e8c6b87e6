package index

import (
	"bytes"
	"slices"
	"strings"

	"relais/internal/fold"
)

// verifySpoken removes from set the sites whose text does not have all words of a text as
// whole words.
func (m *Market) verifySpoken(text string, whole bool, set bitset) {
	var words []spokenWord
	all := spokenWords(text)
	if len(all) == 0 {
		set.clear()
		return
	}
	for _, word := range all {
		words = append(words, spokenWord{[]byte(word), []byte(otherSpelling(word)), !whole &&
			(len(all) == 1 || strings.ContainsAny(word, "0123456789"))})
	}
	set.filter(func(i uint32) bool {
		text := m.text().texts.text(i)
		return !slices.ContainsFunc(words, func(w spokenWord) bool { return !w.matches(text) })
	})
}

// spokenWords returns the words of a text, folded, without punctuation.
func spokenWords(text string) []string {
	return strings.FieldsFunc(fold.String(text), func(r rune) bool { return r < 0x80 && !wordByte(byte(r)) })
}

// A spokenWord is a word of a text as people say it.
type spokenWord struct {
	word, other []byte // folded; other is another spelling, or empty
	begins      bool   // it may also be the beginning of a word
}

func (w spokenWord) matches(text []byte) bool {
	return hasWord(text, w.word, w.begins) || len(w.other) > 0 && hasWord(text, w.other, false)
}

// hasWord reports whether a folded text has a word or, with begins, a word that begins with it.
func hasWord(text, word []byte, begins bool) bool {
	for at := 0; ; {
		next := bytes.Index(text[at:], word)
		if next < 0 {
			return false
		}
		from := at + next
		to := from + len(word)
		if (from == 0 || !wordByte(text[from-1])) && (begins || to == len(text) || !wordByte(text[to])) {
			return true
		}
		at = from + 1
	}
}

// wordByte reports whether a byte of a folded text belongs to a word, as those of letters of
// other scripts do.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
