package access

// Lend adds a client that lives in memory only and ends with the process. A demonstration needs it
// in a folder that cannot be written to. Nothing of the client is stored, not even when its key was
// last used.
func (c *Clients) Lend(spec Client) (*Issued, error) {
	r, issued, err := c.issue(spec)
	if err != nil {
		return nil, err
	}
	sealer := &Sealer{}
	sealer.use(newSealKey())
	if r.Signs() {
		issued.SigningSecret = newSecret()
		r.Sealed = sealer.seal(issued.SigningSecret, r.ID)
	}
	l, err := newLive(r, sealer, nil)
	if err != nil {
		return nil, err
	}
	l.lent = true
	c.showing.Lock()
	defer c.showing.Unlock()
	t := c.table.Load().clone()
	t.put(l)
	c.table.Store(t)
	issued.Client = r.Client
	return issued, nil
}
