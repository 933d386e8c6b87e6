package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestCompactOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	path := filepath.Join(dir, "x.db")
	db := opened(t, path)
	put(t, db, "k", bytes.Repeat([]byte("x"), 1<<20))
	put(t, db, "l", bytes.Repeat([]byte("y"), 3<<18))
	err := db.Update(func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte("m"), make([]byte, 2<<20)) })
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("update: %v, want syscall.ENOSPC", err)
	}
	err = db.Update(func(tx *Tx) error { return tx.Bucket([]byte("b")).Put([]byte("k"), []byte("v")) })
	if err != nil {
		t.Errorf("the store does not go on: %v", err)
	}
	must(t, db.Close())
	was := content(t, path, "a")
	if _, _, err := compact(path); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("compact: %v, want syscall.ENOSPC", err)
	}
	if content(t, path, "a") != was {
		t.Error("the content has changed")
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left over: %v, want len(names) = 1", names)
	}
}
