package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

func TestJSON(t *testing.T) {
	type address struct{ URL string }
	path := filepath.Join(t.TempDir(), "made", "x.json")
	if err := ReadJSON(path, new(address)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: error = %v, want fs.ErrNotExist", err)
	}
	must(t, ReplaceJSON(path, address{"http://x/?a=1&b=<2>"}))
	const want = "{\n  \"URL\": \"http://x/?a=1&b=<2>\"\n}\n"
	if text, err := os.ReadFile(path); err != nil || string(text) != want {
		t.Errorf("file = %q, %v; want %q", text, err, want)
	}
	var got address
	if err := ReadJSON(path, &got); err != nil || got.URL != "http://x/?a=1&b=<2>" {
		t.Errorf("ReadJSON = %+v, %v, want no error and URL = http://x/?a=1&b=<2>", got, err)
	}
	for _, tt := range []struct{ name, text string }{
		{"empty", ""},
		{"cut off", want[:20]},
		{"followed by more", want + "{}"},
		{"another kind", "[1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			filetest.Write(t, path, tt.text)
			if err := ReadJSON(path, &got); !errors.Is(err, ErrJSON) {
				t.Errorf("error = %v, want ErrJSON", err)
			}
		})
	}
	if err := os.Truncate(path, maxJSON+1); err != nil { // without a block on the disk
		t.Fatal(err)
	}
	if err := ReadJSON(path, &got); !errors.Is(err, ErrJSON) || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("too large: error = %v, want ErrJSON with the bytes", err)
	}
}
