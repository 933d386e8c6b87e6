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

// dated is the age of an input.
type dated struct {
	Date string `json:"date,omitempty"` // the date in its report
	source.Edition
	Modified time.Time `json:"modified,omitzero"`
}

// merge sets each member of d to the newer one of d and e.
func (d *dated) merge(e dated) {
	d.Date, d.Named = max(d.Date, e.Date), max(d.Named, e.Named)
	d.Newest, d.Floor = max(d.Newest, e.Newest), max(d.Floor, e.Floor)
	if e.Modified.After(d.Modified) {
		d.Modified = e.Modified
	}
}

// olderThan reports whether d is of an older edition of a source than e. An earlier Date
// alone is not proof: it may come from a name, or the newest row may be gone. Names are
// compared with names and rows with rows; without either, the modification times decide.
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

// datesOf returns the ages of the inputs that have a date, by name.
func datesOf(all []source.Found, reports []*source.Report) map[string]dated {
	dates := map[string]dated{}
	for _, r := range reports {
		i := slices.IndexFunc(all, func(f source.Found) bool { return f.Name() == r.Path })
		if i < 0 || r.Date == "" {
			continue
		}
		d := dated{Date: r.Date, Edition: r.Edition}
		if at, err := all[i].ModTime(); err == nil { // without it only the date counts
			d.Modified = at
		}
		dates[r.Path] = d
	}
	return dates
}

// refuseOlder returns an error if inputs are older than the kept ones of their kind. Inputs
// with the same content as the kept ones are accepted; their dates are then merged. known
// is false if no kept input has a date.
func (k *keptFiles) refuseOlder(ctx context.Context, all []source.Found,
	dates map[string]dated) (known bool, err error) {
	for _, kind := range k.src.kinds() {
		var last, now dated
		var oldInputs, newInputs []source.Found
		for _, e := range k.entries {
			if e.Kind == kind.Name {
				last.merge(e.dated)
				oldInputs = append(oldInputs, source.Found{Input: k.input(e), Kind: kind})
			}
		}
		for _, f := range all {
			if f.Kind == kind {
				now.merge(dates[f.Name()])
				newInputs = append(newInputs, f)
			}
		}
		known = known || last.Date != ""
		if !now.olderThan(last) {
			continue
		}
		if !sameContent(ctx, oldInputs, newInputs) {
			return true, fmt.Errorf("the files of the kind %s are of %s, older than the present ones of %s", kind.Name,
				now.Date, last.Date)
		}
		for _, f := range newInputs {
			d := dates[f.Name()]
			d.merge(last)
			dates[f.Name()] = d
		}
	}
	return known, ctx.Err()
}

// sameContent reports whether both lists of inputs have the same contents, in any order
// and under any names. An unreadable input is never the same.
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
