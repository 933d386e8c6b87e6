// Package measuretest opens the measurements that the tests of other packages ask.
package measuretest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
)

// Open opens measurements in a folder of the test, and imports the files of the default market that have rows.
func Open(t testing.TB, now func() time.Time, files ...string) *measure.Store {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	db, err := measure.OpenDatabase(dir, false)
	errtest.Must(t, err)
	t.Cleanup(func() { db.Close() })
	s, err := measure.New(dir, db, now)
	errtest.Must(t, err)
	for i, text := range files {
		if strings.Count(text, "\n") < 2 {
			continue
		}
		path := filetest.New(t, fmt.Sprint(i, ".csv"), text)
		_, err := s.Import(t.Context(), market.Default, measure.Options{}, path)
		errtest.Must(t, err)
	}
	return s
}
