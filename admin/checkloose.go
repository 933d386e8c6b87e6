package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"relais/auth/access"
	"relais/internal/folder"
)

// A noteError is worth knowing, but not a problem of its file.
type noteError string

func (e noteError) Error() string { return string(e) }

// loose are the files next to the databases. Their checks return what the file holds.
var loose = []looseFile{{sealFile, "key", checkKey}, {quotaFile, "counts", checkCounts},
	{socketFile, "socket", checkSocket}}

type looseFile struct {
	file, kind string
	holds      func(path string, info os.FileInfo) (string, error)
}

func (l looseFile) check(dir folder.Dir) (f File, there bool) {
	path := filepath.Join(string(dir), l.file)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false
	}
	f = File{Path: l.file, Kind: l.kind}
	if err == nil {
		f.Bytes = info.Size()
		f.Detail, err = l.holds(path, info)
	}
	if note, ok := errors.AsType[noteError](err); ok {
		f.Note = note.Error()
	} else if err != nil {
		f.Problem = oneLine(err)
	}
	return f, true
}

func checkKey(path string, info os.FileInfo) (string, error) {
	err := access.OpenSealer(path).Err()
	return "seals signing secrets", errors.Join(err, private(info))
}

func checkSocket(path string, info os.FileInfo) (string, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return "left by a server that was killed", private(info)
	}
	conn.Close()
	return "a server runs", private(info)
}

// private fails if others than the owner may use a file.
func private(info os.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("others may use it (mode %04o): chmod 600 %s", mode, info.Name())
	}
	return nil
}

func checkCounts(path string, _ os.FileInfo) (string, error) {
	c, err := access.ReadCounts(path)
	if err != nil {
		return "", err
	}
	counts := Number(c.Counts, "count")
	switch {
	case c.Bad > 0:
		return counts, fmt.Errorf("the file of counts is damaged: %s of it cannot be read; the next start keeps "+
			"the rest and puts the damaged file aside", Number(int(c.Bad), "byte"))
	case c.Torn > 0:
		return counts, noteError(Number(int(c.Torn), "byte") +
			" of it were being written when the power or the server went: the next start drops them")
	}
	return counts, nil
}
