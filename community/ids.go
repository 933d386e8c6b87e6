package community

import (
	"github.com/google/uuid"

	"relais/internal/store"
)

// BugIDs returns the ids of the bugs, closed ones included, that begin with a text.
func (s *Store) BugIDs(begin string) ([]string, error) {
	return s.ids(bugsBucket, begin, func(k []byte) string { return string(k) })
}

// ReportIDs returns the ids of the outage reports, closed ones included, that begin with a text.
func (s *Store) ReportIDs(begin string) ([]string, error) {
	return s.ids(reportsBucket, begin, func(k []byte) string {
		u, _ := uuid.FromBytes(k) // a damaged key is the id of no report
		return reportPrefix + u.String()
	})
}

func (s *Store) ids(bucket, begin string, id func(k []byte) string) (list []string, err error) {
	if s.db == nil {
		return nil, nil
	}
	viewed := s.db.View(func(tx *store.Tx) error {
		list, err = store.IDs(tx, bucket, begin, id)
		return err
	})
	return list, viewed
}
