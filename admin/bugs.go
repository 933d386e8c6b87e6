package admin

import (
	"context"
	"errors"
	"fmt"

	"relais/community"
)

// BugList is the answer of ListBugs.
type BugList struct {
	Total int             `json:"total"`
	Bugs  []community.Bug `json:"bugs"`
}

// ListBugs lists the bugs that are open, or all, the newest first.
type ListBugs struct {
	All bool `json:"all"`
	Page
}

func (*ListBugs) declare() declaration { return declaration{stores: []string{CommunityFile}} }

func (c ListBugs) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Community.Bugs(c.All, c.Limit, c.Offset)
	return BugList{total, list}, err
}

// CloseBug closes a bug; the answer is the community.Bug.
type CloseBug struct {
	Bug    string `json:"bug"`
	Answer string `json:"answer"` // for its reporter
	On     string `json:"on,omitempty"`
}

func (c *CloseBug) declare() declaration {
	return declaration{stores: []string{CommunityFile}, record: &c.Bug, kind: bugKind}
}

func (c CloseBug) run(ctx context.Context, s *Stores) (any, error) {
	b, err := s.Community.CloseBug(c.Bug, decision(ctx, c.Answer, c.On))
	if errors.Is(err, community.ErrNoBug) {
		err = fmt.Errorf("%w: %.64q; relais bug list names them", err, c.Bug)
	}
	return b, s.decided("bug", c.Bug, err)
}
