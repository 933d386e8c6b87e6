package heif

import "fmt"

// An extent is a run of bytes of the file or of the idat box; length 0 extends to its
// end.
type extent struct{ offset, length uint64 }

// locations reads the iloc box, versions 0 to 2.
func (f *File) locations(body []byte) error {
	r := reader{b: body}
	version, _ := r.full()
	if version > 2 {
		return fmt.Errorf("version %d: %w", version, ErrUnsupported)
	}
	sizes := r.u16()
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 {
		indexSize = 0 // the bits are reserved
	}
	for _, size := range []int{offsetSize, lengthSize, baseSize, indexSize} {
		if size != 0 && size != 4 && size != 8 {
			return fmt.Errorf("a number of %d bytes", size)
		}
	}
	width := 2
	if version == 2 {
		width = 4
	}
	count := r.uint(width)
	if count > maxItems {
		return fmt.Errorf("%d items", count)
	}
	for total := 0; count > 0 && !r.bad; count-- {
		it := f.items[uint32(r.uint(width))]
		if it == nil {
			it = &Item{} // its type is not stated
		}
		if it.located {
			return fmt.Errorf("item %d occurs twice", it.ID)
		}
		it.located = true
		if version > 0 {
			it.construction = uint8(r.u16() & 15)
		}
		it.elsewhere = r.u16() != 0 // data_reference_index
		base := r.uint(baseSize)
		n := int(r.u16())
		if total += n; total > maxExtents {
			return fmt.Errorf("more than %d extents", maxExtents)
		}
		for ; n > 0 && !r.bad; n-- {
			r.skip(uint64(indexSize))
			offset, length := r.uint(offsetSize), r.uint(lengthSize)
			if base+offset < base {
				return fmt.Errorf("item %d: offset %d + %d", it.ID, base, offset)
			}
			it.extents = append(it.extents, extent{base + offset, length})
		}
	}
	return r.end()
}

// Data returns the bytes of the item, which must not be changed: those of its
// extents, one after the other. They are in the file, and are at most
// as many as the file has.
func (it *Item) Data() ([]byte, error) { return it.read(uint64(len(it.file.data))) }

// read is Data with a limit of most bytes.
func (it *Item) read(most uint64) ([]byte, error) {
	source := it.file.data
	switch {
	case it.protected || it.elsewhere || it.construction > 1:
		return nil, fmt.Errorf("heif: item %d: protected, in another file or made from other items: %w",
			it.ID, ErrUnsupported)
	case len(it.extents) == 0:
		return nil, fmt.Errorf("heif: item %d has no bytes", it.ID)
	case it.construction == 1:
		source = it.file.idat
	}
	var data []byte
	for _, e := range it.extents {
		if e.offset > uint64(len(source)) || e.length > uint64(len(source))-e.offset {
			return nil, fmt.Errorf("heif: item %d: states %d bytes at %d, of %d", it.ID, e.length,
				e.offset, len(source))
		}
		if e.length == 0 {
			e.length = uint64(len(source)) - e.offset
		}
		if uint64(len(data))+e.length > most {
			return nil, fmt.Errorf("heif: item %d is longer than %d bytes", it.ID, most)
		}
		run := source[e.offset:][:e.length:e.length]
		if len(it.extents) == 1 {
			return run, nil
		}
		data = append(data, run...)
	}
	return data, nil
}
