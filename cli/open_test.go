package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The system's own opener gets the address; without one the error says what to do.
func TestOpenBrowser(t *testing.T) {
	dir := t.TempDir()
	told := filepath.Join(dir, "told")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	script := "#!/bin/sh\necho \"$#\" \"$1\" >" + told + ".part && mv " + told + ".part " + told + "\n"
	must(t, os.WriteFile(filepath.Join(dir, opener[0]), []byte(script), 0o755))
	const address = "http://127.0.0.1:8080/"
	must(t, openBrowser(address))
	var text []byte
	for range 500 {
		if text, _ = os.ReadFile(told); text != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := strings.TrimSpace(string(text)); got != "1 "+address {
		t.Errorf("the opener got %q, want one argument, the address", got)
	}
	t.Setenv("PATH", t.TempDir())
	if err := openBrowser(address); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("without an opener: %v, want an error with the address", err)
	}
}
