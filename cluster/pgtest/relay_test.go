//go:build linux

package pgtest

import (
	"bufio"
	"io"
	"net"
	"os/exec"
	"testing"
	"time"

	"relais/internal/errtest"
)

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}

// echo returns the address of a server that sends back what it gets.
func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.Must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				io.Copy(c, c)
				c.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// line sends a line through c and returns what comes back within the time.
func line(t *testing.T, c net.Conn, text string, within time.Duration) (string, error) {
	t.Helper()
	if _, err := io.WriteString(c, text+"\n"); err != nil {
		return "", err
	}
	c.SetReadDeadline(time.Now().Add(within))
	return bufio.NewReader(c).ReadString('\n')
}

func dial(t *testing.T, r *Relay) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", r.Addr())
	errtest.Must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// A cut relay is silent, and what waited arrives once it is restored.
func TestRelayCut(t *testing.T) {
	r := NewRelay(t, echo(t))
	old := dial(t, r)
	if got, err := line(t, old, "before", patience); got != "before\n" {
		t.Fatalf("got %q and %v, want the line", got, err)
	}
	r.Cut()
	r.Cut()
	young := dial(t, r)
	for name, c := range map[string]net.Conn{"old": old, "young": young} {
		_, err := line(t, c, "during", 50*time.Millisecond)
		if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
			t.Errorf("%s connection: got %v, want silence", name, err)
		}
	}
	r.Restore()
	r.Restore()
	for name, c := range map[string]net.Conn{"old": old, "young": young} {
		c.SetReadDeadline(time.Now().Add(patience))
		if got, err := bufio.NewReader(c).ReadString('\n'); got != "during\n" {
			t.Errorf("%s connection: got %q and %v, want what waited", name, got, err)
		}
	}
	r.Reset()
	if _, err := line(t, old, "after", patience); err == nil {
		t.Error("a connection goes on after a reset")
	}
}

// A delay holds in both directions.
func TestRelayDelay(t *testing.T) {
	r := NewRelay(t, echo(t))
	c := dial(t, r)
	r.Delay(30 * time.Millisecond)
	start := time.Now()
	if got, err := line(t, c, "slow", patience); got != "slow\n" {
		t.Fatalf("got %q and %v, want the line", got, err)
	}
	if took := time.Since(start); took < 60*time.Millisecond {
		t.Errorf("a line there and back took %v, want 60ms at least", took)
	}
}

// New connections go where the relay leads now.
func TestRelayTo(t *testing.T) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.Must(t, err)
	dead.Close()
	r := NewRelay(t, dead.Addr().String())
	if _, err := line(t, dial(t, r), "nobody", patience); err == nil {
		t.Error("a relay to nobody answers")
	}
	r.To(echo(t))
	if got, err := line(t, dial(t, r), "there", patience); got != "there\n" {
		t.Errorf("got %q and %v, want the line", got, err)
	}
}
