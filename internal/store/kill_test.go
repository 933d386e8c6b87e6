package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"relais/internal/killtest"
	"relais/internal/tier"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error {
		if len(args) == 1 {
			return holdForEver(args[0])
		}
		if args[0] == "full" {
			return failToGrow(args[1])
		}
		if args[0] == "little" {
			return openWithLittle(args[1])
		}
		return writeForEver(args[0], args[1])
	})
}

func holdForEver(path string) error {
	if _, err := Open(path); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

// writeForEver says each key once it is written, and compacts meanwhile.
func writeForEver(path, first string) error {
	from, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	db, err := Open(path, "a")
	if err != nil {
		return err
	}
	failed := make(chan error)
	go func() {
		for {
			if _, _, err := db.Compact(); err != nil {
				failed <- err
			}
		}
	}()
	for i := from; ; i++ {
		err := db.Update(func(tx *Tx) error {
			return tx.Bucket([]byte("a")).Put(fmt.Append(nil, i), make([]byte, i*131%9000))
		})
		if err != nil {
			return err
		}
		fmt.Println(i)
		select {
		case err := <-failed:
			return err
		default:
		}
	}
}

func TestKilled(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	said := 0
	for round := range 12 {
		killtest.Run(t, 450*time.Millisecond, func(line string) {
			if n, err := strconv.Atoi(line); err == nil {
				said = n + 1
			}
		}, path, strconv.Itoa(said))
		db, err := Open(path, "a")
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for i := range said {
			if v := get(t, db, strconv.Itoa(i)); v == nil || len(v) != i*131%9000 {
				t.Fatalf("round %d: key %d of %d: got %d bytes, want %d", round, i, said, len(v), i*131%9000)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := Check(path); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
	t.Logf("%d keys", said)
}

func TestHeldByAnotherProcess(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	holder, lines := killtest.Start(t, path)
	if !lines.Scan() {
		t.Fatal("it is not held")
	}
	if _, err := Open(path); !errors.Is(err, ErrHeld) {
		t.Errorf("Open while another process holds the file = %v, want ErrHeld", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Error(err)
	}
	holder.Wait()
	opened(t, path) // the lock ended with its holder
}

// Where the address space is bounded (ulimit -v) files reserve less of it.
func TestAddressSpace(t *testing.T) {
	child, lines := killtest.Start(t, "little", t.TempDir())
	defer child.Wait()
	defer child.Process.Kill()
	if !lines.Scan() || lines.Text() != "opened" {
		t.Fatalf("16 files in 4 GiB: got %q, want opened", lines.Text())
	}
}
