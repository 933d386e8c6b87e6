package heif

import (
	"errors"
	"fmt"
)

// meta reads a meta box: first its items, then their properties, so that the
// order of its boxes does not matter.
func (f *File) meta(body []byte) error {
	r := reader{b: body}
	r.full()
	boxes := map[string][]byte{}
	err := children(r.b, func(b box) error {
		if _, twice := boxes[b.kind]; twice && b.kind != "free" && b.kind != "uuid" && b.kind != "skip" {
			return errors.New("it occurs twice")
		}
		boxes[b.kind] = b.body
		return nil
	})
	if err != nil {
		return err
	}
	f.idat = boxes["idat"]
	for _, part := range []struct {
		kind     string
		required bool
		read     func([]byte) error
	}{
		{"hdlr", true, handler},
		{"iinf", true, f.itemInfo},
		{"iloc", true, f.locations},
		{"iref", false, f.references},
		{"iprp", false, f.properties},
		{"pitm", true, f.primaryItem},
	} {
		body, ok := boxes[part.kind]
		if !ok && part.required {
			return fmt.Errorf("no %s box", part.kind)
		}
		if !ok {
			continue
		}
		if err := part.read(body); err != nil {
			return fmt.Errorf("%s: %w", part.kind, err)
		}
	}
	return nil
}

func handler(body []byte) error {
	r := reader{b: body}
	r.full()
	r.skip(4)
	if kind := r.fourCC(); r.bad || kind != "pict" {
		return fmt.Errorf("handler %q is not pict", kind)
	}
	return nil
}

// itemInfo reads the iinf box with its infe boxes. Those of versions 0 and 1 have no
// type and are ignored.
func (f *File) itemInfo(body []byte) error {
	r := reader{b: body}
	width := 2
	if version, _ := r.full(); version > 0 {
		width = 4
	}
	if n := r.uint(width); r.bad || n > maxItems {
		return fmt.Errorf("%d items", n)
	}
	n := 0
	return children(r.b, func(b box) error {
		if n++; n > maxItems {
			return fmt.Errorf("more than %d items", maxItems)
		}
		r := reader{b: b.body}
		version, _ := r.full()
		if b.kind != "infe" || version < 2 {
			return nil
		}
		width := 2
		if version > 2 {
			width = 4
		}
		it := &Item{ID: uint32(r.uint(width)), file: f, refs: map[string][]uint32{}}
		it.protected = r.u16() != 0
		it.Type = r.fourCC()
		if f.items[it.ID] != nil {
			return fmt.Errorf("item %d occurs twice", it.ID)
		}
		f.items[it.ID] = it
		return r.end()
	})
}

// primaryItem reads the pitm box.
func (f *File) primaryItem(body []byte) error {
	r := reader{b: body}
	width := 2
	if version, _ := r.full(); version > 0 {
		width = 4
	}
	id := uint32(r.uint(width))
	if f.primary = f.items[id]; r.bad || f.primary == nil {
		return fmt.Errorf("no item %d", id)
	}
	return nil
}

// references reads the iref box. References from and to missing items are ignored.

func (f *File) references(body []byte) error {
	r := reader{b: body}
	width := 2
	if version, _ := r.full(); version > 0 {
		width = 4
	}
	total := 0
	return children(r.b, func(b box) error {
		r := reader{b: b.body}
		from := f.items[uint32(r.uint(width))]
		n := int(r.u16())
		if total += n; total > maxReferences || n*width > len(r.b) {
			return fmt.Errorf("%d references", n)
		}
		for range n {
			to := uint32(r.uint(width))
			if from != nil && f.items[to] != nil {
				from.refs[b.kind] = append(from.refs[b.kind], to)
			}
		}
		return r.end()
	})
}
