package photos

import "relais/internal/store"

// PhotoIDs returns the ids of the photos, hidden ones included, that begin with a text.
func (s *Store) PhotoIDs(begin string) ([]string, error) { return s.ids(photosBucket, begin) }

// ReportIDs returns the ids of the reports, decided ones included, that begin with a text.
func (s *Store) ReportIDs(begin string) ([]string, error) { return s.ids(reportIDsBucket, begin) }

func (s *Store) ids(bucket, begin string) (list []string, err error) {
	viewed := s.view(func(tx *store.Tx) error {
		list, err = store.IDs(tx, bucket, begin, id)
		return err
	})
	return list, viewed
}
