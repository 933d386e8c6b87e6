// Package source is the common part of the parsers of authority files: it opens files,
// folders and zip archives, detects the kind of a table by its content, and counts served
// and rejected rows. It does not know any authority.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
)

// Guards for archives.
const (
	maxMembers = 1000
	maxRatio   = 200
)

// ErrNoFiles means that a folder has no file that can be read.
var ErrNoFiles = errors.New("the folder has no files")

// An Input is one table: a file, or a member of a zip archive.
type Input struct {
	Path   string // of the file
	Member string // name inside the archive, "" for a plain file
	Within string // the folder or archive that the user named, "" if the user named the file
	Size   int64  // bytes that Open reports to its Watch
	// Modified is the modification time before the file was copied here; zero if the file
	// has it.
	Modified time.Time

	data  []byte // in the place of a file, see InMemory
	bound Watch  // of the bytes of all inputs in memory, packed by gzip and unpacked; nil for files
}

// ModTime returns when the file was last modified, in UTC; for a copy, when its original
// was.
func (in *Input) ModTime() (time.Time, error) {
	if !in.Modified.IsZero() {
		return in.Modified.UTC(), nil
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime().UTC(), nil
}

// Name returns the input's name in messages and reports.
func (in *Input) Name() string {
	if in.Member != "" {
		return in.Path + ":" + in.Member
	}
	return in.Path
}

// Synthetic begins the names of synthetic files.
const Synthetic = "SYNTHETIC"

// Synthetic reports whether the name of the file or of its archive says that the file is
// synthetic.
func (in *Input) Synthetic() bool {
	return strings.HasPrefix(filepath.Base(in.Path), Synthetic) || strings.HasPrefix(path.Base(in.Member), Synthetic)
}

// Expand returns the inputs of paths: the files of folders and the members of archives,
// sorted by name.
func Expand(paths []string) ([]*Input, error) {
	return ExpandOnly(paths, func(string) bool { return true })
}

// ExpandOnly is Expand with only those files of folders that wanted reports true for, by their names. Others are not
// opened.
func ExpandOnly(paths []string, wanted func(name string) bool) ([]*Input, error) {
	var all []*Input
	for _, path := range paths {
		files := []string{path}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			if files, err = filesIn(path, wanted); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			inputs, err := expandFile(file)
			if err != nil {
				return nil, err
			}
			for _, in := range inputs {
				if info.IsDir() || in.Member != "" {
					in.Within = path
				}
			}
			all = append(all, inputs...)
		}
	}
	return all, nil
}

// filesIn returns the files in a folder and its subfolders, except hidden ones. It follows
// links to files, but not to folders other than dir itself.
func filesIn(dir string, wanted func(name string) bool) (files []string, err error) {
	root := dir + string(filepath.Separator) // WalkDir does not follow a link
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		hidden := path != root && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && e.IsDir():
			return fs.SkipDir
		case hidden || !wanted(e.Name()):
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
		if len(files) > maxMembers {
			return fmt.Errorf("%s: a folder of over %d files", dir, maxMembers)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: %w", dir, ErrNoFiles)
	}
	return files, err
}

func expandFile(path string) ([]*Input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("%s: neither a file nor a folder", path)
	}
	return (&Input{Path: path, Size: info.Size()}).expand()
}

// Errors of inputs that are larger than a reader takes.
var (
	ErrUnpacked = errors.New("the file unpacks to too much")
	ErrRows     = errors.New("the table has too many rows")
)

// InMemory returns the inputs of a file that is in memory: itself, or the members of a zip archive. They are read one
// at a time, until ctx ends. At most most bytes are read of all of them together, whenever they are opened; a gzip file
// counts as it is and as it unpacks. They have no name, and ModTime fails.
func InMemory(ctx context.Context, data []byte, most int64) ([]*Input, error) {
	return (&Input{Size: int64(len(data)), data: data, bound: func(n int) error {
		if most -= int64(n); most < 0 {
			return ErrUnpacked
		}
		return ctx.Err()
	}}).expand()
}

var errDamaged = errors.New("the file is damaged or incomplete: fetch it again")

// A content is the bytes of a file.
type content interface {
	io.ReadCloser
	io.ReaderAt
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// content opens the file, or what is in its place.
func (in *Input) content() (content, error) {
	if in.data != nil {
		return memory{bytes.NewReader(in.data)}, nil
	}
	return os.Open(in.Path)
}

// archive opens the file as a zip archive.
func (in *Input) archive() (*zip.Reader, io.Closer, error) {
	f, err := in.content()
	if err != nil {
		return nil, nil, err
	}
	size := int64(len(in.data))
	if file, ok := f.(*os.File); ok {
		var info fs.FileInfo
		if info, err = file.Stat(); err == nil {
			size = info.Size()
		}
	}
	var z *zip.Reader
	if err == nil {
		z, err = zip.NewReaderWithOptions(f, size, zip.ReaderOptions{NameDecoder: fewMembers()})
	}
	if errors.Is(err, zip.ErrFormat) {
		err = errDamaged
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	return z, f, nil
}

// fewMembers returns an error for too many members, before a directory takes more memory than the archive.
func fewMembers() func(*zip.FileHeader) error {
	n := 0
	return func(*zip.FileHeader) error {
		if n++; n > maxMembers {
			return fmt.Errorf("an archive of over %d files", maxMembers)
		}
		return nil
	}
}

// expand returns the members of the file if it is a zip archive, else itself.
func (in *Input) expand() ([]*Input, error) {
	f, err := in.content()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if !bytes.Equal(head, []byte("PK\x03\x04")) && !bytes.Equal(head, []byte("PK\x05\x06")) {
		return []*Input{in}, nil
	}
	return in.members()
}

func (in *Input) members() ([]*Input, error) {
	path := in.Path
	z, file, err := in.archive()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []*Input
	for _, f := range z.File {
		switch {
		case !filepath.IsLocal(f.Name) || strings.Contains(f.Name, `\`):
			return nil, fmt.Errorf("%s: the archive has a member that points outside: %q", path, f.Name)
		case f.UncompressedSize64/maxRatio > f.CompressedSize64:
			return nil, fmt.Errorf("%s: %s unpacks to over %d times its size", path, f.Name, maxRatio)
		case f.Mode()&fs.ModeType != 0: // a folder, a link
			continue
		}
		all = append(all, &Input{Path: path, Member: f.Name, Size: int64(f.UncompressedSize64), data: in.data,
			bound: in.bound})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the archive is empty", path)
	}
	return all, nil
}

// A Watch is called with each number of bytes read, up to Size in total. Its error ends
// the reading.
type Watch func(n int) error

// Open opens the input. It unpacks gzip, and zstd, the format of kept sources. watch may be nil.
func (in *Input) Open(watch Watch) (io.ReadCloser, error) {
	r, err := in.open(watch)
	if err != nil {
		return nil, err
	}
	return readAhead(r), nil
}

func (in *Input) open(watch Watch) (io.ReadCloser, error) {
	if in.Member != "" {
		return in.openMember(watch)
	}
	f, err := in.content()
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(in.Path, ".zst") {
		return in.gunzip(counted{f, watch, f})
	}
	d, err := zstd.NewReader(counted{f, watch, f}, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	return in.gunzip(readCloser{d, closer(func() error { d.Close(); return f.Close() })}) // a gzip file may be kept
}

func (in *Input) openMember(watch Watch) (io.ReadCloser, error) {
	z, file, err := in.archive()
	if err != nil {
		return nil, err
	}
	// Not z.Open: it refuses names such as ./SUP_ANTENNE.txt.
	at := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == in.Member })
	if at < 0 {
		file.Close()
		return nil, fmt.Errorf("%s: the archive has no such member", in.Name())
	}
	f, err := z.File[at].Open()
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", in.Name(), err)
	}
	return in.gunzip(counted{f, watch, closer(func() error { f.Close(); return file.Close() })})
}

type counted struct {
	io.Reader
	watch Watch
	io.Closer
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.watch != nil {
		if stop := c.watch(n); stop != nil {
			return 0, stop // a reader may ignore an error that comes with enough bytes
		}
	}
	return n, err
}

type readCloser struct {
	io.Reader
	io.Closer
}

type closer func() error

func (c closer) Close() error { return c() }
