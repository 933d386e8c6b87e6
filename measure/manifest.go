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
	"strconv"
	"time"

	"relais/folder"
	"relais/market"
)

// Dir is the folder of the segments below the data folder, and ManifestName the file in
// it that says which of them count. Others are what a killed process left.
const (
	Dir          = "measures"
	ManifestName = "manifest.json"
)

// A Segment is the manifest's row on a file.
type Segment struct {
	File     string      `json:"file"`
	Market   market.Code `json:"market"`
	Kind     Kind        `json:"kind"`
	Rows     int         `json:"rows"`
	Bytes    int64       `json:"bytes"`
	Checksum string      `json:"checksum"` // xxHash64, hexadecimal
	Imported time.Time   `json:"imported"`
	Oldest   time.Time   `json:"oldest"` // measures; that of unknown age are as old as their import
	Newest   time.Time   `json:"newest"`
}

// A manifest is what ManifestName holds.
type manifest struct {
	Version  int       `json:"version"`
	Next     int       `json:"next"` // number of the next file: no name is used twice
	Segments []Segment `json:"segments"`
}

// maxManifest is the most bytes of a manifest: some ten thousand imports.
const maxManifest = 16 << 20

var segmentName = regexp.MustCompile(`^[0-9]{8}\.seg$`)

func readManifest(dir string) (m manifest, err error) {
	path := filepath.Join(dir, ManifestName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{Version: version, Next: 1}, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return m, err
	}
	if len(text) > maxManifest {
		return m, fmt.Errorf("%s/%s: %w: over %d bytes", Dir, ManifestName, ErrDamaged, maxManifest)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s/%s: %w: %v", Dir, ManifestName, ErrDamaged, err)
	}
	if m.Version != version || m.Next < 1 {
		return m, fmt.Errorf("%s/%s: %w: format %d, this program reads %d", Dir, ManifestName, ErrDamaged, m.Version, version)
	}
	for _, s := range m.Segments {
		if !segmentName.MatchString(s.File) {
			return m, fmt.Errorf("%s/%s: %w: a file called %q", Dir, ManifestName, ErrDamaged, s.File)
		}
	}
	return m, nil
}

func (m *manifest) write(dir string) error {
	return folder.Replace(filepath.Join(dir, ManifestName), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(m)
	})
}

// sweep removes the files of no row, which a killed process left.
func (m *manifest) sweep(dir string) error {
	if err := folder.SweepTemporary(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	counts := map[string]bool{}
	for _, s := range m.Segments {
		counts[s.File] = true
	}
	for _, e := range entries {
		if segmentName.MatchString(e.Name()) && !counts[e.Name()] {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// name takes the next name of a file.
func (m *manifest) name() string {
	n := m.Next
	m.Next++
	return fmt.Sprintf("%08d.seg", n)
}

func sumText(sum uint64) string { return strconv.FormatUint(sum, 16) }
