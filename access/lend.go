package access

// Lend adds a client that lives in memory only and ends with the process: what a
// demonstration needs on a folder that cannot be written to. Nothing of it is stored,
// its times of last use neither.
func (c *Clients) Lend(spec Client) (*Issued, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
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
	t := c.table.Load().clone()
	if err := t.add(r, sealer, nil); err != nil {
		return nil, err
	}
	t.clients[r.ID].lent = true
	c.table.Store(t)
	issued.Client = r.Client
	return issued, nil
}
