package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"relais/internal/system"
)

// A Holder is the process that holds a lock of a folder.
type Holder struct {
	PID    int       `json:"pid"`
	What   string    `json:"what"` // "relais serve on 127.0.0.1:8080"
	Since  time.Time `json:"since"`
	locked *os.File
}

// A HeldError says that another process holds the lock.
type HeldError struct {
	Dir    Dir
	Holder Holder // zero if it is not known
}

func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("the folder %s is in use by another process", e.Dir)
	}
	return fmt.Sprintf("the folder %s is in use by %s (process %d, since %s)",
		e.Dir, e.Holder.What, e.Holder.PID, e.Holder.Since.Format(time.RFC3339))
}

// Lock takes the lock called name of the folder for this process, or fails with
// a *HeldError at once. The lock ends with the process at the latest. A leftover lock
// file locks nothing. A missing folder is created.
func (d Dir) Lock(name, what string, now time.Time) (*Holder, error) {
	h, err := d.LockQuietly(name)
	if err != nil {
		return nil, err
	}
	h.PID, h.What, h.Since = os.Getpid(), what, now.UTC().Truncate(time.Second)
	_ = h.write() // only a hint for others: the lock works without it, also on a full disk
	return h, nil
}

// LockQuietly is Lock without writing the holder to the file: a
// *HeldError of others may name an earlier holder.
func (d Dir) LockQuietly(name string) (*Holder, error) {
	if d.IsPack() {
		return nil, fmt.Errorf("%s is a pack, which is only read: %w", d, fs.ErrPermission)
	}
	if err := MakeDir(string(d)); err != nil {
		return nil, err
	}
	// anyone who can open it can hold it
	f, err := system.OpenFile(filepath.Join(string(d), name+lockSuffix), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := system.Lock(f, false); err != nil {
		defer f.Close()
		if !errors.Is(err, system.ErrLocked) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		held := &HeldError{Dir: d}
		// The holder's text is only a hint, and left out if it cannot be read.
		if text, err := io.ReadAll(io.LimitReader(f, 4096)); err != nil || json.Unmarshal(text, &held.Holder) != nil {
			held.Holder = Holder{}
		}
		return nil, held
	}
	// Its last holder may have removed the file meanwhile: another process can lock the new one.
	own, _ := f.Stat()
	if now, err := os.Stat(f.Name()); errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(own, now) {
		f.Close()
		return d.LockQuietly(name)
	}
	return &Holder{locked: f}, nil
}

func (h *Holder) write() error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := h.locked.Truncate(0); err != nil {
		return err
	}
	_, err = h.locked.WriteAt(append(text, '\n'), 0)
	return err
}

// Remove removes the file of the lock, which is held until Unlock.
func (h *Holder) Remove() error { return os.Remove(h.locked.Name()) }

// Unlock releases the lock.
func (h *Holder) Unlock() error { return h.locked.Close() }
