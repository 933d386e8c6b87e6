package account

import (
	"context"
	"encoding/hex"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"relais/internal/admit"
)

// How many attempts to sign in may fail in a window: from one address (IPv6: one /64); for one name
// from one address; for one name from one network (IPv4: a /24, IPv6: a /48); and for one name in
// total. An attacker who knows a name can use up the total from 17 networks or more, so it does not
// apply to networks from which the person has signed in before.
const (
	guessWindow        = 15 * time.Minute
	guessesFromAddress = 30
	guessesByAddress   = 20
	guessesByNetwork   = 60
	guessesByName      = 1000
)

// maxKnown is how many networks of a person are remembered, the latest ones.
const maxKnown = 16

// guesses are the failed attempts, and the networks from which people have signed in since the
// start.
type guesses struct {
	rate *admit.SharedRate

	mu    sync.Mutex
	known map[string][]netip.Prefix // networks by person, the latest first
}

func newGuesses() *guesses {
	return &guesses{rate: admit.NewSharedRate(guessWindow, nil), known: map[string][]netip.Prefix{}}
}

// begin counts an attempt unless there were too many. takeBack undoes the count. person is the owner of
// the name, "" for an unknown name. Names are hashed, existing or not. Errors: ErrLimited, store.ErrAway.
func (g *guesses) begin(ctx context.Context, name sum, person string, addr netip.Addr, now time.Time) (
	takeBack func(), err error) {
	limits := guessLimits(name, addr)
	if g.knows(person, admit.Network(admit.Line(addr))) {
		limits[3].Most = math.MaxInt
	}
	ok, err := g.rate.Take(ctx, now, limits...)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrLimited
	}
	return func() { g.rate.GiveBack(ctx, now, limits...) }, nil
}

// guessLimits returns the limits of an attempt, the one of the name last.
func guessLimits(name sum, addr netip.Addr) []admit.Limit {
	line, hashed := admit.Line(addr), hex.EncodeToString(name[:])
	return []admit.Limit{
		{Name: "guess from " + line.String(), Most: guessesFromAddress},
		{Name: "guess of " + hashed + " from " + line.String(), Most: guessesByAddress},
		{Name: "guess of " + hashed + " from network " + admit.Network(line).String(), Most: guessesByNetwork},
		{Name: "guess of " + hashed, Most: guessesByName},
	}
}

// knows reports whether the person signed in from the network.
func (g *guesses) knows(person string, network netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Contains(g.known[person], network)
}

// learn notes that the person signed in from the address.
func (g *guesses) learn(person string, addr netip.Addr) {
	network := admit.Network(admit.Line(addr))
	g.mu.Lock()
	defer g.mu.Unlock()
	others := slices.DeleteFunc(g.known[person], func(p netip.Prefix) bool { return p == network })
	list := append([]netip.Prefix{network}, others...)
	g.known[person] = list[:min(len(list), maxKnown)]
}

// forget removes the networks of the person.
func (g *guesses) forget(person string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.known, person)
}
