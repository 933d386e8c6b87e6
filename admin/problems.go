package admin

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"relais/photos"
)

// watchEvery is how often the stores report their state. DB.Problem tries again, so that a store recovers also if no
// request needs it.
const watchEvery = time.Second

// problems returns why stores that are in use cannot be read or written at the moment, by
// file.
func (f *Folder) problems() map[string]error {
	problems := map[string]error{}
	for file, db := range f.opened() {
		if err := db.Problem(); err != nil {
			problems[file] = err
		}
	}
	for month, err := range f.months.Problems() {
		problems[photos.FileOf(month)] = err
	}
	return problems
}

// watch returns a function that logs each problem of a store once, and when it ended.
func (f *Folder) watch(log *slog.Logger) func() error {
	known := map[string]string{}
	return func() error {
		problems := f.problems()
		for file, err := range problems {
			if text := err.Error(); text != known[file] {
				log.Error("reading or writing a store failed: it is tried again", "file", file, "error", text)
				known[file] = text
			}
		}
		for file := range known {
			if problems[file] == nil {
				log.Info("store recovered", "file", file)
				delete(known, file)
			}
		}
		return nil
	}
}

// troubles returns the problems of the stores as texts.
func (f *Folder) troubles() (list []string) {
	problems := f.problems()
	for _, file := range slices.Sorted(maps.Keys(problems)) {
		list = append(list, fmt.Sprintf("%s: %v", file, problems[file]))
	}
	return list
}
