package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"relais/archive"
	"relais/demo"
	"relais/store"
)

// measureArchives adds weekly publications of so many supports one after the other, and
// rebuilds every date.
func measureArchives(work string, supports, weeks int) (err error) {
	dir := filepath.Join(work, "archives")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	path := filepath.Join(dir, "archives.db")
	db, err := store.Open(path, archive.Buckets...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s := archive.Open(db, time.Now)
	var first, later times
	rows, changed := 0, 0
	if err := demo.Publications(dir, supports, weeks, func(path string) error {
		t := &later
		if rows == 0 {
			t = &first
		}
		var r *archive.Report
		if err := t.add(func() (err error) {
			r, err = addWeek(s, path)
			return err
		}); err != nil {
			return err
		}
		if rows = r.File.Rows; r.Before != "" {
			for _, n := range r.Changes {
				changed += n
			}
		}
		return os.Remove(path)
	}); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("\n%-34s %d, %d rows in the last, %d changes a week\n", "ARCHIVES", weeks, rows, changed/max(1, weeks-1))
	fmt.Printf("%-34s %.1f MB\n", "on disk", mb(info.Size()))
	fmt.Printf("%-34s %s\n%-34s %s\n", "add the first", &first, "add another", &later)
	return rebuild(s)
}

func addWeek(s *archive.Store, path string) (*archive.Report, error) {
	files, err := archive.Files([]string{path})
	if err != nil {
		return nil, err
	}
	return s.Add(context.Background(), &files[0], archive.Options{})
}

// rebuild reads every date, what it changed, and the difference of dates.
func rebuild(s *archive.Store) error {
	dates, last, err := s.Dates()
	if err != nil {
		return err
	}
	for _, row := range []struct {
		name string
		of   func(date string) (*archive.View, error)
	}{
		{"rebuild a date", s.Whole},
		{"what a date changed", s.Changes},
		{"compare a date with the last", func(date string) (*archive.View, error) { return s.Compare(date, last) }},
	} {
		var t times
		for _, date := range dates {
			if err := t.add(func() error {
				v, err := row.of(date)
				if err != nil {
					return err
				}
				for _, err := range v.All() {
					if err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				return err
			}
		}
		fmt.Printf("%-34s %s\n", row.name, &t)
	}
	return nil
}
