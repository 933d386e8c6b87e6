package coverage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"relais/ingest/areas"
	"relais/ingest/source"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/market"
)

// Options say what to import.
type Options struct {
	Dir      folder.Dir
	Market   market.Code // "" for any
	Paths    []string    // GeoPackages, 7z archives with one, GeoJSON, GeoTIFF; and folders with them
	Metres   int         // side of a cell
	Force    bool        // takes an edition with far less coverage than the one that is there
	Now      time.Time
	Progress func(total int64) func(n int) // of the bytes of the files; nil for none
	made     map[string]string             // names of the files of this import, by name of the layer
}

// Sides of cells, in metres.
const (
	UsualMetres = 100
	LeastMetres = 50
	MostMetres  = 200
)

// keptEditions is how many editions of a layer stay.
const keptEditions = 2

// maxUnpacked bounds a file without its packing. The largest that was heard of has about 2 GB.
const maxUnpacked = 8 << 30

// A Report describes an import.
type Report struct {
	Files   []*FileReport `json:"files"`
	Seconds float64       `json:"seconds"`
}

// A FileReport describes what became of a file.
type FileReport struct {
	Path   string         `json:"path"`
	Layers []*LayerReport `json:"layers,omitempty"`
	Error  string         `json:"error,omitempty"` // the file changed nothing then
	// Refused means that the error is one of the file: it will be the same the next time.
	Refused bool `json:"refused,omitempty"`
}

// A LayerReport describes a layer that is in the folder now.
type LayerReport struct {
	Info
	Path    string  `json:"path"`
	Bytes   int64   `json:"bytes"`
	Areas   int     `json:"areas"`   // features of the file
	Covered float64 `json:"covered"` // km²
	// Newest is the newest edition, if this is the one before it.
	Newest  string   `json:"newest,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Note    string   `json:"note,omitempty"`
}

// Failed returns an error if some files were not imported.
func (r *Report) Failed() error {
	failed := 0
	for _, f := range r.Files {
		if f.Error != "" {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	if len(r.Files) == 1 {
		return errors.New("the file was not imported: the maps that were there stay")
	}
	were := "were"
	if failed == 1 {
		were = "was"
	}
	return fmt.Errorf("%d of %d files %s not imported: the maps that were there stay", failed, len(r.Files), were)
}

// Import makes layers of the files of regulators. A file that cannot be used changes nothing, and the others are
// imported; see Report.Failed. Errors: those of the folder, and that it is used by another import.
func Import(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	inputs, err := find(o.Paths)
	if err != nil {
		return nil, err
	}
	lock, err := o.Dir.Lock("coverage", "relais coverage map import", o.Now)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	dir := o.Dir.Coverage()
	if err := folder.MakeDir(dir); err != nil {
		return nil, err
	}
	if err := sweep(dir); err != nil {
		return nil, err
	}
	o.made = map[string]string{}
	r := &Report{Files: make([]*FileReport, len(inputs))}
	advance := func(int) {}
	if o.Progress != nil {
		total := int64(0)
		for _, in := range inputs {
			total += in.Size
		}
		advance = o.Progress(total)
	}
	var publishing sync.Mutex
	var work errgroup.Group
	work.SetLimit(2) // each needs some hundred megabytes of memory
	for i, in := range inputs {
		work.Go(func() error {
			f := &FileReport{Path: in.Name()}
			if r.Files[i] = f; ctx.Err() != nil {
				return ctx.Err()
			}
			if err := o.file(ctx, in, f, &publishing); err != nil {
				f.Error = strings.TrimPrefix(err.Error(), filepath.Base(in.Path)+": ")
				f.Refused = ofFile(ctx, err)
			}
			advance(int(in.Size))
			return ctx.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for _, f := range r.Files { // at the end: another file may have had a newer edition
		for _, l := range f.Layers {
			l.Newest = newerThan(dir, &l.Info)
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// ofFile reports whether an error is one of the file: not of the disk or the folder, and not the end of the import.
func ofFile(ctx context.Context, err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return ctx.Err() == nil && !path && !link && !errors.Is(err, areas.ErrNoSpace) && !system.Full(err)
}

// endings are those of the files that a folder is searched for.
var endings = []string{".7z", ".gpkg", ".json", ".geojson", ".tif", ".tiff"}

// find lists the files of paths, each once. Of folders, it takes those with a known ending.
func find(paths []string) ([]*source.Input, error) {
	list, err := source.ExpandOnly(paths, func(name string) bool {
		return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
	})
	if errors.Is(err, source.ErrNoFiles) {
		return nil, fmt.Errorf("%w that end in %s", err, strings.Join(endings, ", "))
	}
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	return slices.DeleteFunc(list, func(in *source.Input) bool {
		name := in.Name()
		if absolute, err := filepath.Abs(name); err == nil {
			name = absolute
		}
		again := named[name]
		named[name] = true
		return again
	}), nil
}

// scratch begins the names of the folders of unpacked files.
const scratch = ".unpacked-"

// IsTemporary reports whether a path below a data folder is a folder of files that an import unpacks.
func IsTemporary(path string) bool { return strings.HasPrefix(path, folder.CoverageName+"/"+scratch) }

// sweep removes what an import left that was killed.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), scratch) {
			if err := system.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return folder.SweepTemporary(dir)
}

// file imports a file.
func (o *Options) file(ctx context.Context, in *source.Input, r *FileReport, publishing *sync.Mutex) error {
	if in.Member != "" {
		return errors.New("zip archives are not read: unpack it, and import the files")
	}
	if in.Size == 0 {
		return errors.New("the file is empty")
	}
	dated, err := in.ModTime()
	if err != nil {
		return err
	}
	of := &origin{name: base(in.Path), dated: dated}
	var drafts []*draft
	if ext := strings.ToLower(filepath.Ext(in.Path)); ext == ".tif" || ext == ".tiff" {
		drafts, err = o.readGrid(of, in.Path)
	} else {
		drafts, err = o.readAreas(ctx, of, in.Path)
	}
	if err != nil {
		return err
	}
	var staged []*folder.Staged
	defer func() {
		for _, s := range staged {
			s.Discard()
		}
	}()
	for _, d := range drafts {
		d.Synthetic, d.From = in.Synthetic(), filepath.Base(in.Path)
		s, err := o.stage(ctx, d)
		if err != nil {
			return err
		}
		staged = append(staged, s)
	}
	publishing.Lock()
	defer publishing.Unlock()
	for _, d := range drafts {
		if other := o.made[d.Name()]; other != "" {
			return fmt.Errorf("it is the same map as %s of this import: join the files first, as with ogrmerge.py", other)
		}
		if err := o.guard(&d.Info); err != nil {
			return err
		}
	}
	if err := folder.CommitAll(staged); err != nil {
		return err
	}
	for i, d := range drafts {
		o.made[d.Name()] = d.From
		r.Layers = append(r.Layers, o.imported(d, staged[i].Path()))
	}
	return nil
}

// imported removes what the layer in a file replaces, and reports on it.
func (o *Options) imported(d *draft, path string) *LayerReport {
	l := &LayerReport{Info: d.Info, Path: path, Areas: d.areas, Covered: d.CoveredKm2()}
	if info, err := os.Stat(path); err == nil {
		l.Bytes = info.Size()
	}
	var err error
	if l.Removed, err = removeOld(o.Dir.Coverage(), &l.Info); err != nil {
		l.Note = "an older edition stays: " + err.Error()
	}
	return l
}

// stage writes a layer next to its place, and reads it back: what its readers refuse must not replace a file.
func (o *Options) stage(ctx context.Context, d *draft) (*folder.Staged, error) {
	s, err := folder.Stage(filepath.Join(o.Dir.Coverage(), d.Name()+Suffix), func(w io.Writer) error {
		return write(w, &d.Info, d.cells)
	})
	if err != nil {
		return nil, err
	}
	d.canvas, d.cells = nil, nil // their memory is for the next file
	if _, err = Verify(s.Temporary()); err == nil {
		err = ctx.Err()
	}
	if err == nil && d.CoveredKm2() == 0 {
		err = errors.New("no cell is covered: the layer is empty")
	}
	if err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// guard compares a new layer with the newest edition that is there.
func (o *Options) guard(info *Info) error {
	editions, err := editionsOf(o.Dir.Coverage(), info)
	if err != nil || len(editions) == 0 {
		return err
	}
	if n := len(editions); n >= keptEditions && info.Edition < editions[keptEditions-1].Edition {
		return fmt.Errorf("the edition %s is older than the %d that are kept: the newest is %s", info.Edition, keptEditions,
			editions[0].Edition)
	}
	if now := editions[0]; !o.Force && info.Edition >= now.Edition && now.Synthetic == info.Synthetic &&
		2*info.CoveredKm2() < now.CoveredKm2() {
		return fmt.Errorf("edition %s: %w", info.Edition, ErrFewer)
	}
	return nil
}

// editionsOf returns the editions of a layer that a folder has, the newest first. Files that cannot be read are left out.
func editionsOf(dir string, info *Info) (list []*Info, err error) {
	paths, err := Files(dir)
	for _, path := range slices.Backward(paths) { // in the order of their names
		if !strings.HasPrefix(filepath.Base(path), info.name()+"-") {
			continue
		}
		if there, err := ReadInfo(path); err == nil && there.name() == info.name() {
			list = append(list, there)
		}
	}
	return list, err
}

// newerThan returns the newest edition of a layer if info is the one before it, else "".
func newerThan(dir string, info *Info) string {
	editions, err := editionsOf(dir, info)
	if err != nil || len(editions) < 2 || editions[1].Edition != info.Edition {
		return ""
	}
	return editions[0].Edition
}

// removeOld removes the editions of a layer beyond those that are kept.
func removeOld(dir string, info *Info) (removed []string, err error) {
	editions, err := editionsOf(dir, info)
	for i := keptEditions; i < len(editions); i++ {
		name := editions[i].Name() + Suffix
		if err := system.RemoveAll(filepath.Join(dir, name)); err != nil {
			return removed, err
		}
		removed = append(removed, name)
	}
	return removed, err
}
