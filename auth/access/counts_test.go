package access

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// The counts of a client that was deleted are gone at once, and from the file with
// the next compaction; those of others stay.
func TestCountsOfADeletedClient(t *testing.T) {
	k := newKit(t)
	a, b := server(k), mobile(k)
	path := filepath.Join(k.dir, "quota.db")
	counts, _, err := OpenCounts(path)
	must(t, err)
	for i := range 40 {
		for _, id := range []string{a.ID, b.ID} {
			k.table.Load().clients[id].counter.take(Limits{Minute: 1000, Day: 1000}, k.time)
		}
		must(t, counts.Save(k.Clients))
		if n, err := checkCounts(path); n != 2 || err != nil {
			t.Fatalf("%d counts after %d, %v, want 2 and no error", n, i, err)
		}
	}
	must(t, k.Delete(a.ID))
	for range 2 { // a second time nothing is there
		must(t, counts.Forget(a.ID))
	}
	must(t, counts.Save(k.Clients))
	if n, err := checkCounts(path); n != 1 || err != nil {
		t.Errorf("%d counts, %v, want 1 and no error", n, err)
	}
	before, after, err := counts.Compact()
	text, _ := os.ReadFile(path)
	if err != nil || after >= before/10 || int64(len(text)) != after || bytes.Contains(text, []byte(a.ID)) ||
		!bytes.Contains(text, []byte(b.ID)) {
		t.Errorf("%d to %d bytes, %v: %q, want less than %d, no error, no %q in it, %q in it and len(text) = %v",
			before, after, err, text, before/10, []byte(a.ID), []byte(b.ID), after)
	}
	if err := counts.Close(); err != nil {
		t.Error(err)
	}
	// A process that was killed forgets later, and what its Compact left goes.
	must(t, errors.Join(k.Delete(b.ID), os.WriteFile(path+".tmp", text, 0o600)))
	counts, _, err = OpenCounts(path)
	must(t, err)
	must(t, counts.Restore(k.Clients))
	if n, err := checkCounts(path); n != 0 || err != nil {
		t.Errorf("%d counts, %v, want 0 and no error", n, err)
	}
	if _, err := os.Stat(path + ".tmp"); err == nil {
		t.Error("left over")
	}
	if err := counts.Close(); err != nil {
		t.Error(err)
	}
}

const goodCount = "*5\r\n$3\r\nset\r\n$5\r\nday:x\r\n$7\r\n20000:5\r\n$2\r\nae\r\n$10\r\n4000000000\r\n"

// mended opens a file of counts as a start does, and returns how many counts it has then
// and whether the file was put aside.
func mended(t *testing.T, text string) (n int, aside bool) {
	t.Helper()
	path := filetest.New(t, "quota.db", text)
	counts, where, err := OpenCounts(path)
	if err != nil {
		t.Fatalf("%.80q: %v, want no error", text, err)
	}
	if err := counts.Close(); err != nil {
		t.Error(err)
	}
	if n, err = checkCounts(path); err != nil {
		t.Errorf("%.80q: after the start: %v", text, err)
	}
	if was, err := os.ReadFile(where); where != "" && (err != nil || string(was) != text) {
		t.Errorf("%.80q: got %.80q, %v in the file put aside, want it whole", text, was, err)
	}
	if left, err := filepath.Glob(path + ".tmp"); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v, want none and no error", left, err)
	}
	return n, where != ""
}

// A file that buntdb would end the process over, or make room for without a bound, is told
// of and put aside when nothing of it can be read.
func TestDamagedCounts(t *testing.T) {
	for _, text := range []string{
		"*1\r\n$99999999999999999\r\nset\r\n",
		"*1\r\n$-1\r\nset\r\n",
		"*0\r\n",
		strings.Replace(goodCount, "20000:5", "200000:5", 1),
		strings.Replace(goodCount, "set", "sat", 1),
		strings.Replace(goodCount, "4000000000", "4000000x00", 1),
		strings.Repeat("x", 10000),
	} {
		path := filetest.New(t, "quota.db", text)
		if n, err := checkCounts(path); n != 0 || err == nil {
			t.Errorf("%.80q: %d counts, %v, want 0 and an error", text, n, err)
		}
		if n, aside := mended(t, text); n != 0 || !aside {
			t.Errorf("%.80q: %d counts, put aside: %t, want 0 and true", text, n, aside)
		}
	}
}

// What a power cut leaves of the end of the file is dropped, at whatever byte, and what was
// written before it is kept: so is what lies behind blocks that were not written.
func TestTornCounts(t *testing.T) {
	other := strings.ReplaceAll(goodCount, "day:x", "day:y")
	third := strings.ReplaceAll(goodCount, "day:x", "day:z")
	type torn struct {
		text string
		n    int
	}
	list := []torn{{"", 0}, {goodCount, 1}, {goodCount + other, 2},
		{goodCount + "*2\r\n$3\r\ndel\r\n$5\r\nday:x\r\n", 0}, {strings.Repeat("\x00", 4096), 0}}
	for i := 1; i < len(other); i++ {
		list = append(list, torn{goodCount + other[:i], 1}, torn{other[:i], 0},
			torn{goodCount + other[:i] + strings.Repeat("\x00", 512), 1},
			torn{goodCount + other[:i] + strings.Repeat("\x00", 512) + other[i:] + third, 2})
	}
	for _, c := range list {
		path := filetest.New(t, "quota.db", c.text)
		if n, err := checkCounts(path); n != c.n || err != nil {
			t.Errorf("%.200q: %d counts, want %d: %v", c.text, n, c.n, err)
		}
		if n, aside := mended(t, c.text); n != c.n || aside {
			t.Errorf("%.200q: %d counts after the start, want %d; put aside: %t", c.text, n, c.n, aside)
		}
	}
}

// Junk at the end is a torn tail as well: what lies before it is kept.
func TestJunkAfterCounts(t *testing.T) {
	for _, junk := range []string{"*1\r\n$0\r\n\r\n", "*1\r\n$99999999999999999\r\nset\r\n", "*1\r\n$-1\r\nset\r\n",
		"*0\r\n", "x",
		strings.Repeat("\xff\r\n*", 5000), strings.Repeat("*5\r\n$9\r\n", 100)} {
		if n, aside := mended(t, goodCount+junk); n != 1 || aside {
			t.Errorf("%.80q: %d counts, want 1; put aside: %t", junk, n, aside)
		}
	}
}

// Of a file that is damaged in the middle both sides are kept, and the file is put aside.
func TestCountsDamagedInTheMiddle(t *testing.T) {
	other := strings.ReplaceAll(goodCount, "day:x", "day:y")
	for _, text := range []string{goodCount + "junk" + other, "junk" + goodCount + other,
		goodCount + strings.Replace(goodCount, "$7", "$9", 1) + other,
		goodCount + strings.Replace(goodCount, "set", "sat", 1) + other} {
		path := filetest.New(t, "quota.db", text)
		if n, err := checkCounts(path); n != 2 || !errors.Is(err, errNoCounts) {
			t.Errorf("%.200q: %d counts, %v, want 2 and %v", text, n, err, errNoCounts)
		}
		if n, aside := mended(t, text); n != 2 || !aside {
			t.Errorf("%.200q: %d counts, want 2; put aside: %t", text, n, aside)
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
		t.Errorf("%d clients, %v, want 2 and no error", n, err)
	}
	if n, err := CheckClients(k.db, OpenSealer(filepath.Join(k.dir, "other.key"))); n != 2 || err == nil ||
		!strings.Contains(err.Error(), signs.ID) {
		t.Errorf("%d clients, %v, want 2, an error and %q in it", n, err, signs.ID)
	}
}

// checkCounts returns how many counts hold. Errors: those of reading, and that the file is
// damaged.
func checkCounts(path string) (n int, err error) {
	c, err := ReadCounts(path)
	switch {
	case err != nil:
		return 0, err
	case c.Bad > 0:
		return c.Counts, fmt.Errorf("%w: %d bytes of it cannot be read", errNoCounts, c.Bad)
	}
	return c.Counts, nil
}
