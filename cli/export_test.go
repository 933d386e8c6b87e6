package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// A file has its name only when it is whole; what was there before stays until then.
func TestWriteWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	filetest.Write(t, path, "before")
	broken := errors.New("broken")
	if _, err := writeWhole(path, func(w io.Writer) (int64, error) {
		n, _ := io.WriteString(w, "half")
		return int64(n), broken
	}); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the writer", err)
	}
	if got := filetest.Read(t, path); string(got) != "before" {
		t.Errorf("after a failure the file is %q, want what it was", got)
	}
	if n, err := writeWhole(path, func(w io.Writer) (int64, error) {
		n, err := io.WriteString(w, "whole")
		return int64(n), err
	}); err != nil || n != 5 {
		t.Errorf("%d bytes, error %v, want 5", n, err)
	}
	if got := filetest.Read(t, path); string(got) != "whole" {
		t.Errorf("the file is %q, want whole", got)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files are left, want one", len(left))
	}
}

func TestWrongExport(t *testing.T) {
	for _, tt := range []struct {
		args, want string
		code       int
	}{
		{"--market FR --format xml", "must be one of", exitUsage},
		{"--market FR --format kmz --rows emissions", "rows", exitUsage},
		{"--market FR --format csv --bbox=1,2", "bbox", exitUsage},
		{"--market FR --format csv --json", "-o", exitUsage},
		{"--market FR --format csv", "run relais ingest", exitFailed},
		{"--format csv", "--market", exitUsage},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var out, err bytes.Buffer
			args := append([]string{"export", "--data", t.TempDir()}, strings.Fields(tt.args)...)
			if code := Main(context.Background(), args, Streams{Out: &out, Err: &err}); code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, &err)
			}
			if !strings.Contains(err.String(), tt.want) || out.Len() > 0 {
				t.Errorf("printed %q and %q, want an error about %q", &out, &err, tt.want)
			}
		})
	}
}
