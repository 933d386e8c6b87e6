package admin

import (
	"errors"

	"relais/auth/access"
	"relais/internal/admit"
)

// openCounts reads the counts of requests. Those of a read-only folder stay in memory. The nodes of a cluster
// count together.
func (s *Stores) openCounts() error {
	path := s.path(quotaFile)
	if s.lock == nil || s.node != nil {
		path = "" // counts stay in memory
	}
	counts, aside, err := access.OpenCounts(path)
	if err != nil {
		return err
	}
	if aside != "" {
		s.log.Warn("quota.db was damaged: what could be read of it is kept, and the damaged file is put aside",
			"put aside", aside)
	}
	s.counts, s.Answers = counts, counts.Answers()
	if s.node == nil {
		return counts.Restore(s.Clients)
	}
	s.clusterCounts = s.node.engine.Counts(s.Key("limits"))
	s.Answers = s.node.engine.Answers()
	s.reportCounts = s.Clients.ShareCounts(s.clusterCounts)
	s.Accounts.ShareGuesses(s.clusterCounts)
	return nil
}

// Tally counts for all nodes of the cluster; it is nil for an ordinary folder.
func (s *Stores) Tally() admit.Tally {
	if s.clusterCounts == nil {
		return nil
	}
	return s.clusterCounts
}

// forgetClient removes the counts of a deleted client and its kept answers.
func (s *Stores) forgetClient(id string) error {
	if s.clusterCounts == nil {
		return s.counts.Forget(id)
	}
	return errors.Join(s.clusterCounts.Forget(id), s.node.engine.Answers().Forget(id))
}

// ForgetPhoto removes the kept answers about a photo that was deleted.
func (s *Stores) ForgetPhoto(id string) error {
	if s.clusterCounts == nil {
		return s.counts.ForgetAnswers(id)
	}
	return s.node.engine.Answers().ForgetAnswers(id)
}
