package ingest

import (
	"fmt"
	"slices"

	"relais/ingest/source"
)

// fewRows is how many rows a table may always lose: small tables vary by more than a share.
const fewRows = 10

// rowsOf returns the number of rows of each input by its name.
func rowsOf(reports []*source.Report) map[string]int {
	rows := map[string]int{}
	for _, r := range reports {
		rows[r.Path] += r.Rows
	}
	return rows
}

// refuseFewer returns an error if inputs would take the place of kept ones that have far more rows. The
// tables with sites are left out: their sites are compared.
func (k *keptFiles) refuseFewer(all []source.Found, rows map[string]int) error {
	type table struct{ kind, slot string }
	now, names := map[table]int{}, map[table]string{}
	for _, f := range all {
		t := table{f.Kind.Name, f.Slot}
		now[t] += rows[f.Name()]
		names[t] = f.Name()
	}
	had := map[table]int{}
	for _, e := range k.entries {
		t := table{e.Kind, e.Slot}
		if _, given := now[t]; !given || slices.Contains(k.src.Bases, e.Kind) ||
			k.input(e).Synthetic() != all[0].Synthetic() {
			continue
		}
		had[t] += e.Rows
	}
	for t, n := range had {
		if lost := n - now[t]; lost > fewRows && float64(now[t]) < minShare*float64(n) {
			return fmt.Errorf("%s has %d rows, and the kept table of the kind %s that it would replace has %d: "+
				"over 5 %% would go; what is there stays (--force overrides)", names[t], now[t], t.kind, n)
		}
	}
	return nil
}
