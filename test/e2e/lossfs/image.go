//go:build lossfs

package lossfs

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A Mode is what an image keeps of what was not synced.
type Mode int

// The modes.
const (
	Live   Mode = iota // everything: the processes were killed, the machine goes on
	Strict             // only bytes and names that were synced
	Names              // synced bytes, and all names
	Random             // a random part of the other bytes, in pages or sectors, and of the names
)

// A saved is a file or a folder of an image.
type saved struct {
	path string
	mode uint32
	data []byte
}

// Image writes the disk, as a power cut at this moment could leave it, to dir, which it
// makes. Sockets are left out.
func (f *FS) Image(mode Mode, dir string) error {
	f.mu.Lock()
	list := f.root.image(mode, nil, dir)
	f.mu.Unlock()
	for _, s := range list {
		var err error
		if s.mode&syscall.S_IFMT == folderMode {
			err = os.MkdirAll(s.path, 0o755)
		} else {
			err = os.WriteFile(s.path, s.data, os.FileMode(s.mode&0o777))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// image appends what an image has at and below n, each folder before what is in it.
func (n *node) image(mode Mode, list []saved, path string) []saved {
	switch n.mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return append(list, saved{path, n.mode, n.bytesAfter(mode)})
	case folderMode:
	default:
		return list
	}
	list = append(list, saved{path: path, mode: n.mode})
	names := n.namesAfter(mode)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = names[name].image(mode, list, filepath.Join(path, name))
	}
	return list
}

// namesAfter are the names of a folder; a random number of steps since it was synced is
// kept, in their order.
func (n *node) namesAfter(mode Mode) map[string]*node {
	switch mode {
	case Live, Names:
		return n.names
	case Strict:
		return n.durable
	}
	names := maps.Clone(n.durable)
	for _, step := range n.renames[:n.fs.random.IntN(len(n.renames)+1)] {
		for _, e := range step {
			if e.node == nil {
				delete(names, e.name)
			} else {
				names[e.name] = e.node
			}
		}
	}
	return names
}

func (n *node) bytesAfter(mode Mode) []byte {
	if mode == Live {
		return slices.Clone(n.data)
	}
	data := slices.Clone(n.synced)
	if mode != Random {
		return data
	}
	random := n.fs.random
	kept := random.IntN(4) // 0: all of it, 1: nothing, else some pages
	for _, c := range n.pending {
		for _, part := range c.pages() {
			if kept == 1 || kept > 1 && random.IntN(2) == 0 {
				continue
			}
			if end := part.sector(random); random.IntN(4) == 0 {
				part.bytes = part.bytes[:end]
			}
			data = part.apply(data)
		}
	}
	return data
}

// pages are the parts of a change that a disk writes by themselves.
func (c change) pages() (list []change) {
	if c.bytes == nil {
		return []change{c}
	}
	const page = 4096
	for at, rest := c.at, c.bytes; len(rest) > 0; {
		n := min(int(page-at%page), len(rest))
		list = append(list, change{at, rest[:n:n]})
		at, rest = at+int64(n), rest[n:]
	}
	return list
}

// sector is a random place in a change at which a sector ends, or the end of the change:
// where a disk that loses power stops.
func (c change) sector(random *rand.Rand) int {
	const sector = 512
	first, size := int(sector-c.at%sector), len(c.bytes)
	if c.bytes == nil || size <= first {
		return size
	}
	return min(size, first+sector*random.IntN((size-first)/sector+1))
}
