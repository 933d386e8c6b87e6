package community

import (
	"errors"
	"strings"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/store"
)

func TestDamaged(t *testing.T) {
	w := newWorld(t)
	for _, site := range []string{"fr-1", "fr-2"} {
		if _, _, err := w.Validate(confirms("ann", site, Exists, "")); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := w.Submit(NewBug{Title: "x", Text: "x", User: "ann"}); err != nil {
		t.Fatal(err)
	}
	v := w.OfSite("fr-1")[0]
	must(t, w.db.Update(func(tx *store.Tx) error {
		return errors.Join(
			store.PutJSON(tx, validationsBucket, []byte(v.ID), map[string]any{"id": v.ID, "siteKey": "fr-3"}),
			tx.Bucket([]byte(validationsBucket)).Put([]byte("x"), []byte("{")),
			tx.Bucket([]byte(bugsBucket)).Put([]byte("bug:x"), []byte("{}")))
	}))
	w.reopen()
	if len(w.Problems()) != 3 || len(w.OfSite("fr-1")) != 0 || len(w.OfSite("fr-2")) != 1 {
		t.Errorf("got %v, want 3 problems, and the validation of fr-2 alone", w.Problems())
	}
	if list, total, err := w.Bugs(true, 10, 0); len(list) != 1 || total != 1 || err != nil {
		t.Errorf("got %v, %v, total %v, want no error, len(list) = 1 and total = 1", list, err, total)
	}
	_, validations, bugs, err := Check(w.db)
	if validations != 3 || bugs != 2 || err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %d, %d, %v, want 3, 2 and two problems", validations, bugs, err)
	}
}

func TestReadOnly(t *testing.T) {
	s, err := openBoth(nil, time.Now)
	must(t, err)
	_, _, err1 := s.Validate(confirms("ann", "fr-1", Exists, ""))
	_, _, err2 := s.Submit(NewBug{Title: "x", Text: "x", User: "ann"})
	_, err3 := s.CloseBug("bug:1", audit.Decision{})
	_, _, err4 := s.Retain(Keep)
	_, err5 := s.Forget("ann")
	_, _, err6 := s.AddReport(said("ann"))
	for i, err := range []error{err1, err2, err3, err4, err5, err6} {
		if !errors.Is(err, errReadOnly) {
			t.Errorf("%d: %v, want ErrReadOnly", i, err)
		}
	}
	if _, err := s.Report("community:x"); !errors.Is(err, ErrNoReport) {
		t.Error(err)
	}
	if list, total, err := s.Reports(ReportFilter{}, 10, 0); len(list) != 0 || total != 0 || err != nil {
		t.Errorf("got %v, %v, %v, want none, 0 and no error", list, total, err)
	}
	_, _, _, err = Check(nil)
	if _, ok := s.Validation("x"); ok || err != nil || len(s.OfSite("fr-1")) != 0 {
		t.Errorf("got %v, %v, want no validation and no error", s.OfSite("fr-1"), err)
	}
}

// Many people say many things at once.
