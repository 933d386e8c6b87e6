//go:build linux

package cluster

import (
	"context"
	"io"
	"testing"
	"time"
)

// noBlobs has nothing that is pending.
type noBlobs struct{ Blobs }

func (noBlobs) Sweep(context.Context, time.Duration, func(context.Context, string) (bool, error)) (int, error) {
	return 0, nil
}

func (noBlobs) Get(context.Context, string) (io.ReadCloser, error) { return nil, nil }

// What is old goes, what is needed stays, and a node that was away for longer copies its store again.
func TestKeep(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	one := joined(t, url, "one")
	for range 5 {
		if _, err := one.increment("k"); err != nil {
			t.Fatal(err)
		}
	}
	server.Query("postgres", `UPDATE relais.change SET at = now() - interval '7 hours' WHERE seq < 5;
		INSERT INTO relais.tally VALUES ('old', 'n', extract(epoch FROM now()) - 200000, 1),
			('new', 'n', extract(epoch FROM now()), 1);
		INSERT INTO relais.answer VALUES ('c', 'old', 'n', now() - interval '1 s'), ('c', 'new', 'n', now() + interval '1 h')`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		one.Keep(ctx, noBlobs{}, nil)
	}()
	left := func() string {
		return server.Query("postgres", `SELECT (SELECT string_agg(seq::text, ',' ORDER BY seq) FROM relais.change
			WHERE store = 'clients') || ' ' || (SELECT string_agg(key, ',') FROM relais.tally) || ' ' ||
			(SELECT string_agg(signature, ',') FROM relais.answer) || ' ' ||
			(SELECT count(*) FROM relais.change WHERE store = 'users')`)
	}
	const want = "4,5,6 new new 1" // a node at 4 goes on with 5
	for end := time.Now().Add(20 * time.Second); left() != want && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	<-ended
	if got := left(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	mustEqual(t, url, one)
}
