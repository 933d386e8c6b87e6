package update

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

	"relais/coverage"
	"relais/market"
)

// coverageMaps is the target of the official coverage maps of a market.
type coverageMaps struct{ market market.Code }

// forgetStale forgets the good version of files whose maps are not in the folder.
func (m coverageMaps) forgetStale(_ context.Context, s *source) (found []string, err error) {
	for name, r := range s.state.Files {
		for layer := range strings.FieldsSeq(r.Read) {
			_, err := os.Stat(filepath.Join(s.Dir.Coverage(), layer+coverage.Suffix))
			if errors.Is(err, fs.ErrNotExist) {
				s.state.set(name, record{Refused: r.Refused, Reason: r.Reason})
				found = append(found, fmt.Sprintf("%s: the coverage map %s is not there any more", m.market, layer))
				break
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// apply has nothing to do: each map was imported when it was there.
func (coverageMaps) apply(context.Context, *source) {}

// fetch downloads the newest edition of each map, and imports it before the next one is asked for: a map may have
// hundreds of megabytes.
func (m coverageMaps) fetch(ctx context.Context, s *source, f *File, report *FileReport) {
	var all []remote
	var err error
	if f.Find == byURL {
		all = []remote{{URL: f.URL}}
	} else if all, err = s.client.candidates(ctx, f); err != nil {
		report.fail(err)
		return
	}
	report.Status = Unchanged
	for _, at := range newestMaps(all) {
		if ctx.Err() != nil || !m.one(ctx, s, f, report, at) {
			break
		}
	}
}

// lookedBack is how many quarters the newest edition of a map may be older than that of others: some come twice a year.
const lookedBack = 2

// newestMaps returns the newest edition of each map. The names of editions of a map differ in their beginning.
func newestMaps(all []remote) (list []remote) {
	newest := map[string]remote{}
	last := ""
	for _, at := range all {
		key := mapOf(at)
		if known, ok := newest[key]; !ok || at.Rank > known.Rank {
			newest[key] = at
		}
		last = max(last, at.Rank)
	}
	for _, at := range newest {
		if quarterOf(last)-quarterOf(at.Rank) <= lookedBack {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b remote) int { return strings.Compare(mapOf(a), mapOf(b)) })
	return list
}

// mapOf names a map without its edition.
func mapOf(at remote) string { return strings.TrimPrefix(baseOf(at.URL), at.Rank+"_") }

// quarterOf counts the quarters until an edition such as 2026_T2, 0 for another text.
func quarterOf(edition string) int {
	var year, quarter int
	if n, _ := fmt.Sscanf(edition, "%d_T%d", &year, &quarter); n < 2 {
		return 0
	}
	return 4*year + quarter
}

// one imports a map, unless it is the known one. It reports whether others may be asked for.
func (m coverageMaps) one(ctx context.Context, s *source, f *File, report *FileReport, at remote) bool {
	u, _ := parseAddress(at.URL) // it was checked
	report.URL = redacted(u)
	name := f.Name
	if f.Find != byURL {
		name += " " + mapOf(at)
	}
	known := s.state.Files[name]
	if s.Force {
		known = record{}
	}
	if err := known.checkRank(f, at); err != nil {
		report.failPart(baseOf(at.URL), err)
		return true
	}
	get := s.download(f, at, known)
	err := get.run(ctx)
	defer os.RemoveAll(get.dir)
	seen := get.got
	report.Bytes += get.received
	_, useless := errors.AsType[unusable](err)
	switch status, _ := errors.AsType[statusError](err); {
	case err == nil && seen.is(known.Refused):
		s.noteRefusal(f, mapOf(at), known)
		return true
	case err == nil && seen.is(known.Good):
		return true
	case useless:
		report.failPart(baseOf(at.URL), err)
		s.state.refuse(name, seen, truncate(err.Error(), maxError))
		return true
	case err != nil:
		report.failPart(baseOf(at.URL), err)
		return status.ofOne()
	}
	path := get.path
	if f.Find == byURL { // the name of a service says nothing
		path = filepath.Join(get.dir, f.Name+".json")
		if err := os.Rename(get.path, path); err != nil {
			report.failPart(baseOf(at.URL), err)
			return false
		}
	}
	return m.take(ctx, s, report, at, path, name, seen)
}

// take imports a file.
func (m coverageMaps) take(ctx context.Context, s *source, report *FileReport, at remote, path, name string, seen version) bool {
	done, err := coverage.Import(ctx, coverage.Options{Dir: s.Dir, Market: m.market, Paths: []string{path}, Metres: coverage.UsualMetres,
		Force: s.Force, Now: time.Now()})
	if err != nil {
		report.failPart(baseOf(at.URL), err)
		return false
	}
	one := done.Files[0]
	if one.Error != "" {
		report.failPart(baseOf(at.URL), errors.New(one.Error))
		if one.Refused {
			s.state.refuse(name, seen, truncate(one.Error, maxError))
		}
		return one.Refused
	}
	var read []string
	for _, l := range one.Layers {
		read = append(read, l.Name())
	}
	report.Maps = append(report.Maps, read...)
	s.state.set(name, record{Good: seen, Read: strings.Join(read, " ")})
	if report.Status != Failed {
		report.Status = Fetched
	}
	return true
}
