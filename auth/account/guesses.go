package account

import (
	"context"
	"encoding/hex"
	"net/netip"
	"slices"
	"sync"
	"time"

	"relais/internal/limit"
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

// A guess is a name that is tried from an address or a network. Names are hashed, existing or not.
type guess struct {
	name sum
	from netip.Prefix
}

// A Tally counts events for several servers.
type Tally interface {
	// Add adds n, which may be negative or 0, to the count of each key in the window of now, and
	// returns the counts after that. Windows are those of the wall clock, in whole seconds. No key
	// is stored as it is. Error: store.ErrAway; the events may have been counted then.
	Add(ctx context.Context, window time.Duration, now time.Time, n int, keys ...string) ([]int, error)
}

// guesses are the failed attempts, and the networks from which people have signed in since the
// start.
type guesses struct {
	addresses *limit.Addresses
	byAddress *limit.Counter[guess]
	byNetwork *limit.Counter[guess]
	byName    *limit.Counter[sum]

	mu    sync.Mutex
	known map[string][]netip.Prefix // networks by person, the latest first

	shared Tally                  // instead of the counters above; nil: this server counts alone
	closed *limit.Counter[string] // keys of shared that are over their limit: nobody need be asked
}

func newGuesses() *guesses {
	network := func(g guess) guess { return guess{from: limit.Network(g.from)} }
	provider := func(g guess) guess { return guess{from: limit.Provider(g.from)} }
	anyName := func(g guess) guess { return guess{from: g.from} }
	return &guesses{
		addresses: limit.NewAddresses(guessWindow),
		byAddress: limit.New(guessWindow, anyName, network, provider),
		byNetwork: limit.New(guessWindow, anyName, provider),
		byName:    limit.New[sum](guessWindow),
		known:     map[string][]netip.Prefix{},
		closed:    limit.New[string](guessWindow),
	}
}

// try is begin for all servers that share the counts. Errors: ErrLimited, store.ErrAway.
func (g *guesses) try(ctx context.Context, name sum, person string, addr netip.Addr, now time.Time) (
	takeBack func(), err error) {
	if g.shared == nil {
		takeBack, ok := g.begin(name, person, addr, now)
		if !ok {
			return nil, ErrLimited
		}
		return takeBack, nil
	}
	line := limit.Line(addr)
	network, hashed := limit.Network(line), hex.EncodeToString(name[:])
	keys := []string{"guess from " + line.String(), "guess of " + hashed + " from " + line.String(),
		"guess of " + hashed + " from network " + network.String(), "guess of " + hashed}
	most := []int{guessesFromAddress, guessesByAddress, guessesByNetwork, guessesByName}
	over := func(exceeded func(i int) bool) bool {
		return exceeded(0) || exceeded(1) || exceeded(2) || exceeded(3) && !g.knows(person, network)
	}
	if over(func(i int) bool { return g.closed.Count(keys[i], now) > 0 }) {
		return nil, ErrLimited
	}
	counts, err := g.shared.Add(ctx, guessWindow, now, 1, keys...)
	if err != nil {
		return nil, err
	}
	takeBack = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackTime)
		defer cancel()
		_, _ = g.shared.Add(ctx, guessWindow, now, -1, keys...) // else it stays counted until the window ends
	}
	for i, n := range counts {
		if n > most[i] {
			g.closed.Add(keys[i], now)
		}
	}
	if over(func(i int) bool { return counts[i] > most[i] }) {
		takeBack() // it was not compared, so it is not a guess
		return nil, ErrLimited
	}
	return takeBack, nil
}

// takeBackTime bounds the wait for a count that is taken back.
const takeBackTime = time.Second

// begin counts an attempt unless there were too many. takeBack undoes the count. person is the
// owner of the name, "" for an unknown name.
func (g *guesses) begin(name sum, person string, addr netip.Addr, now time.Time) (takeBack func(), ok bool) {
	line := limit.Line(addr)
	network := limit.Network(line)
	fromLine, fromNetwork := guess{name, line}, guess{name, network}
	takeBack = func() {
		g.addresses.TakeBack(addr, now)
		g.byAddress.TakeBack(fromLine, now)
		g.byNetwork.TakeBack(fromNetwork, now)
		g.byName.TakeBack(name, now)
	}
	from, byAddress := g.addresses.Add(addr, now), g.byAddress.Add(fromLine, now)
	byNetwork, byName := g.byNetwork.Add(fromNetwork, now), g.byName.Add(name, now)
	if from > guessesFromAddress || byAddress > guessesByAddress || byNetwork > guessesByNetwork ||
		byName > guessesByName && !g.knows(person, network) {
		takeBack() // it was not compared, so it is not a guess
		return nil, false
	}
	return takeBack, true
}

// knows reports whether the person signed in from the network.
func (g *guesses) knows(person string, network netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Contains(g.known[person], network)
}

// learn notes that the person signed in from the address.
func (g *guesses) learn(person string, addr netip.Addr) {
	network := limit.Network(limit.Line(addr))
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
