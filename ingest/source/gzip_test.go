package source

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"relais/internal/filetest"
)

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func contentOf(t *testing.T, in *Input) (string, error) {
	t.Helper()
	r, err := in.Open(nil)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// A gzip file is read like what is inside, whatever its name, and also in an archive.
func TestGzip(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("wing;bird\n1;2\n", 1000)
	whole := gzipped(t, text)
	for _, tt := range []struct {
		name  string
		bytes []byte
		want  string
		err   string
	}{
		{"birds.csv.gz", whole, text, ""},
		{"birds.csv", whole, text, ""},
		{"two.gz", append(gzipped(t, "a;"), gzipped(t, "b\n")...), "a;b\n", ""}, // as pigz and bgzip write
		{"cut.gz", whole[:len(whole)/2], "", "cut.gz: unexpected EOF"},
		{"damaged.gz", append(bytes.Clone(whole[:len(whole)-8]), 0, 0, 0, 0, 0, 0, 0, 0), "", "damaged.gz: gzip: invalid checksum"},
		{"no header.gz", []byte{0x1f, 0x8b, 0, 0}, "", "no header.gz: "},
		{"short", []byte{0x1f}, "\x1f", ""},
		{"bomb.gz", gzipped(t, strings.Repeat("\x00", 30<<20)), "", "bomb.gz unpacks to over 200 times its size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := contentOf(t, &Input{Path: write(t, dir, tt.name, tt.bytes)})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v after %d bytes, want %q", err, len(got), tt.err)
				}
				return
			}
			if got != tt.want || err != nil {
				t.Errorf("got %.20q of %d bytes, %v; want %d bytes", got, len(got), err, len(tt.want))
			}
		})
	}
	path := write(t, dir, "z.zip", filetest.Zip(t, "birds.csv.gz", string(whole)))
	if got, err := contentOf(t, &Input{Path: path, Member: "birds.csv.gz"}); got != text || err != nil {
		t.Errorf("in an archive: %d bytes, %v; want %d", len(got), err, len(text))
	}
}
