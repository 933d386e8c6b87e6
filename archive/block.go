package archive

import (
	"slices"

	"relais/ingest/anfr/column"
	"relais/internal/intern"
)

// blockRows is the least number of rows in a block, except in the last one of a segment. A block
// ends with the last row of a support.
const blockRows = 2048

// A block is a part of a segment, sorted by support and then by rank. The rank is a row's position
// in its segment, in the order of the file.
type block struct {
	ranks    []uint32
	supports []uint32
	texts    [contentTexts][]string // each different text once
	codes    [contentTexts][]uint32 // of each row, the positions in texts
	place    place                  // that was asked for last
	placeOf  uint32                 // its code, and 1
	inFile   [contentTexts][]uint32 // codes of the texts in a file, once codesIn has found them
}

// last is the greatest support.
func (b *block) last() uint32 { return b.supports[len(b.supports)-1] }

func (b *block) content(row int) (c content) {
	for i := range c {
		c[i] = b.texts[i][b.codes[i][row]]
	}
	return c
}

// noCode stands for a text that a file lacks.
const noCode = ^uint32(0)

// codesIn returns the codes of a row in a file, the same one in every call.
func (b *block) codesIn(f *file, row int) (c codes) {
	if b.inFile[0] == nil {
		for i, texts := range b.texts {
			b.inFile[i] = make([]uint32, len(texts))
			for k, text := range texts {
				code, ok := intern.Find(&f.texts[i], text)
				if !ok {
					code = noCode
				}
				b.inFile[i][k] = code
			}
		}
	}
	for i := range c {
		c[i] = b.inFile[i][b.codes[i][row]]
	}
	return c
}

// record returns a row as it was published in a file with the date_maj updated. id is 0 for none,
// else the number plus 1.
func (b *block) record(row int, kind Kind, id uint32, updated string) (r Record) {
	r.Kind = kind
	if code := b.codes[inPlace][row]; b.placeOf != code+1 {
		b.place, _, _ = unpackPlace(b.texts[inPlace][code]) // readBlock has looked at it
		b.placeOf = code + 1
	}
	for i, c := range placeColumns {
		r.Values[c] = b.place[i]
	}
	for i, c := range emissionColumns {
		r.Values[c] = b.texts[i+1][b.codes[i+1][row]]
	}
	if own := &r.Values[emissionColumns[inUpdated-1]]; *own == sameUpdated {
		*own = updated
	}
	r.Values[column.Azimuths], r.More, _ = unpackMore(b.texts[inMore][b.codes[inMore][row]])
	if id > 0 {
		r.Values[column.ID] = decimal(id - 1)
	}
	return r
}

// A blockWriter collects the rows of a block.
type blockWriter struct {
	source *[contentTexts]intern.Table // of the texts of rows
	local  [contentTexts][]localCode   // by number in source
	block  uint32                      // counts the blocks
	size   int                         // of the block before
	ranks  []uint32
	texts  [contentTexts][]string
	codes  [contentTexts][]uint32
}

// A localCode is the position of a text in the texts of a block.
type localCode struct{ block, code uint32 }

func newBlockWriter(source *[contentTexts]intern.Table) *blockWriter {
	w := &blockWriter{source: source, block: 1}
	for i := range w.local {
		w.local[i] = make([]localCode, source[i].Len())
	}
	return w
}

func (w *blockWriter) add(rank uint32, row *codes) {
	w.ranks = append(w.ranks, rank)
	for i, code := range row {
		l := &w.local[i][code]
		if l.block != w.block {
			*l = localCode{w.block, uint32(len(w.texts[i]))}
			w.texts[i] = append(w.texts[i], w.source[i].Text(code))
		}
		w.codes[i] = append(w.codes[i], l.code)
	}
}

// finish returns the block and starts another.
func (w *blockWriter) finish() []byte {
	out := writer{make([]byte, 0, w.size+w.size/8)}
	out.number(uint32(len(w.ranks)))
	out.column(w.ranks)
	for i := range w.texts {
		if i == inMore && len(w.texts[i]) == 1 && w.texts[i][0] == "" {
			w.texts[i], w.codes[i] = w.texts[i][:0], w.codes[i][:0]
			break // no row has more: so it is in all publications before autumn 2026
		}
		out.number(uint32(len(w.texts[i])))
		for _, text := range w.texts[i] {
			out.text(text)
		}
		out.column(w.codes[i])
		w.texts[i], w.codes[i] = w.texts[i][:0], w.codes[i][:0]
	}
	w.ranks = w.ranks[:0]
	w.block++
	w.size = len(out.b)
	return out.b
}

// readBlock reads what a blockWriter wrote. Errors: errDamaged.
func readBlock(plain []byte) (*block, error) {
	r := reader{b: plain}
	n := r.count()
	b := &block{ranks: make([]uint32, n), supports: make([]uint32, n)}
	r.column(b.ranks)
	for i := range b.texts {
		if i == inMore && r.end() {
			b.texts[i], b.codes[i] = []string{""}, make([]uint32, n)
			break
		}
		// All texts of a column share one string, which stays in memory as long as one of them is
		// used.
		b.texts[i] = make([]string, r.count())
		before := r.b
		for range b.texts[i] {
			r.text()
		}
		all, at := string(before[:len(before)-len(r.b)]), reader{b: before}
		for k := range b.texts[i] {
			size := len(at.text())
			end := len(before) - len(at.b)
			if end > len(all) {
				return nil, damaged("a block")
			}
			b.texts[i][k] = all[end-size : end]
		}
		b.codes[i] = make([]uint32, n)
		r.column(b.codes[i])
		if r.bad || n == 0 || int(slices.Max(b.codes[i])) >= len(b.texts[i]) {
			return nil, damaged("a block")
		}
	}
	isBroken := func(packed string) bool { _, _, ok := unpackMore(packed); return !ok }
	if !r.end() || !b.readPlaces() || slices.ContainsFunc(b.texts[inMore], isBroken) {
		return nil, damaged("a block")
	}
	return b, nil
}

// readPlaces finds the support of each row, and whether they are in order.
func (b *block) readPlaces() bool {
	numbers := make([]uint32, len(b.texts[inPlace]))
	for i, packed := range b.texts[inPlace] {
		var ok bool
		if _, numbers[i], ok = unpackPlace(packed); !ok {
			return false
		}
	}
	for row, code := range b.codes[inPlace] {
		b.supports[row] = numbers[code]
		if row > 0 && b.supports[row] < b.supports[row-1] {
			return false
		}
	}
	return true
}
