package admin

import (
	"errors"

	"relais/auth/account"
)

// shareCounts has the cluster count what its nodes limit together.
func (s *Stores) shareCounts() {
	counts := s.engine.Counts(s.Key("limits"))
	s.Answers, s.shared = s.engine.Answers(), counts
	s.tell = s.Clients.ShareCounts(counts)
	s.Accounts.ShareGuesses(counts)
}

// Tally counts for all nodes of the cluster; it is nil for an ordinary folder.
func (s *Stores) Tally() account.Tally {
	if s.shared == nil {
		return nil
	}
	return s.shared
}

// forgetClient removes the counts of a deleted client and its kept answers.
func (s *Stores) forgetClient(id string) error {
	if s.shared == nil {
		return s.counts.Forget(id)
	}
	return errors.Join(s.shared.Forget(id), s.engine.Answers().Forget(id))
}

// forgetAnswers removes the kept answers that contain a text.
func (s *Stores) forgetAnswers(text string) error {
	if s.shared == nil {
		return s.counts.ForgetAnswers(text)
	}
	return s.engine.Answers().ForgetAnswers(text)
}
