package index

import (
	"bytes"
	"slices"
	"strings"

	"relais/fold"
)

// verifySpoken takes out of set the sites that do not have the words of a text as words of
// their own.
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
		text := m.text.texts.at(i)
		return !slices.ContainsFunc(words, func(w spokenWord) bool { return !w.in(text) })
	})
}

// spokenWords are the words of a text, without what stands between them and is no word.
func spokenWords(text string) []string {
	return strings.FieldsFunc(fold.String(text), func(r rune) bool { return r < 0x80 && !wordByte(byte(r)) })
}

// A spokenWord is a word that people say.
type spokenWord struct {
	word, other []byte // folded; the other way to write it is empty where there is none
	begins      bool   // it may be the beginning of a word
}

func (w spokenWord) in(text []byte) bool {
	return hasWord(text, w.word, w.begins) || len(w.other) > 0 && hasWord(text, w.other, false)
}

// hasWord reports whether a folded text has a word, or one that begins with it.
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

// wordByte reports whether a byte of a folded text is of a word: letters of other scripts are.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
