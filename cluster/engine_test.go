//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/cluster/pgtest"
	"relais/internal/store"
	"relais/internal/tier"
)

func TestMakeTwice(t *testing.T) {
	url := newCluster(t).URL("postgres")
	err := Make(t.Context(), url, nil, "pg", slog.New(slog.DiscardHandler), func(*Import) error { return nil })
	if !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
}

// Of many that make a cluster in one database at the same time, one does.
func TestMakeAtOnce(t *testing.T) {
	tier.Slow(t)
	url := pgtest.Start(t).URL("postgres")
	done := make(chan error)
	for range 10 {
		go func() {
			done <- Make(context.Background(), url, testKey, "pg", slog.New(slog.DiscardHandler), func(*Import) error { return nil })
		}()
	}
	made := 0
	for range 10 {
		switch err := <-done; {
		case err == nil:
			made++
		case !errors.Is(err, ErrExists):
			t.Errorf("got %v, want ErrExists", err)
		}
	}
	if made != 1 {
		t.Errorf("%d made a cluster, want 1", made)
	}
	var running sync.WaitGroup
	for i := range 10 {
		n := joined(t, url, fmt.Sprint("n", i))
		running.Go(func() {
			if _, err := n.increment("k"); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if n := joined(t, url, "last").number("k"); n != 10 {
		t.Errorf("got %d after 10 nodes, want 10", n)
	}
}

// A full, read-only or foreign database refuses changes, and reads go on.
func TestEngineRefuses(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	one := joined(t, url, "one")
	if _, err := one.increment("k"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, begin, end string }{
		{"read-only", `ALTER SYSTEM SET default_transaction_read_only = on`, `ALTER SYSTEM RESET default_transaction_read_only`},
		{"no right", `CREATE ROLE other; ALTER TABLE relais.change OWNER TO other; ALTER ROLE postgres NOSUPERUSER`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, sql := range strings.Split(tt.begin, ";") {
				server.Query("postgres", sql)
			}
			server.TryQuery("postgres", `SELECT pg_reload_conf()`)
			var err error
			for end := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(end); { // the reload takes a moment
				_, err = one.increment("other")
			}
			if !errors.Is(err, store.ErrAway) {
				t.Errorf("got %v, want ErrAway", err)
			}
			if n := one.number("k"); n != 1 {
				t.Errorf("got %d, want 1", n)
			}
			if tt.end != "" {
				server.Query("postgres", tt.end)
				server.Query("postgres", `SELECT pg_reload_conf()`)
				for end := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(end); {
					_, err = one.increment("after")
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestConnectErrors(t *testing.T) {
	server := pgtest.Start(t)
	for _, tt := range []struct {
		name, url string
		want      error
	}{
		{"no cluster", server.URL("postgres"), ErrNone},
		{"no database", server.URL("nowhere"), store.ErrAway},
		{"no server", "postgres://u:hush@127.0.0.1:1/x", store.ErrAway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Connect(t.Context(), tt.url, "one", slog.New(slog.DiscardHandler))
			if !errors.Is(err, tt.want) || strings.Contains(fmt.Sprint(err), "hush") {
				t.Errorf("got %v, want %v without the password", err, tt.want)
			}
		})
	}
	_, err := Connect(t.Context(), "postgres://u:hush@%%", "one", slog.New(slog.DiscardHandler))
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v, want an error without the password", err)
	}
}
