package ingest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"relais/ingest/source"
	"relais/internal/folder"
)

// A KeptFile is what CheckKept found about a file of the kept sources: an input, or an
// unreadable manifest.
type KeptFile struct {
	Path     string
	Bytes    int64    // 0 when it is missing
	Kinds    []string // kinds of its tables
	Unpacked int64    // bytes of its tables
	Err      error
}

// CheckKept reads every kept input to its end, which verifies the checksums of archives
// and compressed files, and compares it with its manifest. It takes no lock: an ingest may
// run at the same time. Errors: that of ctx.
func CheckKept(ctx context.Context, dir folder.Dir) (files []KeptFile, err error) {
	for _, src := range Sources {
		found, err := checkSource(ctx, dir, src)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// checkSource checks again if an ingest has replaced the inputs with errors.
func checkSource(ctx context.Context, dir folder.Dir, src *Source) ([]KeptFile, error) {
	k, err := openKept(dir, src)
	for {
		if err != nil {
			return []KeptFile{{Path: filepath.Join(dir.Sources(string(src.Markets[0])), folder.ManifestName),
				Err: err}}, nil
		}
		files := k.check(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !slices.ContainsFunc(files, func(f KeptFile) bool { return f.Err != nil }) {
			return files, nil
		}
		var now *keptFiles
		if now, err = openKept(dir, src); err == nil && reflect.DeepEqual(now.entries, k.entries) {
			return files, nil
		}
		k = now
	}
}

// check reads each file once for each entry that names it.
func (k *keptFiles) check(ctx context.Context) (files []KeptFile) {
	for _, e := range k.entries {
		path := filepath.Join(k.dir, e.File)
		i := slices.IndexFunc(files, func(f KeptFile) bool { return f.Path == path })
		if i < 0 {
			i = len(files)
			files = append(files, KeptFile{Path: path})
			if info, err := os.Stat(path); err == nil {
				files[i].Bytes = info.Size()
			}
		}
		f := &files[i]
		n, err := e.read(ctx, path)
		f.Kinds, f.Unpacked = append(f.Kinds, e.Kind), f.Unpacked+n
		if err != nil && f.Err == nil {
			f.Err = fmt.Errorf("%w: run relais ingest with the authority's file again", err)
		}
	}
	return files
}

// read reads the input of an entry to its end and returns its unpacked size.
func (e *entry) read(ctx context.Context, path string) (int64, error) {
	in := &source.Input{Path: path, Member: e.Member, Size: e.Size}
	r, err := in.Open(nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, stoppable{ctx, r})
	if err == nil && e.Member != "" && n != e.Size {
		err = fmt.Errorf("%s has %d bytes, the manifest says %d", e.Member, n, e.Size)
	}
	return n, err
}
