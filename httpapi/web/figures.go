package web

import (
	"context"
	"errors"
	"net/url"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"relais/archive"
)

// sums are what the pages of figures add up.
type sums struct {
	weeks  figures[*weekSum]
	nets   figures[[]netRow]
	trends figures[*archive.Census]
}

// keptFigures is how many sums of a kind are kept.
const keptFigures = 24

// figures keeps sums of the data by a name that has the data's version, those that were asked for
// last. A sum is made once, also for those who ask meanwhile, and one at a time.
type figures[V any] struct {
	mu     sync.Mutex
	lru    *simplelru.LRU[string, *figure[V]]
	making sync.Mutex
}

// A figure is being made while done is open.
type figure[V any] struct {
	done chan struct{}
	v    V
	err  error
}

var errUnmade = errors.New("what others were waiting for was not made")

// get returns the sum of a name. An error is not kept. Errors: those of make, and of ctx while
// waiting for another caller.
func (f *figures[V]) get(ctx context.Context, name string, make func(context.Context) (V, error)) (V, error) {
	sum, mine := f.named(name)
	if !mine {
		select {
		case <-sum.done:
			return sum.v, sum.err
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
	}
	defer f.settle(name, sum)
	f.making.Lock()
	defer f.making.Unlock()
	sum.v, sum.err = make(context.WithoutCancel(ctx)) // others wait for it too
	return sum.v, sum.err
}

func (f *figures[V]) named(name string) (sum *figure[V], mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lru == nil {
		lru, err := simplelru.NewLRU[string, *figure[V]](keptFigures, nil)
		if err != nil {
			panic(err) // the size is a constant
		}
		f.lru = lru
	}
	if sum, ok := f.lru.Get(name); ok {
		return sum, false
	}
	sum = &figure[V]{done: make(chan struct{}), err: errUnmade}
	f.lru.Add(name, sum)
	return sum, true
}

// settle ends the making of a sum.
func (f *figures[V]) settle(name string, sum *figure[V]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now, ok := f.lru.Peek(name); ok && now == sum && sum.err != nil {
		f.lru.Remove(name)
	}
	close(sum.done)
}

// A choice is a link in a list; at most one is chosen.
type choice struct {
	Label, Link string
	Chosen      bool
}

// figureLink returns an address with parameters, given as names and values; empty ones are left out.
func figureLink(path string, params ...string) string {
	q := url.Values{}
	for i := 0; i < len(params); i += 2 {
		if params[i+1] != "" {
			q.Set(params[i], params[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
