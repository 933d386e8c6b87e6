package store

import "fmt"

// A page is the head of a page, or of the small one that lies in a value.
type page struct {
	at, size     uint64 // bytes
	flags, count uint16
	inValue      bool
}

// page reads the head of a page and marks it used.
func (l *layout) page(id uint64) (*page, error) {
	if err := l.use(id, 1); err != nil {
		return nil, err
	}
	p, self, overflow, err := l.head(id*l.pageSize, l.pageSize)
	if err != nil {
		return nil, err
	}
	if self != id {
		return nil, fmt.Errorf("page %d has the id %d", id, self)
	}
	if overflow > 0 {
		if err := l.use(id+1, overflow); err != nil {
			return nil, err
		}
	}
	p.size += overflow * l.pageSize
	return p, nil
}

// head reads the head of a page of so many bytes.
func (l *layout) head(at, size uint64) (p *page, id, overflow uint64, err error) {
	var b [headerSize]byte
	if _, err := l.r.ReadAt(b[:], int64(at)); err != nil {
		return nil, 0, 0, err
	}
	p = &page{at: at, size: size, flags: order.Uint16(b[8:]), count: order.Uint16(b[10:])}
	return p, order.Uint64(b[:]), uint64(order.Uint32(b[12:])), nil
}

// tree follows a page and those below it. As no page may be used twice, it ends.
func (l *layout) tree(id uint64, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("page %d lies %d deep", id, depth)
	}
	p, err := l.page(id)
	if err != nil {
		return err
	}
	if p.flags != leafFlag && (p.flags != branchFlag || p.count == 0) {
		return fmt.Errorf("page %d has the flags %#x and %d elements", id, p.flags, p.count)
	}
	if err := l.elements(p, depth); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

// elements makes sure that the elements of a page lie in it, one after the
// other, and follows them.
func (l *layout) elements(p *page, depth int) error {
	end := headerSize + elementSize*uint64(p.count)
	if end > p.size {
		return fmt.Errorf("%d elements", p.count)
	}
	table := make([]byte, end-headerSize)
	if _, err := l.r.ReadAt(table, int64(p.at+headerSize)); err != nil {
		return err
	}
	for i := range uint64(p.count) {
		e := table[elementSize*i:][:elementSize]
		u32 := func(at int) uint64 { return uint64(order.Uint32(e[at:])) }
		pos, key, value := u32(0), u32(4), uint64(0) // of a branch
		if p.flags == leafFlag {
			pos, key, value = u32(4), u32(8), u32(12)
		}
		start := headerSize + elementSize*i + pos
		if start < end || key == 0 || start+key+value > p.size {
			return fmt.Errorf("element %d lies outside it", i)
		}
		end = start + key + value
		var err error
		if p.flags == branchFlag {
			err = l.tree(order.Uint64(e[8:]), depth+1)
		} else if u32(0)&bucketFlag != 0 {
			err = l.bucket(p, start+key, value, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket follows a bucket, whose value says where its root is; a small one lies
// in the value itself, and has no buckets.
func (l *layout) bucket(in *page, start, size uint64, depth int) error {
	const bucketSize = 16 // root, sequence
	var b [bucketSize]byte
	if in.inValue || size < bucketSize {
		return fmt.Errorf("invalid bucket")
	}
	at := in.at + start
	if _, err := l.r.ReadAt(b[:], int64(at)); err != nil {
		return err
	}
	if root := order.Uint64(b[:]); root != 0 {
		return l.tree(root, depth)
	}
	if size < bucketSize+headerSize {
		return fmt.Errorf("invalid bucket")
	}
	p, id, _, err := l.head(at+bucketSize, size-bucketSize)
	if err != nil {
		return err
	}
	if id != 0 || p.flags != leafFlag {
		return fmt.Errorf("invalid bucket")
	}
	p.inValue = true
	return l.elements(p, depth)
}
