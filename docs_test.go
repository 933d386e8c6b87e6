package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"relais/internal/filetest"
)

// pages returns the pages that people read.
func pages(t *testing.T) []string {
	t.Helper()
	more, err := filepath.Glob("docs/*.md")
	if err != nil || len(more) == 0 {
		t.Fatalf("docs has %d pages, %v, want some", len(more), err)
	}
	return append([]string{"README.md", "LISEZMOI.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}, more...)
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(filetest.Read(t, path))
}

// prose returns a page without its code.
func prose(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") {
			b.WriteString(code.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}

var (
	code = regexp.MustCompile("`[^`\n]*`")
	link = regexp.MustCompile(`\]\(([^)\s]*)\)`)
)

// anchors returns the fragments that lead to the headings of a page, as GitHub makes them.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(strings.TrimLeft(line, "#")))
		all[anchor] = true
	}
	return all
}

// brokenLinks returns the relative links of a page that lead nowhere.
func brokenLinks(t *testing.T, page, text string) (broken []string, links int) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(prose(text), -1) {
		path, fragment, _ := strings.Cut(m[1], "#")
		if strings.Contains(path, ":") {
			continue
		}
		links++
		target, into := page, text
		if path != "" {
			target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			if _, err := os.Stat(target); err != nil {
				broken = append(broken, m[1])
				continue
			}
		}
		if fragment == "" {
			continue
		}
		if target != page {
			into = read(t, target)
		}
		if !anchors(into)[fragment] {
			broken = append(broken, m[1])
		}
	}
	return broken, links
}

func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		t.Run(page, func(t *testing.T) {
			broken, _ := brokenLinks(t, page, read(t, page))
			for _, l := range broken {
				t.Errorf("got no file or heading for %s, want one", l)
			}
		})
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	text := "# A page: two words\n[a](README.md) [b](missing.md) [c](#a-page-two-words) [d](#none)\n" +
		"[e](README.md#licence) [f](README.md#none) [g](https://example.org/x) `[h](code.md)`\n\n    [i](code.md)\n"
	broken, links := brokenLinks(t, "docs.md", text)
	if got, want := strings.Join(broken, " "), "missing.md #none README.md#none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if links != 6 {
		t.Errorf("got %d relative links, want 6", links)
	}
}

func TestPagesAreInREADME(t *testing.T) {
	readme := read(t, "README.md")
	for _, page := range pages(t)[1:] {
		if !strings.Contains(readme, "]("+filepath.ToSlash(page)+")") {
			t.Errorf("got no link to %s, want one", page)
		}
	}
}

func TestREADMEIsShort(t *testing.T) {
	if got := strings.Count(read(t, "README.md"), "\n"); got > 120 {
		t.Errorf("got %d lines, want at most 120", got)
	}
}

// Every block of a page that release/follow runs is there.
func TestFollowedBlocks(t *testing.T) {
	steps := regexp.MustCompile(`(?m)^\s*(?:follow|lines) (\S+) "(#+ [^"]+)"( \d)?`).FindAllStringSubmatch(
		read(t, "release/follow.inside"), -1)
	if len(steps) < 10 {
		t.Fatalf("release/follow.inside has %d steps, want ten or more", len(steps))
	}
	for _, step := range steps {
		page, heading := step[1], step[2]
		if page != "README.md" {
			page = filepath.Join("docs", page)
		}
		_, section, _ := strings.Cut(read(t, page), "\n"+heading+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		want := 1
		if step[3] == " 2" {
			want = 2
		}
		if n := len(regexp.MustCompile(`\n\n    \S`).FindAllString("\n"+section, -1)); n < want {
			t.Errorf("%s has %d blocks below %s, want %d", page, n, heading, want)
		}
	}
}

// The doors of a request in docs/architecture.md are functions of the files that it names, and at most twelve.
func TestDoorsOfARequest(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/architecture.md"), "\n## A request on one page\n")
	section, _, _ = strings.Cut(section, "\n## ")
	doors := regexp.MustCompile(`(?m)^\d+\. (.+?)\(\[([a-z/]+\.go)\]`).FindAllStringSubmatch(section, -1)
	lines := regexp.MustCompile(`(?m)^\d+\. `).FindAllString(section, -1)
	if len(doors) == 0 || len(doors) > 12 || len(doors) != len(lines) {
		t.Errorf("%d doors in %d lines, want 1 to 12, one a line", len(doors), len(lines))
	}
	for _, door := range doors {
		source := read(t, door[2])
		for _, name := range regexp.MustCompile("`([A-Za-z]+)\\.([A-Za-z]+)`").FindAllStringSubmatch(door[1], -1) {
			if !regexp.MustCompile(`\nfunc \(\w+ \*?` + name[1] + `\) ` + name[2] + `\(`).MatchString(source) {
				t.Errorf("%s has no method %s.%s", door[2], name[1], name[2])
			}
		}
	}
}
