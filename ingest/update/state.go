package update

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

// A version identifies one state of a file.
type version struct {
	Asked        string `json:"asked"` // see asked
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
	SHA256       string `json:"sha256,omitempty"`
	Rank         string `json:"rank,omitempty"` // see remote; of a query service or a walk, what is asked
	// Gathered is when the last of the many answers that the file is made from came; zero if items lack a page.
	Gathered time.Time `json:"gathered,omitzero"`
}

// asked identifies what is asked for: the address, which may be secret, the catalogue's
// checksum and the size limit. A version says nothing about another request.
func asked(r remote, limit int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s %s\n%d\n%s", r.URL, r.Sum.Type, r.Sum.Value, limit, r.Rank))
	return hex.EncodeToString(sum[:])
}

// conditions returns the header that asks for the file unless it is this version.
func (v version) conditions() http.Header {
	switch {
	case v.ETag != "":
		return http.Header{"If-None-Match": {v.ETag}}
	case v.LastModified != "":
		return http.Header{"If-Modified-Since": {v.LastModified}}
	}
	return http.Header{}
}

// isOlder reports whether an answer 304 is about an older file, which is not modified since
// the version's date either.
func (v version) isOlder(got version) bool {
	return v.ETag == "" && (got.ETag != "" || got.LastModified != "" && got.LastModified != v.LastModified)
}

// gatheredAfter reports whether the file was made from many answers after a moment.
func (v version) gatheredAfter(moment time.Time) bool { return v.Gathered.After(moment) }

// is reports whether the versions are the same bytes.
func (v version) is(w version) bool { return v == w || v.SHA256 != "" && v.SHA256 == w.SHA256 }

// A record is the remembered state of a file.
type record struct {
	Good    version `json:"good,omitzero"` // was ingested last
	Refused version `json:"refused,omitzero"`
	Reason  string  `json:"reason,omitempty"` // of the refusal
	// Read is when the good feed was read, in RFC 3339, or the ids of the campaigns that the good file has.
	Read string `json:"read,omitempty"`
}

// known returns the version that was seen last of what is asked for, zero without one.
func (r record) known(asked string) version {
	for _, v := range []version{r.Refused, r.Good} {
		if v.Asked == asked {
			return v
		}
	}
	return version{}
}

// refusal returns the error of a file that was refused before.
func (r record) refusal() error {
	return errors.New(truncate(r.Reason, maxError-100) +
		" (refused before, and the file has not changed since; --force tries again)")
}

// checkRank returns an error for a catalogue whose newest file is older than the one that was read: it lacks that file.
func (r record) checkRank(f *File, at remote) error {
	if f.gathered() || at.Rank >= r.Good.Rank {
		return nil
	}
	u, _ := parseAddress(f.URL) // the table was checked
	return fmt.Errorf("the newest file of %s is %.50q, older than %.50q, which was read; --force reads it", redacted(u),
		at.Rank, r.Good.Rank)
}

// A state is the remembered state of one source. It is stored with the kept sources, so
// that a backup contains both.
type state struct {
	Files     map[string]record      `json:"files"`               // by their names in the table
	Snapshots map[market.Code]string `json:"snapshots,omitempty"` // SHA-256 after the last run
	By        string                 `json:"by"`                  // version of relais
	was       []byte                 // as it was read
	upgraded  bool                   // another version of relais wrote it
}

// readState reads a state. An unreadable state is forgotten: the files are then downloaded
// once more. Another version of relais may accept what was refused.
func readState(path, program string) state {
	var s state
	if folder.ReadJSON(path, &s) != nil {
		s = state{}
	}
	s.was, _ = json.Marshal(s) // it was decoded from JSON
	s.upgraded = s.By != program
	s.By = program
	if s.Files == nil {
		s.Files = map[string]record{}
	}
	if s.upgraded {
		for name, r := range s.Files {
			s.Files[name] = record{Good: r.Good, Read: r.Read}
		}
	}
	return s
}

// set stores the record of a file, or deletes it if it is empty.
func (s *state) set(name string, r record) {
	if s.Files[name] = r; r == (record{}) {
		delete(s.Files, name)
	}
}

// refuse stores a version that cannot be used, if anything identifies it.
func (s *state) refuse(name string, v version, reason string) {
	r := s.Files[name]
	r.Refused, r.Reason = version{}, ""
	if v.SHA256 != "" || len(v.conditions()) > 0 {
		r.Refused, r.Reason = v, reason
	}
	s.set(name, r)
}

// write writes the state if it changed.
func (s *state) write(path string) error {
	if s.upgraded && len(s.Files) == 0 && len(s.Snapshots) == 0 {
		return nil
	}
	if text, err := json.Marshal(s); err != nil || bytes.Equal(text, s.was) {
		return err
	}
	return folder.ReplaceJSON(path, s)
}

// forgetStale compares the snapshots with those after the last run. If they differ, it
// forgets the files: what was ingested is lost, and what was refused may be accepted now.
// found says why.
func (s *state) forgetStale(dir folder.Dir, src *ingest.Source) (found []string) {
	last := s.Snapshots
	s.Snapshots = map[market.Code]string{}
	for _, code := range src.Markets {
		path, date := dir.Snapshot(string(code)), ""
		sum, err := fileSHA256(path)
		if err == nil && (sum != last[code] || s.upgraded) {
			var snap *snapshot.Snapshot
			if snap, err = snapshot.ReadFile(path, code); err == nil {
				date = snap.SourceDate
			}
		}
		switch missing := errors.Is(err, fs.ErrNotExist); {
		case missing && last[code] == "":
			continue
		case missing:
			found = append(found, fmt.Sprintf("%s: its snapshot is gone", code))
			continue
		case err != nil:
			found = append(found, fmt.Sprintf("%s: its snapshot cannot be used: %v", code, err))
			continue
		case sum != last[code] && len(last) > 0:
			found = append(found, fmt.Sprintf("%s: its snapshot, of %s, is not the one of the last update", code, date))
		}
		s.Snapshots[code] = sum
	}
	if len(found) > 0 || len(last) == 0 && len(s.Snapshots) > 0 {
		clear(s.Files)
	}
	return found
}

// noteSnapshots remembers the snapshots that an ingest made.
func (s *state) noteSnapshots(dir folder.Dir, src *ingest.Source) error {
	for _, code := range src.Markets {
		sum, err := fileSHA256(dir.Snapshot(string(code)))
		switch {
		case err == nil:
			s.Snapshots[code] = sum
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// fileSHA256 returns the SHA-256 of a file in hexadecimal.
func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
