package account

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// Who signed in before the account was changed does not let a program in after it.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	for what, change := range map[string]func() error{
		"a new password": func() error { _, err := w.SetPassword(context.Background(), p.ID, good); return err },
		"disabled and enabled": func() error {
			_, err1 := w.Disable(p.ID, true)
			_, err2 := w.Disable(p.ID, false)
			return errors.Join(err1, err2)
		},
	} {
		before, err := w.Login(context.Background(), "alice", good, home)
		w.want("login", err, nil)
		w.want(what, change(), nil)
		_, err = w.Authorize(before, Authorization{c.ID, callback, challenge, resource, Scopes})
		w.want("after "+what, err, ErrLogin)
		now, err := w.Login(context.Background(), "alice", good, home)
		w.want("login", err, nil)
		_, err = w.Authorize(now, Authorization{c.ID, callback, challenge, resource, Scopes})
		w.want("anew", err, nil)
	}
}

// Guessing is limited by name, whether somebody has it or not, and by address.
func TestGuessing(t *testing.T) {
	for _, name := range []string{"alice", "nobody"} {
		w := newWorld(t)
		w.person("alice")
		w.guessed(name, numbered(0), guessesByName-2)
		for i := range 2 {
			if _, err := w.Login(context.Background(), name, "wrong", numbered(i+1)); !errors.Is(err, ErrLogin) {
				t.Fatalf("guess %d for %s: %v", i, name, err)
			}
		}
		for _, password := range []string{"wrong", good} {
			if _, err := w.Login(context.Background(), name, password, numbered(1000)); !errors.Is(err, ErrLimited) {
				t.Errorf("%s after the limit: %v", name, err)
			}
		}
		if again := w.LoginAgain(); !again.After(w.clock()) || again.After(w.clock().Add(guessWindow)) {
			t.Errorf("again at %s", again)
		}
		w.pass(guessWindow)
		w.want("in the next window", w.login("alice", good), nil)
	}
	w := newWorld(t)
	w.person("alice")
	w.guessed("x", home, guessesByAddress-2)
	for _, name := range []string{"y", "z"} {
		w.want("a guess", w.login(name, "wrong"), ErrLogin)
	}
	for range guessesByName + 1 { // which locks nobody else out
		w.want("from the address", w.login("alice", good), ErrLimited)
	}
	if _, err := w.Login(context.Background(), "alice", good, numbered(1)); err != nil {
		t.Errorf("from another address: %v", err)
	}
}

// guessed counts failed attempts as if they had been made.
func (w *world) guessed(name string, addr netip.Addr, n int) {
	for range n {
		w.guesses.byAddress.Add(addr, w.clock())
		w.guesses.byName.Add(sumOf(nameKey(name)), w.clock())
	}
}

// Who knows the password is not locked out by signing in often, and attempts at one time
// are limited as others are.
func TestGuessingAtOnce(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	w.guessed("alice", home, guessesByName-5)
	for range 7 {
		w.want("login", w.login("alice", good), nil)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	count := map[error]int{}
	for i := range 30 {
		wg.Go(func() {
			_, err := w.Login(context.Background(), "alice", "wrong", numbered(i))
			mu.Lock()
			defer mu.Unlock()
			count[err]++
		})
	}
	wg.Wait()
	if count[ErrLogin] != 5 || count[ErrLimited] != 25 {
		t.Errorf("%v", count)
	}
}

// An unknown name, a wrong password and a disabled account take the same work.
func TestConstantWork(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	bob := w.person("bob")
	if _, err := w.Disable(bob.ID, true); err != nil {
		t.Fatal(err)
	}
	least := map[string]time.Duration{}
	for i := range 6 {
		for _, name := range []string{"alice", "bob", "nobody"} {
			start := time.Now()
			if _, err := w.Login(context.Background(), name, "wrong", numbered(i)); !errors.Is(err, ErrLogin) {
				t.Fatal(err)
			}
			if took := time.Since(start); least[name] == 0 || took < least[name] {
				least[name] = took
			}
		}
	}
	for name, d := range least {
		if d < least["alice"]/4 || d > 4*least["alice"] { // without the work it is a thousandth
			t.Errorf("%s takes %s, alice %s", name, d, least["alice"])
		}
	}
}

// Too many who sign in at once are refused instead of taking the memory, and a caller
// that goes away does not wait.
func TestBusy(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	for range hashesAtOnce {
		w.hashing <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	for range guessesByName + 5 { // which do not count
		_, err := w.Login(ctx, "alice", good, home)
		w.want("while others hash", err, ErrBusy)
	}
	w.waiting.Store(mostWaiting)
	w.want("when many wait", w.login("alice", good), ErrBusy)
	w.waiting.Store(0)
	for range hashesAtOnce {
		<-w.hashing
	}
	w.want("after that", w.login("alice", good), nil)
}

func numbered(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})
}
