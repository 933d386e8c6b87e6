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
	"relais/internal/folder"
	"relais/market"
	"relais/outage"
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
	// For says what the file is for: "" for the register, or the operator's feed.
	For Use `json:"for,omitempty"`
	// With is the word by which a user asks for the file; "": it is always fetched.
	With string `json:"with,omitempty"`
	Place
	// Else is where the file is looked for when it cannot be found at its place.
	Else *Place `json:"else,omitempty"`
	// Optional means that the authority need not have such a file. Then nothing failed.
	Optional bool   `json:"optional,omitempty"`
	Licence  string `json:"licence"`
	About    string `json:"about,omitempty"` // its size and time, for people
	MaxMB    int64  `json:"maxMB,omitempty"` // of the file; 0: defaultMaxMB, of unavailable sites listMaxMB
	Note     string `json:"note,omitempty"`
}

// A Place says how the current address of a file is found.
type Place struct {
	Find Find   `json:"find"`
	URL  string `json:"url"` // of the file itself, of the catalogue, or of the service
	// Match is a regular expression on the names of a catalogue's entries. If it has a
	// group, the newest entry is the one with the greatest text there; else the one that
	// changed last. Of a walk, its group is the id of an item in the texts of the list.
	Match   string  `json:"match,omitempty"`
	Queries []Query `json:"queries,omitempty"` // of a query service
	Pages   []Page  `json:"pages,omitempty"`   // of each item of a walk
	match   *regexp.Regexp
}

// A Use is what a file of an authority is for.
type Use string

// The uses other than the register.
const (
	forMeasures Use = "measures"          // a campaign of measurements; the group of match is its name
	forDays     Use = "unavailable-sites" // of all operators, a file a day; the group of match is the day
	forCoverage Use = "coverage"          // official coverage maps; the group of match is the edition, with which names begin
)

// state returns the name of the file with the state of the group that the file is in.
func (f *File) state() string {
	switch {
	case f.Operator != "":
		return folder.FeedsName
	case f.For == forMeasures:
		return folder.MeasuresName
	case f.For == forDays:
		return folder.DaysName
	case f.For == forCoverage:
		return folder.MapsName
	}
	return folder.UpdateName
}

// defaultMaxMB is the default size limit of a file, in units of 1,048,576 bytes: twice
// the largest published file.
const defaultMaxMB = 1024

// listMaxMB is the most for files of unavailable sites: package outage reads no more.
const listMaxMB = outage.MaxFile >> 20

// A Find is a way to find the address of a file.
type Find string

// The ways to find an address.
const (
	byURL     Find = "url"          // a fixed address
	byDataset Find = "data.gouv.fr" // a dataset of its API, with resources
	bySTAC    Find = "stac"         // a STAC item, or a page of items, with assets
	byListing Find = "listing"      // a listing of a store (S3), or a page with links
	bySPARQL  Find = "sparql"       // a query service, page by page
	byWalk    Find = "walk"         // a list of items, then some pages for each item
)

// gathered reports whether a file is made from many answers.
func (p *Place) gathered() bool { return p.Find == bySPARQL || p.Find == byWalk }

// listsSites reports whether a file lists unavailable sites, of an operator or of all.
func (f *File) listsSites() bool { return f.Operator != "" || f.For == forDays }

// limit returns the largest allowed size in bytes.
func (f *File) limit() int64 {
	switch {
	case f.MaxMB != 0:
		return f.MaxMB << 20
	case f.listsSites():
		return listMaxMB << 20
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

// addresses returns all addresses of a file that the table has.
func (f *File) addresses() []string {
	all := []string{f.URL}
	for _, p := range f.Pages {
		all = append(all, p.URL)
	}
	if f.Else != nil {
		all = append(all, f.Else.URL)
	}
	return all
}

// ownHosts returns the hosts that the user's own table names, in lower case.
func (t *Table) ownHosts() map[string]bool {
	named := map[string]bool{}
	for _, f := range t.Files {
		for _, address := range f.addresses() {
			if u, err := parseAddress(address); err == nil && t.own {
				named[strings.ToLower(u.Hostname())] = true
			}
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
	if f.listsSites() && f.MaxMB > listMaxMB {
		return fmt.Errorf("maxMB is over %d: of unavailable sites, no more is read", listMaxMB)
	}
	if err := f.checkUse(); err != nil {
		return err
	}
	if err := f.Place.check(); err != nil {
		return err
	}
	if f.Else != nil {
		if err := f.Else.check(); err != nil {
			return fmt.Errorf("else: %w", err)
		}
		if f.Else.gathered() != f.gathered() || f.gathered() {
			return errors.New("else: a query service and a walk have no other place")
		}
	}
	return nil
}

// checkUse checks what the file is for, and the word by which it is asked for.
func (f *File) checkUse() error {
	switch {
	case f.With != "" && !fileName.MatchString(f.With):
		return errors.New("with is not made of letters, digits, - and _")
	case f.For == "":
		return nil
	case f.For != forMeasures && f.For != forDays && f.For != forCoverage:
		return fmt.Errorf("for %.50q: want %s, %s, %s, or nothing for a register", f.For, forMeasures, forDays, forCoverage)
	case f.For == forCoverage && f.Find != byListing && f.Find != byURL:
		return fmt.Errorf("for %s: want find %s or %s", forCoverage, byListing, byURL)
	case f.Operator != "":
		return errors.New("for: an operator's file is a feed")
	case f.For == forDays && (market.Get(f.Market) == nil || market.Get(f.Market).FeedZone == ""):
		return fmt.Errorf("the operators of %s publish no unavailable sites", f.Market)
	case f.For == forDays && f.Find != byListing && f.Find != byDataset:
		return fmt.Errorf("for %s: want find %s or %s", forDays, byListing, byDataset)
	}
	return nil
}

func (p *Place) check() (err error) {
	if _, err := parseAddress(p.URL); err != nil {
		return err
	}
	if p.match, err = regexp.Compile(p.Match); err != nil {
		return err
	}
	switch p.Find {
	case byURL:
		if p.Match != "" {
			return errors.New("a file with a fixed url has nothing to match")
		}
		return nil
	case byDataset, bySTAC, byListing:
		if p.Match == "" {
			return errors.New("match is missing: it says which entry of the catalogue is wanted")
		}
		return nil
	case bySPARQL:
		return p.checkQueries()
	case byWalk:
		return p.checkWalk()
	}
	return fmt.Errorf("find %q: want one of %s, %s, %s, %s, %s, %s", p.Find, byURL, byDataset, bySTAC, byListing, bySPARQL,
		byWalk)
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
