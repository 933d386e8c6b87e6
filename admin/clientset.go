package admin

import (
	"context"

	"relais/auth/access"
)

// SetClient changes what describes a client: its name, scopes, origins, CIDRs, limits, end and whether
// it is a partner. The next request sees it. The answer is a ClientChanged.
type SetClient struct {
	Client string        `json:"client"`
	Change access.Change `json:"change"`
}

// ClientChanged is a client after SetClient.
type ClientChanged struct {
	*access.Client
	Changed []access.Difference `json:"changed"`
	// Unconfirmed are live nodes of the cluster that have not said within a second that they know.
	Unconfirmed []string `json:"unconfirmed,omitempty"`
}

func (c *SetClient) declare() declaration {
	return declaration{stores: []string{ClientsFile}, record: &c.Client, kind: clientKind}
}

func (c SetClient) run(ctx context.Context, s *Stores) (any, error) {
	found, err := s.Clients.Find(c.Client)
	if err != nil {
		return nil, err
	}
	after, differences, err := s.Clients.Set(found.ID, c.Change)
	if err != nil {
		return nil, err
	}
	answer := ClientChanged{Client: after, Changed: differences}
	if s.engine != nil && len(differences) > 0 {
		answer.Unconfirmed = s.unconfirmed(ctx)
	}
	return answer, nil
}

// unconfirmed returns the live nodes of the cluster that have not said within a second that they know
// the change of a client that was just made.
func (s *Stores) unconfirmed(ctx context.Context) []string {
	missing, err := s.replicas.Confirm(ctx)
	if err != nil { // it is done all the same
		s.log.Warn("asking the other nodes", "error", err)
		return []string{"all others"}
	}
	return missing
}
