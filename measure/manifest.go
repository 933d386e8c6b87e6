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

// Dir is the folder of the segments, below the data folder. ManifestName is a file in it that older
// versions used instead of DatabaseName. It stays, and states a version that older programs refuse:
// without it, they would see no segments and remove every file.
const (
	Dir          = "measures"
	ManifestName = "manifest.json"
)

// Versions of the manifest: one lists the segments, the other refers to the database.
const (
	manifestOfRows     = 1
	manifestOfDatabase = 2
)

// ErrNewer is wrapped by errors about data of a later version of this program.
var ErrNewer = errors.New("written by a newer relais: use that version, or a later one")

// A manifest is the content of ManifestName. Its Version is 0 if the file is missing.
type manifest struct {
	Version  int           `json:"version"`
	Note     string        `json:"note,omitempty"`
	Segments []SegmentInfo `json:"segments,omitempty"`
}

// manifestBytes bounds the size of a manifest: it is enough for some million imports.
const manifestBytes = 256 << 20

// segmentName matches the names of segment files: a number in a folder of older versions, else
// random.
var segmentName = regexp.MustCompile(`^(?:[0-9]{8}|[0-9a-f]{16})\.seg$`)

// hasNumber reports whether an older version named the segment.
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

// segmentFiles lists the files with names of segments.
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
