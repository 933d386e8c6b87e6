package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"relais/demo"
	"relais/geo"
)

// The tools are asked in the middle of Paris, up to crowdReach metres around, where about
// crowdPoints coverage points are measured.
const (
	crowdPoints = 1_400_000
	crowdReach  = 5000
)

var crowdCenter = geo.Point{Lat: 48.8566, Lng: 2.3522}

// crowd adds to the folder of a country of national size what tools take longest over: the
// publication of the week before, and very many measures in one place.
func crowd(relais, data, work string) error {
	dir := filepath.Join(work, "crowd")
	defer os.RemoveAll(dir)
	if err := demo.Publications(dir, nationalSupports, 2, func(path string) error {
		if !strings.Contains(path, demo.Week(1)) {
			return nil // every ingest keeps the one that it reads
		}
		return add(relais, "archive", "add", "--data", data, path)
	}); err != nil {
		return err
	}
	const each = crowdPoints / measuredDays
	tests, coverage, err := demo.WriteMeasures(dir, nationalSupports, &geo.Disc{Center: crowdCenter, Radius: crowdReach}, time.Now(), measuredDays, each/pointsOfTest, each)
	if err != nil {
		return err
	}
	if err := add(relais, "speedtest", "import", "--data", data, "--market", "FR", tests); err != nil {
		return err
	}
	return add(relais, "coverage", "import", "--data", data, "--market", "FR", coverage)
}

// add runs a command that adds something to a data folder.
func add(relais string, args ...string) error {
	if out, err := exec.Command(relais, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("relais %s %s: %w: %s", args[0], args[1], err, out)
	}
	return nil
}
