package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"relais/internal/folder"
)

// Dir is the folder of the segments below the data folder. ManifestName is a file in it
// that said which of them count before DatabaseName did. It stays, and says a version that
// older programs refuse: they take a missing one for an empty one, and remove every
// segment that it does not name.
const (
	Dir          = "measures"
	ManifestName = "manifest.json"
)

// Versions of the manifest: the one that names the segments, and the one that only says
// that the database does.
const (
	manifestOfRows     = 1
	manifestOfDatabase = 2
)

// ErrNewer is wrapped by errors about what a later version of this program wrote.
var ErrNewer = errors.New("written by a newer relais: use that version, or a later one")

// A manifest is the content of ManifestName. Its Version is 0 if the file is missing.
type manifest struct {
	Version  int           `json:"version"`
	Note     string        `json:"note,omitempty"`
	Segments []SegmentInfo `json:"segments,omitempty"`
}

// manifestBytes is the most that is read of a manifest: some million imports.
const manifestBytes = 256 << 20

// segmentName is what files of segments are called: by their number in a manifest of rows,
// at random since.
var segmentName = regexp.MustCompile(`^(?:[0-9]{8}|[0-9a-f]{16})\.seg$`)

// hasNumber reports whether a segment has its name from a manifest of rows.
func hasNumber(name string) bool { return len(name) == len("00000001.seg") }

func readManifest(dir string) (m manifest, err error) {
	f, err := os.Open(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, manifestBytes+1))
	if err != nil {
		return m, err
	}
	if len(text) > manifestBytes {
		return m, manifestError(errDamaged, "over %d bytes", manifestBytes)
	}
	err = json.Unmarshal(text, &m)
	switch {
	case m.Version > manifestOfDatabase:
		return m, fmt.Errorf("%s/%s: %w (format %d, this program reads %d)", Dir, ManifestName, ErrNewer, m.Version,
			manifestOfDatabase)
	case err != nil:
		return m, manifestError(errDamaged, "%v", err)
	case m.Version < manifestOfRows:
		return m, manifestError(errDamaged, "it says no format")
	}
	for _, s := range m.Segments {
		if !segmentName.MatchString(s.File) {
			return m, manifestError(errDamaged, "a file called %q", s.File)
		}
	}
	return m, nil
}

func manifestError(kind error, format string, args ...any) error {
	return fmt.Errorf("%s/%s: %w: %s", Dir, ManifestName, kind, fmt.Sprintf(format, args...))
}

// replaceManifest writes the manifest that older programs refuse.
func replaceManifest(dir string) error {
	if err := folder.MakePrivateDir(dir); err != nil {
		return err
	}
	return folder.Replace(filepath.Join(dir, ManifestName), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(manifest{Version: manifestOfDatabase,
			Note: "Which files count is in ../" + DatabaseName + ". Keep this file: versions of relais that know no " +
				DatabaseName + " refuse the folder because of it, and would remove the measures without it."})
	})
}

// segmentFiles lists the files that are called as segments are.
func segmentFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if segmentName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}
