package address

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"relais/ingest/ban"
	"relais/ingest/source"
	"relais/internal/folder"
)

// Options say what to ingest.
type Options struct {
	Dir      folder.Dir
	Paths    []string // files, folders and archives with tables of package ban
	Force    bool     // overrides the guards that compare with the present file
	Now      time.Time
	Progress func(total int64) func(n int) // as of package ingest
}

// A Report describes an ingest.
type Report struct {
	Info
	Seconds float64          `json:"seconds"`
	Files   []*source.Report `json:"files"`
	Path    string           `json:"path"`
	Bytes   int64            `json:"bytes"`
}

// minShare is the share of the present streets that a new file must have.
const minShare = 0.95

// Path is the file of the streets of a folder.
func Path(dir folder.Dir) string { return dir.Addresses(string(ban.Markets[0])) }

// Ingest makes the file of streets of a folder from tables of addresses. It replaces the present file, and nothing of it
// stays; after an error that one is unchanged. Memory does not grow with the tables: they need some eleven bytes
// for each address on the disk meanwhile, and the new file next to the present one.
func Ingest(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	files, err := ban.Find(o.Paths)
	if err != nil {
		return nil, err
	}
	lock, err := o.Dir.Lock("ingest", "relais ingest", o.Now)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	path := Path(o.Dir)
	if err := folder.SweepTemporary(filepath.Dir(path)); err != nil {
		return nil, err
	}
	r := &Report{Path: path}
	if r.Info, err = describe(files); err != nil {
		return nil, err
	}
	staged, err := folder.Stage(path, func(w io.Writer) error { return r.build(ctx, o, files, w, mostHeld) })
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	if err := r.guard(o); err != nil {
		return nil, err
	}
	if _, err := Verify(staged.Temporary()); err != nil { // what its readers refuse must not replace the present file
		return nil, err
	}
	if err := staged.Commit(); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		r.Bytes = info.Size()
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// describe returns the date of the newest table, which its name has, or else the file system.
func describe(files []source.Found) (info Info, err error) {
	for i := range files {
		f := &files[i]
		date := f.NameDate().String()
		if f.NameDate() == 0 {
			written, err := f.ModTime()
			if err != nil {
				return Info{}, err
			}
			date = written.Format(time.DateOnly)
		}
		info.Date = max(info.Date, date)
		if i > 0 && f.Synthetic() != files[0].Synthetic() {
			return Info{}, fmt.Errorf("%s and %s: demonstration data and real data cannot be mixed", files[0].Name(), f.Name())
		}
		info.Synthetic = f.Synthetic()
	}
	return info, nil
}

// build reads the tables and writes the file, with at most so many addresses in memory.
func (r *Report) build(ctx context.Context, o Options, files []source.Found, w io.Writer, most int) error {
	scratch, err := os.CreateTemp(filepath.Dir(r.Path), "."+filepath.Base(r.Path)+".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(scratch.Name()) // the next ingest sweeps it otherwise
	defer scratch.Close()
	d := newDraft(scratch, most)
	watch := o.watch(ctx, files)
	for i := range files {
		d.next()
		report, err := ban.Read(&files[i], watch, func(a *ban.Address) error {
			return d.add(i, a.Code, a.Commune, a.Postcode, a.Street, a.Hamlet, a.At)
		})
		if twice, ok := errors.AsType[*twiceError](err); ok {
			return fmt.Errorf("%s and %s both have the commune %s: give one of them", files[twice.first].Name(),
				files[twice.second].Name(), twice.code)
		}
		if err != nil {
			return err
		}
		r.Files = append(r.Files, report)
	}
	out, err := newWriter(w, r.Info)
	if err != nil {
		return err
	}
	if err := d.finish(func(c *commune) error { return errors.Join(ctx.Err(), out.add(c)) }); err != nil {
		return err
	}
	r.Info, err = out.close()
	return err
}

func (o *Options) watch(ctx context.Context, files []source.Found) source.Watch {
	var total int64
	for _, f := range files {
		total += f.Size
	}
	add := func(int) {}
	if o.Progress != nil {
		add = o.Progress(total)
	}
	return func(n int) error {
		add(n)
		return ctx.Err()
	}
}

// guard compares what was built with the present file. A file without streets is always refused.
func (r *Report) guard(o Options) error {
	if r.Streets == 0 {
		return errors.New("the tables have no usable address; what is there stays")
	}
	if o.Force {
		return nil
	}
	old, err := NewStore(r.Path).Info()
	switch damaged := errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion); {
	case errors.Is(err, fs.ErrNotExist), damaged:
		return nil
	case err != nil:
		return err
	case old.Synthetic != r.Synthetic:
		return nil
	case r.Date < old.Date:
		return fmt.Errorf("the tables are of %s, and the present streets of %s; these stay (--force overrides)", r.Date, old.Date)
	case float64(r.Streets) < minShare*float64(old.Streets):
		return fmt.Errorf("the tables have %d streets in %d communes, and the folder has %d in %d; these stay. Give the tables of "+
			"all departments at once (--force overrides)", r.Streets, r.Communes, old.Streets, old.Communes)
	}
	return nil
}
