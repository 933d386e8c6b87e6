package admit

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is the error when too many turns wait for one holder.
var ErrBusy = errors.New("too many turns wait for one holder")

// What each holder gets.
const (
	share      = 1.0 / 5               // of the processors' time
	burst      = 3 * time.Second       // that it may use at once
	mostWait   = 32                    // turns that may wait
	look       = 50 * time.Millisecond // between two checks who pays for a turn
	fewHolders = 4096                  // up to which none is forgotten
)

// Turns limit how many compute at a time, so that other work finds a free processor, and how much of the
// processors' time each holder uses: after a burst, a fifth.
type Turns struct {
	places chan struct{} // full when no other may compute
	rate   float64       // seconds of computing that a holder gets each second

	mu      sync.Mutex
	holders map[string]*account
	sweepAt int // holders at which those without a use are forgotten
	refused uint64
}

// An account is the time that a holder may compute without waiting.
type account struct {
	left    time.Duration // below 0 when more was used
	at      time.Time
	waiting int // turns that were not given yet
}

// A Payer is the holders whose time a turn uses, such as a visitor and the visitor's network.
type Payer []string

// NewTurns returns turns for a machine: half of its processors compute at a time, at least one.
func NewTurns(processors int) *Turns {
	return &Turns{places: make(chan struct{}, max(1, processors/2)), rate: share * float64(processors),
		holders: map[string]*account{}, sweepAt: fewHolders}
}

// Refused returns how often a turn was refused.
func (t *Turns) Refused() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused
}

// account returns the account of a holder, with the time that came since it was last used.
func (t *Turns) account(name string, now time.Time) *account {
	a := t.holders[name]
	if a == nil {
		if len(t.holders) >= t.sweepAt {
			t.sweep(now)
		}
		a = &account{left: burst, at: now}
		t.holders[name] = a
	}
	a.left, a.at = min(burst, a.left+time.Duration(t.rate*float64(now.Sub(a.at)))), now
	return a
}

// sweep forgets the holders that have all their time.
func (t *Turns) sweep(now time.Time) {
	for name, a := range t.holders {
		if a.waiting == 0 && a.left+time.Duration(t.rate*float64(now.Sub(a.at))) >= burst {
			delete(t.holders, name)
		}
	}
	t.sweepAt = max(fewHolders, 2*len(t.holders))
}

// charge takes the time from each holder of a payer, and returns how long all of them have to wait before
// they may go on.
func (t *Turns) charge(p Payer, took time.Duration) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, name := range p {
		a := t.account(name, now)
		if a.left -= took; a.left <= 0 {
			wait = max(wait, time.Duration(float64(time.Millisecond-a.left)/t.rate))
		}
	}
	return wait
}

// queue counts a turn that waits for a payer, and reports whether it may.
func (t *Turns) queue(p Payer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, name := range p {
		if t.account(name, now).waiting >= mostWait {
			t.refused++
			return false
		}
	}
	for _, name := range p {
		t.holders[name].waiting++
	}
	return true
}

func (t *Turns) unqueue(p Payer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range p {
		t.holders[name].waiting--
	}
}

// A Turn is the computing of one answer. A nil Turn may be used: it neither waits nor counts.
type Turn struct {
	turns   *Turns
	ctx     context.Context
	payers  func() []Payer // the first with time left pays
	payer   Payer          // that pays now
	running bool
	since   time.Time
}

// Begin waits until one of the payers has time left and a place is free. The payers may change meanwhile.
// Errors: ErrBusy if too many wait for the first payer, and the context's.
func (t *Turns) Begin(ctx context.Context, payers func() []Payer) (*Turn, error) {
	var first Payer
	if list := payers(); len(list) > 0 {
		first = list[0]
	}
	if !t.queue(first) {
		return nil, ErrBusy
	}
	defer t.unqueue(first)
	u := &Turn{turns: t, ctx: ctx, payers: payers}
	return u, u.Resume()
}

// Resume waits until one of the payers may compute again. Its error is the context's.
func (u *Turn) Resume() error {
	if u == nil || u.running {
		return nil
	}
	for {
		if err := u.waitForTime(); err != nil {
			return err
		}
		select {
		case u.turns.places <- struct{}{}:
		case <-u.ctx.Done():
			return u.ctx.Err()
		}
		if u.choosePayer() == 0 {
			u.running, u.since = true, time.Now()
			return nil
		}
		<-u.turns.places // others used the payers' time meanwhile
	}
}

// waitForTime waits until one of the payers has time left.
func (u *Turn) waitForTime() error {
	for wait := u.choosePayer(); wait > 0; wait = u.choosePayer() {
		timer := time.NewTimer(min(wait, look))
		select {
		case <-timer.C:
		case <-u.ctx.Done():
			timer.Stop()
			return u.ctx.Err()
		}
	}
	return u.ctx.Err()
}

// choosePayer chooses the first payer that has time left. If none has, it returns how long to wait.
func (u *Turn) choosePayer() (wait time.Duration) {
	for _, p := range u.payers() {
		again := u.turns.charge(p, 0)
		if again == 0 {
			u.payer = p
			return 0
		}
		if wait == 0 || again < wait {
			wait = again
		}
	}
	return wait
}

// Pause lets others compute, while the answer is sent or when it is done.
func (u *Turn) Pause() {
	if u == nil || !u.running {
		return
	}
	u.running = false
	u.turns.charge(u.payer, time.Since(u.since))
	<-u.turns.places
}
