package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relais/community/audit"
	"relais/internal/tier"
)

// Who signed in before the account was changed does not let a program in after it.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	for _, tt := range []struct {
		what   string
		change func() error
	}{
		{"a new password", func() error { _, err := w.SetPassword(context.Background(), p.ID, good); return err }},
		{"disabled and enabled", func() error {
			_, err1 := w.Disable(p.ID, true, audit.Decision{})
			_, err2 := w.Disable(p.ID, false, audit.Decision{})
			return errors.Join(err1, err2)
		}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			before, err := w.Login(context.Background(), "alice", good, home)
			w.want("login", err, nil)
			w.want(tt.what, tt.change(), nil)
			_, err = w.Authorize(before, Authorization{c.ID, callback, challenge, resource, Scopes})
			w.want("after "+tt.what, err, ErrLogin)
			now, err := w.Login(context.Background(), "alice", good, home)
			w.want("login", err, nil)
			_, err = w.Authorize(now, Authorization{c.ID, callback, challenge, resource, Scopes})
			w.want("again", err, nil)
		})
	}
}

// Guessing is limited by name and address, whether somebody has the name or not, and by
// address.
func TestGuessing(t *testing.T) {
	tier.Slow(t)
	for _, name := range []string{"alice", "nobody"} {
		w := newWorld(t)
		w.person("alice")
		w.guessed(name, home, guessesByAddress-2)
		for i := range 2 {
			w.want("a guess", w.login(name, "wrong"), ErrLogin)
			if n := w.guessesOf(name); n != guessesByAddress-1+i {
				t.Errorf("%d guesses are counted, want %d", n, guessesByAddress-1+i)
			}
		}
		for _, password := range []string{"wrong", good} {
			w.want("after the limit", w.login(name, password), ErrLimited)
		}
		if again := w.LoginAgain(); !again.After(w.clock()) || again.After(w.clock().Add(guessWindow)) {
			t.Errorf("got %s, want it within %s from now", again, guessWindow)
		}
		w.pass(guessWindow)
		w.want("in the next window", w.login("alice", good), nil)
	}
	w := newWorld(t)
	w.person("alice")
	for i := range guessesFromAddress {
		w.guessed(fmt.Sprint("x", i), home, 1)
	}
	w.want("from the address", w.login("alice", good), ErrLimited)
	_, err := w.Login(context.Background(), "alice", good, numbered(1))
	w.want("from another address", err, nil)
}

// guessed counts failed attempts as if they had been made.
func (w *world) guessed(name string, addr netip.Addr, n int) {
	w.Helper()
	for range n {
		if !w.guess(name, addr) {
			w.Fatalf("a guess for %s from %s is refused", name, addr)
		}
	}
}

// guess counts a failed attempt as if it had been made, and reports whether it may be made.
func (w *world) guess(name string, addr netip.Addr) bool {
	_, err := w.guesses.begin(w.Context(), sumOf(nameKey(name)), w.idOf(nameKey(name)), addr, w.clock())
	return err == nil
}

// guessesOf returns how many guesses count for a name.
func (w *world) guessesOf(name string) int {
	n, _ := w.guesses.rate.Count(w.Context(), w.clock(), guessLimits(sumOf(name), home)[3].Name)
	return n
}

// Strangers do not lock a name. They are limited where they are; many in many networks
// close it at last for networks from which the person never signed in.
func TestNobodyIsLockedOut(t *testing.T) {
	w := newWorld(t)
	w.person("bob")
	login := func(addr string) error {
		_, err := w.Login(context.Background(), "bob", good, netip.MustParseAddr(addr))
		return err
	}
	w.want("at home", login("203.0.113.9"), nil)
	tried := func(i, j int) (n int, ok bool) { // from the j-th address of the i-th network
		addr := netip.AddrFrom4([4]byte{10, 0, byte(i), byte(j)})
		for range guessesByAddress {
			if !w.guess("bob", addr) {
				return n, false
			}
			n++
		}
		return n, true
	}
	if n, _ := tried(0, 0); n != 20 {
		t.Fatalf("%d guesses from one address, want 20", n)
	}
	w.want("from the address of the guesses", login("10.0.0.0"), ErrLimited)
	w.want("from elsewhere", login("198.51.100.7"), nil)
	guesses, networks := 20, 1
	for i := 0; guesses < 1000; i++ {
		for j := range 256 {
			n, ok := tried(i, j)
			if guesses += n; !ok {
				break
			}
		}
		networks = i + 1
	}
	if networks < 17 {
		t.Errorf("%d networks were enough for 1000 guesses, want at least 17", networks)
	}
	w.want("from a network that is not known", login("192.0.2.1"), ErrLimited)
	w.want("from home", login("203.0.113.9"), nil)
	w.want("from next to home", login("203.0.113.10"), nil)
	w.want("from where bob was", login("198.51.100.99"), nil)
	w.pass(guessWindow)
	w.want("in the next window", login("192.0.2.1"), nil)
}

// What is refused before a password is compared counts for nobody, however it is refused.
func TestRefusedGuessesDoNotCount(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	var ends []func()
	for range hashesAtOnce {
		end, err := w.hashTurn(context.Background(), home)
		w.want("a turn", err, nil)
		ends = append(ends, end)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for i := range 2000 {
		_, err := w.Login(gone, fmt.Sprint("zz", i), "wrong", numbered(i%200))
		w.want("while others hash", err, ErrBusy)
	}
	for _, end := range ends {
		end()
	}
	w.guessed("alice", home, guessesByAddress)
	for range 2000 {
		w.want("after the limit", w.login("alice", "wrong"), ErrLimited)
	}
	if n := w.guessesOf("alice"); n != guessesByAddress {
		t.Errorf("%d guesses count for alice, want %d", n, guessesByAddress)
	}
	for i := range 200 {
		from := guessLimits(sum{}, numbered(i))[0].Name
		if n, err := w.guesses.rate.Count(t.Context(), w.clock(), from); n != 0 || err != nil {
			t.Fatalf("%d guesses count for %s, %v, want 0", n, numbered(i), err)
		}
	}
	_, err := w.Login(context.Background(), "alice", good, numbered(1))
	w.want("from elsewhere", err, nil)
}

// Who knows the password is not locked out by signing in often, and attempts at one time
// are limited as others are.
func TestGuessingAtOnce(t *testing.T) {
	tier.Slow(t)
	w := newWorld(t)
	w.person("alice")
	w.guessed("alice", home, guessesByAddress-5)
	for range 7 {
		w.want("login", w.login("alice", good), nil)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	count := map[error]int{}
	for range 30 {
		wg.Go(func() {
			err := w.login("alice", "wrong")
			mu.Lock()
			defer mu.Unlock()
			count[err]++
		})
	}
	wg.Wait()
	if count[ErrLogin] != 5 || count[ErrLimited] != 25 {
		t.Errorf("got %v, want 5 wrong and 25 limited", count)
	}
}

// An unknown name, a wrong password and a disabled account take the same work.
func TestConstantWork(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	bob := w.person("bob")
	if _, err := w.Disable(bob.ID, true, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	worked := map[string]uint64{} // bytes that Argon2 fills: its work, whatever else the machine does
	for i, name := range []string{"alice", "bob", "nobody"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := w.Login(context.Background(), name, "wrong", numbered(i)); !errors.Is(err, ErrLogin) {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		worked[name] = after.TotalAlloc - before.TotalAlloc
	}
	for name, n := range worked {
		if n < 1<<20 || n < worked["alice"]*9/10 || n > worked["alice"]*11/10 {
			t.Errorf("%s takes %d bytes, alice %d, want at least %d, at least %d and at most %d", name, n,
				worked["alice"], 1<<20, worked["alice"]*9/10, worked["alice"]*11/10)
		}
	}
}

// In a flood from one provider, whatever its addresses, somebody from elsewhere has the next turn. The flood is
// refused at once or when it has waited long, instead of taking the memory.
func TestSignInFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(nil, time.Now)
		must(t, err)
		ends := make(chan func(), hashesAtOnce)
		results := make(chan error, 300)
		for i := range cap(results) {
			go func() {
				addr := netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, byte(i), byte(i >> 8)})
				end, err := s.hashTurn(context.Background(), addr)
				if results <- err; err == nil {
					ends <- end
				}
			}()
			synctest.Wait()
		}
		start, dave := time.Now(), make(chan error)
		go func() {
			_, err := s.hashTurn(context.Background(), home)
			dave <- err
		}()
		synctest.Wait()
		(<-ends)()
		if err := <-dave; err != nil || time.Since(start) != 0 {
			t.Errorf("somebody from elsewhere: %v after %s, want a turn at once", err, time.Since(start))
		}
		count := map[error]int{}
		for range cap(results) {
			count[<-results]++
		}
		if waited := time.Since(start); count[nil] != hashesAtOnce || count[ErrBusy] != cap(results)-hashesAtOnce ||
			waited != longestWait {
			t.Errorf("the flood: %v after %s, want %d good and the rest busy after %s", count, waited, hashesAtOnce, longestWait)
		}
	})
}

func numbered(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})
}
