package update

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"

	"relais/folder"
	"relais/ingest"
	"relais/market"
	"relais/snapshot"
)

// A record is what is remembered of a file.
type record struct {
	Good *version `json:"good,omitempty"` // that was ingested last
	// Refused is a version that was not usable, with the reason and the program that
	// refused it: another may think better of it.
	Refused *version `json:"refused,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	By      string   `json:"by,omitempty"`
	Limit   int64    `json:"limit,omitempty"` // in bytes, where it was over that
	// Read is when the feed was read that Good was put in, in RFC 3339.
	Read string `json:"read,omitempty"`
}

// A state is what is remembered of one source. It lies with the sources that were
// kept, so that it goes where they go.
type state struct {
	Files map[string]record `json:"files"` // by their names in the table
	// Snapshots are the SHA-256 of what the last run left there, as far as the
	// program By could read it.
	Snapshots map[market.Code]string `json:"snapshots,omitempty"`
	By        string                 `json:"by,omitempty"`
}

// readState reads what is remembered. What cannot be read is forgotten: the files
// then come once more.
func readState(path string) state {
	var s state
	if folder.ReadJSON(path, &s) != nil {
		s = state{}
	}
	if s.Files == nil {
		s.Files = map[string]record{}
	}
	if s.Snapshots == nil {
		s.Snapshots = map[market.Code]string{}
	}
	return s
}

func (s state) clone() state {
	return state{maps.Clone(s.Files), maps.Clone(s.Snapshots), s.By}
}

// set remembers a record of a file, unless there is nothing in it.
func (s state) set(name string, r record) {
	if r == (record{}) {
		delete(s.Files, name)
	} else {
		s.Files[name] = r
	}
}

// write writes the state, unless it is as it was.
func (s state) write(path string, was state) error {
	if reflect.DeepEqual(s, was) {
		return nil
	}
	return folder.ReplaceJSON(path, s)
}

// look compares the snapshots with what the last run left there, and remembers
// them. What is remembered as good says nothing of others: it is forgotten, and
// found says why.
func (s *state) look(dir folder.Dir, src *ingest.Source, program string) (found []string) {
	was, by, same := *s, reader(program), len(s.Snapshots) > 0
	s.Snapshots, s.By = map[market.Code]string{}, ""
	for _, code := range src.Markets {
		path, had := dir.Snapshot(string(code)), was.Snapshots[code]
		sum, err := digest(path)
		if errors.Is(err, fs.ErrNotExist) {
			if had != "" {
				same, found = false, append(found, fmt.Sprintf("%s: its snapshot is gone", code))
			}
			continue
		}
		date := ""
		if err == nil && (sum != had || was.By != by) {
			var snap *snapshot.Snapshot
			if snap, err = snapshot.ReadFile(path, code); err == nil {
				date = snap.SourceDate
			}
		}
		switch {
		case err != nil:
			same, found = false, append(found, fmt.Sprintf("%s: its snapshot cannot be used: %v", code, err))
			continue
		case sum != had && len(was.Snapshots) > 0:
			same, found = false, append(found,
				fmt.Sprintf("%s: its snapshot, of %s, is another than the last update left", code, date))
		}
		s.Snapshots[code], s.By = sum, by
	}
	if !same {
		s.forget()
	}
	return found
}

// forget forgets what was good.
func (s *state) forget() {
	for name, r := range s.Files {
		r.Good = nil
		s.set(name, r)
	}
}

// reader names a program by what it can read.
func reader(program string) string {
	return fmt.Sprintf("%s, format %d", program, snapshot.Version)
}

// made remembers what an ingest made.
func (s *state) made(dir folder.Dir, src *ingest.Source, program string) error {
	for _, code := range src.Markets {
		sum, err := digest(dir.Snapshot(string(code)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		s.Snapshots[code], s.By = sum, reader(program)
	}
	return nil
}
