package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// open keeps the terminals of tests open: an interrupted prompt still reads from the
// descriptor, which another file could get.
var open []*os.File

// terminal opens a pseudoterminal: typed is the end of the person, read that of the program.
func terminal(t *testing.T) (typed, read *os.File) {
	t.Helper()
	typed, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	must(t, err)
	n, err := unix.IoctlGetUint32(int(typed.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(typed.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		read, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	must(t, err)
	open = append(open, typed, read)
	return typed, read
}

func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	must(t, err)
	return state.Lflag&unix.ECHO != 0
}

// waitHidden waits until typed characters are not shown.
func waitHidden(t *testing.T, f *os.File) {
	t.Helper()
	for end := time.Now().Add(time.Minute); echoes(t, f); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("typed characters are still shown after the wait")
		}
	}
}

// asked is the result of prompt.
type asked struct {
	text string
	err  error
}

// ask asks for a password on a terminal, and returns when it may be typed.
func ask(ctx context.Context, t *testing.T, terminal *os.File) <-chan asked {
	t.Helper()
	done := make(chan asked, 1)
	go func() {
		text, err := prompt(ctx, terminal, io.Discard)
		done <- asked{text, err}
	}()
	waitHidden(t, terminal)
	return done
}

// answered waits for the result of prompt.
func answered(t *testing.T, done <-chan asked) asked {
	t.Helper()
	select {
	case a := <-done:
		return a
	case <-time.After(time.Minute):
		t.Fatal("the prompt did not end")
		return asked{}
	}
}

// An interrupted prompt ends, and typed characters are shown again.
func TestPromptInterrupted(t *testing.T) {
	_, read := terminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	done := ask(ctx, t, read)
	interrupt()
	if a := answered(t, done); !errors.Is(a.err, context.Canceled) || !echoes(t, read) {
		t.Errorf("error = %v, want context.Canceled; typing is shown = %t, want true", a.err, echoes(t, read))
	}
}

func TestPrompt(t *testing.T) {
	for _, tt := range []struct {
		second string
		ok     bool
	}{
		{"correct horse", true},
		{"another", false},
	} {
		t.Run(tt.second, func(t *testing.T) {
			typed, read := terminal(t)
			done := ask(t.Context(), t, read)
			if _, err := typed.WriteString("correct horse\n" + tt.second + "\n"); err != nil {
				t.Fatal(err)
			}
			if a := answered(t, done); (a.err == nil) != tt.ok || a.text != "correct horse" || !echoes(t, read) {
				t.Errorf("prompt = %+v after %q, want ok = %t, and typing shown again", a, tt.second, tt.ok)
			}
		})
	}
}
