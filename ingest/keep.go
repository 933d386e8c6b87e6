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

	"relais/folder"
	"relais/ingest/source"
)

// kept is the last good input of each kind: a folder for each ingest that still
// supplies one, and a manifest that names them. The markets of one source share
// the folder of the first.
type kept struct {
	dir     string
	src     *Source
	entries []entry
}

// An entry of the manifest.
type entry struct {
	Kind   string    `json:"kind"`
	Slot   string    `json:"slot,omitempty"`
	File   string    `json:"file"` // below the folder
	Member string    `json:"member,omitempty"`
	Size   int64     `json:"size,omitempty"` // of the member
	Since  time.Time `json:"since"`
	dated
}

// input is what an entry names.
func (k *kept) input(e entry) *source.Input {
	return &source.Input{Path: filepath.Join(k.dir, e.File), Member: e.Member, Size: e.Size, Modified: e.Modified}
}

func openKept(dir folder.Dir, src *Source) (*kept, error) {
	k := &kept{dir: dir.Sources(string(src.Markets[0])), src: src}
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

// A rest is what becomes of the kept inputs beside the files of an ingest.
type rest struct {
	inputs []source.Found // to be read too
	// idle are entries that are to stay as they are although this program cannot use
	// them now: of kinds that a newer one knows, or whose file cannot be reached.
	idle  []entry
	mixed []entry // demonstration data when the files are real, or the other way round
	notes []string
}

// rest returns the kept inputs of kinds that the files do not supply. Demonstration
// data and real data are never mixed.
func (k *kept) rest(files []source.Found) (r rest) {
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
						"%s, kept since %s, is no longer used: what is given of the kind %s takes the place of all that was kept of it", e.name(), e.Since.Format(time.DateOnly), e.Kind))
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
			fmt.Sprintf("%d kept files are no longer used: demonstration data and real data do not go together", n))
	}
	return r
}

// replacedBy tells whether f takes the place of what is kept.
func (e entry) replacedBy(f source.Found) bool { return f.Kind.Name == e.Kind && f.Slot == e.Slot }

// sameName tells whether f is of a kind of which there is one, or has the name of what
// is kept.
func (e entry) sameName(f source.Found) bool {
	given := entry{File: f.Path, Member: f.Member}
	return e.replacedBy(f) && (!f.Kind.Many || given.name() == e.name() ||
		entry{File: aloneName(&f)}.name() == e.name())
}

// name is what the file was called before it was kept.
func (e entry) name() string {
	name := strings.TrimSuffix(filepath.Base(e.File), ".zst")
	if e.Member != "" {
		name += ":" + e.Member
	}
	return name
}

// noBase says that there is nothing to which the files could add; it is ErrNoBase.
func (k *kept) noBase(files []source.Found, mixed []entry) error {
	bases := strings.Join(k.src.Bases, " or ")
	at := slices.IndexFunc(mixed, func(e entry) bool { return slices.Contains(k.src.Bases, e.Kind) })
	switch {
	case at < 0:
		return fmt.Errorf("no %s among the files, and none is kept in %s: %w", bases, k.dir, ErrNoBase)
	case files[0].Synthetic():
		return fmt.Errorf("%s is demonstration data, and the %s that is kept in %s is real: the two do not go together, and %w", files[0].Name(), mixed[at].Kind, k.dir, ErrNoBase)
	}
	return fmt.Errorf("%s is real, and the %s that is kept in %s is demonstration data: the two do not go together, and %w: give the authority's %s as well", files[0].Name(), mixed[at].Kind, k.dir, ErrNoBase, bases)
}

// keeping copies the files of this ingest while they are parsed.
type keeping struct {
	*kept
	now    time.Time
	files  []source.Found
	folder string            // below kept.dir; "" until something is copied
	copies map[string]string // name of an input or archive → file below kept.dir
	err    error
	done   sync.WaitGroup
	cancel context.CancelFunc
	// committed: the manifest may name the copies already.
	committed bool
}

func (k *kept) begin(ctx context.Context, files []source.Found, now time.Time) *keeping {
	ctx, cancel := context.WithCancel(ctx)
	w := &keeping{kept: k, now: now, files: files, copies: map[string]string{}, cancel: cancel}
	w.done.Go(func() { w.err = w.copyAll(ctx) })
	return w
}

func (w *keeping) copyAll(ctx context.Context) error {
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
		alone, err := w.alone(f)
		if err != nil {
			return err
		}
		if alone {
			name := w.free(aloneName(f), true)
			w.copies[f.Name()] = filepath.Join(w.folder, name)
			if err := copyInput(ctx, filepath.Join(dir, name), f); err != nil {
				return err
			}
			continue
		}
		if _, ok := w.copies[f.Path]; ok {
			continue
		}
		name := w.free(filepath.Base(f.Path), f.Member == "")
		w.copies[f.Path] = filepath.Join(w.folder, name)
		if err := copyFile(ctx, filepath.Join(dir, name), f.Path, f.Member == ""); err != nil {
			return err
		}
	}
	return nil
}

// alone tells whether f is kept without the file that it is in, because that one holds
// personal data, in f or in another member of the same archive, or may do so, in a
// member that is no table which relais knows.
func (w *keeping) alone(f *source.Found) (bool, error) {
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
func (w *keeping) wait() error {
	w.done.Wait()
	if w.err != nil {
		return fmt.Errorf("keep the sources: %w", w.err)
	}
	return nil
}

// manifest returns the entries that name the inputs of this ingest, which are from the
// dates, and idle.
func (w *keeping) manifest(all []source.Found, dates map[string]dated, idle []entry) []entry {
	entries := slices.Clone(idle)
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
		}
		e.dated = dates[f.Name()]
		entries = append(entries, e)
	}
	return entries
}

// stage writes the manifest, for Commit to put it in place.
func (w *keeping) stage(entries []entry) (*folder.Staged, error) {
	text, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, err
	}
	return folder.Stage(filepath.Join(w.dir, folder.ManifestName), func(f io.Writer) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// sweep removes of what ingests made what no entry names and no input needs: files
// of folders that still supply something, and whole folders. What somebody else put
// there stays.
func (k *kept) sweep(entries []entry, inputs []source.Found) error {
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
		if name, err := filepath.Rel(dir, path); err == nil { // else they have nothing in common
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
		if !ours.MatchString(name) {
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
			if err := os.RemoveAll(filepath.Join(k.dir, f)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ours are the names of what an ingest makes beside the manifest: a folder for its
// copies, and what a killed one left of a manifest.
var ours = regexp.MustCompile(`^\d{8}T\d{6}Z-\d+$|^\.` + regexp.QuoteMeta(folder.ManifestName) + `\.tmp-\d+$`)

func namesIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// discard removes what was copied for an ingest that did not happen.
func (w *keeping) discard() {
	w.cancel()
	w.done.Wait()
	if w.folder != "" && !w.committed {
		os.RemoveAll(filepath.Join(w.dir, w.folder)) // the next ingest sweeps what stays
	}
}
