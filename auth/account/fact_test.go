package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/store"
)

func TestFacts(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.person("alice"), w.person("bob")
	type link struct {
		person string
		kind   Kind
		ref    string
	}
	var want []link
	for i := range 40 {
		l := link{[]string{alice.ID, bob.ID}[i%2], []Kind{Outage, Speedtest, Bug}[i%3], fmt.Sprint("ref", i*7%40)}
		want = append(want, l)
		w.pass(time.Second)
		must(t, w.Note(l.person, Fact{Kind: l.kind, Ref: l.ref, Data: []byte(l.ref)}))
	}
	must(t, w.Note(alice.ID, Fact{Kind: want[0].kind, Ref: want[0].ref, Data: []byte("again")}))
	w.reopen()
	slices.Reverse(want) // the newest first
	for _, person := range []string{alice.ID, bob.ID} {
		for _, kind := range []Kind{Outage, Speedtest, Bug, Validation} {
			var refs, got []string
			for _, l := range want {
				if l.person == person && l.kind == kind {
					refs = append(refs, l.ref)
				}
			}
			list, err := w.Facts(person, kind)
			for _, f := range list {
				got = append(got, f.Ref)
				if string(f.Data) != f.Ref || f.Kind != kind {
					t.Errorf("got %+v, want Data = %v and Kind = %v", f, f.Ref, kind)
				}
			}
			n, err2 := w.Count(person, kind)
			if err := errors.Join(err, err2); err != nil || !slices.Equal(got, refs) || n != len(refs) {
				t.Errorf("%s: %v (%d), want %v, %v", kind, got, n, refs, err)
			}
		}
	}
	w.want("nobody", w.Note("nobody", Fact{Kind: Bug, Ref: "1"}), ErrNoAccount)
	for _, f := range []Fact{{Ref: "1"}, {Kind: Bug}, {Kind: answers, Ref: "1"},
		{Kind: Bug, Ref: strings.Repeat("a", 201)}, {Kind: Kind(strings.Repeat("a", 51)), Ref: "1"},
		{Kind: Bug, Ref: "1", Data: make([]byte, maxData+1)}} {
		if err := w.Note(alice.ID, f); err == nil {
			t.Errorf("%.20q %.20q is taken", f.Kind, f.Ref)
		}
	}
	must(t, w.sequence(alice.ID, Bug, maxFacts))
	w.want("too many", w.Note(alice.ID, Fact{Kind: Bug, Ref: "more"}), ErrFull)
	w.want("of another kind", w.Note(alice.ID, Fact{Kind: Validation, Ref: "more"}), nil)
}

// sequence makes it look as if there were so many facts.
func (w *world) sequence(person string, kind Kind, n uint64) error {
	return w.db.Update(func(tx *store.Tx) error {
		return tx.Bucket([]byte(factsBucket)).Bucket([]byte(person)).Bucket([]byte(kind)).SetSequence(n)
	})
}

// counting counts what is done, and numbers the answers.
func counting() (done *int, do func() ([]byte, []Fact, error)) {
	done = new(int)
	return done, func() ([]byte, []Fact, error) {
		*done++
		return fmt.Append(nil, "answer ", *done), []Fact{{Kind: Outage, Ref: fmt.Sprint(*done)}}, nil
	}
}

// A token that is repeated gives the first answer, for a day and over a restart; at once
// it is done once.
func TestOnce(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.person("alice"), w.person("bob")
	_, do := counting()
	for _, step := range []struct {
		person, token, want string
		repeated            bool
		after               time.Duration
	}{
		{alice.ID, "a", "answer 1", false, 0},
		{alice.ID, "a", "answer 1", true, time.Hour},
		{bob.ID, "a", "answer 2", false, 0},
		{alice.ID, "b", "answer 3", false, 0},
		{alice.ID, "", "answer 4", false, 0},
		{alice.ID, "", "answer 5", false, 0},
		{alice.ID, "a", "answer 1", true, 23*time.Hour - time.Second},
		{alice.ID, "a", "answer 6", false, time.Second},
		{alice.ID, "a", "answer 6", true, time.Second},
	} {
		w.pass(step.after)
		w.reopen()
		answer, repeated, err := w.Once(step.person, step.token, Outage, do)
		if err != nil || string(answer) != step.want || repeated != step.repeated {
			t.Errorf("%+v: %q, %v, %v, want %v, no error and answer = %v", step, answer, repeated, err, step.repeated,
				step.want)
		}
	}
	if n, err := w.Count(alice.ID, Outage); n != 5 || err != nil {
		t.Errorf("%d facts, %v, want 5 and no error", n, err)
	}
}

func TestOnceFails(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.person("alice"), w.person("bob")
	done, do := counting()
	failing := errors.New("no")
	_, _, err := w.Once(alice.ID, "fails", Outage, func() ([]byte, []Fact, error) { return nil, nil, failing })
	w.want("a write that fails", err, failing)
	if answer, repeated, err := w.Once(alice.ID, "fails", Outage, do); repeated || err != nil ||
		string(answer) != "answer 1" {
		t.Errorf("after that: %q, %v, %v, want false, no error and answer = answer 1", answer, repeated, err)
	}
	before := *done
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if answer, _, err := w.Once(bob.ID, "at once", Outage, do); err != nil ||
				string(answer) != fmt.Sprint("answer ", before+1) {
				t.Errorf("got %q, %v, want no error and answer = %v", answer, err, fmt.Sprint("answer ", before+1))
			}
		})
	}
	wg.Wait()
	if *done != before+1 {
		t.Errorf("it was done %d times, want once", *done-before)
	}
}

func TestOnceRefused(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.person("alice"), w.person("bob")
	_, do := counting()
	for _, id := range []string{alice.ID, bob.ID} {
		if _, _, err := w.Once(id, "first", Outage, do); err != nil {
			t.Fatal(err)
		}
	}
	must(t, w.sequence(bob.ID, answers, maxAnswers))
	_, _, err := w.Once(bob.ID, "one more", Outage,
		func() ([]byte, []Fact, error) { t.Error("it is done"); return nil, nil, nil })
	w.want("too many", err, ErrFull)
	must(t, w.sequence(alice.ID, Outage, maxFacts))
	_, _, err = w.Once(alice.ID, "one fact more", Outage,
		func() ([]byte, []Fact, error) { t.Error("it is done"); return nil, nil, nil })
	w.want("too many facts", err, ErrFull)
	if _, _, err = w.Once(alice.ID, "of another kind", Bug,
		func() ([]byte, []Fact, error) { return nil, []Fact{{Kind: Bug, Ref: "1"}}, nil }); err != nil {
		t.Errorf("a fact of another kind: %v", err)
	}
	if _, err := w.Disable(bob.ID, true, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.Once(bob.ID, "disabled", Outage, do)
	w.want("disabled", err, ErrDisabled)
	_, _, err = w.Once("nobody", "x", Outage, do)
	w.want("nobody", err, ErrNoAccount)
	if _, _, err := w.Once(alice.ID, strings.Repeat("a", 201), Outage, do); err == nil {
		t.Error("a token of 201 bytes is taken")
	}
}

// Note links a person to what was submitted. Of one kind and ref the first fact stays.
// Errors: ErrNoAccount, ErrFull, ErrReadOnly, and one for values out of bounds.
func (s *Store) Note(person string, facts ...Fact) error {
	for i := range facts {
		if err := facts[i].check(); err != nil {
			return err
		}
	}
	_, _, err := s.note(person, facts)
	return err
}
