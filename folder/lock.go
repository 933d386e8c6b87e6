package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A Holder says who holds a lock of a folder.
type Holder struct {
	PID    int       `json:"pid"`
	What   string    `json:"what"` // "relais serve on 127.0.0.1:8080"
	Since  time.Time `json:"since"`
	locked *os.File
}

// A HeldError says that another process holds the lock.
type HeldError struct {
	Dir    Dir
	Holder Holder // zero when it did not say
}

func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("the folder %s is in use by another process", e.Dir)
	}
	return fmt.Sprintf("the folder %s is in use by %s (process %d, since %s)",
		e.Dir, e.Holder.What, e.Holder.PID, e.Holder.Since.Format(time.RFC3339))
}

// Lock takes the lock called name of the folder for this process, or fails with
// a *HeldError at once. The lock ends with the process at the latest; a lock
// file that is left over holds nothing. The folder is made when it is missing.
func (d Dir) Lock(name, what string, now time.Time) (*Holder, error) {
	h, err := d.LockQuietly(name)
	if err != nil {
		return nil, err
	}
	h.PID, h.What, h.Since = os.Getpid(), what, now.UTC().Truncate(time.Second)
	_ = h.write() // a courtesy to others: the lock holds without it, on a full disk too
	return h, nil
}

// LockQuietly is Lock that writes nothing to a lock file that is there: the
// *HeldError of others does not say truly who holds it.
func (d Dir) LockQuietly(name string) (*Holder, error) {
	if err := MakeDir(string(d)); err != nil {
		return nil, err
	}
	// who can open it can hold it
	f, err := os.OpenFile(filepath.Join(string(d), name+lockSuffix), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		held := &HeldError{Dir: d}
		// What a holder wrote is a courtesy: unreadable, it is left out.
		if text, err := io.ReadAll(io.LimitReader(f, 4096)); err != nil || json.Unmarshal(text, &held.Holder) != nil {
			held.Holder = Holder{}
		}
		return nil, held
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

// Unlock gives the lock back.
func (h *Holder) Unlock() error { return h.locked.Close() }
