package account

import (
	"errors"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/admit/tallytest"
	"relais/internal/store"
	"relais/internal/store/logtest"
	"relais/internal/tier"
)

// newServers returns the people as two servers have them.
func newServers(t *testing.T) (log *logtest.Log, here, there *world) {
	t.Helper()
	log = logtest.New()
	open := func() *world {
		w := &world{TB: t, path: filepath.Join(t.TempDir(), "users.db"), at: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)}
		w.open(log)
		w.UseKey([]byte("of both"))
		return w
	}
	return log, open(), open()
}

// A code gives tokens once, at whichever server it is used, and a refresh token the same next one at
// both.
func TestTokensOfTwoServers(t *testing.T) {
	tier.Slow(t)
	_, here, there := newServers(t)
	p, c := here.person("alice"), here.program()
	// both calls do at two servers at once.
	both := func(do func(*world) (*Tokens, error)) (got [2]*Tokens, errs [2]error) {
		var running sync.WaitGroup
		for i, w := range []*world{here, there} {
			running.Go(func() { got[i], errs[i] = do(w) })
		}
		running.Wait()
		return got, errs
	}
	valid := func(what, access string, want error) {
		t.Helper()
		for _, w := range []*world{here, there} {
			must(t, w.Fresh(t.Context()))
			if _, _, err := w.Verify(access, resource, w.clock()); !errors.Is(err, want) {
				t.Errorf("%s: Verify returns %v, want %v", what, err, want)
			}
		}
	}
	for range 5 {
		code := here.code(p, c)
		got, errs := both(func(w *world) (*Tokens, error) {
			return w.Redeem(Redemption{code, c.ID, callback, verifier, resource})
		})
		first := 0
		if errs[0] != nil {
			first = 1
		}
		if errs[first] != nil || !errors.Is(errs[1-first], ErrGrant) {
			t.Fatalf("a code at two servers: %v and %v, want one success and %v", errs[0], errs[1], ErrGrant)
		}
		valid("after a code was used twice", got[first].Access, ErrGrant)

		old := here.tokens(p, c).Refresh
		got, errs = both(func(w *world) (*Tokens, error) { return w.Refresh(old, c.ID, resource, nil) })
		if errs[0] != nil || errs[1] != nil || got[0].Refresh != got[1].Refresh || got[0].Access == got[1].Access {
			t.Fatalf("a refresh token at two servers: %v %v, %v %v; want the same next one", got[0], errs[0], got[1], errs[1])
		}
		next, err := there.Refresh(got[0].Refresh, c.ID, resource, nil)
		must(t, err)
		valid("of the next one", next.Access, nil)
		_, err = here.Refresh(old, c.ID, resource, nil)
		here.want("after the next one was used", err, errReused)
		valid("after that", next.Access, ErrGrant)
	}
}

// Wrong codes and tokens cost no turn, for which all servers would wait.
func TestUnknownTokensTakeNoTurn(t *testing.T) {
	log, here, there := newServers(t)
	p, c := here.person("alice"), here.program()
	tokens := here.tokens(p, c)
	turns := log.Turns.Load()
	wrong := refreshStart + strings.Repeat("A", 2*secretLength)
	_, err := there.Redeem(Redemption{codeStart + strings.Repeat("A", secretLength), c.ID, callback, verifier, resource})
	there.want("a wrong code", err, ErrGrant)
	_, err = there.Refresh(wrong, c.ID, resource, nil)
	there.want("a wrong refresh token", err, ErrGrant)
	there.want("revoking a wrong token", there.Revoke(wrong, c.ID), nil)
	if got := log.Turns.Load() - turns; got != 0 {
		t.Errorf("%d turns, want 0", got)
	}
	_, err = there.Refresh(tokens.Refresh, c.ID, resource, nil)
	there.want("a token of the other server", err, nil)
	log.SetAway(true)
	_, err = there.Refresh(wrong, c.ID, resource, nil)
	there.want("a wrong token while the log is away", err, store.ErrAway)
	_, _, err = there.Verify(tokens.Access, resource, there.clock())
	there.want("a known token while the log is away", err, nil)
	there.want("a sign-in while the log is away", there.login("alice", good), store.ErrAway)
}

// An account that was made at one server signs in at the other.
func TestLoginAtTheOtherServer(t *testing.T) {
	_, here, there := newServers(t)
	here.person("alice")
	there.want("login", there.login("alice", good), nil)
}

// Two writes with one token at once get one answer.
func TestOnceAtTwoServers(t *testing.T) {
	_, here, there := newServers(t)
	p := here.person("alice")
	must(t, there.Fresh(t.Context()))
	var meet, running sync.WaitGroup
	meet.Add(2)
	var answers [2]string
	var repeated [2]bool
	for i, w := range []*world{here, there} {
		running.Go(func() {
			answer, again, err := w.Once(p.ID, "token", Outage, func() ([]byte, []Fact, error) {
				meet.Done()
				meet.Wait()
				return []byte{byte('a' + i)}, []Fact{{Kind: Outage, Ref: "r1"}}, nil
			})
			answers[i], repeated[i] = string(answer), again
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if answers[0] != answers[1] || repeated[0] == repeated[1] {
		t.Errorf("answers %q, repeated %v; want the same twice, one of them repeated", answers, repeated)
	}
	for _, w := range []*world{here, there} {
		answer, again, err := w.Once(p.ID, "token", Outage, nil)
		if string(answer) != answers[0] || !again || err != nil {
			t.Errorf("later: %q, %t, %v; want %q, true and no error", answer, again, err, answers[0])
		}
		if n, err := w.Count(p.ID, Outage); n != 1 || err != nil {
			t.Errorf("%d facts, %v, want 1", n, err)
		}
	}
}

// Attempts to sign in are limited over both servers, as they are at one.
func TestGuessesAtTwoServers(t *testing.T) {
	_, here, there := newServers(t)
	tally := tallytest.New()
	here.ShareGuesses(tally)
	there.ShareGuesses(tally)
	here.person("alice")
	must(t, there.Fresh(t.Context()))
	guess := func(w *world, addr netip.Addr) error {
		_, err := w.guesses.begin(t.Context(), sumOf("alice"), w.idOf("alice"), addr, w.clock())
		return err
	}
	servers := []*world{here, there}
	here.want("login", here.login("alice", good), nil)
	if left := slices.DeleteFunc(slices.Collect(maps.Values(tally.Counts)), func(n int) bool { return n == 0 }); len(left) > 0 {
		t.Errorf("after a sign-in %v is counted, want nothing", left)
	}
	for i := range guessesByAddress {
		here.want("a guess", guess(servers[i%2], home), nil)
	}
	for _, w := range servers {
		w.want("after the limit", w.login("alice", good), ErrLimited)
	}
	for i := range guessesByNetwork - guessesByAddress {
		here.want("a guess from the network", guess(servers[i%2], netip.AddrFrom4([4]byte{203, 0, 113, byte(100 + i%3)})), nil)
	}
	_, err := there.Login(t.Context(), "alice", good, netip.MustParseAddr("203.0.113.200"))
	there.want("from the network", err, ErrLimited)
	_, err = there.Login(t.Context(), "alice", good, netip.MustParseAddr("198.51.100.7"))
	there.want("from elsewhere", err, nil)
	here.pass(guessWindow)
	here.want("in the next window", here.login("alice", good), nil)
	tally.Away = true
	here.pass(guessWindow)
	here.want("while the tally is away", here.login("alice", good), store.ErrAway)
}
