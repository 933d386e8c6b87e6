package ops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relais/endpoint"
	"relais/folder"
	"relais/market"
	"relais/measure"
)

// measures opens a store of files of FR.
func measures(t *testing.T, now func() time.Time, files ...string) *measure.Store {
	t.Helper()
	s, err := measure.Open(folder.Dir(t.TempDir()), false, now)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range files {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".csv"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Import(context.Background(), market.FR, measure.Sniffed, nil, path); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// As long as the version is the same, so is the answer, also where a measure leaves the
// window.
func TestWindowIsTheVersions(t *testing.T) {
	minute := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	leaves := minute.Add(30*time.Second).AddDate(0, 0, -1).Format(time.RFC3339)
	clock := minute
	s := measures(t, func() time.Time { return clock },
		"timestamp,lat,lng,download_mbps\n"+leaves+",45.5,4.25,1\n",
		"timestamp,lat,lng,signal_strength,technology\n"+leaves+",45.5,4.25,-60,LTE\n")
	for _, op := range []*endpoint.Op[*Reading]{listSpeedtests, coveragePoints} {
		first := &Reading{Measures: s, Now: minute}
		for _, after := range []time.Duration{0, 29 * time.Second, 31 * time.Second, 59 * time.Second, time.Minute} {
			clock = minute.Add(after)
			r := &Reading{Measures: s, Now: clock}
			same := r.Version(op) == first.Version(op)
			if same != (after < time.Minute) {
				t.Errorf("%s, %v later: the same version: %v", op.Name, after, same)
			}
			answer, err := call[interface{ Size() int64 }](t, op, r, "days", "1")
			if err != nil {
				t.Fatal(err)
			}
			if there := answer.Size() > 300; there != same {
				t.Errorf("%s, %v later: the measure is there: %v", op.Name, after, there)
			}
		}
	}
}
