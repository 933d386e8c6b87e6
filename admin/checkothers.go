package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"relais/admin/inventory"
	"relais/auth/access"
	"relais/internal/folder"
	"relais/internal/system"
)

// checkOthers looks at the files next to the stores: those that the folder had and lost, the key, the counts
// and the socket.
func checkOthers(dir folder.Dir) (files []File) {
	known, _ := inventory.Read(dir) // checkClosed reports the error
	if known != nil {
		for _, name := range known.Files {
			if _, err := os.Stat(filepath.Join(string(dir), name)); errors.Is(err, fs.ErrNotExist) {
				files = append(files, missing(name))
			}
		}
	}
	for _, look := range []struct {
		file, kind string
		look       func(f *File, path string) error
	}{{sealFile, "key", lookAtKey}, {quotaFile, "counts", lookAtCounts}, {socketFile, "socket", lookAtSocket}} {
		path := filepath.Join(string(dir), look.file)
		info, err := os.Lstat(path)
		if err != nil {
			continue // it is missing, or nothing in the folder can be looked at
		}
		f := File{Path: look.file, Kind: look.kind, Bytes: info.Size()}
		err = look.look(&f, path)
		if err == nil && system.Mode(info)&0o077 != 0 && look.file != quotaFile {
			err = fmt.Errorf("others may use it (mode %04o): chmod 600 %s", system.Mode(info), look.file)
			f.remedy = fmt.Sprintf("chmod 600 '%s'", path)
		}
		if err != nil {
			f.Problem = oneLine(dir.OwnerAdvice(err))
		}
		files = append(files, f)
	}
	return files
}

// missing returns the finding about a file that the folder had.
func missing(name string) File {
	f := File{Path: name, Kind: "missing"}
	what := "relais ingest makes it again, from new files"
	if name == sealFile {
		what = "restore it from a backup: without it no signing secret can be opened"
		f.remedy = "restore it from a backup: relais restore BACKUP --data NEWDIR, and copy it from there"
	}
	f.Problem = "it is missing, and the folder had it: " + what + "; or accept that with relais check --accept"
	return f
}

func lookAtKey(f *File, path string) error {
	f.Detail, f.remedy = "seals signing secrets", "restore it from a backup"
	return access.OpenSealer(path).Err()
}

// lookAtSocket connects to the socket: a server that was killed leaves its file.
func lookAtSocket(f *File, path string) error {
	f.Detail = "a server runs"
	conn, err := dialPrivately(context.Background(), folder.Dir(filepath.Dir(path)))
	if err != nil {
		f.Detail = "left by a server that was killed"
		return nil
	}
	return conn.Close()
}

// lookAtCounts reads the counts of the day. The end of the file may be torn after a kill, which costs some counts and is
// not damage.
func lookAtCounts(f *File, path string) error {
	c, err := access.ReadCounts(path)
	if err != nil {
		return err
	}
	f.Detail = Number(c.Counts, "count")
	switch {
	case c.Bad > 0:
		return fmt.Errorf("the file of counts is damaged: %s of it cannot be read; the next start keeps "+
			"the rest and puts the damaged file aside", Number(int(c.Bad), "byte"))
	case c.Torn > 0:
		f.Note = Number(int(c.Torn), "byte") +
			" of it were being written when the power or the server went: the next start drops them"
	}
	return nil
}
