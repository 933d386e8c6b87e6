package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// TestMain makes relais of this program where it has that name: the scripts call it.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "relais" {
		os.Exit(Main(context.Background(), os.Args[1:], Streams{Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// script writes what a shell reads.
func script(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip(shell + " is not there")
	}
	out, errs, code := command(context.Background(), "completion", shell)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	path := filepath.Join(t.TempDir(), "_relais")
	filetest.Write(t, path, out)
	return path
}

// runShell runs a shell that finds relais, in a folder with the file "notes".
func runShell(t *testing.T, name string, args ...string) []string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	programs, dir := t.TempDir(), t.TempDir()
	must(t, os.Symlink(self, filepath.Join(programs, "relais")))
	filetest.Write(t, filepath.Join(dir, "notes"), "")
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=dumb", "PATH="+programs+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// completionCases are lines that are typed, and what must and must not be offered for their last word.
var completionCases = []struct {
	typed      string
	want, none []string
}{
	{"relais ", []string{"serve", "client", "help"}, []string{"photo-worker", "create"}},
	{"relais cl", []string{"client", "cluster"}, []string{"serve"}},
	{"relais client ", []string{"create", "set", "list"}, []string{"serve"}},
	{"relais client create --mo", []string{"--mode"}, []string{"--name"}},
	{"relais client --data /x cre", []string{"create"}, nil},
	{"relais serve --", []string{"--listen", "--data", "--help"}, []string{"--name"}},
	{"relais serve --log ", []string{"text", "json"}, []string{"short"}},
	{"relais serve --data /x --log-address s", []string{"short"}, []string{"json", "full"}},
	{"relais completion ", []string{"bash", "zsh", "fish"}, nil},
	{"relais serve --log=j", []string{"--log=json"}, []string{"--log=short"}},
	{"relais serve --data no", []string{"notes"}, []string{"--listen"}},
	{"relais client create --name no", nil, []string{"notes", "--mode"}},
	{"relais ingest --data /x FR no", []string{"notes"}, nil},
	{"relais help cl", []string{"client"}, nil},
	{"relais help client cr", []string{"create"}, []string{"serve"}},
}

func offered(t *testing.T, typed string, got, want, none []string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q: offered %q, want %q", typed, got, w)
		}
	}
	for _, w := range none {
		if slices.Contains(got, w) {
			t.Errorf("%q: offered %q, which is wrong there", typed, w)
		}
	}
}

func TestBashCompletion(t *testing.T) {
	path := script(t, "bash")
	for _, tt := range completionCases {
		words := strings.Split(strings.ReplaceAll(tt.typed, "=", " = "), " ")
		const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _relais; printf '%s\n' "${COMPREPLY[@]}"`
		got := runShell(t, "bash", append([]string{"--norc", "-uc", program, "bash", path}, words...)...)
		if n := len(words); n > 3 && words[n-2] == "=" { // bash completes what is behind it
			for i := range got {
				got[i] = words[n-3] + "=" + got[i]
			}
		}
		offered(t, tt.typed, got, tt.want, tt.none)
	}
}

func TestFishCompletion(t *testing.T) {
	path := script(t, "fish")
	for _, tt := range completionCases {
		lines := runShell(t, "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", path, tt.typed)
		var got []string
		for _, line := range lines {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		offered(t, tt.typed, got, tt.want, tt.none)
	}
}

// zshProgram calls the function as compsys does, which keeps what begins with the word.
const zshProgram = `source "$1"; shift
compdef() { }; compset() { }; _files() { print -rl -- * }
_describe() { print -rl -- "${(@)${(@P)2}%%:*}" }
words=("$@"); CURRENT=$#; _relais`

func TestZshCompletion(t *testing.T) {
	path := script(t, "zsh")
	runShell(t, "zsh", "-n", path)
	for _, tt := range completionCases {
		words := strings.Split(tt.typed, " ")
		all := runShell(t, "zsh", append([]string{"-f", "-c", "compdef() { }; " + zshProgram, "zsh", path}, words...)...)
		got := slices.DeleteFunc(all, func(w string) bool { return !strings.HasPrefix(w, words[len(words)-1]) })
		offered(t, tt.typed, got, tt.want, tt.none)
	}
}

// Every visible command and option is in the page, and mandoc has nothing to say about it.
func TestMan(t *testing.T) {
	page, errs, code := command(context.Background(), "man")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{".Ss relais client set\n", ".It Fl Fl add\\-origin Ar ORIGIN", ".Sh EXIT STATUS",
		"relais client rotate \\-\\-data DIR Backend"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "photo\\-worker") {
		t.Error("the page has a hidden command")
	}
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("mandoc is not there")
	}
	path := filepath.Join(t.TempDir(), "relais.1")
	filetest.Write(t, path, page)
	if out, err := exec.Command("mandoc", "-T", "lint", "-W", "warning", path).CombinedOutput(); err != nil {
		t.Errorf("mandoc -T lint: %v\n%.3000s", err, out)
	}
}
