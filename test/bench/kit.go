package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"relais/demo"
)

// nationalSupports is the number of supports of the register of 2026-08-27.
const nationalSupports = 72700

// A kit is the files of a country.
type kit struct {
	weekly, earlier string   // weekly files; earlier is of another date
	all             []string // of the last week
}

// findKit finds the files, or makes synthetic ones.
func (o *options) findKit() (kit, error) {
	if o.files != "" {
		return readKit(o.files)
	}
	dir := filepath.Join(o.work, "files")
	if k, err := readKit(dir); err == nil && len(k.all) == 5 {
		return k, nil
	}
	fmt.Fprintln(os.Stderr, "making a synthetic country of national size …")
	if err := again("-write", dir); err != nil {
		return kit{}, err
	}
	return readKit(dir)
}

// readKit finds the files in a folder. Weekly files have "observatoire" in their names, and sort by date.
func readKit(dir string) (kit, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return kit{}, err
	}
	var k kit
	var weekly []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.Contains(e.Name(), "observatoire") {
			weekly = append(weekly, path)
		} else if !e.IsDir() {
			k.all = append(k.all, path)
		}
	}
	if len(weekly) < 2 {
		return kit{}, fmt.Errorf("%s has %d weekly files (*observatoire*), want two or more", dir, len(weekly))
	}
	slices.Sort(weekly)
	k.weekly, k.earlier = weekly[len(weekly)-1], weekly[len(weekly)-2]
	k.all = slices.Insert(k.all, 0, k.weekly)
	return k, nil
}

// of returns the files with another weekly file.
func (k kit) of(weekly string) []string { return slices.Replace(slices.Clone(k.all), 0, 1, weekly) }

// writeCountry writes the files of a country of national size, and the weekly file of a week before.
func writeCountry(dir string) error {
	if err := demo.Publications(dir, nationalSupports, 2, func(string) error { return nil }); err != nil {
		return err
	}
	_, err := demo.Write(dir, nationalSupports)
	return err
}

// again runs this program with other arguments: a process inherits the peak memory of its
// parent, which must be small for the next measurement.
func again(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
