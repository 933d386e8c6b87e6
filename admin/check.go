package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"relais/access"
	"relais/folder"
	"relais/measure"
	"relais/photos"
	"relais/store"
)

// A File is what a check found of one file of the folder.
type File struct {
	Path    string `json:"path"` // below the folder
	Bytes   int64  `json:"bytes"`
	Kind    string `json:"kind"`              // store, key, counts, socket; others have their own
	Detail  string `json:"detail"`            // what it holds
	Problem string `json:"problem,omitempty"` // what is wrong with it and what to do
}

// CheckStores reads the stores and every record in them; the answer is a list of
// File.
type CheckStores struct{}

func (CheckStores) run(_ context.Context, s *Stores) (any, error) {
	files, _, err := s.check()
	if err != nil {
		return nil, err
	}
	m, err := s.Measures()
	if err != nil {
		return append(files, noMeasures(err)), nil
	}
	return append(files, measureFiles(m.Check())...), nil
}

// check checks the databases that are there. held says that another process has one
// of them.
func (s *Stores) check() (files []File, held bool, err error) {
	all, err := databasesOf(s.Dir)
	if err != nil {
		return nil, false, err
	}
	files = []File{}
	for _, d := range all {
		db, err := s.database(d)
		if db == nil && err == nil {
			continue
		}
		held = held || errors.Is(err, store.ErrHeld)
		files = append(files, d.check(s, db, err))
	}
	return files, held, nil
}

// Check reads the stores and what belongs to them, with the help of the server when
// one runs. It changes nothing, and what is missing is not missed. Errors: those of
// asking the server.
func Check(ctx context.Context, dir folder.Dir) (files []File, err error) {
	if files, err = checkStores(ctx, dir); err != nil {
		return nil, err
	}
	for _, l := range loose {
		if f, there := l.check(dir); there {
			files = append(files, f)
		}
	}
	return files, nil
}

// checkStores has the server check the stores, or does it where none runs. A server
// that begins has the stores open before it can be reached, and is asked again.
func checkStores(ctx context.Context, dir folder.Dir) (files []File, err error) {
	for again := true; ; again = false {
		text, err := call(ctx, dir, CheckStores{})
		var unreachable *net.OpError
		if errors.As(err, &unreachable) {
			files, held, err := checkClosed(dir)
			if held && again {
				continue
			}
			return files, err
		}
		if err != nil {
			return nil, err
		}
		err = json.Unmarshal(text, &files)
		return files, err
	}
}

// loose are the files beside the databases. Their checks answer what the file holds.
var loose = []looseFile{{sealFile, "key", checkKey}, {quotaFile, "counts", checkCounts}, {socketFile, "socket", checkSocket}}

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
	if err != nil {
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

// private fails when others than the owner may use a file.
func private(info os.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("others may use it (mode %04o): chmod 600 %s", mode, info.Name())
	}
	return nil
}

func checkCounts(path string, _ os.FileInfo) (string, error) {
	n, err := access.CheckCounts(path)
	if err != nil {
		return "", fmt.Errorf("%w: the next start puts it aside and the day's counts begin anew", err)
	}
	return Number(n, "count"), nil
}

// Number writes a number of things: "1 client", "69,801 sites".
func Number(n int, thing string) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	if n != 1 {
		thing += "s"
	}
	return text + " " + thing
}

// checkClosed checks the stores where no server has them open. held says that one
// has, after the second that store waits.
func checkClosed(dir folder.Dir) (files []File, held bool, err error) {
	s := &Stores{Dir: dir, open: map[string]*store.DB{}}
	for _, d := range databases {
		if err := s.openDatabase(d, true); err != nil {
			held = held || errors.Is(err, store.ErrHeld)
			files = append(files, d.check(s, nil, err))
		}
	}
	s.Photos = photos.Open(s.open[photosFile], dir, time.Now)
	checked, heldToo, err := s.check()
	s.closeDatabases() // they were only read
	list, unreadable := measure.Check(dir)
	checked = append(checked, measureFiles(list)...)
	if unreadable != nil {
		checked = append(checked, noMeasures(unreadable))
	}
	return append(files, checked...), held || heldToo, err
}

// check reads every page of a store, and then every record. err says why the store
// could not be opened.
func (d database) check(s *Stores, db *store.DB, err error) File {
	f := File{Path: d.file, Kind: "store"}
	if info, err := os.Stat(s.path(d.file)); err == nil {
		f.Bytes = info.Size()
	}
	if err == nil {
		err = db.Check()
	}
	if err == nil {
		f.Detail, err = d.holds(s, db)
	}
	if err != nil {
		f.Problem = oneLine(err)
	}
	return f
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
