package account

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"relais/internal/store"
)

// What is over leaves the file, and what is not stays.
func TestSweep(t *testing.T) {
	w := newWorld(t)
	p, c, unused := w.person("alice"), w.program(), w.program()
	w.code(p, c)
	tokens := w.tokens(p, c)
	if _, _, err := w.Once(p.ID, "token",
		Bug, func() ([]byte, []Fact,
			error) {
			return []byte("first"), []Fact{{Kind: Bug, Ref: "1"}}, nil
		}); err != nil {
		t.Fatal(err)
	}
	rows := func() (clients, grants int) {
		w.db.View(func(tx *store.Tx) error {
			clients, grants = 0, 0
			return errors.Join(store.Each(tx, clientsBucket, func(_, _ []byte) error { clients++; return nil }),
				store.Each(tx, grantsBucket, func(_, _ []byte) error { grants++; return nil }))
		})
		return
	}
	for _, step := range []struct {
		after           time.Duration
		clients, grants int
	}{{0, 2, 2}, {codeLife, 2, 1}, {unusedLife, 1, 1}, {refreshLife, 1, 0}, {usedLife, 0, 0}} {
		w.pass(step.after)
		must(t, w.Sweep())
		if clients, grants := rows(); clients != step.clients || grants != step.grants {
			t.Errorf("after %s more: %d clients, %d grants, want %d and %d", step.after, clients, grants,
				step.clients, step.grants)
		}
		w.reopen()
	}
	_, err := w.Client(unused.ID)
	w.want("an unused client", err, ErrNoClient)
	if _, _, err := w.db.Compact(); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{c.ID, unused.ID, "first", "An app"} {
		if bytes.Contains(w.file(), []byte(gone)) {
			t.Errorf("the file has %q", gone)
		}
	}
	if n, err := w.Count(p.ID, Bug); n != 1 || err != nil || w.valid(tokens.Access) {
		t.Errorf("got %d facts, %v, want 1 and its token refused", n, err)
	}
	if accounts, facts, err := Check(w.db); accounts != 1 || facts != 1 || err != nil {
		t.Errorf("check: %d, %d, %v, want 1, 1 and no error", accounts, facts, err)
	}
}

// Programs that nobody lets in are bounded; those that were let in are not pushed out by
// those that never were.
func TestIdle(t *testing.T) {
	w := newWorld(t)
	p, in, was := w.person("alice"), w.program(), w.program()
	w.tokens(p, in)
	must(t, w.Revoke(w.tokens(p, was).Refresh, was.ID))
	oldest := w.program()
	must(t, fill(w, maxIdle-2))
	w.pass(needed - time.Second)
	w.Shown("ffffffff-0000")
	_, err := w.Register("An app", []string{callback})
	if full, ok := errors.AsType[*FullError](err); !ok || !full.Until.Equal(w.clock().Add(time.Second)) {
		t.Fatalf("when all are new: %v, ok %v, Until %v, want ok = true and Until = %v", err, ok, full.Until,
			w.clock().Add(time.Second))
	}
	w.pass(time.Second)
	w.program()
	_, err = w.Client(oldest.ID)
	w.want("the oldest unused one", err, ErrNoClient)
	w.program()
	_, err = w.Client("ffffffff-0001")
	w.want("the next", err, ErrNoClient)
	_, err = w.Client("ffffffff-0000")
	w.want("one whose page somebody has open", err, nil)
	for _, c := range []*Client{in, was} {
		if _, err := w.Client(c.ID); err != nil {
			t.Errorf("one that was let in: %v", err)
		}
	}
	if n := len(w.state.clients.All()); n != maxIdle+1 {
		t.Errorf("%d clients, want %d", n, maxIdle+1)
	}
	w.pass(needed)
	for range 3 { // two replace the last two
		w.program()
	}
	_, err = w.Client("ffffffff-0000")
	w.want("its page half an hour later", err, ErrNoClient)
}

// Who opens the pages of all programs does not keep others from registering theirs.
func TestShowingEveryProgram(t *testing.T) {
	w := newWorld(t)
	must(t, fill(w, maxIdle))
	w.pass(needed)
	for i := range maxIdle {
		w.pass(time.Millisecond)
		w.Shown(fmt.Sprintf("ffffffff-%04d", i))
	}
	for range maxIdle / 4 {
		w.program()
	}
	last := fmt.Sprintf("ffffffff-%04d", maxIdle-1)
	_, err := w.Client(last)
	w.want("the one whose page was opened last", err, nil)
}

// fill registers clients, in one write.
func fill(w *world, n int) error {
	return w.change(func(c *change) error {
		for i := range n {
			c.putClient(&Client{ID: fmt.Sprintf("ffffffff-%04d", i), Name: "flood", RedirectURIs: []string{callback},
				Created: w.clock()})
		}
		return nil
	})
}

func TestMaxGrants(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	first := w.tokens(p, c)
	for range maxGrants - 1 {
		w.pass(time.Millisecond)
		w.tokens(p, c)
	}
	if !w.valid(first.Access) {
		t.Fatal("the first is gone before there are too many")
	}
	last := w.tokens(p, c)
	if w.valid(first.Access) || !w.valid(last.Access) || len(w.state.grants.All()) != maxGrants {
		t.Errorf("got %d grants, want %d, without the first, with the last", len(w.state.grants.All()), maxGrants)
	}
	g := last
	for range maxAccess {
		var err error
		g, err = w.Refresh(g.Refresh, c.ID, "", nil)
		must(t, err)
	}
	if w.valid(last.Access) || !w.valid(g.Access) {
		t.Error("not the oldest access token went")
	}
}
