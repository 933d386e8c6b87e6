package admin

import (
	"context"
	"time"

	"relais/auth/access"
)

// CreateClient makes a client and its first key.
type CreateClient struct{ access.Client }

func (*CreateClient) declare() declaration {
	return declaration{stores: []string{ClientsFile}, makesFolder: true}
}

func (c CreateClient) run(_ context.Context, s *Stores) (any, error) {
	return s.Clients.Create(c.Client)
}

// ListClients lists the clients.
type ListClients struct{}

func (*ListClients) declare() declaration { return declaration{stores: []string{ClientsFile}} }

func (ListClients) run(_ context.Context, s *Stores) (any, error) { return s.Clients.List(), nil }

// ShowClient shows one client.
type ShowClient struct {
	Client string `json:"client"` // id or name
}

func (c *ShowClient) declare() declaration {
	return declaration{stores: []string{ClientsFile}, record: &c.Client, kind: clientKind}
}

func (c ShowClient) run(_ context.Context, s *Stores) (any, error) { return s.Clients.Find(c.Client) }

// ClientUsage is the answer of UsageOfClient.
type ClientUsage struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Minute access.Window `json:"minute"`
	Day    access.Window `json:"day"`
}

// UsageOfClient returns what is left of a client's limits.
type UsageOfClient struct {
	Client string `json:"client"`
}

func (c *UsageOfClient) declare() declaration {
	return declaration{stores: []string{ClientsFile}, record: &c.Client, kind: clientKind}
}

func (c UsageOfClient) run(_ context.Context, s *Stores) (any, error) {
	found, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	u, err := s.Clients.Usage(found.ID)
	return ClientUsage{found.ID, found.Name, u.Minute, u.Day}, err
}

// RotateClient gives a client another key; the others end after Overlap.
type RotateClient struct {
	Client  string        `json:"client"`
	Overlap time.Duration `json:"overlap"`
}

func (c *RotateClient) declare() declaration {
	return declaration{stores: []string{ClientsFile}, record: &c.Client, kind: clientKind}
}

func (c RotateClient) run(_ context.Context, s *Stores) (any, error) {
	found, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	return s.Clients.Rotate(found.ID, c.Overlap)
}

// RevokeClient ends one key of a client, by its public prefix, or all of them.
type RevokeClient struct {
	Client string `json:"client"`
	Key    string `json:"key"`
}

// Revoked is a client after RevokeClient.
type Revoked struct {
	*access.Client
	// Unconfirmed are live nodes of the cluster that have not said within a second that they refuse
	// the key. They will when they reach the cluster's database.
	Unconfirmed []string `json:"unconfirmed,omitempty"`
}

func (c *RevokeClient) declare() declaration {
	return declaration{stores: []string{ClientsFile}, record: &c.Client, kind: clientKind}
}

func (c RevokeClient) run(ctx context.Context, s *Stores) (any, error) {
	found, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	revoked, err := s.Clients.Revoke(found.ID, c.Key)
	if err != nil || s.engine == nil {
		return Revoked{Client: revoked}, err
	}
	return Revoked{revoked, s.unconfirmed(ctx)}, nil
}

// DeleteClient removes a client, its counts and the account that it acts as.
type DeleteClient struct {
	Client string `json:"client"`
}

func (c *DeleteClient) declare() declaration {
	return declaration{stores: []string{ClientsFile, UsersFile}, record: &c.Client, kind: clientKind}
}

func (c DeleteClient) run(_ context.Context, s *Stores) (any, error) {
	found, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	if err := s.Clients.Delete(found.ID); err != nil {
		return nil, err
	}
	if id := s.Accounts.ActsFor(found.ID); id != "" {
		if err := s.DeleteUser(id); err != nil {
			return nil, err
		}
	}
	return found, s.forgetClient(found.ID)
}
