package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"relais/internal/folder"
)

// measureIngest measures ingests into new folders: the weekly file alone, and all files.
func (b *bench) measureIngest(ctx context.Context) error {
	for _, m := range []struct {
		what, folder string
		files        []string
		bare         float64
	}{
		{"weekly file alone", "weekly", []string{b.kit.weekly}, b.bare.weekly},
		{"all files", "data", b.kit.all, b.bare.all},
	} {
		err := b.inTurns([]figure{
			{what: m.what + ": snapshots published", unit: "s", bare: m.bare, note: "bare: read the files"},
			{what: m.what + ": done, with archive", unit: "s", bare: m.bare},
			{what: m.what + ": processor time", unit: "s"},
			{what: m.what + ": most memory", unit: "MB"},
		}, func(p *program) ([]float64, error) {
			published, c, err := p.ingest(ctx, p.folder(m.folder), m.files)
			return []float64{published, c.seconds, c.cpu, c.peakMB}, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measureWeeks measures adding the week before to the archives, and comparing the two.
func (b *bench) measureWeeks(ctx context.Context) error {
	from, to := dateOf(b.kit.earlier), dateOf(b.kit.weekly)
	return b.inTurns([]figure{
		{what: "a week added to the archive", unit: "s", bare: b.bare.weekly, note: "bare: read the file"},
		{what: "a week added: most memory", unit: "MB"},
		{what: "two dates compared", unit: "s", note: "relais archive diff, the whole command"},
	}, func(p *program) ([]float64, error) {
		data := p.folder("weeks")
		if err := copyTo(p.folder("weekly"), data); err != nil {
			return nil, err
		}
		add, err := p.run(ctx, "archive", "add", "--data", data, b.kit.earlier)
		if err != nil {
			return nil, err
		}
		diff, err := p.run(ctx, "archive", "diff", "--data", data, "--json", from, to)
		if err == nil && len(diff.out) < 1000 {
			err = fmt.Errorf("nothing differs between %s and %s: %s", from, to, diff.out)
		}
		return []float64{add.seconds, add.peakMB, diff.seconds}, err
	})
}

var dateInName = regexp.MustCompile(`\d{4}-\d\d-\d\d`)

// dateOf returns the date in the name of a weekly file.
func dateOf(path string) string { return dateInName.FindString(filepath.Base(path)) }

// snapshots returns the files of a data folder that a reload replaces.
func snapshots(data string) []string {
	dir := folder.Dir(data)
	return []string{dir.Snapshot("FR"), dir.Snapshot("DROM")}
}
