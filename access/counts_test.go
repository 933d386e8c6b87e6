package access

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The counts of a client that was deleted are gone at once, and from the file with
// the next compaction; those of others stay.
func TestCountsOfADeletedClient(t *testing.T) {
	k := newKit(t)
	a, b := server(k), mobile(k)
	path := filepath.Join(k.dir, "quota.db")
	counts, _, err := OpenCounts(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		for _, id := range []string{a.ID, b.ID} {
			k.table.Load().clients[id].counter.Take(Limits{1000, 1000}, k.time)
		}
		if err := counts.Save(k.Clients); err != nil {
			t.Fatal(err)
		}
		if n, err := CheckCounts(path); n != 2 || err != nil {
			t.Fatalf("%d counts after %d, %v", n, i, err)
		}
	}
	if err := k.Delete(a.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time nothing is there
		if err := counts.Forget(a.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := counts.Save(k.Clients); err != nil {
		t.Fatal(err)
	}
	if n, err := CheckCounts(path); n != 1 || err != nil {
		t.Errorf("%d counts, %v", n, err)
	}
	before, after, err := counts.Compact()
	text, _ := os.ReadFile(path)
	if err != nil || after >= before/10 || int64(len(text)) != after || bytes.Contains(text, []byte(a.ID)) || !bytes.Contains(text, []byte(b.ID)) {
		t.Errorf("%d to %d bytes, %v: %q", before, after, err, text)
	}
	if err := counts.Close(); err != nil {
		t.Error(err)
	}
	// A process that was killed forgets later, and what its Compact left goes.
	if err := errors.Join(k.Delete(b.ID), os.WriteFile(path+".tmp", text, 0o600)); err != nil {
		t.Fatal(err)
	}
	if counts, _, err = OpenCounts(path); err != nil {
		t.Fatal(err)
	}
	if err := counts.Restore(k.Clients); err != nil {
		t.Fatal(err)
	}
	if n, err := CheckCounts(path); n != 0 || err != nil {
		t.Errorf("%d counts, %v", n, err)
	}
	if _, err := os.Stat(path + ".tmp"); err == nil {
		t.Error("left over")
	}
	if err := counts.Close(); err != nil {
		t.Error(err)
	}
}

// A file that buntdb would end the process over, or make room for without a bound,
// is told of and put aside; the end of a killed server is not.
func TestDamagedCounts(t *testing.T) {
	good := "*5\r\n$3\r\nset\r\n$5\r\nday:x\r\n$7\r\n20000:5\r\n$2\r\nae\r\n$10\r\n4000000000\r\n"
	for _, c := range []struct {
		text  string
		n     int
		whole bool
	}{
		{"", 0, true},
		{good, 1, true},
		{good + strings.ReplaceAll(good, "day:x", "day:y"), 2, true},
		{good + "*2\r\n$3\r\ndel\r\n$5\r\nday:x\r\n", 0, true},
		{good + good[:len(good)-4], 1, true}, // ends in the middle
		{good + good[:9], 1, true},
		{good + "*1\r\n$0\r\n\r\n", 0, false},
		{good + "*1\r\n$99999999999999999\r\nset\r\n", 0, false},
		{good + "*1\r\n$-1\r\nset\r\n", 0, false},
		{good + "*0\r\n", 0, false},
		{strings.Replace(good, "20000:5", "200000:5", 1), 0, false},
		{strings.Replace(good, "set", "sat", 1), 0, false},
		{strings.Replace(good, "4000000000", "4000000x00", 1), 0, false},
		{strings.Repeat("x", 10000), 0, false},
	} {
		path := filepath.Join(t.TempDir(), "quota.db")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%.80q", c.text)
		n, err := CheckCounts(path)
		if n != c.n || (err == nil) != c.whole {
			t.Errorf("%s: %d counts, %v", what, n, err)
		}
		counts, aside, err := OpenCounts(path)
		if err != nil || (aside == "") != c.whole {
			t.Fatalf("%s: put aside %q, %v", what, aside, err)
		}
		if err := counts.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A record that cannot be used is told of by its client, and so is a signing secret
// that secret.key does not open.
func TestCheckClients(t *testing.T) {
	k := newKit(t)
	server(k)
	signs := mobile(k)
	if n, err := CheckClients(k.db, k.sealer); n != 2 || err != nil {
		t.Errorf("%d clients, %v", n, err)
	}
	if n, err := CheckClients(k.db, OpenSealer(filepath.Join(k.dir, "other.key"))); n != 2 || err == nil || !strings.Contains(err.Error(), signs.ID) {
		t.Errorf("%d clients, %v", n, err)
	}
}
