package admin

import (
	"context"
	"time"

	"relais/auth/access"
)

// CreateClient makes a client and its first key.
type CreateClient struct{ access.Client }

func (c CreateClient) run(_ context.Context, s *Stores) (any, error) {
	return s.Clients.Create(c.Client)
}

// ListClients lists the clients.
type ListClients struct{}

func (ListClients) run(_ context.Context, s *Stores) (any, error) { return s.Clients.List(), nil }

// ShowClient shows one client.
type ShowClient struct {
	Client string `json:"client" record:"client"`
}

func (c ShowClient) run(_ context.Context, s *Stores) (any, error) { return s.Clients.Find(c.Client) }

// UsageOfClient returns the rest of a client's limits. The answer is a ClientUsage.
type UsageOfClient struct {
	Client string `json:"client" record:"client"`
}

// ClientUsage is the answer of UsageOfClient.
type ClientUsage struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Minute access.Window `json:"minute"`
	Day    access.Window `json:"day"`
}

func (c UsageOfClient) run(_ context.Context, s *Stores) (any, error) {
	client, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	u, err := s.Clients.Usage(client.ID)
	return ClientUsage{client.ID, client.Name, u.Minute, u.Day}, err
}

// SetClient changes the description of a client: its name, scopes, origins, CIDRs, limits, end and whether
// it is a partner. The next request sees it. The answer is a ClientChanged.
type SetClient struct {
	Client string        `json:"client" record:"client"`
	Change access.Change `json:"change"`
}

// ClientChanged is a client after SetClient.
type ClientChanged struct {
	*access.Client
	Changed []access.Difference `json:"changed"`
	// Unconfirmed are live nodes of the cluster that have not said within a second that they know.
	Unconfirmed []string `json:"unconfirmed,omitempty"`
}

func (c SetClient) run(ctx context.Context, s *Stores) (any, error) {
	after, differences, err := s.Clients.Set(c.Client, c.Change)
	if err != nil {
		return nil, err
	}
	answer := ClientChanged{Client: after, Changed: differences}
	if len(differences) > 0 { // else there is nothing that other nodes could lack
		answer.Unconfirmed = s.unconfirmed(ctx)
	}
	return answer, nil
}

// RotateClient gives a client another key; the others end after Overlap.
type RotateClient struct {
	Client  string        `json:"client" record:"client"`
	Overlap time.Duration `json:"overlap"`
}

func (c RotateClient) run(_ context.Context, s *Stores) (any, error) {
	return s.Clients.Rotate(c.Client, c.Overlap)
}

// RevokeClient ends one key of a client, by its public prefix, or all of them. The answer is Revoked.
type RevokeClient struct {
	Client string `json:"client" record:"client"`
	Key    string `json:"key"`
}

// Revoked is a client after RevokeClient.
type Revoked struct {
	*access.Client
	// Unconfirmed are live nodes of the cluster that have not said within a second that they refuse
	// the key. They will when they reach the cluster's database.
	Unconfirmed []string `json:"unconfirmed,omitempty"`
}

func (c RevokeClient) run(ctx context.Context, s *Stores) (any, error) {
	revoked, err := s.Clients.Revoke(c.Client, c.Key)
	if err != nil {
		return nil, err
	}
	return Revoked{revoked, s.unconfirmed(ctx)}, nil
}

// unconfirmed returns the live nodes of the cluster that have not said within a second that they know
// the change of a client that was just made.
func (s *Stores) unconfirmed(ctx context.Context) []string {
	if s.node == nil {
		return nil
	}
	missing, err := s.node.replicas.Confirm(ctx)
	if err != nil { // the change is made, so that the command must not fail
		s.log.Warn("asking the other nodes failed", "error", err)
		return []string{"all others"}
	}
	return missing
}

// DeleteClient removes a client, its counts and the account that it acts as.
type DeleteClient struct {
	Client string `json:"client" record:"client"`
}

func (c DeleteClient) run(_ context.Context, s *Stores) (any, error) {
	client, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	if err := s.Clients.Delete(client.ID); err != nil { // first: its keys are refused from now on
		return nil, err
	}
	if id := s.Accounts.ActsFor(client.ID); id != "" {
		if err := s.DeleteUser(id); err != nil {
			return nil, err
		}
	}
	return client, s.forgetClient(client.ID)
}
