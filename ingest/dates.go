package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"relais/ingest/source"
)

// dated says when an input is from.
type dated struct {
	Date string `json:"date,omitempty"` // of its report
	source.Edition
	Modified time.Time `json:"modified,omitzero"`
}

// join makes d the newer one of d and e in each respect.
func (d *dated) join(e dated) {
	d.Date, d.Named = max(d.Date, e.Date), max(d.Named, e.Named)
	d.Newest, d.Floor = max(d.Newest, e.Newest), max(d.Floor, e.Floor)
	if e.Modified.After(d.Modified) {
		d.Modified = e.Modified
	}
}

// olderThan tells whether d is of an older edition of a source than e. An earlier date
// alone does not say it: what a name states is more than rows do, and of the rows the
// newest may be gone. Names are compared with names, rows with rows, and what has
// neither in common by when it was modified.
func (d dated) olderThan(e dated) bool {
	switch {
	case d.Date == "" || d.Date >= e.Date:
		return false
	case d.Named != "" && e.Named != "" && d.Named != e.Named:
		return d.Named < e.Named
	case d.Newest != "" && e.Newest != "":
		return d.Newest < e.Floor || d.Newest < e.Newest && d.Modified.Before(e.Modified)
	}
	return d.Modified.Before(e.Modified)
}

// datesOf returns when the inputs that have a date are from, by their names.
func datesOf(all []source.Found, reports []*source.Report) map[string]dated {
	dates := map[string]dated{}
	for _, r := range reports {
		i := slices.IndexFunc(all, func(f source.Found) bool { return f.Name() == r.Path })
		if i < 0 || r.Date == "" {
			continue
		}
		d := dated{Date: r.Date, Edition: r.Edition}
		if at, err := all[i].ModTime(); err == nil { // else only the date counts
			d.Modified = at
		}
		dates[r.Path] = d
	}
	return dates
}

// older refuses inputs that are older than those that were kept of their kind, unless
// they are the same: then dates becomes what is known of either. known is false when
// nobody dated what was kept.
func (k *kept) older(ctx context.Context, all []source.Found, dates map[string]dated) (known bool, err error) {
	for _, kind := range k.src.kinds() {
		var had, has dated
		var before, now []source.Found
		for _, e := range k.entries {
			if e.Kind == kind.Name {
				had.join(e.dated)
				before = append(before, source.Found{Input: k.input(e), Kind: kind})
			}
		}
		for _, f := range all {
			if f.Kind == kind {
				has.join(dates[f.Name()])
				now = append(now, f)
			}
		}
		known = known || had.Date != ""
		if !has.olderThan(had) {
			continue
		}
		if !sameContent(ctx, before, now) {
			return true, fmt.Errorf("the files of the kind %s are of %s, older than the present ones of %s", kind.Name,
				has.Date, had.Date)
		}
		for _, f := range now {
			d := dates[f.Name()]
			d.join(had)
			dates[f.Name()] = d
		}
	}
	return known, ctx.Err()
}

// sameContent tells whether the inputs have the same content as is kept of them,
// whatever they are called and in whichever order. What cannot be read is not the same.
func sameContent(ctx context.Context, a, b []source.Found) bool {
	sums := [2]map[[sha256.Size]byte]int{{}, {}}
	for i, inputs := range [][]source.Found{a, b} {
		for _, f := range inputs {
			hash := sha256.New()
			if err := f.CopyTo(hash, func(int) error { return ctx.Err() }); err != nil {
				return false
			}
			sums[i][[sha256.Size]byte(hash.Sum(nil))]++
		}
	}
	return maps.Equal(sums[0], sums[1])
}
