package measure

import (
	"slices"
	"sync"
)

// A Hold keeps files for a copy of the folder. The database must be copied between Hold and
// Resume.
type Hold struct {
	// Files are the paths, below the data folder, of the files of measurements except the
	// database.
	Files           []string
	resume, release func()
}

// Hold makes changes of this process wait until Resume, and keeps the files that count now until
// Release. Resume adds to Files those that other machines added meanwhile.
func (s *Store) Hold() *Hold {
	s.mu.Lock()
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	s.copies++
	h := &Hold{Files: files(s.rows)}
	// OnceFunc lets Release call Resume again, and a deferred Release follow an early one.
	h.resume = sync.OnceFunc(func() {
		// mu does not stop commits of other machines. The copy of the database may have their rows.
		for _, name := range files(s.counted()) {
			if !slices.Contains(h.Files, name) {
				h.Files = append(h.Files, name)
			}
		}
		s.mu.Unlock()
	})
	h.release = sync.OnceFunc(func() {
		s.viewMu.Lock()
		defer s.viewMu.Unlock()
		s.copies--
		_ = s.removeFiles() // what stays is tried again after the next change
	})
	return h
}

// Resume ends the wait of changes.
func (h *Hold) Resume() { h.resume() }

// Release ends the wait of changes, and allows files to be removed.
func (h *Hold) Release() {
	h.resume()
	h.release()
}
