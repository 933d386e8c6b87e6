// Package ingest turns authority files into the snapshots of a data folder. It
// finds out what the files are, adds what was kept of earlier ones, has the
// authority's parser read them, and replaces the snapshots only when nothing
// speaks against the new ones. What the files say is the parsers' business.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/ingest/anfr"
	"relais/ingest/bakom"
	"relais/ingest/belgium"
	"relais/ingest/cells"
	"relais/ingest/ised"
	"relais/ingest/source"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// A Source is an authority's set of files.
type Source struct {
	Markets []market.Code // all are made by one reading
	Bases   []string      // kinds with sites; at least one must be among the inputs
	Needed  string        // the Bases for people, and where to get them
	Kinds   []*source.Kind
	Build   source.Build
	// Unused reports whether a row rejected for the reason is right, and only not about the markets'
	// sites; nil if no reason says that.
	Unused func(reason string) bool
}

// kinds lists the tables that an ingest of the source accepts: the authority's and tables
// of cells.
func (s *Source) kinds() []*source.Kind { return slices.Concat(s.Kinds, cells.Kinds, cells.Refused) }

// Sources lists the authorities' sets of files that can be read.
var Sources = []*Source{
	{Markets: anfr.Markets, Bases: []string{anfr.Observatory}, Kinds: anfr.Kinds, Build: anfr.Build,
		Needed: "the ANFR's weekly observatoire, from data.gouv.fr, dataset donnees-sur-les-reseaux-mobiles",
		Unused: anfr.IsUnused},
	{Markets: bakom.Markets, Bases: bakom.Bases, Kinds: bakom.Kinds, Build: bakom.Build, Unused: bakom.IsUnused,
		Needed: "BAKOM's national file, from data.geo.admin.ch, collection ch.bakom.standorte-mobilfunkanlagen"},
	{Markets: belgium.Markets, Bases: belgium.Bases, Kinds: belgium.Kinds, Build: belgium.Build,
		Needed: "the register of Flanders, layer us:us_zndant_pnt of its WFS, the list of BIPT's site map, or the " +
			"antennas of Brussels that relais update --with belgium-antennas keeps"},
	{Markets: ised.Markets, Bases: []string{ised.Extract}, Kinds: ised.Kinds, Build: ised.Build,
		Needed: "Site_Data_Extract_FX of ISED's Spectrum Management System", Unused: ised.IsUnused},
}

// isUnused reports whether a row rejected for the reason is right, of the authority's tables and of
// cells.
func (s *Source) isUnused(reason string) bool {
	return s.Unused != nil && s.Unused(reason) || cells.IsUnused(reason)
}

// Options say what to ingest.
type Options struct {
	Dir     folder.Dir
	Markets []market.Code
	Paths   []string // files, folders, archives
	Force   bool     // overrides the guards that compare with the present snapshot
	Now     time.Time
	// Progress, which may be nil, is called once with the total of bytes to read. The
	// function that it returns is called with each number of bytes read.
	Progress func(total int64) func(n int)
	// Publisher, which may be nil, puts the files into the folder instead of Run.
	Publisher Publisher
	// Archive, which may be nil, is used after the snapshots have been published.
	Archive *Archive
}

// A Report describes an ingest.
type Report struct {
	Seconds float64          `json:"seconds"`
	Files   []*source.Report `json:"files"`
	Markets []MarketReport   `json:"markets"`
	Notes   []string         `json:"notes,omitempty"`
	// Published is when the new snapshots were in the folder, in seconds from the start.
	Published float64 `json:"published"`
	// Archived is the date of the archive that was added, "" for none.
	Archived string `json:"archived,omitempty"`
	// ArchiveReplaced reports that the date had an archive, which this one replaced. It has other rows, except after
	// Options.Force, which does not compare them.
	ArchiveReplaced bool `json:"archiveReplaced,omitempty"`
	// Unarchived is why the observatoire has no archive although the snapshots were published.
	Unarchived string `json:"unarchived,omitempty"`
	sameDate   bool   // a snapshot is of the date of the one that it replaces
}

// A MarketReport is the result for one market.
type MarketReport struct {
	Market     market.Code    `json:"market"`
	SourceDate string         `json:"sourceDate"`
	Synthetic  bool           `json:"synthetic,omitempty"`
	Sites      int            `json:"sites"`
	Emissions  int            `json:"emissions"`
	Enriched   map[string]int `json:"enriched,omitempty"`
	Snapshot   *SnapshotFile  `json:"snapshot"`
}

// A SnapshotFile names the written file; nil: none was written.
type SnapshotFile struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Version string `json:"version"`
}

// ErrNoBase reports that no file contains sites. The files may be good together with one.
var ErrNoBase = errors.New("the other tables only add to it")

// Run ingests files. Everything is on disk under temporary names before the first file is
// replaced. After an error the folder's snapshots and sources are unchanged; only a failed
// rename can leave some of them new. The archive follows: a failure of it is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	src, err := sourceOf(o.Markets)
	if err != nil {
		return nil, err
	}
	lock, err := o.lock()
	if err != nil {
		return nil, err
	}
	defer o.unlock(lock)
	commit, err := o.commit(ctx, src)
	if err != nil {
		return nil, err
	}
	kept, err := openKept(o.Dir, src)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	files, err := report.findFiles(o.Paths, src)
	if err != nil {
		return nil, err
	}
	if err := kept.sweep(kept.entries, files); err != nil { // what a killed ingest left
		return nil, err
	}
	draft := o.Archive.draft(files)
	keeping := kept.startCopying(ctx, files, o.Now)
	defer keeping.discard()
	rest := kept.remaining(files)
	report.Notes = append(report.Notes, rest.notes...)
	all := append(slices.Clone(files), rest.inputs...)
	if !slices.ContainsFunc(all, func(f source.Found) bool { return slices.Contains(src.Bases, f.Kind.Name) }) {
		return nil, kept.noBase(files, rest.mixed)
	}
	write, dates, err := report.compose(ctx, o, src, all, kept)
	if err != nil {
		return nil, err
	}
	if err := keeping.wait(); err != nil {
		return nil, err
	}
	report.archiveReplaced(ctx, o, kept, files)
	entries := keeping.manifest(all, dates, report.Files, rest.idle)
	if err := report.write(o.Dir, write, keeping, entries, commit); err != nil {
		return nil, err
	}
	report.Published = time.Since(start).Seconds()
	if err := keeping.sweep(entries, nil); err != nil {
		report.Notes = append(report.Notes, fmt.Sprintf("old sources could not be removed: %v", err))
	}
	report.archive(ctx, o, kept, entries, draft, slices.ContainsFunc(files, isObservatory))
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// lock looks for the files, and locks the folder for the ingest.
func (o *Options) lock() (*folder.Holder, error) {
	for _, path := range o.Paths { // before the folder is created
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	lock, err := o.Dir.Lock("ingest", "relais ingest", o.Now)
	if err != nil {
		return nil, err
	}
	if err := folder.SweepTemporary(o.Dir.Snapshots()); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// unlock ends the ingest. A folder that it left unused has no lock file either.
func (o *Options) unlock(lock *folder.Holder) {
	if unused, err := o.Dir.Unused(); err == nil && unused {
		lock.Remove()
	}
	lock.Unlock()
}

// compose makes the snapshots to write, if the guards accept them, and returns the ages of
// the inputs.
func (r *Report) compose(ctx context.Context, o Options, src *Source, all []source.Found, kept *keptFiles) (
	write []*snapshot.Builder, dates map[string]dated, err error,
) {
	builders, err := r.build(ctx, o, src, all, kept)
	if err != nil {
		return nil, nil, err
	}
	dates = datesOf(all, r.Files)
	if !o.Force { // before the guard, which would say what is lost without the rows
		if err := kept.refuseFewer(all, rowsOf(r.Files)); err != nil {
			return nil, nil, err
		}
	}
	write, err = r.guard(o, builders, func() (bool, error) { return kept.refuseOlder(ctx, all, dates) })
	return write, dates, err
}

// sourceOf returns the source of all the markets.
func sourceOf(codes []market.Code) (*Source, error) {
	if len(codes) == 0 {
		return nil, errors.New("no market is named")
	}
	for _, s := range Sources {
		if !slices.Contains(s.Markets, codes[0]) {
			continue
		}
		for _, c := range codes {
			if !slices.Contains(s.Markets, c) {
				return nil, fmt.Errorf("%s and %s come from different authorities: ingest them one after the other",
					codes[0], c)
			}
		}
		return s, nil
	}
	if m := market.Get(codes[0]); !m.HasInventory() {
		return nil, fmt.Errorf("%s cannot be ingested: %s", m.Code, m.UnavailableReason)
	}
	return nil, fmt.Errorf("this version of relais has no parser for the sources of %s", codes[0])
}

// findFiles expands the paths and detects the kind of each file.
func (r *Report) findFiles(paths []string, src *Source) ([]source.Found, error) {
	inputs, err := source.Expand(paths)
	if err != nil {
		return nil, err
	}
	var files []source.Found
	used := map[string]bool{}
	for _, in := range inputs {
		f, err := source.Detect(in, src.kinds())
		if err != nil {
			return nil, err
		}
		if refusal := f.Refusal(); refusal != nil {
			if in.Within == "" {
				return nil, refusal
			}
			r.Notes = append(r.Notes, refusal.Error()+"; it was left out")
			continue
		}
		if f.Kind != nil {
			files, used[in.Within] = append(files, f), true
			continue
		}
		if in.Within == "" {
			return nil, unknownFile(in.Name(), src)
		}
		r.Notes = append(r.Notes, unknownMember(in))
	}
	for _, in := range inputs {
		if !used[in.Within] {
			return nil, unknownFile(in.Within, src)
		}
	}
	return files, checkFound(files)
}

// checkFound returns an error for files that cannot be read together.
func checkFound(files []source.Found) error {
	for i, f := range files {
		for _, g := range files[:i] {
			if f.Kind == g.Kind && f.Slot == g.Slot && !f.Kind.Many {
				return fmt.Errorf("%s and %s are both of the kind %s: give one of them", g.Name(), f.Name(),
					f.Kind.Name)
			}
			if f.Synthetic() != g.Synthetic() {
				return fmt.Errorf("%s and %s: demonstration data and real data cannot be mixed", g.Name(), f.Name())
			}
		}
	}
	return nil
}

// build makes the requested markets and the other markets of the source in the folder:
// all share the kept sources, so the guards must check them too.
func (r *Report) build(ctx context.Context, o Options, src *Source, files []source.Found,
	kept *keptFiles) ([]*snapshot.Builder, error) {
	var total int64
	for _, f := range files {
		total += f.Size
	}
	add := func(int) {}
	if o.Progress != nil {
		add = o.Progress(total)
	}
	watch := func(n int) error {
		add(n)
		return ctx.Err()
	}
	var markets []*market.Market
	for _, c := range src.Markets {
		if _, err := os.Stat(o.Dir.Snapshot(string(c))); err == nil || slices.Contains(o.Markets, c) {
			markets = append(markets, market.Get(c))
		}
	}
	var inventory, others []source.Found
	for _, f := range files {
		if slices.Contains(src.Kinds, f.Kind) {
			inventory = append(inventory, f)
		} else {
			others = append(others, f)
		}
	}
	builders, reports, err := src.Build(inventory, markets, watch)
	if err != nil {
		return nil, err
	}
	more, err := cells.Attach(others, builders, watch)
	if err != nil {
		return nil, err
	}
	reports = append(reports, more...)
	for _, f := range reports {
		f.Kept = strings.HasPrefix(f.Path, kept.dir+string(filepath.Separator))
	}
	kept.warnOfColumns(files, reports)
	for _, f := range reports {
		if f.Warning != "" {
			r.Notes = append(r.Notes, f.Path+": "+f.Warning)
		}
		f.NoteUnused(src.isUnused)
		if f.Rows > 0 && f.Served == 0 {
			r.Notes = append(r.Notes, f.Path+": none of its rows could be used")
		}
	}
	r.Files = reports
	return builders, nil
}

// currentSnapshot returns the present snapshot of a market, nil if it has none.
func currentSnapshot(dir folder.Dir, m market.Code) (*snapshot.Snapshot, error) {
	s, err := snapshot.ReadFile(dir.Snapshot(string(m)), m)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s, err
}
