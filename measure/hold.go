package measure

import "sync"

// A Hold keeps files for a copy of the folder. The database must be copied between Hold and
// Resume.
type Hold struct {
	// Files are the paths, below the data folder, of the files of measurements except the
	// database.
	Files           []string
	resume, release func()
}

// Hold makes changes wait until Resume, and keeps the files that count now until Release.
func (s *Store) Hold() *Hold {
	s.mu.Lock()
	s.holds++
	return &Hold{files(s.dir, s.view().rows), sync.OnceFunc(s.mu.Unlock), sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.holds--
		_ = s.clean() // what stays is tried again after the next change
	})}
}

// Resume ends the wait of changes.
func (h *Hold) Resume() { h.resume() }

// Release ends the wait of changes, and allows files to be removed.
func (h *Hold) Release() {
	h.resume()
	h.release()
}
