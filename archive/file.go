package archive

import (
	"cmp"
	"slices"

	"relais/ingest/anfr"
	"relais/ingest/anfr/column"
	"relais/internal/chunked"
	"relais/internal/intern"
)

// The bounds of a publication. The French one has 830,000 rows and 40 MB of different texts; its
// largest support has 100 rows.
const (
	maxRows        = 16 << 20
	maxTexts       = 512 << 20 // bytes
	maxSupportRows = 1000
)

// A file is a publication in memory: 28 bytes for each row, and the texts.
type file struct {
	columns   []string // that not all publications have: see Publication
	updated   string   // the date_maj of its first row
	synthetic bool     // made up for a demonstration
	rows      chunked.List[fileRow]
	last      codes                      // of the last row
	texts     [contentTexts]intern.Table // of the contents
	supports  []fileSupport              // in the order of their first rows
	supportOf map[uint32]uint32          // positions in supports, by number
	supportAt []uint32                   // positions in supports, by number of a place
	packed    writer
}

// codes are the numbers of a row's texts in the tables of a file.
type codes [contentTexts]uint32

// A fileRow is the id of a row, 0 for none, else the number and 1, and its codes.
type fileRow struct {
	id, place, station, more                            uint32
	operator, system, date, status, generation, updated uint16
}

// maxNames bounds the different texts of each of the columns that a fileRow has 16 bits for. The French file has
// some thousands of dates, and tens of the others at most.
const maxNames = 1 << 16

func newFileRow(id uint32, c *codes) fileRow {
	return fileRow{id: id, place: c[inPlace], station: c[inStation], more: c[inMore],
		operator: uint16(c[inOperator]), system: uint16(c[inSystem]), date: uint16(c[inDate]), status: uint16(c[inStatus]),
		generation: uint16(c[inGeneration]), updated: uint16(c[inUpdated])}
}

func (r *fileRow) codes() codes {
	return codes{inPlace: r.place, inStation: r.station, inMore: r.more,
		inOperator: uint32(r.operator), inSystem: uint32(r.system), inDate: uint32(r.date), inStatus: uint32(r.status),
		inGeneration: uint32(r.generation), inUpdated: uint32(r.updated)}
}

type fileSupport struct {
	number uint32
	rows   uint32
	place  uint32 // of its first row, which the others mostly have too
}

func newFile(synthetic bool) *file {
	return &file{synthetic: synthetic, supportOf: map[uint32]uint32{}}
}

// refusal says why a file cannot be a publication with so many rows; "" if it can.
func (p *file) refusal(rows int) string {
	switch {
	case rows > maxRows:
		return "over 16 million rows: not an observatoire"
	case p.size() > maxTexts:
		return "over 512 MiB of different texts: not an observatoire"
	}
	for _, i := range []int{inOperator, inSystem, inDate, inStatus, inGeneration, inUpdated} {
		if p.texts[i].Len() > maxNames {
			return "over 65,535 different texts in one column: not an observatoire"
		}
	}
	return ""
}

// addRow adds a row. It returns the reason for rejecting it, "" for none.
func (p *file) addRow(row *anfr.PublishedRow) string {
	c := p.last // what differs is set below
	at := uint32(0)
	if row.Same>>column.Support&1 == 1 {
		at = p.supportAt[c[inPlace]]
	} else {
		number, ok := supportNumber(string(row.Values[column.Support]))
		if !ok {
			return "no support number"
		}
		at = p.support(number)
	}
	support := &p.supports[at]
	if support.rows == maxSupportRows {
		return "over 1000 rows of one support"
	}
	if row.Same&inPlaceColumns != inPlaceColumns {
		packPlace(&p.packed, row)
		c[inPlace] = p.place(at)
	}
	if p.rows.Len() == 0 {
		p.updated = string(row.Values[column.Updated])
	}
	for i, col := range emissionColumns {
		if row.Same>>col&1 == 1 {
			continue
		}
		text := row.Values[col]
		if col == column.Updated && string(text) == p.updated {
			text = []byte(sameUpdated)
		}
		c[i+1] = intern.Add(&p.texts[i+1], text)
	}
	if row.Same>>column.Azimuths&1 == 0 || !row.SameMore {
		packMore(&p.packed, row)
		c[inMore] = intern.Add(&p.texts[inMore], p.packed.b)
	}
	support.rows++
	p.rows.Append(newFileRow(lineNumber(row.Values[column.ID]), &c))
	p.last = c
	return ""
}

// place returns the number of the packed place of a support.
func (p *file) place(support uint32) (number uint32) {
	s, texts := &p.supports[support], &p.texts[inPlace]
	if s.rows > 0 && texts.Text(s.place) == string(p.packed.b) {
		return s.place
	}
	number = intern.Add(texts, p.packed.b)
	for len(p.supportAt) <= int(number) {
		p.supportAt = append(p.supportAt, support)
	}
	if s.rows == 0 {
		s.place = number
	}
	return number
}

// support returns the position of a support in supports. It adds a new one.
func (p *file) support(number uint32) uint32 {
	at, known := p.supportOf[number]
	if !known {
		at = uint32(len(p.supports))
		p.supports, p.supportOf[number] = append(p.supports, fileSupport{number: number}), at
	}
	return at
}

// size returns the bytes of all texts.
func (p *file) size() (n int) {
	for i := range p.texts {
		n += p.texts[i].Size()
	}
	return n
}

// lineNumber reads the column id, a row's number in its file: 0 when it is invalid.
func lineNumber(b []byte) (id uint32) {
	if len(b) == 0 || len(b) > 9 || len(b) > 1 && b[0] == '0' {
		return 0
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		id = id*10 + uint32(c-'0')
	}
	return id + 1
}

func (p *file) row(i uint32) *fileRow { return p.rows.At(int(i)) }

// number returns the number of a row's support.
func (p *file) number(row uint32) uint32 { return p.supports[p.supportAt[p.row(row).place]].number }

func (p *file) content(row int) (c content) {
	for i, code := range p.rows.At(row).codes() {
		c[i] = p.texts[i].Text(code)
	}
	return c
}

// bySupport returns the positions of the rows sorted by support; rows of one support stay in the
// order of the file.
func (p *file) bySupport() []uint32 {
	sorted := make([]uint32, len(p.supports))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(a, b uint32) int { return cmp.Compare(p.supports[a].number, p.supports[b].number) })
	next, n := make([]uint32, len(p.supports)), uint32(0)
	for _, i := range sorted {
		next[i] = n
		n += p.supports[i].rows
	}
	order := make([]uint32, p.rows.Len())
	for i, r := range p.rows.All() {
		at := &next[p.supportAt[r.place]]
		order[*at] = uint32(i)
		*at++
	}
	return order
}

// listing returns the rows. Where they are stored is not known yet.
func (p *file) listing() *listing {
	l := &listing{refs: make([]ref, p.rows.Len()), ids: make([]uint32, p.rows.Len())}
	for i, r := range p.rows.All() {
		l.ids[i] = r.id
	}
	return l
}

// repeated counts the rows whose key an earlier row has.
func (p *file) repeated() (n int) {
	stations := p.texts[inStation].Len()
	ends := make([]uint32, stations+1) // of the rows of each station
	for _, r := range p.rows.All() {
		ends[r.station+1]++
	}
	for i := range stations {
		ends[i+1] += ends[i]
	}
	keys := make([]uint64, p.rows.Len()) // operator and system, by station
	for _, r := range p.rows.All() {
		at := &ends[r.station]
		keys[*at] = uint64(r.operator)<<32 | uint64(r.system)
		*at++
	}
	from := uint32(0)
	for _, end := range ends[:stations] {
		own := keys[from:end]
		slices.Sort(own)
		n += len(own) - len(slices.Compact(own))
		from = end
	}
	return n
}
