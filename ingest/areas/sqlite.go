package areas

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"strconv"
)

// What is read of SQLite's files follows https://www.sqlite.org/fileformat2.html: tables with row numbers, whose
// records may go on in chains of overflow pages. There are no indexes, no writing and no SQL. SQLite itself would
// make each program 5 MB larger.

const signatureSQLite = "SQLite format 3\x00"

// A database is an open SQLite file.
type database struct {
	in       input
	pageSize int
	usable   int    // bytes of a page that are used
	pages    uint32 // that the file has
}

// openDatabase reads the header. A database that its writer did not close is an error.
func openDatabase(in input) (*database, error) {
	head := make([]byte, 100)
	if _, err := in.ReadAt(head, 0); err != nil {
		return nil, damaged("there is no header")
	}
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if rest, err := os.Stat(in.Name() + suffix); err == nil && rest.Size() > 0 {
			return nil, unsupported("a part of the data is in the file %s: close the program that writes it", rest.Name())
		}
	}
	d := &database{in: in, pageSize: int(binary.BigEndian.Uint16(head[16:]))}
	if d.pageSize == 1 {
		d.pageSize = 1 << 16
	}
	d.usable = d.pageSize - int(head[20])
	if d.pageSize < 512 || d.pageSize&(d.pageSize-1) != 0 || d.usable < 480 {
		return nil, damaged("pages have %d bytes", d.pageSize)
	}
	d.pages = uint32(min(info.Size()/int64(d.pageSize), math.MaxUint32))
	stated := binary.BigEndian.Uint32(head[28:])
	if current := string(head[24:28]) == string(head[92:96]); current && stated > d.pages {
		return nil, damaged("the file has %d of %d pages", d.pages, stated)
	}
	if text := binary.BigEndian.Uint32(head[56:]); text != 1 && text != 0 {
		return nil, unsupported("texts are in UTF-16")
	}
	return d, nil
}

// A pager reads pages, and the more that follow, the longer they are read in order.
type pager struct {
	*database
	first uint32 // number of the first page that is kept
	kept  []byte
}

// maxAhead is how many bytes a pager reads at once, at most.
const maxAhead = 256 << 10

// page returns a page, valid until the next call.
func (p *pager) page(n uint32) ([]byte, error) {
	if n == 0 || n > p.pages {
		return nil, damaged("there is no page %d", n)
	}
	if at := int64(n) - int64(p.first); at >= 0 && (at+1)*int64(p.pageSize) <= int64(len(p.kept)) {
		return p.kept[at*int64(p.pageSize):][:p.pageSize], nil
	}
	size := p.pageSize
	if int64(n-p.first)*int64(p.pageSize) == int64(len(p.kept)) {
		size = max(size, min(2*cap(p.kept), maxAhead))
	}
	if size > cap(p.kept) {
		p.kept = make([]byte, size)
	}
	read, err := p.in.ReadAt(p.kept[:size], int64(n-1)*int64(p.pageSize))
	if read < p.pageSize {
		return nil, damaged("page %d cannot be read: %v", n, err)
	}
	p.first, p.kept = n, p.kept[:read]
	return p.kept[:p.pageSize], nil
}

// maxDepth is the depth of trees: SQLite's own have at most 20 levels.
const maxDepth = 20

// A walk visits the rows of a table.
type walk struct {
	pager
	visit     func(row) error
	leftPages uint32 // that may be visited: each belongs to one place of one tree
	leftBytes uint64 // that rows may have together
}

// rows calls visit with the rows of the table with a root page.
func (d *database) rows(root uint32, visit func(row) error) error {
	w := walk{pager: pager{database: d}, visit: visit, leftPages: d.pages, leftBytes: uint64(d.pages) * uint64(d.pageSize)}
	return w.tree(root, 0)
}

func (w *walk) tree(number uint32, depth int) error {
	if depth > maxDepth || w.leftPages == 0 {
		return damaged("the tree of page %d has no end", number)
	}
	w.leftPages--
	kept, err := w.page(number)
	if err != nil {
		return err
	}
	page, at := append([]byte(nil), kept[:w.usable]...), 0
	if number == 1 {
		at = 100 // after the header of the file
	}
	kind, cells := page[at], int(binary.BigEndian.Uint16(page[at+3:]))
	const interior, leaf = 5, 13
	pointers := at + 8
	if kind == interior {
		pointers = at + 12
	}
	if kind != interior && kind != leaf {
		return damaged("page %d does not belong to a table with row numbers", number)
	}
	if pointers+2*cells > len(page) {
		return damaged("page %d has %d cells", number, cells)
	}
	for i := range cells {
		cell := int(binary.BigEndian.Uint16(page[pointers+2*i:]))
		if cell+4 > len(page) {
			return damaged("a cell of page %d begins outside it", number)
		}
		if kind == interior {
			err = w.tree(binary.BigEndian.Uint32(page[cell:]), depth+1)
		} else {
			err = w.leaf(page[cell:])
		}
		if err != nil {
			return err
		}
	}
	if kind == interior {
		return w.tree(binary.BigEndian.Uint32(page[at+8:]), depth+1)
	}
	return nil
}

// leaf visits the row whose cell begins here.
func (w *walk) leaf(cell []byte) error {
	size, n := varint(cell)
	id, m := varint(cell[n:])
	if n == 0 || m == 0 || size > w.leftBytes {
		return damaged("rows have more bytes than the file")
	}
	w.leftBytes -= size
	r := row{database: w.database, id: int64(id), size: int64(size), local: cell[n+m:]}
	if most := int64(w.usable - 35); r.size > most {
		least := int64((w.usable-12)*32/255 - 23)
		local := least + (r.size-least)%int64(w.usable-4)
		if local > most {
			local = least
		}
		if int64(len(r.local)) < local+4 {
			return damaged("row %d ends outside its page", r.id)
		}
		r.next = binary.BigEndian.Uint32(r.local[local:])
		r.local = r.local[:local]
	} else if int64(len(r.local)) < r.size {
		return damaged("row %d ends outside its page", r.id)
	} else {
		r.local = r.local[:r.size]
	}
	return w.visit(r)
}

// varint returns a number of one to nine bytes, and how many it has: 0 if it is cut.
func varint(b []byte) (v uint64, n int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return v<<8 | uint64(b[8]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// A row is a record that was not read yet.
type row struct {
	*database
	id    int64
	size  int64
	local []byte // the part in the tree
	next  uint32 // the first of the pages with the rest
}

// A record reads the bytes of a row in order.
type record struct {
	pager
	left  int64 // bytes of the record that were not read
	ready []byte
	next  uint32
}

func (r row) open() *record {
	return &record{pager: pager{database: r.database}, left: r.size, ready: r.local, next: r.next}
}

// advance makes bytes ready: those of the next page of the chain. Each page counts against the size of the record,
// so that a chain that is a circle has an end.
func (r *record) advance() error {
	if r.left == 0 {
		return io.EOF
	}
	for len(r.ready) == 0 {
		page, err := r.page(r.next)
		if err != nil {
			return err
		}
		r.next = binary.BigEndian.Uint32(page)
		r.ready = page[4:r.usable]
	}
	r.ready = r.ready[:min(int64(len(r.ready)), r.left)]
	return nil
}

func (r *record) Read(b []byte) (int, error) {
	if err := r.advance(); err != nil {
		return 0, err
	}
	n := copy(b, r.ready)
	r.ready, r.left = r.ready[n:], r.left-int64(n)
	return n, nil
}

func (r *record) skip(n int64) error {
	for n > 0 {
		if err := r.advance(); err != nil {
			return damaged("a row ends in the middle")
		}
		step := min(n, int64(len(r.ready)))
		r.ready, r.left, n = r.ready[step:], r.left-step, n-step
	}
	return nil
}

// A column of a record has its form: see section 2.1 of the file format.
type column uint64

const null column = 0

func (c column) size() int64 {
	if c >= 12 {
		return int64(min((c-12)/2, math.MaxInt64/4))
	}
	return [12]int64{0, 1, 2, 3, 4, 6, 8, 8}[c]
}

// columns reads the record's header.
func (r *record) columns() ([]column, error) {
	var head []byte
	size, n := uint64(0), 0
	for n == 0 {
		if err := r.advance(); err != nil || len(head) == 9 {
			return nil, damaged("a row has no header")
		}
		head = append(head, r.ready[0])
		r.ready, r.left = r.ready[1:], r.left-1
		size, n = varint(head)
	}
	if size < uint64(n) || size > 9*maxColumns {
		return nil, damaged("the header of a row has %d bytes", size)
	}
	rest := make([]byte, int(size)-n)
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, damaged("the header of a row is cut: %v", err)
	}
	var columns []column
	for len(rest) > 0 {
		c, n := varint(rest)
		if n == 0 || c == 10 || c == 11 {
			return nil, damaged("the header of a row is invalid")
		}
		columns, rest = append(columns, column(c)), rest[n:]
	}
	return columns, nil
}

// text returns the text of the column that comes next, and whether it has one: blobs and nulls have none.
func (r *record) text(c column) (text string, ok bool, err error) {
	if c == null || c >= 12 && c%2 == 0 {
		return "", false, r.skip(c.size())
	}
	if c.size() > maxText {
		return "", false, unsupported("a text of %d bytes", c.size())
	}
	b := make([]byte, c.size())
	if _, err := io.ReadFull(r, b); err != nil {
		return "", false, damaged("a row ends in the middle: %v", err)
	}
	switch {
	case c >= 12:
		return string(b), true, nil
	case c == 7:
		return number(math.Float64frombits(binary.BigEndian.Uint64(b))), true, nil
	case c >= 8:
		return strconv.Itoa(int(c - 8)), true, nil
	}
	v := int64(int8(b[0])) // the sign
	for _, digit := range b[1:] {
		v = v<<8 | int64(digit)
	}
	return strconv.FormatInt(v, 10), true, nil
}
