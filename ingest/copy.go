package ingest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"relais/folder"
	"relais/ingest/source"
)

// maxName keeps the names of copies within what file systems take, endings and
// numbers included.
const maxName = 200

// aloneName names the copy of an input that is kept without its archive. What the
// names of both say, a date or that it is made up, still stands in it.
func aloneName(f *source.Found) string {
	name := filepath.Base(f.Path)
	if f.Member != "" {
		name += "_" + path.Base(f.Member)
	}
	if f.Synthetic() && !strings.HasPrefix(name, source.Synthetic) {
		name = source.Synthetic + "_" + name
	}
	return name[:min(len(name), maxName)]
}

// free returns a name that no other copy has.
func (w *keeping) free(base string, pack bool) string {
	if pack && !strings.HasSuffix(base, ".zst") {
		base += ".zst"
	}
	for name, i := base, 2; ; i++ {
		taken := false
		for _, c := range w.copies {
			taken = taken || filepath.Base(c) == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, ".zst"), i, base[len(strings.TrimSuffix(base, ".zst")):])
	}
}

// copyInput copies an input without its personal data, compressed, with the time of
// its file.
func copyInput(ctx context.Context, to string, f *source.Found) error {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	err = folder.Replace(to, func(w io.Writer) error {
		return packed(w, func(z io.Writer) error {
			return f.CopyTo(z, func(int) error { return ctx.Err() })
		})
	})
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

// copyFile copies a file with the time of its last change, which may be all that
// tells how old it is; pack compresses it on the way.
func copyFile(ctx context.Context, to, from string, pack bool) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := copyContent(ctx, to, from, in, pack); err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

func copyContent(ctx context.Context, to, from string, in io.Reader, pack bool) error {
	if !pack || strings.HasSuffix(from, ".zst") {
		return folder.Replace(to, func(w io.Writer) error {
			_, err := io.Copy(w, stoppable{ctx, in})
			return err
		})
	}
	return folder.Replace(to, func(w io.Writer) error {
		return packed(w, func(z io.Writer) error {
			_, err := io.Copy(z, stoppable{ctx, in})
			return err
		})
	})
}

// packed compresses what write writes.
func packed(w io.Writer, write func(io.Writer) error) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}
