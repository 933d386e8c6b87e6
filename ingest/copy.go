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

	"relais/ingest/source"
	"relais/internal/folder"
)

// maxName leaves room for endings and numbers within the 255 bytes of file systems.
const maxName = 200

// aloneName returns the name for the copy of an input that is kept without its archive.
// It contains both names: either may state a date or that the file is synthetic.
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

// freeName returns a name that no other copy has.
func (w *copier) freeName(base string, pack bool) string {
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

// copyInput copies an input without its personal data, compressed, with the modification
// time of its file.
func copyInput(ctx context.Context, to string, f *source.Found) error {
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	err = folder.Replace(to, func(w io.Writer) error {
		return compressTo(w, func(z io.Writer) error {
			return f.CopyTo(z, func(int) error { return ctx.Err() })
		})
	})
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

// copyFile copies a file with its modification time, which may be the only sign of its
// age. pack compresses the copy.
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
		return compressTo(w, func(z io.Writer) error {
			_, err := io.Copy(z, stoppable{ctx, in})
			return err
		})
	})
}

// window is how far back the compressor looks: what repeats in a table is near, and fits in a processor's cache.
const window = 512 << 10

// compressTo compresses what write writes.
func compressTo(w io.Writer, write func(io.Writer) error) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window))
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
