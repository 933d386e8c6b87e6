package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"relais/internal/errtest"
)

// phrases are left out of comments and texts, each with what to write instead.
var phrases = []struct {
	name    string
	phrase  *regexp.Regexp
	instead string
}{
	{"tells whether", regexp.MustCompile(`\b[Tt]ells? whether\b`), "reports whether"},
	{"is no form", regexp.MustCompile(`\b(?:is|are) no [A-Za-z]`), "is not a form, has no form"},
	{"is none", regexp.MustCompile(`\b(?:is|are) none\b`), "is not one, does not exist"},
	{"anew", regexp.MustCompile(`\b[Aa]new\b`), "again"},
	{"whoever", regexp.MustCompile(`\b[Ww]hoever\b`), "the caller, who"},
	{"but for", regexp.MustCompile(`\b[Bb]ut for\b`), "except"},
	{"of which", regexp.MustCompile(`\bof which\b`), "whose, a second sentence"},
	{"besides", regexp.MustCompile(`\b[Bb]esides\b`), "in addition to, except"},
	{"all the same", regexp.MustCompile(`\ball the same\b`), "even so, still"},
	{"whom", regexp.MustCompile(`\b[Ww]hom\b`), "that, which"},
	{"beside", regexp.MustCompile(`\b[Bb]eside\b`), "next to, in addition to, while"},
}

// there is plain English before "is no".
var there = regexp.MustCompile(`\b[Tt]here (?:is|are) no\b`)

// maxColumns is the width of a line whose tabs are four columns wide. A line may be longer where
// one text of more than longText columns is the reason.
const maxColumns, longText = 140, 60

// Comments and texts are in plain English, and lines fit on a screen.
func TestProse(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == "build" || d.Name() == "testdata" || len(path) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		help := path == filepath.Join("cli", "help.txt")
		if filepath.Ext(path) != ".go" && !help || path == "prose_test.go" {
			return nil
		}
		files++
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if help {
			src = []byte("/*" + string(src) + "*/")
		}
		for _, problem := range proseProblems(src) {
			t.Errorf("%s:%s", path, problem)
		}
		return nil
	})
	errtest.Must(t, err)
	if files < 100 {
		t.Errorf("got %d Go files: the walk finds too few", files)
	}
}

// proseProblems returns the problems of a Go file, each with its line.
func proseProblems(src []byte) (problems []string) {
	longest := map[int]int{} // by line, the columns of its longest text
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	var tokens scanner.Scanner
	tokens.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, kind, text := tokens.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.COMMENT && kind != token.STRING {
			continue
		}
		first := file.Line(pos)
		for i, line := range strings.Split(text, "\n") {
			longest[first+i] = max(longest[first+i], utf8.RuneCountInString(line))
			plain := there.ReplaceAllString(line, "")
			for _, p := range phrases {
				if p.phrase.MatchString(plain) {
					problems = append(problems, fmt.Sprintf("%d: %q is hard to read: write %q", first+i, p.name, p.instead))
				}
			}
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if columns > maxColumns && longest[i+1] <= longText {
			problems = append(problems, fmt.Sprintf("%d: %d columns, want at most %d", i+1, columns, maxColumns))
		}
	}
	return problems
}

func TestProseProblems(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      int
	}{
		{"plain", "// F reports whether there is no file.\nfunc F() bool", 0},
		{"comment", "// F tells whether a text is no form.", 2},
		{"text", `var s = "a file is none"`, 1},
		{"identifier", "var beside = anew", 0},
		{"long code", "var a = []int{" + strings.Repeat("1, ", 50) + "}", 1},
		{"long text", `var a = "` + strings.Repeat("a ", 80) + `"`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := proseProblems([]byte("package p\n" + tt.src)); len(got) != tt.want {
				t.Errorf("got %q, want %d problems", got, tt.want)
			}
		})
	}
}
