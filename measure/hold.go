package measure

import "sync"

// A Hold keeps files for a copy of the folder. The database must be copied as it is
// between Hold and Resume.
type Hold struct {
	// Files are the paths, below the data folder, of what belongs to the measures beside
	// the database.
	Files           []string
	resume, release func()
}

// Hold makes changes wait until Resume, and lets no file go that counts now until Release.
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

// Resume lets changes go on.
func (h *Hold) Resume() { h.resume() }

// Release lets changes and files go.
func (h *Hold) Release() {
	h.resume()
	h.release()
}
