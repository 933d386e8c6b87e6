// Package sourcetest reads the files of tests as ingest does.
package sourcetest

import (
	"testing"

	"relais/ingest/source"
	"relais/internal/errtest"
)

// Detect finds out which of kinds the file at path is. It must be one, and not an archive of several.
func Detect(t testing.TB, path string, kinds []*source.Kind) source.Found {
	t.Helper()
	inputs, err := source.Expand([]string{path})
	errtest.Must(t, err)
	f, err := source.Detect(inputs[0], kinds)
	if err != nil || f.Kind == nil {
		t.Fatalf("%s: kind %v, %v; want a kind", path, f.Kind, err)
	}
	return f
}

// WantAccounted fails unless each row of the reports was served or rejected.
func WantAccounted(t testing.TB, reports ...*source.Report) {
	t.Helper()
	for _, r := range reports {
		sum := r.Served
		for _, n := range r.Rejected {
			sum += n
		}
		if r.Rows != sum || r.Served < 0 {
			t.Errorf("%s: %d rows, %d served, rejected %v; want as many rows as these", r.Path, r.Rows, r.Served, r.Rejected)
		}
	}
}
