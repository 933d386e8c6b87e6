package inventory

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"relais/internal/filetest"
	"relais/internal/folder"
)

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
	}{
		{"as it is written", `{"format":1,"clock":{},"stores":{"clients.db":{"commits":7}}}`, nil},
		{"empty", "", ErrDamaged},
		{"cut off", `{"format":1,"clo`, ErrDamaged},
		{"another object", `{}`, ErrDamaged},
		{"no stores", `{"format":1,"stores":null}`, ErrDamaged},
		{"of a newer version", `{"format":2,"stores":{}}`, ErrNewer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder.Dir(t.TempDir())
			filetest.Write(t, filepath.Join(string(dir), Name), tt.text)
			f, err := Read(dir)
			if !errors.Is(err, tt.want) || err == nil && (f.Stores["clients.db"].Commits != 7 || f.History != "") {
				t.Errorf("got %+v, %v, want 7 commits without a history, or %v", f, err, tt.want)
			}
		})
	}
	if _, err := Read(folder.Dir(t.TempDir())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read without a file: error = %v, want fs.ErrNotExist", err)
	}
}
