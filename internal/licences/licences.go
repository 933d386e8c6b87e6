// Package licences knows what a program of this project is made of: the modules that it links, and
// what Go does not know about, such as C and WebAssembly. For each part it has the licence and its
// texts, and it writes a bill of materials.
//
// third-party.json.gz is made by go test ./internal/licences -update, from the module cache and the
// files of texts/.
package licences

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
)

//go:embed third-party.json.gz
var packed []byte

// A Part is something that a program contains.
type Part struct {
	Name    string
	Version string // "" if it is not known
	Licence string // an SPDX expression
	URL     string // a package URL, purl
	Use     string // how the program contains it
	Module  string `json:",omitempty"` // the module that brings it, "" for this one
	Texts   []int  // indexes of the table's texts
}

// A Table has the parts of programs and the texts of their licences.
type Table struct {
	Self    Part   // this project
	Go      Part   // the standard library
	Modules []Part // that any build links, by name
	Foreign []Part // that Go does not know
	Texts   []string
}

// Load reads the embedded table.
func Load() (*Table, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var t Table
	return &t, json.NewDecoder(r).Decode(&t)
}

// Of returns the parts of a program, except itself. libc is the version of the C library, or "". What a
// module brings is in the programs that link it. Of fails if the table does not have a module.
func (t *Table) Of(info *debug.BuildInfo, libc string) ([]Part, error) {
	std := t.Go
	std.Version = strings.TrimPrefix(info.GoVersion, "go")
	std.URL += "@" + std.Version
	parts := []Part{std}
	known, linked := map[string]Part{}, map[string]bool{"": true}
	for _, m := range t.Modules {
		known[m.Name] = m
	}
	for _, m := range info.Deps {
		linked[m.Path] = true
		p, ok := known[m.Path]
		if !ok {
			return nil, fmt.Errorf("no licence is known for the module %s", m.Path)
		}
		if m.Replace != nil {
			m = m.Replace
		}
		p.Version, p.URL = m.Version, "pkg:golang/"+p.Name
		if m.Version != "" { // a folder has none
			p.URL += "@" + m.Version
		}
		parts = append(parts, p)
	}
	for _, p := range t.Foreign {
		if !linked[p.Module] {
			continue
		}
		if p.Name == "glibc" && libc != "" {
			p.Version, p.URL = libc, p.URL+"@"+strings.ReplaceAll(libc, "+", "%2B")
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// WriteList writes a line for each part.
func WriteList(w io.Writer, parts []Part) error {
	for _, p := range parts {
		line := strings.TrimSpace(p.Name+" "+p.Version) + ": " + p.Licence
		if p.Use != "" {
			line += " (" + p.Use + ")"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// WriteTexts writes the texts of the parts' licences, each once.
func (t *Table) WriteTexts(w io.Writer, parts []Part) error {
	names := make([][]string, len(t.Texts))
	for _, p := range parts {
		for _, i := range p.Texts {
			names[i] = append(names[i], p.Name)
		}
	}
	rule := strings.Repeat("=", 80)
	for i, text := range t.Texts {
		if names[i] == nil {
			continue
		}
		_, err := fmt.Fprintf(w, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(names[i], "\n"), rule,
			strings.TrimRight(text, "\n"))
		if err != nil {
			return err
		}
	}
	return nil
}
