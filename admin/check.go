package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"relais/access"
	"relais/folder"
	"relais/inventory"
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
	Note    string `json:"note,omitempty"`    // what is worth knowing; nothing is wrong
}

// A noteError is what is worth knowing of a file with which nothing is wrong.
type noteError string

func (e noteError) Error() string { return string(e) }

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
		return noMeasures(files, err), nil
	}
	return append(files, measureFiles(m.Check())...), nil
}

// check checks the databases that are there. held says that another process has one
// of them.
func (s *Stores) check() (files []File, held bool, err error) {
	files = []File{}
	all, err := databasesOf(s.Dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		files = append(files, File{Path: "photos", Kind: "store",
			Problem: "it is not a folder: move it away, and restore the folder from a backup where photos were sent"})
	case err != nil:
		return nil, false, err
	}
	noted := s.inventory()
	for _, file := range slices.Sorted(maps.Keys(noted.Stores)) {
		if photos.MonthOf(file) != "" && !(database{file: file}).in(s.Dir) {
			files = append(files, File{Path: file, Kind: "store",
				Problem: fmt.Sprintf("it is missing, and the folder had it: %v", errNotAsNoted)})
		}
	}
	for _, d := range all {
		db, err := s.database(d)
		switch {
		case err != nil || db == nil:
		case !d.in(s.Dir):
			err = errors.New("it was removed while the server has it open: make a backup now, which still copies it, and restore that")
		case d.month != "":
			err = older(noted, d.file, db.Commits())
		}
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
	files = append(files, missing(dir)...)
	for _, l := range loose {
		if f, there := l.check(dir); there {
			files = append(files, f)
		}
	}
	return files, nil
}

// missing are the files besides the stores that the folder had and has no more.
func missing(dir folder.Dir) (files []File) {
	noted, err := inventory.Read(dir)
	if err != nil {
		return nil // there is none, or the check of the stores says what it has
	}
	for _, name := range noted.Files {
		if _, err := os.Stat(filepath.Join(string(dir), name)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		what := "restore it from a backup: without it no signing secret can be opened"
		if name != sealFile {
			what = "relais ingest makes it again, from new files"
		}
		files = append(files, File{Path: name, Kind: "missing",
			Problem: "it is missing, and the folder had it: " + what + "; or accept that with relais check --accept"})
	}
	return files
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

// private fails when others than the owner may use a file.
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
	s := &Stores{Dir: dir, open: map[string]*store.DB{}, failed: map[string]error{}, noted: inventory.New()}
	noted, damaged := inventory.Read(dir)
	switch {
	case damaged == nil:
		s.noted, s.listed = noted, true
	case !errors.Is(damaged, fs.ErrNotExist):
		files = append(files, File{Path: inventory.Name, Kind: "inventory", Problem: oneLine(damaged)})
	}
	for _, there := range []bool{true, false} {
		for _, d := range databases {
			if d.in(dir) != there {
				continue
			}
			if err := s.openDatabase(d, true); err != nil {
				held = held || errors.Is(err, store.ErrHeld)
				s.failed[d.file] = err
			}
		}
	}
	s.Photos = photos.Open(s.open[PhotosFile], dir, time.Now)
	checked, heldToo, err := s.check()
	files = append(files, checked...)
	if s.failed[measure.DatabaseName] == nil {
		list, unreadable := measure.Check(dir, s.open[measure.DatabaseName])
		files = append(files, measureFiles(list)...)
		if unreadable != nil {
			files = noMeasures(files, unreadable)
		}
	}
	s.closeDatabases() // they were only read
	return files, held || heldToo, err
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
	if err == nil || errors.Is(err, store.ErrRecord) {
		var which error
		f.Detail, which = d.holds(s, db)
		err = cmp.Or(which, err) // the first names the records
	}
	if err != nil {
		f.Problem = oneLine(err)
		if d.advice != nil {
			f.Problem += d.advice(err)
		}
	}
	return f
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
