package pmtiles

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Bounds of what an archive may state. A directory of the public builds has some thousand entries.
const (
	maxPacked  = 8 << 20   // bytes of a compressed directory
	maxPlain   = 64 << 20  // bytes of a directory or the metadata
	maxTile    = 32 << 20  // bytes
	maxEntries = 4 << 20   // of all directories that are read
	maxLeaves  = 512 << 20 // bytes of the leaf directories that are read
)

var errDirectory = errors.New("the PMTiles file is damaged: a directory cannot be read")

// An entry is a run of tiles with the same content, or, with a run of 0, a leaf directory, which begins
// with its tile.
type entry struct {
	id     uint64
	offset uint64 // in the section of the tiles or of the leaf directories
	length uint32 // bytes
	run    uint32 // tiles
}

// unpack decompresses a directory or metadata.
func unpack(packed []byte, compression byte) ([]byte, error) {
	if compression == plain {
		return packed, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, errDirectory
	}
	text, err := io.ReadAll(io.LimitReader(z, maxPlain+1))
	if err != nil || len(text) > maxPlain {
		return nil, errDirectory
	}
	return text, nil
}

func pack(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// parseDirectory reads a directory. The tiles of its entries ascend.
func parseDirectory(packed []byte, compression byte) ([]entry, error) {
	text, err := unpack(packed, compression)
	if err != nil {
		return nil, err
	}
	next := func() (v uint64) {
		v, n := binary.Uvarint(text)
		if n <= 0 {
			err = errDirectory
			return 0
		}
		text = text[n:]
		return v
	}
	n := next()
	if err != nil || n == 0 || n > min(uint64(len(text))/4, maxEntries) { // an entry has four numbers
		return nil, errDirectory
	}
	list := make([]entry, n)
	id := uint64(0)
	for i := range list {
		step := next()
		if i > 0 && step == 0 || step > math.MaxInt64-id {
			return nil, errDirectory
		}
		id += step
		list[i].id = id
	}
	for i := range list {
		list[i].run = short(next(), &err)
	}
	for i := range list {
		list[i].length = short(next(), &err)
	}
	for i := range list {
		offset := next()
		switch {
		case offset > 0:
			list[i].offset = offset - 1
		case i == 0:
			return nil, errDirectory
		default:
			list[i].offset = list[i-1].offset + uint64(list[i-1].length)
		}
	}
	if len(text) > 0 { // so that the bound of entries is also one of what is unpacked for them
		return nil, errDirectory
	}
	return list, errors.Join(err, checkEntries(list))
}

// short returns a number that must fit 32 bits.
func short(v uint64, err *error) uint32 {
	if v > math.MaxUint32 {
		*err = errDirectory
	}
	return uint32(v)
}

// checkEntries returns an error for runs that overlap and for contents of impossible sizes.
func checkEntries(list []entry) error {
	for i, e := range list {
		switch {
		case e.length == 0, i+1 < len(list) && uint64(e.run) > list[i+1].id-e.id:
			return errDirectory
		case e.run > 0 && e.length > maxTile:
			return fmt.Errorf("the PMTiles file has a tile of %d bytes, over %d", e.length, maxTile)
		case e.run == 0 && e.length > maxPacked:
			return fmt.Errorf("the PMTiles file has a directory of %d bytes, over %d", e.length, maxPacked)
		}
	}
	return nil
}

// appendDirectory appends a directory, which is not compressed.
func appendDirectory(dst []byte, list []entry) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	last := uint64(0)
	for _, e := range list {
		dst = binary.AppendUvarint(dst, e.id-last)
		last = e.id
	}
	for _, e := range list {
		dst = binary.AppendUvarint(dst, uint64(e.run))
	}
	for _, e := range list {
		dst = binary.AppendUvarint(dst, uint64(e.length))
	}
	behind := uint64(0)
	for i, e := range list {
		if i > 0 && e.offset == behind {
			dst = append(dst, 0)
		} else {
			dst = binary.AppendUvarint(dst, e.offset+1)
		}
		behind = e.offset + uint64(e.length)
	}
	return dst
}

// leastLeaf is how many entries a leaf directory has, unless the root directory would be too large.
const leastLeaf = 4096

// packDirectories returns the root directory of the entries, and the leaf directories that it has if one would be too
// large.
func packDirectories(list []entry) (root, leaves []byte, err error) {
	root, err = pack(appendDirectory(nil, list))
	for size := leastLeaf; err == nil && headerSize+len(root) > rootEnds; size *= 2 {
		var top []entry
		leaves = leaves[:0]
		for from := 0; from < len(list); from += size {
			leaf, err := pack(appendDirectory(nil, list[from:min(from+size, len(list))]))
			if err != nil {
				return nil, nil, err
			}
			top = append(top, entry{id: list[from].id, offset: uint64(len(leaves)), length: uint32(len(leaf))})
			leaves = append(leaves, leaf...)
		}
		root, err = pack(appendDirectory(nil, top))
	}
	return root, leaves, err
}
