//go:build lossfs

// Package lossfs is a file system in memory that knows what a power cut would leave.
// It keeps, for each file and folder, what was synced and what was only written, makes
// images of the disk after a power cut, and lets operations fail on request. It is
// mounted with FUSE and is for tests only. Locks, sparse files and hard links are not
// its business.
package lossfs

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// An FS is a mounted file system. Its methods may be called from several goroutines.
//
// The process that has it mounted must not map its files: a page fault would wait for
// the process that is to answer it.
type FS struct {
	mu     sync.Mutex // of everything below, and of all nodes
	random *rand.Rand
	root   *node
	faults []*Fault
	server *fuse.Server
}

// Mount mounts an empty file system at dir, an existing folder. The same seed gives the
// same choices of images.
func Mount(dir string, seed uint64) (*FS, error) {
	f := &FS{random: rand.New(rand.NewPCG(seed, 0))}
	f.root = newNode(f, "", folderMode|0o755)
	second := time.Second
	server, err := fs.Mount(dir, f.root, &fs.Options{
		AttrTimeout: &second, EntryTimeout: &second,
		MountOptions: fuse.MountOptions{FsName: "lossfs", Name: "lossfs", MaxWrite: 1 << 20, DirectMount: true},
	})
	if err != nil {
		return nil, fmt.Errorf("mount %s: %w", dir, err)
	}
	f.server = server
	return f, nil
}

// Unmount ends the file system. It fails while a process has a file of it open.
func (f *FS) Unmount() error { return f.server.Unmount() }

// Sync puts everything on disk.
func (f *FS) Sync() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.root.syncAll()
}

// DropCaches makes the kernel forget what it has read of every file, so that the next
// access, also to mapped memory, is a read.
func (f *FS) DropCaches() {
	f.mu.Lock()
	files := f.root.files(nil)
	f.mu.Unlock()
	for _, n := range files { // without the lock: the kernel may have to write first
		n.NotifyContent(0, 0)
	}
}
