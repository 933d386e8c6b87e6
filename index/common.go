package index

import lru "github.com/hashicorp/golang-lru/v2"

// commonWords are the sites of the words that very many have and that were asked for
// last, such as rue and saint: to look for them again takes longer than anything else
// that a search does. The sets do not change.
type commonWords struct {
	sites int // of the register
	sets  *lru.Cache[string, bitset]
}

// mostCommon is how many words are kept; a set has a bit for each site.
const mostCommon = 32

func newCommonWords(sites int) *commonWords {
	sets, err := lru.New[string, bitset](mostCommon)
	if err != nil {
		panic(err) // only of a size that is not positive
	}
	return &commonWords{sites, sets}
}

// worth tells whether a set is of so many sites that it is kept.
func (c *commonWords) worth(set bitset) bool { return set.count() > c.sites/fewSites }

// keep remembers the sites of a word if they are worth it.
func (c *commonWords) keep(word string, found bitset) {
	if c.worth(found) {
		set := newBitset(c.sites)
		set.copy(found)
		c.sets.Add(word, set)
	}
}
