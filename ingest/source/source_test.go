package source

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"relais/ingest/table"
	"relais/internal/errtest"
	"relais/internal/filetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

var kinds = []*Kind{
	{Name: "birds", Columns: []table.Column{{Name: "bird", Required: true}, {Name: "wing"}, {Name: "nest"}}},
	{Name: "fish", Columns: []table.Column{{Name: "fish", Required: true}, {Name: "fin"}},
		Slot: func(r *table.Reader) string { return string(r.Field(1)) }},
	{Name: "numbers", Columns: []table.Column{{Name: "a"}, {Name: "b"}},
		Options: table.Options{NoHeader: true, Comma: ';'},
		Sniff:   func(r *table.Reader) bool { return r.Whole() && len(r.Field(0)) == 1 && r.Field(0)[0] <= '9' }},
}

func write(t *testing.T, dir, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	filetest.Write(t, path, text)
	return path
}

func TestExpandAndDetect(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	must(t, os.Mkdir(sub, 0o755))
	write(t, sub, "b.txt", []byte("wing;bird\n1;2\n"))
	write(t, sub, ".hidden", []byte("fish\n"))
	write(t, sub, "c.zip", filetest.Zip(t, "./in/f.csv", "fish,fin\n1,red\n", "in/", "", "other.txt", "hello",
		"SYNTHETIC_donn\x82es.txt", "x"))
	must(t, os.Mkdir(filepath.Join(sub, "below"), 0o755))
	// half of a kind's columns are too few in a folder
	write(t, filepath.Join(sub, "below"), "half.txt", []byte("fin;photo\n1;2\n"))
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	must(t, err)
	io.WriteString(z, "1;2\n3;4\n")
	z.Close()
	kept := write(t, dir, "SYNTHETIC_n.zst", packed.Bytes())
	inputs, err := Expand([]string{sub, kept})
	must(t, err)
	var got []string
	for _, in := range inputs {
		f, err := Detect(in, kinds)
		must(t, err)
		kind := "unknown"
		if f.Kind != nil {
			kind = f.Kind.Name + " " + f.Slot
		}
		rel, err := filepath.Rel(dir, in.Name())
		must(t, err)
		got = append(got, rel+" "+kind)
	}
	want := []string{"sub/b.txt birds ", "sub/below/half.txt unknown", "sub/c.zip:./in/f.csv fish red",
		"sub/c.zip:other.txt unknown", "sub/c.zip:SYNTHETIC_donn\x82es.txt unknown", "SYNTHETIC_n.zst numbers "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if inputs[0].Within != sub || inputs[2].Within != sub || inputs[5].Within != "" {
		t.Errorf(`within %q, %q, %q; want inputs[0].Within = %v, inputs[2].Within = %v, inputs[5].Within = ""`,
			inputs[0].Within, inputs[2].Within, inputs[5].Within, sub, sub)
	}
	if inputs[0].Synthetic() || inputs[3].Synthetic() || !inputs[4].Synthetic() || !inputs[5].Synthetic() {
		t.Error("synthetic is told by the beginning of the name")
	}
}

// The folder that a user names may be a link.
func TestExpandLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	write(t, filepath.Join(dir, "sub"), "b.txt", []byte("wing;bird\n1;2\n"))
	link := filepath.Join(dir, "link")
	if err := os.Symlink("sub", link); err != nil {
		t.Skip("no links here")
	}
	inputs, err := Expand([]string{link})
	must(t, err)
	if len(inputs) != 1 || inputs[0].Path != filepath.Join(link, "b.txt") || inputs[0].Within != link {
		t.Errorf("got %+v, want b.txt within %s", inputs, link)
	}
}

func TestExpandRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name    string
		members []string
	}{
		{"up.zip", []string{"../x", "1"}},
		{"abs.zip", []string{"/etc/x", "1"}},
		{"deep.zip", []string{"a/../../x", "1"}},
		{"win.zip", []string{`..\x`, "1"}},
		{"none.zip", nil},
		{"bomb.zip", []string{"x", strings.Repeat("0", 1<<20)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, dir, tt.name, filetest.Zip(t, tt.members...))
			if in, err := Expand([]string{path}); err == nil || !strings.Contains(err.Error(), tt.name) {
				t.Errorf("%s: in = %v, err = %v; want an error with %v", tt.name, in, err, tt.name)
			}
		})
	}
	var many []string
	for i := range maxMembers + 1 {
		many = append(many, strings.Repeat("x", i%50+1)+string(rune('a'+i%26))+strings.Repeat("y", i/50), "1")
	}
	if _, err := Expand([]string{write(t, dir, "many.zip", filetest.Zip(t, many...))}); err == nil {
		t.Error("an archive of very many files is taken")
	}
	for _, path := range []string{filepath.Join(dir, "gone"), "/dev/null"} {
		if _, err := Expand([]string{path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("path = %s, err = %v; want an error with %v", path, err, path)
		}
	}
}

// The account: rows that are not whole are rejected, and everything adds up.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	f, err := Detect(&Input{Path: write(t, dir, "b.csv", []byte("bird;wing;nest\na;1;x\nb\nc;2;y\nd;3;z\n"))}, kinds)
	must(t, err)
	read := 0
	r, err := f.Read(func(n int) error { read += n; return nil })
	must(t, err)
	defer r.Close()
	birds := ""
	for r.NextRow() {
		birds += string(r.Field(0))
		if string(r.Field(0)) == "c" {
			r.Reject("no such bird")
		}
	}
	report, err := r.Done()
	must(t, err)
	report.RejectMany(1, "twice")
	report.CountServed()
	if birds != "acd" || report.Rows != 4 || report.Served != 1 || report.Rejected["wrong number of columns"] != 1 ||
		report.Rejected["no such bird"] != 1 || read != 35 {
		t.Errorf(`%q, %+v, %d bytes; want birds = "acd", report.Rows = 4, report.Served = 1, `+
			`report.Rejected["wrong number of columns"] = 1, report.Rejected["no such bird"] = 1, read = 35`, birds,
			report, read)
	}
	if want := []Example{{3, "wrong number of columns"}, {4, "no such bird"}}; !slices.Equal(report.Examples, want) {
		t.Errorf("examples %v, want %v", report.Examples, want)
	}
}

// What a Watch says ends the reading, also when it is said in the middle.
func TestWatchStops(t *testing.T) {
	dir := t.TempDir()
	enough := errors.New("enough")
	f := Found{Input: &Input{Path: write(t, dir, "b.csv",
		[]byte("bird;wing;nest\n"+strings.Repeat("a;1;x\n", 500000)))}, Kind: kinds[0]}
	read := 0
	r, err := f.Read(func(n int) error {
		if read += n; read > 1<<20 {
			return enough
		}
		return nil
	})
	must(t, err)
	defer r.Close()
	for r.NextRow() {
	}
	if _, err := r.Done(); !errors.Is(err, enough) || r.Rows == 0 || r.Rows > 300000 {
		t.Errorf("%d rows, %v; want %v, r.Rows != 0, r.Rows <= 300000", r.Rows, err, enough)
	}
}

func TestReadAhead(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 200000)
	in := readAhead(io.NopCloser(strings.NewReader(text)))
	got, err := io.ReadAll(in)
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v; want no error, string(got) = %v", len(got), err, text)
	}
	if n, err := in.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d, %v; want n = 0, err = %v", n, err, io.EOF)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	in = readAhead(io.NopCloser(strings.NewReader(text)))
	if err := in.Close(); err != nil { // nobody has read anything
		t.Error(err)
	}
}
