package cli

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/admin"
	"relais/internal/filetest"
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
			must(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, "secret.key")
			filetest.Write(t, path, "")
			for name, mode := range map[string]os.FileMode{path: tt.file, dir: tt.folder} {
				must(t, os.Chmod(name, mode))
			}
			var text bytes.Buffer
			warnOfReaders(slog.New(slog.NewTextHandler(&text, nil)), path, filepath.Join(dir, "missing"))
			if got := strings.Contains(text.String(), "chmod o= "+path); got != tt.warned {
				t.Errorf("warned: %t, want %t: %s", got, tt.warned, &text)
			}
		})
	}
}

// What a system that cannot confine means for photos is decided and said alike.
func TestUnconfinedUploads(t *testing.T) {
	for _, tt := range []struct {
		name               string
		confined, accepted bool
		taken              bool
		said               string
	}{
		{"confined", true, false, true, ""},
		{"confined, and the flag", true, true, true, ""},
		{"neither", false, false, false, "are refused"},
		{"accepted", false, true, true, "can open files and sockets"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &app{serveCommand: &serveCommand{AcceptUnconfinedUploads: tt.accepted}, stores: new(admin.Stores)}
			if taken := a.uploads(tt.confined).Render != nil; taken != tt.taken {
				t.Errorf("photos are taken: %t, want %t", taken, tt.taken)
			}
			var text bytes.Buffer
			warnOfUploads(slog.New(slog.NewTextHandler(&text, nil)), tt.confined, tt.accepted)
			if (tt.said == "") != (text.Len() == 0) || !strings.Contains(text.String(), tt.said) {
				t.Errorf("the log says %q, want %q", text.String(), tt.said)
			}
		})
	}
}

// A password in the list of processes is warned of, without showing it.
func TestWarnOfPassword(t *testing.T) {
	for _, tt := range []struct {
		name, address string
		args          []string // %s is the address
		warned        bool
	}{
		{"in a URL", "postgres://u:hush@db1,db2/x", []string{"serve", "--cluster", "%s"}, true},
		{"behind a sign", "postgres://u:hush@db/x", []string{"serve", "--cluster=%s"}, true},
		{"in a URL with a wrong escape", "postgres://u:hu%%sh@db/x", []string{"serve", "--cluster", "%s"}, true},
		{"as a parameter", "postgres://u@db/x?password=hush", []string{"serve", "--cluster", "%s"}, true},
		{"as a setting", "host=db user=u password='hush hush'", []string{"serve", "--cluster", "%s"}, true},
		{"in the environment", "postgres://u:hush@db1,db2/x", []string{"serve", "--data", "d"}, false},
		{"none", "postgres://u@db1:5432,db2/x?application_name=a@b", []string{"serve", "--cluster", "%s"}, false},
		{"no user", "postgres://db1:5432/x", []string{"serve", "--cluster", "%s"}, false},
		{"no cluster", "", []string{"serve"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := slices.Clone(tt.args)
			for i := range args {
				args[i] = strings.Replace(args[i], "%s", tt.address, 1)
			}
			var text bytes.Buffer
			warnOfPassword(slog.New(slog.NewTextHandler(&text, nil)), args, tt.address)
			if got := strings.Count(text.String(), "PGPASSFILE") == 1; got != tt.warned || strings.Contains(text.String(), "hush") {
				t.Errorf("warned: %t, want %t without the password: %s", got, tt.warned, &text)
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
