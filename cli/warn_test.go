package cli

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWarnOfReaders(t *testing.T) {
	for _, tt := range []struct {
		name         string
		folder, file os.FileMode
		warned       bool
	}{
		{"its owner's", 0o755, 0o600, false},
		{"its group's", 0o755, 0o640, false},
		{"everybody's", 0o755, 0o644, true},
		{"in a folder of its owner's", 0o700, 0o644, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "secret.key")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for name, mode := range map[string]os.FileMode{path: tt.file, dir: tt.folder} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			var text bytes.Buffer
			warnOfReaders(slog.New(slog.NewTextHandler(&text, nil)), path, filepath.Join(dir, "missing"))
			if got := strings.Contains(text.String(), "chmod o= "+path); got != tt.warned {
				t.Errorf("warned: %t, want %t: %s", got, tt.warned, &text)
			}
		})
	}
}

func TestLogLevel(t *testing.T) {
	for _, tt := range []struct {
		level logLevel
		want  string
	}{{"debug", "DIWE"}, {"info", "IWE"}, {"", "IWE"}, {"warn", "WE"}, {"error", "E"}} {
		t.Run(string(tt.level), func(t *testing.T) {
			var text bytes.Buffer
			log := (&logFlags{LogLevel: tt.level, Log: "json"}).newLog(&text)
			log.Debug("D")
			log.Info("I")
			log.Warn("W")
			log.Error("E")
			got := ""
			for line := range strings.Lines(text.String()) {
				_, rest, _ := strings.Cut(line, `"msg":"`)
				got += rest[:1]
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
