package licences

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
	"relais/internal/tier"
)

var update = flag.Bool("update", false, "write third-party.json.gz")

const top = "../.." // of the repository

// A linked module, with the folders of its packages that are linked.
type linked struct {
	path, version, dir string
	packages           []string
}

// systems are those that releases have programs for, as the Makefile builds them.
var systems = []struct{ os, arch, cgo string }{{"linux", "amd64", "1"}, {"linux", "arm64", "1"},
	{"windows", "amd64", "0"}, {"darwin", "arm64", "0"}, {"darwin", "amd64", "0"}}

// linkedModules returns the modules that go list names for the program on all systems.
func linkedModules(t *testing.T) []*linked {
	t.Helper()
	modules := map[string]*linked{}
	for _, s := range systems {
		c := exec.Command("go", "list", "-deps", "-tags=netgo,osusergo,nodynamic", "-json=Dir,Module", ".")
		c.Dir, c.Stderr = top, os.Stderr
		c.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED="+s.cgo, "GOOS="+s.os, "GOARCH="+s.arch)
		out, err := c.Output()
		must(t, err)
		for list := json.NewDecoder(bytes.NewReader(out)); list.More(); {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			must(t, list.Decode(&p))
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := modules[p.Module.Path]
			if m == nil {
				m = &linked{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir}
				modules[m.path] = m
			}
			m.packages = append(m.packages, p.Dir)
		}
	}
	var list []*linked
	for _, m := range modules {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *linked) int { return strings.Compare(a.path, b.path) })
	return list
}

var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents|copyright)([.-]|$)`)

// licenceFiles returns the files with the licences of a module: at its top, and in the folders of
// linked packages up to there.
func (m *linked) licenceFiles(t *testing.T) (files []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, dir := range append([]string{m.dir}, m.packages...) {
		for ; !seen[dir] && strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
			seen[dir] = true
			entries, err := os.ReadDir(dir)
			must(t, err)
			for _, e := range entries {
				if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
					files = append(files, filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	slices.Sort(files)
	return files
}

// marks are words of licences.
var marks = []struct {
	id    string
	words *regexp.Regexp
	not   *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License,? Version 2\.0`), nil},
	{"MPL-2.0", regexp.MustCompile(`Mozilla Public License,? [Vv]ersion 2\.0`), nil},
	{"MIT", regexp.MustCompile(`(?i)Permission is hereby granted, free of charge`), nil},
	{"ISC", regexp.MustCompile(`(?i)Permission to use, copy, modify, and(/or)? distribute`), nil},
	{"BSD-3-Clause", regexp.MustCompile(`Redistribution and use in source and binary[^$]*(Neither the name|be used to endorse)`), nil},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary`),
		regexp.MustCompile(`Neither the name|be used to endorse`)},
}

// identify returns the SPDX expression for texts.
func identify(texts []string) string {
	var ids []string
	for _, text := range texts {
		plain := strings.Join(strings.Fields(text), " ")
		for _, m := range marks {
			if m.words.MatchString(plain) && (m.not == nil || !m.not.MatchString(plain)) && !slices.Contains(ids, m.id) {
				ids = append(ids, m.id)
			}
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " AND ")
}

// wanted makes the table from the module cache.
func wanted(t *testing.T) *Table {
	t.Helper()
	var table Table
	index := map[string]int{}
	add := func(p Part, files []string) Part {
		var texts []string
		for _, f := range files {
			text := string(filetest.Read(t, f))
			texts = append(texts, text)
			if _, ok := index[text]; !ok {
				index[text] = len(table.Texts)
				table.Texts = append(table.Texts, text)
			}
			p.Texts = append(p.Texts, index[text])
		}
		if p.Licence == "" {
			p.Licence = identify(texts)
		}
		if p.Licence == "" || len(files) == 0 {
			t.Errorf("%s %s has no licence that is known", p.Name, p.Version)
		}
		return p
	}
	table.Self = add(Part{Name: "relais", Licence: "Apache-2.0"},
		[]string{filepath.Join(top, "NOTICE"), filepath.Join(top, "LICENSE")})
	root, err := exec.Command("go", "env", "GOROOT").Output()
	must(t, err)
	goroot := strings.TrimSpace(string(root))
	table.Go = add(Part{Name: "std", Licence: "BSD-3-Clause", URL: "pkg:golang/std", Use: "the standard library of Go"},
		[]string{filepath.Join(goroot, "LICENSE"), filepath.Join(goroot, "PATENTS")})
	dirs := map[string]string{}
	for _, m := range linkedModules(t) {
		dirs[m.path] = m.dir
		table.Modules = append(table.Modules, add(Part{Name: m.path, Version: m.version}, m.licenceFiles(t)))
	}
	for _, f := range foreign {
		var files []string
		for _, name := range f.files {
			if module, file, ok := strings.Cut(name, ":"); ok {
				name = filepath.Join(dirs[module], file)
			} else if strings.HasPrefix(name, "/") {
				name = filepath.Join(top, name)
			} else {
				name = filepath.Join("texts", name)
			}
			files = append(files, name)
		}
		table.Foreign = append(table.Foreign, add(f.Part, files))
	}
	return &table
}

// Every module that go list names has the licence of its files, and every other part that of its own.
func TestTable(t *testing.T) {
	tier.Slow(t)
	want := wanted(t)
	if *update {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		must(t, json.NewEncoder(w).Encode(want))
		must(t, w.Close())
		filetest.Write(t, "third-party.json.gz", b.Bytes())
		packed = b.Bytes()
	}
	got, err := Load()
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the embedded table is old: run go test ./internal/licences -update\n(-want +got)\n%.2000s", diff)
	}
}

// Texts are complete: none is only a reference to another file.
func TestTextsAreWhole(t *testing.T) {
	table, err := Load()
	must(t, err)
	all := strings.Join(table.Texts, "\n")
	for _, want := range []string{"GNU LESSER GENERAL PUBLIC LICENSE", "Version 3, 29 June 2007",
		"Version 2.1, February 1999", "GNU GENERAL PUBLIC LICENSE", "GCC RUNTIME LIBRARY EXCEPTION",
		"LLVM Exceptions to the Apache 2.0 License", "Mozilla Public License, version 2.0", "MapLibre contributors",
		"Made with Natural Earth", "https://www.geonames.org/", "Copyright (c) 2010, Google Inc.", "VideoLAN"} {
		if !strings.Contains(all, want) {
			t.Errorf("got no text with %q, want one", want)
		}
	}
	for i, text := range table.Texts {
		if len(text) < 30 {
			t.Errorf("text %d is %q, want a licence", i, text)
		}
	}
	var out bytes.Buffer
	must(t, table.WriteTexts(&out, append(table.Modules, table.Foreign...)))
	if n := strings.Count(out.String(), "Version 2.1, February 1999"); n != 1 {
		t.Errorf("a text is written %d times, want once", n)
	}
	if err := WriteList(io.Discard, table.Modules); err != nil {
		t.Error(err)
	}
}
