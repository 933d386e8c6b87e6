package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/hook"
	"relais/internal/filetest"
	"relais/internal/folder"
)

func createHook(t *testing.T, dir folder.Dir, url string) (made hook.Issued) {
	t.Helper()
	must(t, Call(context.Background(), dir, CreateHook{hook.Spec{URL: url, Events: []hook.Kind{hook.Bug}}}, &made, quiet))
	return made
}

// When hooks.db cannot be opened, everything else is served, and the log says once that webhooks lose
// events, and what to do.
func TestFailedHooks(t *testing.T) {
	for how, damage := range map[string]func(path string) error{
		"cut":  func(path string) error { return os.Truncate(path, 5000) },
		"lost": os.Remove,
	} {
		t.Run(how, func(t *testing.T) {
			dir, ctx := folder.Dir(t.TempDir()), context.Background()
			createHook(t, dir, "https://example.org/in")
			must(t, damage(filepath.Join(string(dir), HooksFile)))
			var logs bytes.Buffer
			s, err := Open(dir, "test", slog.New(slog.NewTextHandler(&logs, nil)))
			must(t, err)
			const said = "webhooks lose what happens until hooks.db is restored from a backup"
			if text := logs.String(); strings.Count(text, said) != 1 || strings.Count(text, "level=ERROR") != 1 {
				t.Errorf("got the log %s, want one error and %q", text, said)
			}
			if list := s.Hooks.List(); len(list) != 0 {
				t.Errorf("got the hooks %+v, want none", list)
			}
			if _, err := NewCommands(s).Do(ctx, ListHooks{}); err == nil || !strings.Contains(err.Error(), HooksFile) {
				t.Errorf("listing them: got %v, want an error of %s", err, HooksFile)
			}
			if _, err := NewCommands(s).Do(ctx, ListClients{}); err != nil {
				t.Errorf("something else: %v", err)
			}
			must(t, s.Close())
		})
	}
}

// With another secret.key, or none, the server starts, says so in one line, and warns of it.
func TestOtherSecretKey(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(path string) error
		says   string // "" for nothing
	}{
		{"the same", func(string) error { return nil }, ""},
		{"another", func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte{7}, 32), 0o600) },
			"secret.key is not the key that sealed the secrets of this folder: 2 hooks cannot be delivered"},
		{"none", os.Remove, "secret.key is missing: 2 hooks cannot be delivered"},
		{"a short one", func(path string) error { return os.Truncate(path, 7) }, "secret.key cannot be read: 2 hooks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder.Dir(t.TempDir())
			createHook(t, dir, "https://one.example/in")
			createHook(t, dir, "https://two.example/in")
			must(t, tt.change(filepath.Join(string(dir), sealFile)))
			s, logs := open(t, dir)
			lines, warnings := strings.Count(logs.String(), "level="), strings.Join(s.Warnings(), "\n")
			if tt.says == "" && lines+len(warnings) > 0 {
				t.Errorf("got %s and the warnings %q, want none", logs, warnings)
			}
			if tt.says != "" && (lines != 1 || !strings.Contains(logs.String(), tt.says) || !strings.Contains(warnings, tt.says)) {
				t.Errorf("got the log %s and the warnings %q, want one line with %q, and it among the warnings", logs, warnings,
					tt.says)
			}
		})
	}
}

// A hook whose record is damaged is listed and deleted, and the check finds nothing any more.
func TestDamagedHook(t *testing.T) {
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	broken, sound := createHook(t, dir, "https://broken.example/in"), createHook(t, dir, "https://sound.example/in")
	must(t, Call(ctx, dir, CompactStores{}, &[]Compacted{}, quiet)) // each record is there once
	path := filepath.Join(string(dir), HooksFile)
	filetest.Write(t, path, bytes.ReplaceAll(filetest.Read(t, path), []byte("https://broken"), []byte("https://wroken")))
	if list := problems(t, dir); len(list) != 1 || !strings.Contains(list[0], broken.ID) {
		t.Errorf("check: got %q, want a problem of %s", list, broken.ID)
	}
	s, stop := serve(t, dir)
	defer stop()
	var list HookList
	must(t, Call(ctx, dir, ListHooks{}, &list, quiet))
	if len(list.Hooks) != 2 || list.Hooks[0].ID != broken.ID || !list.Hooks[0].Damaged || list.Hooks[1].Damaged {
		t.Errorf("got %+v, want a damaged hook and another", list.Hooks)
	}
	if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], "1 record cannot be used") {
		t.Errorf("got the warnings %q, want one of the record", w)
	}
	var h hook.Hook
	must(t, errors.Join(Call(ctx, dir, ShowHook{broken.ID}, &h, quiet), Call(ctx, dir, DeleteHook{broken.ID}, &h, quiet)))
	must(t, Call(ctx, dir, ListHooks{}, &list, quiet))
	if len(list.Hooks) != 1 || list.Hooks[0].ID != sound.ID || len(s.Warnings()) > 0 {
		t.Errorf("after deleting: got %+v, %q, want the other hook and no warning", list.Hooks, s.Warnings())
	}
	if list := problems(t, dir); len(list) > 0 {
		t.Errorf("check after deleting: got %q, want none", list)
	}
}
