//go:build linux

package e2e

import (
	"bufio"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"relais/demo"
	"relais/internal/filetest"
)

// issued is what relais client create --json prints.
type issued struct{ ID, APIKey, SigningSecret string }

// createClient makes a client in the folder, whether it is served or not.
func createClient(t *testing.T, dir string, flags ...string) (i issued) {
	t.Helper()
	command(t, &i, append([]string{"client", "create", "--data", dir}, flags...)...)
	return i
}

// manyRequests is a limit that no test reaches.
const manyRequests = 1_000_000_000

// unlimited are the flags of a client with it.
var unlimited = []string{"--minute", "1000000000", "--day", "1000000000"}

// ofBackend are the flags of a client of this machine.
func ofBackend(name, scopes string, flags ...string) []string {
	return slices.Concat([]string{"--name", name, "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", scopes},
		unlimited, flags)
}

// newApp makes a client that signs its requests.
func newApp(t *testing.T, dir string) issued {
	t.Helper()
	return createClient(t, dir, "--name", "app", "--mode", "mobile", "--scopes", "antennas:read")
}

// keys are the keys of the folders that letIn was given.
var keys sync.Map

// letIn gives a folder a client that may read everything; it makes the folder when it is
// missing.
func letIn(t *testing.T, dir string) {
	t.Helper()
	keys.Store(dir, createClient(t, dir, ofBackend("every test", "all-read")...).APIKey)
}

// newFolder makes a folder that has nothing but letIn's client.
func newFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	letIn(t, dir)
	return dir
}

// A country is a data folder with the files that it was made from.
type country struct {
	files    []string
	dir      string
	rows     []map[string]string // of the observatoire
	ingested ingestReport
}

// An ingestReport is a part of what relais ingest --json prints.
type ingestReport struct {
	Files []struct {
		Path, Kind   string
		Rows, Served int
		Rejected     map[string]int
	}
	Markets []struct{ Sites, Emissions int }
}

// makeCountry writes a synthetic country and ingests it with the binary.
func makeCountry(t *testing.T, supports int) country {
	t.Helper()
	c := country{dir: filepath.Join(t.TempDir(), "data")}
	var err error
	c.files, err = demo.Write(filepath.Join(t.TempDir(), "files"), supports)
	must(t, err)
	command(t, &c.ingested, append([]string{"ingest", "--data", c.dir, "fr,drom"}, c.files...)...)
	c.rows = readCSV(t, c.files[0])
	letIn(t, c.dir)
	return c
}

// weekly is the observatoire as it is published on another day.
func (c *country) weekly(t *testing.T, date string) string {
	t.Helper()
	return strings.ReplaceAll(string(filetest.Read(t, c.files[0])), ";2026-01-15T12:00:00;", ";"+date+"T12:00:00;")
}

// readCSV reads a table of France with the standard library.
func readCSV(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	return readSeparated(t, path, ';')
}

// readSeparated reads a table with the standard library.
func readSeparated(t *testing.T, path string, comma rune) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	in := bufio.NewReader(f)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		in.Discard(3)
	}
	r := csv.NewReader(in)
	r.Comma = comma
	all, err := r.ReadAll()
	must(t, err)
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		rows = append(rows, m)
	}
	return rows
}
