//go:build linux

package e2e

import (
	"bytes"
	byteorder "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"go.etcd.io/bbolt"

	"relais/internal/filetest"
)

// raiseFormat makes a store one of the next format, by what docs/formats.md says.
func raiseFormat(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		const bucket, key = "relais:store", "format"
		b := tx.Bucket([]byte(bucket))
		value := byteorder.BigEndian.AppendUint64(nil, byteorder.BigEndian.Uint64(b.Get([]byte(key)))+1)
		sum := xxhash.NewWithSeed(xxhash.Sum64String(bucket))
		sum.Write(byteorder.LittleEndian.AppendUint64(nil, uint64(len(key))))
		sum.WriteString(key)
		sum.Write(value)
		return b.Put([]byte(key), byteorder.LittleEndian.AppendUint64(value, sum.Sum64()))
	})
	must(t, err)
}

// setByte changes a byte of a file: the version of those that begin with eight bytes of magic.
func setByte(t *testing.T, path string, offset int64, value byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	if _, err := f.WriteAt([]byte{value}, offset); err != nil {
		t.Fatal(err)
	}
}

// A folder in which a newer version has upgraded one store is not served. Each command names the store.
func TestNewerStore(t *testing.T) {
	c := makeCountry(t, 60)
	serve(t, c.dir).stop() // makes the stores
	path := filepath.Join(c.dir, "users.db")
	raiseFormat(t, path)
	before := filetest.Read(t, path)
	const why = "users.db: it was written by a newer relais: install that version"
	notServed(t, c.dir, why)
	if got := check(t, c.dir); !strings.Contains(got.problems()["users.db"], "written by a newer relais") {
		t.Errorf("check: got %q, want users.db with the reason", got.problems())
	}
	if !bytes.Equal(filetest.Read(t, path), before) {
		t.Error("users.db has changed")
	}
}

// A folder whose list of stores a newer version wrote is not served either.
func TestNewerFolder(t *testing.T) {
	c := makeCountry(t, 60)
	serve(t, c.dir).stop()
	path := filepath.Join(c.dir, "stores.json")
	text := strings.Replace(string(filetest.Read(t, path)), `"format": 1`, `"format": 2`, 1)
	filetest.Write(t, path, text)
	notServed(t, c.dir, "stores.json: this folder was written by a newer relais: use that version")
	if got := string(filetest.Read(t, path)); got != text {
		t.Errorf("stores.json: got %s, want it as it was: %s", got, text)
	}
}

// notServed checks that neither a server nor a command uses a folder, and that the doctor says why too.
func notServed(t *testing.T, dir, why string) {
	t.Helper()
	fails(t, 1, why, "serve", "--data", dir, "--listen", "127.0.0.1:0")
	fails(t, 1, why, "client", "list", "--data", dir)
	fails(t, 1, why, "backup", "--data", dir, filepath.Join(t.TempDir(), "copy"))
	if out, _, code := relais(t, "doctor", "--data", dir, "--offline"); code != 1 || !strings.Contains(out, why) {
		t.Errorf("doctor: exit %d, want 1 with %q: %s", code, why, out)
	}
}

// Snapshots and measurements of a newer version are left out, and named. The rest is served.
func TestNewerFiles(t *testing.T) {
	c := makeCountry(t, 200)
	run(t, "speedtest", "import", "--data", c.dir, "--market", "FR", filetest.New(t, "s.csv", speedtestsOf(40)))
	segment := segments(t, c.dir)[0]
	setByte(t, segment, 8, 9)
	setByte(t, filepath.Join(c.dir, "snapshots", "DROM.snap"), 8, 9)
	s := start(t, nil, "serve", "--data", c.dir)
	s.waitUntil("/readyz says so", func() bool {
		ready := s.readyz()
		refused, _ := ready["problems"].(object)
		return strings.Contains(fmt.Sprint(refused["DROM"]), "format 9, this program reads") &&
			strings.Contains(fmt.Sprint(ready["warnings"]), "measures: 1 file cannot be used")
	})
	s.ask("/antennas?limit=1")
	s.stop()
	problems := check(t, c.dir)
	if got := problems.problems()["measures/"+filepath.Base(segment)]; !strings.Contains(got, "written by a newer relais") {
		t.Errorf("check: got %q, want the reason", got)
	}
}
