//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"relais/internal/errtest"
	"relais/test/relaistest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// The end-to-end tests start the built binary and know of it only what a user knows: the
// command line, the API and the files. They show what needs a process, files, sockets or
// other programs; the packages' own tests show the rest. Those that wait or take long are
// parallel, and run when the others have ended, which look at times and memory.

func TestMain(m *testing.M) { os.Exit(relaistest.Run(m)) }

// prepared is a command that is not started yet.
func prepared(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := relaistest.Binary()
	must(t, err)
	return exec.Command(path, args...)
}

// relais runs a command to its end.
func relais(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := prepared(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// run runs a command that must succeed, and returns all that it prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := relais(t, args...)
	if code != 0 {
		t.Fatalf("relais %q: exit %d, want 0: %s%s", args, code, out, errs)
	}
	return out + errs
}

// command runs a command that must succeed, and reads what it prints into v.
func command(t *testing.T, v any, args ...string) {
	t.Helper()
	out, errs, code := relais(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("relais %q: exit %d, want 0: %s%s", args, code, out, errs)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		t.Fatalf("relais %q: %v: %s", args, err, out)
	}
	if name := goName.FindString(out); name != "" && name != `"Authorization":` { // a header of HTTP
		t.Errorf("relais %q: member %s, want a lower-case letter first", args, name)
	}
}

// goName finds a member of an object that has the name of a Go field.
var goName = regexp.MustCompile(`"(?:[A-Z]\w*[a-z]\w*|ID|URL)":`)

// fails runs a command that must fail with this exit code and say why.
func fails(t *testing.T, code int, why string, args ...string) {
	t.Helper()
	if _, errs, got := relais(t, args...); got != code || !strings.Contains(errs, why) {
		t.Errorf("relais %q: exit %d, want %d with %q: %s", args, got, code, why, errs)
	}
}

func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	create := "client create --data " + dir + " --name x --mode server --cidr 192.0.2.0/24 --scopes all-read "
	for _, tt := range []struct {
		args string
		code int
		want string // in stdout or stderr
	}{
		{"--help", 0, "relais demo"},
		{"ingest --help", 0, "Examples:"},
		{"update --help", 0, "Examples:"},
		{"serve --help", 0, "--base-url"},
		{"version", 0, "relais "},
		{"version --json", 0, `"snapshotFormat":5`},
		{"", 2, "Usage: relais"},
		{"--version", 0, "relais "},
		{"help serve", 0, "--base-url"},
		{"backup --data " + dir + " x.tar", 2, "> x.tar"},
		{"dance", 2, "dance"},
		{"check", 2, "--data"},
		{"check --data " + dir + " --repair photos", 2, "repair"},
		{"serve", 2, "--data"},
		{"serve --data " + dir + " --trusted-proxy x", 2, "--trusted-proxy"},
		{"serve --data " + dir + " --listen nowhere", 2, "--listen"},
		{"serve --data " + dir + " --base-url not-a-url", 2, "--base-url"},
		{"serve --data " + dir + " --base-url https://x.example/external/v1", 2, "without external/v1"},
		{"serve --data " + dir + " --base-url https://x.example/a;b", 2, "the prefix has letters"},
		{"serve --data " + dir + " --base-url https://x.example/a//b", 2, "the prefix has letters"},
		{"serve --data " + dir + " --base-url https://x.example/a/../b", 2, "the prefix has letters"},
		{"serve --data " + dir + " --base-url https://x.example/%7Ba%7D", 2, "the prefix has letters"},
		{"serve --data " + dir + " --markets FR,XX", 2, "one of FR, DROM, CA, BE, CH, PT, ES, BA"},
		{"serve --data " + dir + " --markets=", 2, "one of FR, DROM"},
		{"serve --data " + dir + " --update-every 24", 2, "update-every"},
		{"serve --data " + dir + " --update-every 1ms", 2, "--update-every"},
		{"serve --data=", 2, "no folder"},
		{"demo --data=", 2, "no folder"},
		{"serve --data " + dir + "/none", 1, "does not exist"},
		{"check --data " + dir + "/none", 1, "none"},
		{"compact --data " + dir + "/none", 1, "none"},
		{"ingest --data " + dir + " XX file", 2, "not a market"},
		{"ingest --data " + dir + " FR", 2, "file"},
		{"ingest --data " + dir + " FR none.csv", 1, "none.csv: no such file"},
		{"update --data " + dir + " XX", 2, "one of FR"},
		{"update --data " + dir + " --sources " + dir + "/none", 1, "no such file"},
		{"snapshot info --data " + dir, 1, "no snapshot"},
		{create + "--mode robot", 2, "BROWSER"},
		{create + "--scopes antennas:write", 2, "antennas:read"},
		{create + "--cidr 192.0.2.300/24", 2, "192.0.2.300"},
		{create + "--minute 0", 2, "limits"},
		{create + "--expires 0d", 2, "expires"},
		{create + "--name=", 2, "name"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			out, errs, code := relais(t, strings.Fields(tt.args)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("got exit %d, want %d with %q: %s%s", code, tt.code, tt.want, out, errs)
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("commands that failed left %v, %v; want nothing", left, err)
	}
}

// A flag can be an environment variable; a command that fails makes no folder.
func TestEnvironment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "by-environment")
	t.Setenv("RELAIS_DATA", dir)
	fails(t, 1, "none.csv", "ingest", "FR", "none.csv")
	fails(t, 1, "by-environment", "snapshot", "info")
	if _, err := os.Stat(dir); err == nil {
		t.Error("a mistyped file made a folder")
	}
}
