package ingest

import (
	"slices"

	"relais/ingest/source"
)

// warnOfColumns warns of unknown columns of the given files, and of those that the kept inputs that they replace had
// and they have not, or have empty.
func (k *keptFiles) warnOfColumns(files []source.Found, reports []*source.Report) {
	of := func(f source.Found) *source.Report {
		i := slices.IndexFunc(reports, func(r *source.Report) bool { return r.Path == f.Name() })
		if i < 0 || reports[i].Kept {
			return nil
		}
		return reports[i]
	}
	for _, f := range files {
		r := of(f)
		if r == nil {
			continue
		}
		r.WarnOfForeign()
		has := slices.Clone(r.Columns.Filled)
		for _, part := range files { // what another part has is not lost
			if o := of(part); o != nil && part.Kind == f.Kind && part.Slot == f.Slot {
				has = append(has, o.Columns.Filled...)
			}
		}
		var missing, empty []string
		for _, name := range k.columnsBefore(f) {
			switch {
			case f.Kind.Has(has, name):
			case f.Kind.Has(r.Columns.Empty, name):
				empty = append(empty, name)
			default:
				missing = append(missing, name)
			}
		}
		r.WarnOfColumns("missing columns that the file before had", missing)
		r.WarnOfColumns("empty columns that the file before had values in", empty)
	}
}

// columnsBefore returns the columns with values of the kept inputs that f replaces.
func (k *keptFiles) columnsBefore(f source.Found) (had []string) {
	for _, e := range k.entries {
		if !e.replacedBy(f) || k.input(e).Synthetic() != f.Synthetic() {
			continue
		}
		for _, name := range e.Columns {
			if !f.Kind.Has(had, name) {
				had = append(had, name)
			}
		}
	}
	return had
}
