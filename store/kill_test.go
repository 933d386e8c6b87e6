package store

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

const killed = "RELAIS_STORE_TEST_KILLED"

func TestMain(m *testing.M) {
	if path := os.Getenv(killed); path != "" {
		if os.Args[1] == "hold" {
			fmt.Fprintln(os.Stderr, holdForEver(path))
		} else {
			fmt.Fprintln(os.Stderr, writeForEver(path, os.Args[1]))
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func holdForEver(path string) error {
	if _, err := Open(path); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

// writeForEver says each key once it is written, and compacts beside that.
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
		err := db.Update(func(tx *bolt.Tx) error {
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
	path := filepath.Join(t.TempDir(), "x.db")
	said := 0
	for round := range 12 {
		cmd := exec.Command(os.Args[0], strconv.Itoa(said))
		cmd.Env = append(os.Environ(), killed+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { cmd.Process.Kill() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				said = n + 1
			}
		}
		cmd.Wait()
		if cmd.ProcessState.Exited() {
			t.Fatal("the writer ended by itself")
		}
		db, err := Open(path, "a")
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for i := range said {
			if v := get(t, db, strconv.Itoa(i)); v == nil || len(v) != i*131%9000 {
				t.Fatalf("round %d: key %d of %d is lost", round, i, said)
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
	path := filepath.Join(t.TempDir(), "x.db")
	cmd := exec.Command(os.Args[0], "hold")
	cmd.Env = append(os.Environ(), killed+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrHeld) {
		t.Errorf("beside its holder: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	opened(t, path) // the lock ended with its holder
}
