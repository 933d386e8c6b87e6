//go:build lossfs

package lossfs

import (
	"context"
	"maps"
	"path"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

const folderMode = syscall.S_IFDIR

// A node is a file or a folder. Its fields are guarded by the lock of the FS.
type node struct {
	fs.Inode
	fs      *FS
	path    string
	mode    uint32
	changed time.Time

	data    []byte   // as processes see it
	synced  []byte   // as it is on disk
	pending []change // from synced to data

	names   map[string]*node
	durable map[string]*node
	renames [][]entry // steps from durable to names
}

// A change is bytes that were written, or, without bytes, a new length.
type change struct {
	at    int64
	bytes []byte
}

// An entry is a name that was given to a node, or taken away with nil.
type entry struct {
	name string
	node *node
}

func newNode(f *FS, path string, mode uint32) *node {
	n := &node{fs: f, path: path, mode: mode, changed: time.Now()}
	if n.isFolder() {
		n.names, n.durable = map[string]*node{}, map[string]*node{}
	}
	return n
}

func (n *node) isFolder() bool { return n.mode&syscall.S_IFMT == folderMode }

// move changes the path of a node and all below it.
func (n *node) move(to string) {
	n.path = to
	for name, child := range n.names {
		child.move(path.Join(to, name))
	}
}

// files appends the files at and below n.
func (n *node) files(list []*node) []*node {
	if !n.isFolder() {
		return append(list, n)
	}
	for _, child := range n.names {
		list = child.files(list)
	}
	return list
}

func (n *node) syncAll() {
	n.sync()
	for _, child := range n.names {
		child.syncAll()
	}
}

// sync puts the bytes of a file or the names of a folder on disk.
func (n *node) sync() {
	n.durable, n.renames = maps.Clone(n.names), nil
	for _, c := range n.pending {
		n.synced = c.apply(n.synced)
	}
	n.pending = nil
}

func (c change) apply(data []byte) []byte {
	if c.bytes == nil {
		return resized(data, c.at)
	}
	if end := c.at + int64(len(c.bytes)); end > int64(len(data)) {
		data = resized(data, end)
	}
	copy(data[c.at:], c.bytes)
	return data
}

func resized(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}

func (n *node) change(c change) {
	n.data = c.apply(n.data)
	n.pending = append(n.pending, c)
	n.changed = time.Now()
}

func (n *node) fill(a *fuse.Attr) {
	a.Mode, a.Nlink, a.Blksize, a.Size = n.mode, 1, 4096, uint64(len(n.data))
	a.Blocks = (a.Size + 511) / 512
	a.SetTimes(&n.changed, &n.changed, &n.changed)
}

// Getattr, and what follows, are the operations of FUSE.
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	n.fill(&out.Attr)
	return 0
}

func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if size, ok := in.GetSize(); ok {
		if errno := n.fs.fails(Truncate, n.path); errno != 0 {
			return errno
		}
		n.change(change{at: int64(size)})
	}
	if mode, ok := in.GetMode(); ok {
		n.mode = n.mode&syscall.S_IFMT | mode&0o7777
	}
	if at, ok := in.GetMTime(); ok {
		n.changed = at
	}
	n.fill(&out.Attr)
	return 0
}

// add makes a node with a name.
func (n *node) add(ctx context.Context, op Op, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode,
	syscall.Errno) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	child := newNode(n.fs, path.Join(n.path, name), mode)
	if errno := n.fs.fails(op, child.path); errno != 0 {
		return nil, errno
	}
	inode := n.NewPersistentInode(ctx, child, fs.StableAttr{Mode: mode & syscall.S_IFMT})
	n.name(entry{name, child})
	child.fill(&out.Attr)
	return inode, 0
}

// name does one step that the disk does whole or not at all.
func (n *node) name(step ...entry) {
	for _, e := range step {
		if e.node == nil {
			delete(n.names, e.name)
		} else {
			n.names[e.name] = e.node
		}
	}
	n.renames = append(n.renames, step)
	n.changed = time.Now()
}

func (n *node) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle,
	uint32, syscall.Errno) {
	inode, errno := n.add(ctx, Create, name, syscall.S_IFREG|mode&0o7777, out)
	return inode, nil, fuse.FOPEN_KEEP_CACHE, errno
}

func (n *node) Mknod(ctx context.Context, name string, mode, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.add(ctx, Create, name, mode, out)
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.add(ctx, MakeDir, name, folderMode|mode&0o7777, out)
}

func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if errno := n.fs.fails(Remove, path.Join(n.path, name)); errno != 0 {
		return errno
	}
	n.name(entry{name, nil})
	return 0
}

func (n *node) Rmdir(_ context.Context, name string) syscall.Errno {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if child := n.names[name]; child != nil && len(child.names) > 0 {
		return syscall.ENOTEMPTY
	}
	n.name(entry{name, nil})
	return 0
}

func (n *node) Rename(_ context.Context, name string, parent fs.InodeEmbedder, newName string,
	flags uint32) syscall.Errno {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	const noReplace = 1
	to := parent.(*node)
	moved, there, target := n.names[name], to.names[newName], path.Join(to.path, newName)
	if errno := n.fs.fails(Rename, target); errno != 0 {
		return errno
	}
	switch {
	case flags&^noReplace != 0:
		return syscall.EINVAL
	case moved == nil:
		return syscall.ENOENT
	case there != nil && flags&noReplace != 0:
		return syscall.EEXIST
	case there != nil && len(there.names) > 0:
		return syscall.ENOTEMPTY
	}
	if n == to {
		n.name(entry{name, nil}, entry{newName, moved})
	} else {
		to.name(entry{newName, moved})
		n.name(entry{name, nil})
	}
	moved.move(target)
	return 0
}

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if errno := n.fs.fails(OpenFile, n.path); errno != 0 {
		return nil, 0, errno
	}
	if flags&syscall.O_TRUNC != 0 {
		n.change(change{})
	}
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if errno := n.fs.fails(Read, n.path); errno != 0 {
		return nil, errno
	}
	if at >= int64(len(n.data)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(dest[:copy(dest, n.data[at:])]), 0
}

func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if errno := n.fs.fails(Write, n.path); errno != 0 {
		return 0, errno
	}
	n.change(change{at, append([]byte{}, data...)})
	return uint32(len(data)), 0
}

// Fsync of a file that fails forgets what was to be written, as Linux does: a later
// one succeeds although the bytes are not on disk.
func (n *node) Fsync(_ context.Context, _ fs.FileHandle, _ uint32) syscall.Errno {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	op := Sync
	if n.isFolder() {
		op = SyncDir
	}
	errno := n.fs.fails(op, n.path)
	switch {
	case errno == 0:
		n.sync()
	case op == Sync:
		n.pending = nil
	}
	return errno
}

func (n *node) Flush(context.Context, fs.FileHandle) syscall.Errno { return 0 }

func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	const blocks = 1 << 20 // 4 GiB
	out.Bsize, out.Frsize, out.NameLen = 4096, 4096, 255
	out.Blocks, out.Bfree, out.Bavail = blocks, blocks, blocks
	out.Files, out.Ffree = blocks, blocks
	return 0
}
