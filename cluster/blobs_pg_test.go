//go:build linux

package cluster

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"relais/internal/store"
	"relais/internal/tier"
)

// A blob that is being put is missing, not short. One that lost rows is an error.
func TestIncompleteRows(t *testing.T) {
	tier.Slow(t)
	s, b := newBlobs(t, "pg")
	body := random(3*partSize + 1)
	r, w := io.Pipe()
	done := make(chan error)
	go func() { done <- b.Put(t.Context(), "x", seekable{r}, int64(len(body))) }()
	w.Write(body[:2*partSize+1]) // so that two parts were sent
	mustHave(t, b, "x", nil)
	w.Write(body[2*partSize+1:])
	w.Close()
	must(t, <-done)
	mustHave(t, b, "x", body)
	if err := b.Put(t.Context(), "x", strings.NewReader("other"), 5); !errors.Is(err, store.ErrAway) {
		t.Errorf("other bytes: got %v, want an error", err)
	}
	for _, change := range []string{
		`DELETE FROM relais.blob WHERE part = 4`,
		`DELETE FROM relais.blob WHERE part = 2`,
		`UPDATE relais.blob SET body = '\x00' WHERE part = 4`,
		`UPDATE relais.blob SET body = substr(body, 2) WHERE part = 1`,
		`UPDATE relais.blob SET body = '\x00' WHERE part = 0`,
		`UPDATE relais.blob SET body = set_byte(body, 0, 255) WHERE part = 0`,
		`UPDATE relais.blob SET body = set_byte(body, 7, 0) WHERE part = 0`,
	} {
		t.Run(change, func(t *testing.T) {
			s.Query("postgres", `CREATE TABLE before AS SELECT * FROM relais.blob; `+change)
			defer s.Query("postgres", `DELETE FROM relais.blob; INSERT INTO relais.blob SELECT * FROM before; DROP TABLE before`)
			got, err := get(t.Context(), b, "x")
			if !errors.Is(err, store.ErrAway) || !errors.Is(err, store.ErrDamaged) || errors.Is(err, fs.ErrNotExist) ||
				len(got) >= len(body) {
				t.Errorf("got %d bytes and %v, want ErrAway and ErrDamaged", len(got), err)
			}
		})
	}
	mustHave(t, b, "x", body)
}

// The database goes while a blob is put and read.
func TestBlobsEngineKilled(t *testing.T) {
	tier.Slow(t)
	s, b := newBlobs(t, "pg")
	body := random(3 * partSize)
	mustPut(t, b, "there", body)
	r, w := io.Pipe()
	done := make(chan error)
	go func() { done <- b.Put(t.Context(), "x", seekable{r}, int64(len(body))) }()
	w.Write(body[:partSize+1])
	reader, err := b.Get(t.Context(), "there")
	must(t, err)
	defer reader.Close()
	s.Kill()
	go w.Write(body[partSize+1:])
	if err := <-done; !errors.Is(err, store.ErrAway) {
		t.Errorf("Put: got %v, want ErrAway", err)
	}
	r.Close()
	if got, err := io.ReadAll(reader); !errors.Is(err, store.ErrAway) {
		t.Errorf("Get: got %d bytes and %v, want ErrAway", len(got), err)
	}
	if _, err := b.Get(t.Context(), "there"); !errors.Is(err, store.ErrAway) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get: got %v, want ErrAway", err)
	}
	s.Restart()
	mustHave(t, b, "x", nil)
	mustHave(t, b, "there", body)
	mustPut(t, b, "x", body)
	mustHave(t, b, "x", body)
}
