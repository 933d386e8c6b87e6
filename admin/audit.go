package admin

import (
	"context"

	"relais/community/audit"
)

// openAudit opens the log, and collects the decisions that a killed process left in other stores.
func (s *Stores) openAudit() {
	s.Audit = audit.Open(s.opened()[CommunityFile], s.opened()[PhotosFile], s.opened()[UsersFile])
	s.collect()
}

// actorKey is the key of the moderator's name in a context.
type actorKey struct{}

// As returns a context in which Do decides as a moderator with this name. Commands that come over the
// socket are the shell's.
func As(ctx context.Context, moderator string) context.Context {
	return context.WithValue(ctx, actorKey{}, moderator)
}

// decision returns a decision of the author that As named, or of the shell.
func decision(ctx context.Context, why, on string) audit.Decision {
	by, _ := ctx.Value(actorKey{}).(string)
	return audit.Decision{By: by, Why: why, On: on}
}

// A ChangedError says that a record was changed after a moderator saw it. It is an audit.ErrChanged.
type ChangedError struct {
	// Last is the last decision about the record, nil if it changed in another way.
	Last *audit.Entry
	err  error
}

func (e *ChangedError) Error() string { return e.err.Error() }

// Unwrap returns audit.ErrChanged.
func (e *ChangedError) Unwrap() error { return e.err }

// changed returns the ChangedError about a subject.
func (s *Stores) changed(subject string, err error) error {
	s.collect()
	last, failed := s.Audit.Last(audit.Filter{Subject: subject})
	if failed != nil {
		s.log.Error("the audit log cannot be read", "error", failed)
	}
	return &ChangedError{last, err}
}

// collect moves decisions from other stores into the log. If that fails, they stay in their stores until the
// next call.
func (s *Stores) collect() {
	if err := s.Audit.Collect(); err != nil {
		s.log.Warn("decisions are not in the audit log yet: they wait in the store where they were made", "error", err)
	}
}

// Do runs a command in the process that has the stores open, and returns its answer: for the moderator
// that As named, else for the shell.
func (s *Stores) Do(ctx context.Context, c Command) (any, error) { return s.do(ctx, c) }

// AuditList is the answer of ListAudit.
type AuditList struct {
	Total   int           `json:"total"`
	Entries []audit.Entry `json:"entries"`
}

// ListAudit lists decisions, the newest first.
type ListAudit struct {
	audit.Filter
	Page
}

func (*ListAudit) declare() declaration { return declaration{stores: []string{CommunityFile}} }

func (c ListAudit) run(_ context.Context, s *Stores) (any, error) {
	s.collect()
	list, total, err := s.Audit.List(c.Filter, c.Limit, c.Offset)
	return AuditList{total, list}, err
}
