package index

import (
	"bytes"
	"slices"
	"strings"

	"relais/geo"
	"relais/internal/fold"
)

// A Query selects sites. Its zero fields have no condition, except that Filter must be set.
type Query struct {
	Filter Filter
	Box    *geo.Box
	Disc   *geo.Disc // nearest first; not together with Box
	Text   string    // words that the searchable text must have

	// Criteria of a search. A site must satisfy all that are given.
	ID           string
	NationalCode string
	StationCodes []string // each must be the source code or a station number of the site
	Commune      string   // the name or its beginning
	PostalCode   string
	Place        *Place // a result of Places

	// Ranked orders the best matches first: sites whose identifier is the text, then those
	// whose commune is the text, then the others.
	Ranked bool
	// Spoken is for a Text as people say it. Its words must be whole words of the searchable
	// text; a word with a digit and a single word may also be the beginning of a word. Saint
	// and Sainte also find St and Ste, and the reverse. Ranked then treats sites whose postal
	// code is the text like those whose commune is the text, and after them has those whose
	// commune begins with the text, such as the districts of a city.
	Spoken bool
	Whole  bool // with Spoken: no word may be only the beginning of a word
}

// Hits is a page of the sites that a query finds.
type Hits struct {
	Total  int       // sites that match, on all pages
	Sites  []uint32  // of the page, by position in the snapshot
	Metres []float64 // distance of each from the centre of the Disc; nil without a Disc
}

// Find returns at most limit sites after skipping offset sites. Neither may be negative.
// Without a Disc or Ranked, sites are in the order of the snapshot, so that pages neither
// skip nor repeat a site. A page after the last one is empty and has the same Total.
func (m *Market) Find(q Query, offset, limit int) Hits {
	if q.Unfiltered() {
		return m.pageOfAll(offset, limit)
	}
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	set := m.match(q, w)
	if q.Disc != nil {
		near, total := m.space.disc(set, &w.away, *q.Disc, offset, limit)
		h := Hits{Total: total}
		for _, n := range near {
			h.Sites = append(h.Sites, n.Site)
			h.Metres = append(h.Metres, n.Metres)
		}
		return h
	}
	h := Hits{Total: set.count()}
	if offset >= h.Total {
		return h
	}
	h.Sites = make([]uint32, 0, min(limit, h.Total-offset))
	if q.Ranked {
		for _, rank := range m.ranks(q, w) {
			w.page.copy(set)
			w.page.and(rank)
			set.andNot(rank)
			h.Sites, offset = w.page.page(h.Sites, offset, limit-len(h.Sites))
		}
	}
	h.Sites, _ = set.page(h.Sites, offset, limit-len(h.Sites))
	return h
}

// work is the memory of one query.
type work struct {
	set, found, other, spare, page, byID, byCommune, byDistrict bitset
	away                                                        []away
}

func newWork(sites int) *work {
	n := func() bitset { return newBitset(sites) }
	return &work{set: n(), found: n(), other: n(), spare: n(), page: n(), byID: n(), byCommune: n(), byDistrict: n()}
}

// Unfiltered reports whether the query selects all sites.
func (q *Query) Unfiltered() bool {
	return q.Filter == All && q.Box == nil && q.Disc == nil && q.Text == "" && q.ID == "" && q.NationalCode == "" &&
		len(q.StationCodes) == 0 && q.Commune == "" && q.PostalCode == "" && q.Place == nil
}

func (m *Market) pageOfAll(offset, limit int) Hits {
	h := Hits{Total: m.Len()}
	if offset >= h.Total {
		return h
	}
	h.Sites = make([]uint32, min(limit, h.Total-offset))
	for k := range h.Sites {
		h.Sites[k] = uint32(offset + k)
	}
	return h
}

// match returns the sites that satisfy q; for a disc, those near it.
func (m *Market) match(q Query, w *work) bitset {
	set := w.set
	set.clear()
	switch {
	case q.Box != nil:
		m.space.addBox(set, *q.Box)
	case q.Disc != nil:
		m.space.addBox(set, q.Disc.Box())
	default:
		set.setRange(0, uint32(m.Len()))
	}
	if q.Text != "" {
		m.matchText(q, w)
		set.and(w.found)
	}
	m.matchCriteria(q, set, w)
	m.applyFilter(q.Filter, set)
	return set
}

// readCost is the number of entries of trigram lists that can be read in the time of searching
// the text of one site.
const readCost = 8

// matchText sets w.found to the sites whose text has all words, and those whose identifier is
// the text. It uses the lists of trigrams while reading them is faster than searching the
// texts of the sites that are left.
func (m *Market) matchText(q Query, w *work) {
	found := w.found
	found.clear()
	found.setRange(0, uint32(m.Len()))
	var unsure [][]byte
	for _, word := range q.words() {
		set, exact := m.matchWord(word, q.Spoken, w)
		if !exact {
			unsure = append(unsure, word)
		}
		found.and(set)
	}
	if q.Spoken {
		m.verifySpoken(q.Text, q.Whole, found)
	} else if len(unsure) > 0 {
		found.filter(func(i uint32) bool {
			text := m.text().texts.text(i)
			return !slices.ContainsFunc(unsure, func(word []byte) bool { return !bytes.Contains(text, word) })
		})
	}
	found.add(m.sitesWithAnyID(q.Text))
}

// matchWord returns the sites of w.found whose text may have a word, and reports whether they
// all have it. It does not change w.found.
func (m *Market) matchWord(word []byte, spoken bool, w *work) (set bitset, exact bool) {
	switch {
	case spoken && otherSpelling(string(word)) != "":
		m.matchSpoken(word, w)
		return w.page, true
	case m.text().cost(word) > readCost*w.found.count():
		return w.found, false
	}
	return w.other, m.text().candidates(w.other, w.spare, word)
}

// otherSpelling returns the other spelling of a word in files of the postal service, or "".
func otherSpelling(word string) string {
	switch word {
	case "saint":
		return "st"
	case "sainte":
		return "ste"
	case "st":
		return "saint"
	case "ste":
		return "sainte"
	}
	return ""
}

// matchSpoken sets w.page to the sites whose text has a word, or its other spelling as a whole
// word.
func (m *Market) matchSpoken(word []byte, w *work) {
	m.text().phrase(w.page, w.spare, word)
	for _, before := range []string{" ", string(fieldEnd)} {
		for _, after := range []string{" ", string(fieldEnd)} {
			m.text().phrase(w.other, w.spare, []byte(before+otherSpelling(string(word))+after))
			w.page.or(w.other)
		}
	}
}

// words returns the words of the Text, folded and as by longestWords.
func (q *Query) words() [][]byte {
	if q.Spoken {
		return longestWords(spokenWords(q.Text))
	}
	return longestWords(fold.Words(q.Text))
}

// longestWords returns words, the longest first, without those that are part of another word:
// a text with that word has them too.
func longestWords(all []string) (list [][]byte) {
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	for _, word := range all {
		if !slices.ContainsFunc(list, func(longer []byte) bool { return bytes.Contains(longer, []byte(word)) }) {
			list = append(list, []byte(word))
		}
	}
	return list
}

// matchCriteria removes from set the sites that do not satisfy the criteria of a search.
func (m *Market) matchCriteria(q Query, set bitset, w *work) {
	only := func(sites []uint32) {
		w.other.clear()
		w.other.add(sites)
		set.and(w.other)
	}
	if q.ID != "" {
		only(m.sitesWithID(q.ID))
	}
	if q.NationalCode != "" {
		only(m.sitesWithNationalCode(q.NationalCode))
	}
	for _, code := range q.StationCodes {
		only(m.sitesWithSourceCode(code))
	}
	if q.Commune != "" {
		var sites []uint32
		if name := fold.String(q.Commune); name != "" {
			sites = m.text().communes.withPrefix(name)
		}
		only(sites)
	}
	if q.PostalCode != "" {
		only(m.text().postal.withValue(fold.String(q.PostalCode)))
	}
	if q.Place != nil {
		m.matchPlace(q.Place, set, w)
	}
}

// A filter tests sites one by one when they are fewer than 1/fewSites of the register.
const fewSites = 64

// applyFilter removes from set the sites that do not satisfy f.
func (m *Market) applyFilter(f Filter, set bitset) {
	if f.Within != nil {
		set.and(f.Within.sites)
	}
	for _, part := range f.parts() {
		m.applyPart(part, set)
	}
}

// applyPart removes from set the sites of other areas, and those without an emission that satisfies f.
func (m *Market) applyPart(f Filter, set bitset) {
	mask := m.emissions.mask(f)
	if mask != nil && set.count() > m.Len()/fewSites {
		m.emissions.narrow(set, mask)
		mask = nil
	}
	if mask == nil && f.Area == Any {
		return
	}
	set.filter(func(i uint32) bool {
		return (f.Area == Any || m.Snap.Area(int(i)) == f.Area) && (mask == nil || m.emissions.matches(i, mask))
	})
}

// ranks returns the sets of best matches, the best set first. They may have other sites too.
func (m *Market) ranks(q Query, w *work) []bitset {
	w.byID.clear()
	for _, name := range append([]string{q.Text, q.ID, q.NationalCode}, q.StationCodes...) {
		w.byID.add(m.sitesWithAnyID(name))
	}
	w.byCommune.clear()
	names := []string{fold.String(q.Commune), fold.String(q.Text)}
	if q.Spoken {
		w.byCommune.add(m.text().postal.withValue(names[1]))
		names = append(names, spellings(names[1])...)
		slices.Sort(names)
		names = slices.Compact(names)
	}
	for _, name := range names {
		w.byCommune.add(m.text().communes.withValue(name))
	}
	if !q.Spoken { // the order of the API's search
		return []bitset{w.byID, w.byCommune}
	}
	w.byDistrict.clear()
	for _, name := range names {
		w.byDistrict.add(m.text().communes.withPrefix(name + " "))
	}
	return []bitset{w.byID, w.byCommune, w.byDistrict}
}

// spellings returns a folded name with all of its words in full, and with all of them short.
func spellings(name string) []string {
	full, short := strings.Fields(name), strings.Fields(name)
	for i, word := range full {
		if other := otherSpelling(word); len(other) > len(word) {
			full[i] = other
		} else if other != "" {
			short[i] = other
		}
	}
	return []string{strings.Join(full, " "), strings.Join(short, " ")}
}

// byName returns the sites that an identifier of any kind names.
func (m *Market) sitesWithAnyID(name string) []uint32 {
	sites := append(m.sitesWithID(name), m.sitesWithNationalCode(name)...)
	sites = append(sites, m.sitesWithSourceCode(name)...)
	slices.Sort(sites)
	return slices.Compact(sites)
}
