package areas

import (
	"fmt"
	"slices"
	"unicode/utf16"
)

// folders reads how folders are packed.
func (c *cursor) folders() []folder7z {
	c.expect(idFolder)
	folders := make([]folder7z, c.count())
	c.expect(0) // they are not elsewhere
	for i := range folders {
		c.coder(&folders[i])
	}
	c.expect(idUnpackSize)
	for i := range folders {
		folders[i].size = c.number()
	}
	id := c.byte()
	if id == idCRC {
		sums, known := c.sums(len(folders))
		for i := range folders {
			folders[i].sum, folders[i].summed = sums[i], known[i]
		}
		id = c.byte()
	}
	if id != idEnd {
		c.fail("the folders end with %d", id)
	}
	return folders
}

// coder reads the only method of a folder.
func (c *cursor) coder(f *folder7z) {
	coders := c.count()
	for range coders {
		flags := c.byte()
		f.method = string(c.bytes(uint64(flags & 15)))
		if c.err == nil && f.method == methodAES {
			c.err = fmt.Errorf("it is encrypted: %w", ErrArchive)
		}
		if flags&0x10 != 0 { // several streams into one
			c.number()
			c.number()
		}
		if f.properties = nil; flags&0x20 != 0 {
			f.properties = c.bytes(c.number())
		}
	}
	if c.err == nil && coders != 1 {
		c.err = fmt.Errorf("it is packed by %d methods at once: %w", coders, ErrArchive)
	}
}

// parts reads the files of each folder.
func (c *cursor) parts(folders []folder7z) {
	id := c.byte()
	left := maxEntries
	for i := range folders {
		n := 1
		if id == idStreams {
			n = c.count()
		}
		if left -= n; left < 0 {
			c.fail("over %d files", maxEntries)
			return
		}
		folders[i].parts = make([]entry, n)
	}
	if id == idStreams {
		id = c.byte()
	}
	sized := id == idSize
	for i := range folders {
		f, rest := &folders[i], folders[i].size
		if f.ofOne() {
			f.parts[0].sum, f.parts[0].summed = f.sum, true
		}
		for k := range f.parts {
			p := &f.parts[k]
			p.before = f.size - rest
			p.size = rest // the last file has the rest
			if k+1 < len(f.parts) && sized {
				p.size = c.number()
			}
			if p.size > rest || !sized && len(f.parts) > 1 {
				c.fail("the files of a folder have other sizes than the folder")
				return
			}
			rest -= p.size
		}
	}
	if sized {
		id = c.byte()
	}
	if id == idCRC {
		c.partSums(folders)
		id = c.byte()
	}
	if id != idEnd {
		c.fail("the files of folders end with %d", id)
	}
}

// ofOne reports whether the checksum of the folder is that of its only file.
func (f *folder7z) ofOne() bool { return f.summed && len(f.parts) == 1 }

// partSums reads the checksums of files whose folder does not have that of its only file.
func (c *cursor) partSums(folders []folder7z) {
	var without []*entry
	for i := range folders {
		f := &folders[i]
		if f.ofOne() {
			continue
		}
		for k := range f.parts {
			without = append(without, &f.parts[k])
		}
	}
	sums, known := c.sums(len(without))
	for i, p := range without {
		p.sum, p.summed = sums[i], known[i]
	}
}

// files reads the names, and gives them to the parts of folders in order.
func (c *cursor) files(folders []folder7z) (entries []entry) {
	n := c.count()
	var names []string
	empty := make([]bool, n)
	for c.err == nil {
		id := c.number()
		if id == idEnd {
			break
		}
		property := cursor{rest: c.bytes(c.number())}
		switch id {
		case idEmptyStream:
			empty = property.bits(n, false)
		case idNames:
			names = property.names(n)
		}
		if property.err != nil {
			c.err = property.err
		}
	}
	if len(names) != n {
		c.fail("it has %d names for %d files", len(names), n)
		return nil
	}
	var parts []entry
	for _, f := range folders {
		for _, p := range f.parts {
			p.folder = f
			parts = append(parts, p)
		}
	}
	for i, name := range names {
		if empty[i] {
			continue
		}
		if len(parts) == 0 {
			c.fail("it has more files than streams")
			return nil
		}
		parts[0].name = name
		entries, parts = append(entries, parts[0]), parts[1:]
	}
	return entries
}

// names reads n names in UTF-16, each with a zero at its end.
func (c *cursor) names(n int) (names []string) {
	c.expect(0) // they are not elsewhere
	units := make([]uint16, len(c.rest)/2)
	for i := range units {
		units[i] = order.Uint16(c.rest[2*i:])
	}
	for len(names) < n {
		end := slices.Index(units, 0)
		if end < 0 {
			c.fail("a name has no end")
			return nil
		}
		names, units = append(names, string(utf16.Decode(units[:end]))), units[end+1:]
	}
	return names
}
