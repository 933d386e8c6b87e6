package update

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"

	"relais/folder"
	"relais/ingest"
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
}

// state is what is remembered of the files of one source, by their names. It lies
// with the sources that were kept of them, so that it goes where they go.
type state map[string]record

func statePath(dir folder.Dir, src *ingest.Source) string {
	return filepath.Join(dir.Sources(string(src.Markets[0])), folder.UpdateName)
}

// readState reads what is remembered. What cannot be read is forgotten: the files
// then come once more.
func readState(path string) state {
	s := state{}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &s) != nil || s == nil {
		return state{}
	}
	return s
}

// write writes the state, unless it is as it was.
func (s state) write(path string, was state) error {
	if maps.EqualFunc(s, was, func(a, b record) bool { return reflect.DeepEqual(a, b) }) {
		return nil
	}
	return folder.Replace(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	})
}

// served tells whether the folder has, of a source, what the last update made of
// it: else what is remembered as good says nothing.
func served(dir folder.Dir, src *ingest.Source) bool {
	some := false
	for _, code := range src.Markets {
		path := dir.Snapshot(string(code))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if _, err := snapshot.ReadFile(path, code); err != nil {
			return false
		}
		some = true
	}
	return some
}
