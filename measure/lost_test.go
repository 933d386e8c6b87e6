package measure

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// A missing database is damage where segments lie, and these stay as they are.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	imported(t, openStore(t, dir), market.FR, write(t, "a.csv", coverageOf(random(rand0(), 30))))
	closeStore(t, dir)
	want := segmentsIn(t, dir)
	db := filepath.Join(dir, DatabaseName)
	whole := filetest.Read(t, db)
	must(t, os.Remove(db))
	for _, readOnly := range []bool{true, false} {
		if _, err := openMeasures(folder.Dir(dir), readOnly, clockOf(now)); !errors.Is(err, errDamaged) {
			t.Errorf("read-only %v: got %v, want %v", readOnly, err, errDamaged)
		}
	}
	if got := segmentsIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("files = %v, want %v", got, want)
	}
	filetest.Write(t, db, whole)
	if n := openStore(t, dir).Count(market.FR, Coverage); n != 30 {
		t.Errorf("%d points with the database again, want 30", n)
	}
}
