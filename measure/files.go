package measure

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// Dir is the folder of the segments, below the data folder.
const Dir = "measures"

// ErrNewer is wrapped by errors about data of a later version of this program.
var ErrNewer = errors.New("written by a newer relais: use that version, or a later one")

// segmentName matches the names of segment files.
var segmentName = regexp.MustCompile(`^[0-9a-f]+\.seg$`)

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

// files returns the paths, below the data folder, of the files of measurements except the
// database.
func files(rows []SegmentInfo) (paths []string) {
	for _, row := range rows {
		paths = append(paths, Dir+"/"+row.File)
	}
	return paths
}

// IsFile reports whether a path below the data folder can be one of a Hold's Files.
func IsFile(path string) bool {
	dir, name, _ := strings.Cut(path, "/")
	return dir == Dir && segmentName.MatchString(name)
}
