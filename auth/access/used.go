package access

import "relais/internal/store"

// SaveLastUsed writes the times at which keys were used last. It writes nothing when no key was
// used since the last time.
func (c *Clients) SaveLastUsed() error {
	var used []*live
	for _, l := range c.table.Load().clients {
		if !l.lent && l.used.Load() {
			used = append(used, l)
		}
	}
	if c.db == nil || len(used) == 0 {
		return nil
	}
	err := c.db.Update(func(tx *store.Tx) error {
		for _, l := range used {
			now := c.table.Load().clients[l.ID]
			if now == nil { // deleted meanwhile
				continue
			}
			l.used.Store(false) // of both: it is the same
			r := now.record
			r.Client = *now.client()
			if err := write(tx, &r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for _, l := range used {
			l.used.Store(true)
		}
	}
	return err
}
