package update

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"relais/data"
	"relais/market"
)

// A Table lists the files to download.
type Table struct {
	Files []*File `json:"files"`
	own   bool    // the user's table: its hosts need not be public
}

// A File is one file of an authority, and how its address is found.
type File struct {
	Name   string      `json:"name"`   // unique; letters, digits, - and _
	Market market.Code `json:"market"` // any market of the source
	// Operator is the operator whose unavailable sites the file lists; "" for a file of
	// the authority.
	Operator string `json:"operator,omitempty"`
	Find     Find   `json:"find"`
	URL      string `json:"url"` // of the file itself, or of the catalogue
	// Match is a regular expression on the names of a catalogue's entries. If it has a
	// group, the newest entry is the one with the greatest text there; else the one that
	// changed last.
	Match   string `json:"match,omitempty"`
	Licence string `json:"licence"`
	MaxMB   int64  `json:"maxMB,omitempty"` // of the file; 0: defaultMaxMB, of an operator feedMaxMB
	Note    string `json:"note,omitempty"`
	match   *regexp.Regexp
}

// defaultMaxMB is the default size limit of a file, in units of 1,048,576 bytes: twice
// the largest published file.
const defaultMaxMB = 1024

// feedMaxMB is the same for files of unavailable sites: package outage reads no more.
const feedMaxMB = 32

// A Find is a way to find the address of a file.
type Find string

// The ways to find an address.
const (
	byURL     Find = "url"          // a fixed address
	byDataset Find = "data.gouv.fr" // a dataset of its API, with resources
	bySTAC    Find = "stac"         // a STAC item, or a page of items, with assets
)

// limit returns the largest allowed size in bytes.
func (f *File) limit() int64 {
	switch {
	case f.MaxMB != 0:
		return f.MaxMB << 20
	case f.Operator != "":
		return feedMaxMB << 20
	}
	return defaultMaxMB << 20
}

// tableFile is the built-in table, below the package data.
const tableFile = "update/sources.json"

// maxTable is the largest allowed size of a table.
const maxTable = 1 << 20

// Default returns the built-in table.
func Default() (*Table, error) {
	text, err := data.Files.ReadFile(tableFile)
	if err != nil {
		return nil, err
	}
	return parseTable(tableFile, text)
}

// ReadTable reads a user's table.
func ReadTable(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTable+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxTable {
		return nil, fmt.Errorf("%s: a table of sources of over %d bytes", path, maxTable)
	}
	t, err := parseTable(path, text)
	if err == nil {
		t.own = true
	}
	return t, err
}

// ownHosts returns the hosts that the user's own table names, in lower case.
func (t *Table) ownHosts() map[string]bool {
	named := map[string]bool{}
	for _, f := range t.Files {
		if u, err := parseAddress(f.URL); err == nil && t.own {
			named[strings.ToLower(u.Hostname())] = true
		}
	}
	return named
}

func parseTable(path string, text []byte) (*Table, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a mistyped member would be passed over silently
	var t Table
	err := d.Decode(&t)
	if err == nil && d.More() {
		err = errors.New("text after the table")
	}
	if err != nil {
		line := 1 + bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: %w", path, line, err)
	}
	if len(t.Files) == 0 {
		return nil, fmt.Errorf("%s: no files named", path)
	}
	seen, feeds := map[string]bool{}, map[string]bool{}
	for i, f := range t.Files {
		if f == nil {
			return nil, fmt.Errorf("%s: file %d is null", path, i+1)
		}
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("%s: file %d %q: %w", path, i+1, f.Name, err)
		}
		if seen[f.Name] {
			return nil, fmt.Errorf("%s: two files have the name %q", path, f.Name)
		}
		seen[f.Name] = true
		feed := string(f.Market) + " " + f.Operator
		if f.Operator != "" && feeds[feed] {
			return nil, fmt.Errorf("%s: two files of %s: give one file for each operator; it may be an archive",
				path, feed)
		}
		feeds[feed] = true
	}
	return &t, nil
}

var (
	fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) // it is the name of a folder
	maxMaxMB = int64(64 << 10)
)

func (f *File) check() (err error) {
	if !fileName.MatchString(f.Name) {
		return errors.New("the name is not made of letters, digits, - and _")
	}
	if f.Market == "" {
		return errors.New("no market")
	}
	if err := f.checkOperator(); err != nil {
		return err
	}
	if f.MaxMB < 0 || f.MaxMB > maxMaxMB {
		return fmt.Errorf("maxMB is not between 0 and %d", maxMaxMB)
	}
	if _, err := parseAddress(f.URL); err != nil {
		return err
	}
	switch f.Find {
	case byURL:
		if f.Match != "" {
			return errors.New("a file with a fixed url has nothing to match")
		}
		return nil
	case byDataset, bySTAC:
		if f.Match == "" {
			return errors.New("match is missing: it says which entry of the catalogue is wanted")
		}
		f.match, err = regexp.Compile(f.Match)
		return err
	}
	return fmt.Errorf("find %q: want %s, %s or %s", f.Find, byURL, byDataset, bySTAC)
}

// checkOperator checks the operator and sets its canonical key.
func (f *File) checkOperator() error {
	m := market.Get(f.Market)
	if f.Operator == "" {
		return nil
	}
	i, ok := m.Operator(f.Operator)
	switch {
	case m.FeedZone == "":
		return fmt.Errorf("the operators of %s publish no unavailable sites", f.Market)
	case !ok:
		return fmt.Errorf("the operator %.50q is unknown: want one of %s", f.Operator,
			strings.Join(m.OperatorKeys(), ", "))
	}
	f.Operator = m.Operators[i].Key
	return nil
}
