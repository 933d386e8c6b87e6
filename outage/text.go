package outage

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"relais/ingest/table"
	"relais/internal/fold"
	"relais/market"
)

// MaxFile is the most bytes of a file of unavailable sites.
const MaxFile = 32 << 20

// Further bounds of such a file. All are about a thousand times those of a national operator's file.
const (
	maxRows   = 50_000  // of all files of an import together
	maxCell   = 2000    // bytes
	maxCode   = 64      // bytes of a site code
	maxTitles = 100     // lines above the header
	maxHeader = 1 << 14 // bytes of one line
	minCells  = 5       // of a header
)

// A text is a file with a table: its bytes, and the content and position of its header.
type text struct {
	name   string
	data   []byte // UTF-8 with a line feed at its end; the lines above the header are empty
	comma  byte
	header []string // cells, folded
	// unended: the last line had no line feed.
	unended bool
}

func (t *text) fail(line int, format string, args ...any) error {
	return &table.Error{Name: t.name, Line: line, What: fmt.Sprintf(format, args...)}
}

// readText reads a whole file, which is small, and finds its header.
func readText(in io.Reader, name string) (*text, error) {
	t := &text{name: name}
	data, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > MaxFile {
		return nil, t.fail(1, "over %d MiB: this is not a file of unavailable sites", MaxFile>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, t.fail(1, "the file is empty")
	case bytes.IndexByte(data, 0) >= 0:
		return nil, t.fail(1, "this is not text: a spreadsheet must be saved as CSV, in UTF-8")
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("<?xml")): // a modern spreadsheet is an archive of such
		return nil, t.fail(1, "this is XML, not a table: a spreadsheet must be saved as CSV, in UTF-8")
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")):
		return nil, t.fail(1, "this is a web page, not a table")
	}
	if t.data = toUTF8(data); t.data[len(t.data)-1] != '\n' {
		t.data = append(t.data, '\n')
	}
	if err := t.findHeader(); err != nil {
		return nil, err
	}
	if t.unended = data[len(data)-1] != '\n'; t.unended {
		return t, t.whole()
	}
	return t, nil
}

// toUTF8 keeps what is UTF-8 and reads every other byte as Windows-1252: files are put
// together from both.
func toUTF8(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data)+len(data)/8)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			out = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(data[0]))
		} else {
			out = append(out, data[:n]...)
		}
		data = data[n:]
	}
	return out
}

// findHeader finds the line that names the site code, and empties those above it, so
// that lines keep their numbers.
func (t *text) findHeader() error {
	names := append([]string{columns[colCode].Name}, columns[colCode].Aliases...)
	rest := t.data
	for line := range maxTitles {
		first, after, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			break
		}
		if len(first) <= maxHeader {
			comma, cells := split(first)
			if len(cells) >= minCells &&
				slices.ContainsFunc(names, func(n string) bool { return slices.Contains(cells, fold.String(n)) }) {
				t.comma, t.header = comma, cells
				t.data = append(bytes.Repeat([]byte("\n"), line), rest...)
				return nil
			}
		}
		rest = after
	}
	return t.fail(1, "no header: none of the first %d lines names the column %s", maxTitles,
		strings.Join(names, " or "))
}

// split splits a line at the separator that it has most of, and folds its cells.
func split(line []byte) (comma byte, cells []string) {
	comma = ';'
	for _, c := range []byte(",\t|") {
		if bytes.Count(line, []byte{c}) > bytes.Count(line, []byte{comma}) {
			comma = c
		}
	}
	for cell := range bytes.SplitSeq(line, []byte{comma}) {
		cells = append(cells, fold.String(strings.Trim(string(cell), "\"#* \t\r")))
	}
	return comma, cells
}

// whole refuses a file whose last line has no line feed and is the beginning of a row:
// it was cut short, and what is missing would pass for sites that work.
func (t *text) whole() error {
	end := bytes.TrimSuffix(t.data, []byte("\n"))
	last := end[bytes.LastIndexByte(end, '\n')+1:]
	cells := bytes.Split(last, []byte{t.comma})
	if len(cells) < len(t.header) && isCode(string(bytes.Trim(cells[0], "\" \r"))) {
		return t.fail(1+bytes.Count(end, []byte("\n")), "the file ends in the middle of a row: it was cut short")
	}
	return nil
}

// isCode reports whether a cell may be the code of a site, such as 00000001R1, 10235,
// 01014_002_01 or T10008, and not a word of a footer.
func isCode(cell string) bool {
	return len(cell) <= 64 && strings.ContainsAny(cell, "0123456789") && !strings.ContainsFunc(cell, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' ||
			'a' <= r && r <= 'z')
	})
}

// managedColumn returns the name of the column that begins with managedPrefix, "" if it is
// missing. A column that names another operator of the market is an error: the file is that
// operator's.
func (t *text) managedColumn(m *market.Market, operator string) (string, error) {
	prefix := fold.String(managedPrefix)
	at := slices.IndexFunc(t.header, func(h string) bool { return strings.HasPrefix(h, prefix) })
	if at < 0 {
		return "", nil
	}
	who := strings.TrimSpace(strings.TrimPrefix(t.header[at], prefix))
	for _, o := range m.Operators {
		if o.Key != operator && (fold.Equal(o.Key, who) || fold.Equal(o.Label, who)) {
			return "", t.fail(1+bytes.Count(t.data[:len(t.data)-len(bytes.TrimLeft(t.data, "\n"))], []byte("\n")),
				"this is the file of %s, not of %s", o.Key, operator)
		}
	}
	return t.header[at], nil
}
