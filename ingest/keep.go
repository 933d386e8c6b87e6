package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"relais/ingest/source"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/market"
)

// keptFiles are the last good inputs of each kind: a folder for each ingest that still supplies
// one, and a manifest that names them. The markets of one source share the folder of the
// first.
type keptFiles struct {
	dir     string
	src     *Source
	entries []entry
}

// KeptFiles returns the paths of the kept inputs of a market and of the manifest that names them.
func KeptFiles(dir folder.Dir, code market.Code) (paths []string, err error) {
	kept := dir.Sources(string(code))
	if _, err := os.Stat(filepath.Join(kept, folder.ManifestName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	src, err := sourceOf([]market.Code{code})
	if err != nil {
		return nil, err
	}
	k, err := openKept(dir, src)
	if err != nil {
		return nil, err
	}
	for _, e := range k.entries {
		if path := filepath.Join(k.dir, e.File); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return append(paths, filepath.Join(k.dir, folder.ManifestName)), nil
}

// An entry of the manifest.
type entry struct {
	Kind   string `json:"kind"`
	Slot   string `json:"slot,omitempty"`
	File   string `json:"file"` // below the folder
	Member string `json:"member,omitempty"`
	Size   int64  `json:"size,omitempty"` // of the member
	Rows   int    `json:"rows,omitempty"`
	// Columns are the known columns with a value, of the file as it was given: copies are without personal ones.
	Columns []string  `json:"columns,omitempty"`
	Since   time.Time `json:"since"`
	dated
}

// input returns the input that an entry names.
func (k *keptFiles) input(e entry) *source.Input {
	return &source.Input{Path: filepath.Join(k.dir, e.File), Member: e.Member, Size: e.Size, Modified: e.Modified}
}

func openKept(dir folder.Dir, src *Source) (*keptFiles, error) {
	k := &keptFiles{dir: dir.Sources(string(src.Markets[0])), src: src}
	text, err := os.ReadFile(filepath.Join(k.dir, folder.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &k.entries); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(k.dir, folder.ManifestName), err)
	}
	for _, e := range k.entries {
		if !filepath.IsLocal(e.File) {
			return nil, fmt.Errorf("%s: %q lies outside the folder", filepath.Join(k.dir, folder.ManifestName), e.File)
		}
	}
	return k, nil
}

// A remainder is the kept inputs that the files of an ingest do not replace.
type remainder struct {
	inputs []source.Found // to be read with the files
	// idle are entries that stay although they cannot be used now: of kinds that only a
	// newer version of relais knows, or with an unreadable file.
	idle  []entry
	mixed []entry // demonstration data if the files are real, or the reverse
	notes []string
}

// remaining returns the kept inputs of kinds that are not among the files. Demonstration
// data and real data are never mixed.
func (k *keptFiles) remaining(files []source.Found) (r remainder) {
	kinds := k.src.kinds()
	for _, e := range k.entries {
		in := k.input(e)
		if len(files) > 0 && files[0].Synthetic() != in.Synthetic() {
			r.mixed = append(r.mixed, e)
			continue
		}
		if slices.ContainsFunc(files, e.replacedBy) {
			if !slices.ContainsFunc(files, e.sameName) { // one part of several
				r.notes = append(r.notes,
					fmt.Sprintf(
						"%s, kept since %s, is not used any more: the given files replace all kept files of the kind %s",
						e.name(), e.Since.Format(time.DateOnly), e.Kind))
			}
			continue
		}
		info, err := os.Stat(in.Path)
		if err != nil {
			r.notes = append(r.notes, fmt.Sprintf("a kept source cannot be read: %v", err))
		}
		kind := slices.IndexFunc(kinds, func(x *source.Kind) bool { return x.Name == e.Kind })
		if err != nil || kind < 0 {
			r.idle = append(r.idle, e)
			continue
		}
		if in.Size == 0 {
			in.Size = info.Size()
		}
		r.inputs = append(r.inputs, source.Found{Input: in, Kind: kinds[kind], Slot: e.Slot})
	}
	if n := len(r.mixed); n > 0 {
		r.notes = append(r.notes,
			fmt.Sprintf("%d kept files are not used any more: demonstration data and real data cannot be mixed", n))
	}
	return r
}

// replacedBy reports whether f replaces the kept input.
func (e entry) replacedBy(f source.Found) bool { return f.Kind.Name == e.Kind && f.Slot == e.Slot }

// sameName reports whether f replaces the kept input and is of a kind with a single input,
// or has the kept input's name.
func (e entry) sameName(f source.Found) bool {
	given := entry{File: f.Path, Member: f.Member}
	return e.replacedBy(f) && (!f.Kind.Many || given.name() == e.name() ||
		entry{File: aloneName(&f)}.name() == e.name())
}

// name returns the name of the file before it was kept.
func (e entry) name() string {
	name := strings.TrimSuffix(filepath.Base(e.File), ".zst")
	if e.Member != "" {
		name += ":" + e.Member
	}
	return name
}

// noBase returns the ErrNoBase of files that only add to sites.
func (k *keptFiles) noBase(files []source.Found, mixed []entry) error {
	bases := strings.Join(k.src.Bases, " or ")
	base := slices.IndexFunc(mixed, func(e entry) bool { return slices.Contains(k.src.Bases, e.Kind) })
	switch {
	case base < 0:
		return fmt.Errorf("no %s among the files, and none is kept in %s: %w", bases, k.dir, ErrNoBase)
	case files[0].Synthetic():
		return fmt.Errorf("%s is demonstration data, and the %s that is kept in %s is real: the two cannot "+
			"be mixed, and %w", files[0].Name(), mixed[base].Kind, k.dir, ErrNoBase)
	}
	return fmt.Errorf("%s is real, and the %s that is kept in %s is demonstration data: the two cannot "+
		"be mixed, and %w: give the authority's %s as well", files[0].Name(), mixed[base].Kind, k.dir, ErrNoBase, bases)
}

// copier copies the files of this ingest while they are parsed.
type copier struct {
	*keptFiles
	now    time.Time
	files  []source.Found
	folder string            // below keptFiles.dir; "" until something is copied
	copies map[string]string // name of an input or archive → file below keptFiles.dir
	err    error
	done   sync.WaitGroup
	cancel context.CancelFunc
	// committed: the manifest may name the copies already.
	committed bool
}

func (k *keptFiles) startCopying(ctx context.Context, files []source.Found, now time.Time) *copier {
	ctx, cancel := context.WithCancel(ctx)
	w := &copier{keptFiles: k, now: now, files: files, copies: map[string]string{}, cancel: cancel}
	w.done.Go(func() { w.err = w.copyAll(ctx) })
	return w
}

func (w *copier) copyAll(ctx context.Context) error {
	if len(w.files) == 0 {
		return nil
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(w.dir, w.now.UTC().Format("20060102T150405Z-*"))
	if err != nil {
		return err
	}
	w.folder = filepath.Base(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for i := range w.files {
		f := &w.files[i]
		alone, err := w.keptAlone(f)
		if err != nil {
			return err
		}
		if alone {
			name := w.freeName(aloneName(f), true)
			w.copies[f.Name()] = filepath.Join(w.folder, name)
			if err := copyInput(ctx, filepath.Join(dir, name), f); err != nil {
				return err
			}
			continue
		}
		if _, ok := w.copies[f.Path]; ok {
			continue
		}
		name := w.freeName(filepath.Base(f.Path), f.Member == "")
		w.copies[f.Path] = filepath.Join(w.folder, name)
		if err := copyFile(ctx, filepath.Join(dir, name), f.Path, f.Member == ""); err != nil {
			return err
		}
	}
	return nil
}

// keptAlone reports whether f is kept without the archive that contains it, because the
// archive has personal data in one of its members, or may have some in an unknown one.
func (w *copier) keptAlone(f *source.Found) (bool, error) {
	known := 0
	for _, g := range w.files {
		if g.Path != f.Path {
			continue
		}
		if known++; len(g.Kind.Personal) > 0 {
			return true, nil
		}
	}
	members, err := source.Expand([]string{f.Path})
	return len(members) > known, err
}

// wait waits until everything is copied.
func (w *copier) wait() error {
	w.done.Wait()
	if w.err != nil {
		return fmt.Errorf("keeping the sources: %w", w.err)
	}
	return nil
}

// manifest returns the entries of the inputs of this ingest, with their dates, rows and columns, and the idle
// ones.
func (w *copier) manifest(all []source.Found, dates map[string]dated, reports []*source.Report, idle []entry) []entry {
	entries, rows := slices.Clone(idle), rowsOf(reports)
	for _, f := range all {
		e := entry{Kind: f.Kind.Name, Slot: f.Slot, File: w.copies[f.Name()], Since: w.now.UTC().Truncate(time.Second)}
		if e.File == "" { // unless it is kept alone
			e.File, e.Member = w.copies[f.Path], f.Member
		}
		if e.Member != "" {
			e.Size = f.Size
		}
		if e.File == "" { // kept before
			i := slices.IndexFunc(w.entries, func(o entry) bool {
				return filepath.Join(w.dir, o.File) == f.Path && o.Member == f.Member
			})
			e = w.entries[i]
		} else if i := slices.IndexFunc(reports, func(r *source.Report) bool { return r.Path == f.Name() }); i >= 0 {
			e.Columns = reports[i].Columns.Filled
		}
		e.dated, e.Rows = dates[f.Name()], rows[f.Name()]
		entries = append(entries, e)
	}
	return entries
}

// stage writes the manifest under a temporary name.
func (w *copier) stage(entries []entry) (*folder.Staged, error) {
	text, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, err
	}
	return folder.Stage(filepath.Join(w.dir, folder.ManifestName), func(f io.Writer) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// sweep removes the copies of earlier ingests that no entry and no input names. Files of
// other origin stay.
func (k *keptFiles) sweep(entries []entry, inputs []source.Found) error {
	used := map[string]bool{}
	dir, err := filepath.Abs(k.dir)
	if err != nil {
		return err
	}
	for _, f := range inputs {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return err
		}
		if name, err := filepath.Rel(dir, path); err == nil { // else it is on another volume
			used[name], used[filepath.Dir(name)] = true, true
		}
	}
	for _, e := range entries {
		used[e.File], used[filepath.Dir(e.File)] = true, true
	}
	names, err := namesIn(k.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if !ownNames.MatchString(name) {
			continue
		}
		files := []string{name}
		if used[name] {
			below, err := namesIn(filepath.Join(k.dir, name))
			if err != nil {
				return err
			}
			files = files[:0]
			for _, b := range below {
				files = append(files, filepath.Join(name, b))
			}
		}
		for _, f := range files {
			if used[f] {
				continue
			}
			if err := system.RemoveAll(filepath.Join(k.dir, f)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownNames matches the names that an ingest makes: folders of copies, and temporary
// manifests that a killed ingest left.
var ownNames = regexp.MustCompile(`^\d{8}T\d{6}Z-\d+$|^\.` + regexp.QuoteMeta(folder.ManifestName) + `\.tmp-\d+$`)

func namesIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// discard removes the copies of an ingest that failed.
func (w *copier) discard() {
	w.cancel()
	w.done.Wait()
	if w.folder != "" && !w.committed {
		system.RemoveAll(filepath.Join(w.dir, w.folder)) // the next ingest sweeps what stays
	}
}
