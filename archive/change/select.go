package change

// Select returns the state of the sites that keep chooses.
func (s *State) Select(keep func(id string, at Place) bool) (*State, error) {
	b := NewStateBuilder()
	var one Site
	for i := range s.sites {
		if s.Site(i, &one); keep(one.ID, one.Place) {
			b.Add(&one)
		}
	}
	return b.State()
}
