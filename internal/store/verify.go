package store

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// bolt follows the numbers in a file without a look at them: a broken one can
// make it read outside the mapped file on a goroutine of its own, allocate
// without end or recurse without end, and nothing of that can be recovered from.
// So the numbers are checked before bolt sees the file.

const (
	headerSize  = 16 // of a page: id, flags, count, overflow
	elementSize = 16

	branchFlag   = 0x01
	leafFlag     = 0x02
	freelistFlag = 0x10
	bucketFlag   = 0x01 // of a leaf element

	maxDepth = 100 // of pages: 4 levels of branches hold a billion keys
)

var order = binary.NativeEndian

// A layout is the content of a file's meta page.
type layout struct {
	r                               io.ReaderAt
	pageSize, root, freelist, pages uint64
	used                            []bool // by page
}

// verify makes sure that the meta page and the list of free pages fit the file
// and, when deep, that its tree ends and lies in the file.
func verify(r io.ReaderAt, size int64, deep bool) error {
	l, err := readLayout(r, uint64(size))
	if err != nil {
		return err
	}
	if err := l.freePages(); err != nil {
		return fmt.Errorf("list of free pages: %w", err)
	}
	if !deep {
		return nil
	}
	return l.tree(l.root, 0)
}

type meta struct{ pageSize, root, freelist, pages, transaction uint64 }

// readMeta reads the meta page at an offset. It is not valid when its checksum
// is wrong: the last write did not end.
func readMeta(r io.ReaderAt, at uint64) (m meta, valid bool, err error) {
	var b [64]byte
	if _, err := r.ReadAt(b[:], int64(at)+headerSize); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return m, false, err
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	valid = order.Uint32(b[:]) == 0xED0CDAED && order.Uint32(b[4:]) == 2 && sum.Sum64() == order.Uint64(b[56:])
	return meta{uint64(order.Uint32(b[8:])), order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]),
		order.Uint64(b[48:])}, valid, nil
}

// readLayout takes the meta page that bolt takes: of the two, the valid one with
// the later transaction. The second lies one page into the file.
func readLayout(r io.ReaderAt, size uint64) (*layout, error) {
	if size == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	m, valid, err := readMeta(r, 0)
	first, last := uint64(1024), uint64(1024<<14)
	if valid {
		first, last = m.pageSize, m.pageSize
	}
	for at := first; err == nil && at <= last && at > 0; at *= 2 {
		var other meta
		var ok bool
		if other, ok, err = readMeta(r, at); !ok {
			continue
		}
		if other.pageSize != at {
			return nil, fmt.Errorf("pages of %d bytes after %d", other.pageSize, at)
		}
		if !valid || other.transaction > m.transaction {
			m, valid = other, true
		}
		break
	}
	switch {
	case err != nil:
		return nil, err
	case !valid:
		return nil, fmt.Errorf("no valid meta page")
	case m.pageSize < 1024 || m.pageSize > 1024<<14 || m.pageSize&(m.pageSize-1) != 0:
		return nil, fmt.Errorf("pages of %d bytes", m.pageSize)
	case m.pages > size/m.pageSize:
		return nil, fmt.Errorf("it is cut off: %d bytes of %d", size, m.pages*m.pageSize)
	}
	return &layout{r: r, pageSize: m.pageSize, root: m.root, freelist: m.freelist, pages: m.pages,
		used: make([]bool, m.pages)}, nil
}

// lostHeader returns an error if one of the two meta pages is not valid: bolt then takes the other one, which may be
// the older. Opening the file accepts that, because a power cut in a commit leaves such a page.
func lostHeader(r io.ReaderAt, pageSize int) error {
	for _, at := range []uint64{0, uint64(pageSize)} {
		if _, valid, err := readMeta(r, at); err != nil || !valid {
			return cmp.Or(err, errors.New("one of its two headers is invalid: the last changes may be lost"))
		}
	}
	return nil
}

// use marks pages as used. A page that is used twice is an error, and ends every cycle.
func (l *layout) use(first, n uint64) error {
	if first < 2 || first >= l.pages || n > l.pages-first {
		return fmt.Errorf("%d pages from %d do not lie in the %d of the file", n, first, l.pages)
	}
	for id := first; id < first+n; id++ {
		if l.used[id] {
			return fmt.Errorf("page %d is used twice", id)
		}
		l.used[id] = true
	}
	return nil
}

// freePages reads the list of free pages.
func (l *layout) freePages() error {
	p, err := l.page(l.freelist)
	if err != nil {
		return err
	}
	if p.flags != freelistFlag {
		return fmt.Errorf("page %d has the flags %#x", l.freelist, p.flags)
	}
	r := bufio.NewReader(io.NewSectionReader(l.r, int64(p.at+headerSize), int64(p.size-headerSize)))
	var id [8]byte
	n := uint64(p.count)
	if n == 0xFFFF { // too many for the head of the page: the number stands before the list
		if _, err := io.ReadFull(r, id[:]); err != nil {
			return err
		}
		n = order.Uint64(id[:])
	}
	for range n {
		if _, err := io.ReadFull(r, id[:]); err != nil {
			return err
		}
		if err := l.use(order.Uint64(id[:]), 1); err != nil {
			return err
		}
	}
	return nil
}
