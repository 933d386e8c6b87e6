package update

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"

	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// A record is the remembered state of a file.
type record struct {
	Good *version `json:"good,omitempty"` // the version that was ingested last
	// Refused is an unusable version, with the reason and the version of relais that
	// refused it: another version may accept it.
	Refused *version `json:"refused,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	By      string   `json:"by,omitempty"`
	Limit   int64    `json:"limit,omitempty"` // bytes, if the file was larger than that
	// Read is when the feed with the version Good was read, in RFC 3339.
	Read string `json:"read,omitempty"`
}

// A state is the remembered state of one source. It is stored with the kept sources, so
// that a backup contains both.
type state struct {
	Files map[string]record `json:"files"` // by their names in the table
	// Snapshots are the SHA-256 of the snapshots after the last run, if the program By
	// could read them.
	Snapshots map[market.Code]string `json:"snapshots,omitempty"`
	By        string                 `json:"by,omitempty"`
}

// readState reads a state. An unreadable state is forgotten: the files are then
// downloaded once more.
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

// set stores the record of a file, or deletes it if it is empty.
func (s state) set(name string, r record) {
	if r == (record{}) {
		delete(s.Files, name)
	} else {
		s.Files[name] = r
	}
}

// write writes the state if it changed.
func (s state) write(path string, was state) error {
	if reflect.DeepEqual(s, was) {
		return nil
	}
	return folder.ReplaceJSON(path, s)
}

// forgetStale compares the snapshots with those after the last run. If they differ it
// forgets the good versions, which are not those of the present snapshots; found says why.
func (s *state) forgetStale(dir folder.Dir, src *ingest.Source, program string) (found []string) {
	was, by, same := *s, reader(program), len(s.Snapshots) > 0
	s.Snapshots, s.By = map[market.Code]string{}, ""
	for _, code := range src.Markets {
		path, had := dir.Snapshot(string(code)), was.Snapshots[code]
		sum, err := fileSHA256(path)
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
				fmt.Sprintf("%s: its snapshot, of %s, is not the one of the last update", code, date))
		}
		s.Snapshots[code], s.By = sum, by
	}
	if !same {
		s.forgetGood()
	}
	return found
}

// forgetGood forgets the good versions.
func (s *state) forgetGood() {
	for name, r := range s.Files {
		r.Good = nil
		s.set(name, r)
	}
}

// reader identifies a program by what it can read.
func reader(program string) string {
	return fmt.Sprintf("%s, format %d", program, snapshot.Version)
}

// noteSnapshots remembers the snapshots that an ingest made.
func (s *state) noteSnapshots(dir folder.Dir, src *ingest.Source, program string) error {
	for _, code := range src.Markets {
		sum, err := fileSHA256(dir.Snapshot(string(code)))
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
