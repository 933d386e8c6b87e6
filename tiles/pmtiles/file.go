package pmtiles

import (
	"context"
	"io"
	"os"
)

// A File is an archive on disk. It is a Source.
type File struct {
	*os.File
	size int64
}

// NewFile returns the archive in an open file.
func NewFile(f *os.File) (File, error) {
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	return File{f, info.Size()}, nil
}

// Size implements Source.
func (f File) Size() int64 { return f.size }

// Copy implements Source.
func (f File) Copy(ctx context.Context, w io.Writer, at, n int64) error {
	from := io.NewSectionReader(f.File, at, n)
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := io.CopyN(w, from, min(n, 1<<20))
		if err != nil {
			return err
		}
		n -= part
	}
	return nil
}
