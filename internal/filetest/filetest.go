// Package filetest reads and writes the files of tests, which end where that fails.
package filetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Read returns the content of the file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Write writes the file for its owner alone.
func Write[T ~string | ~[]byte](t testing.TB, path string, text T) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// New writes a file of that name into a folder of the test.
func New[T ~string | ~[]byte](t testing.TB, name string, text T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	Write(t, path, text)
	return path
}
