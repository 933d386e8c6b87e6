package archive

import (
	"context"
	"errors"
	"testing"
)

// What a draft read is added as the file itself would be.
func TestDraft(t *testing.T) {
	path := publication(t, "2026-08-20", line("ORANGE", "10", "LTE 800", "0032290001", "En service"),
		line("SFR", "20", "GSM 900", "0032700001", "Projet approuvé"))
	files, err := Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	d := StartDraft(t.Context(), files[0])
	defer d.Close()
	s, _ := opened(t)
	report, err := s.Add(context.Background(), &files[0], Options{Draft: d})
	if err != nil || report.File.Rows != 2 || report.File.Served != 2 || report.File.Path != path {
		t.Fatalf("Add: %+v, %v; want a report on two rows of %s", report, err, path)
	}
	mustTell(t, "whole", sitesOf(s.Whole("2026-08-20")),
		"new 1 2026-08-20 10 ORANGE LTE 800 0032290001", "new 2 2026-08-20 20 SFR GSM 900 0032700001")
}

// A draft that was stopped is refused.
func TestStoppedDraft(t *testing.T) {
	path := publication(t, "2026-08-20", line("ORANGE", "10", "LTE 800", "0032290001", "En service"))
	files, err := Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := StartDraft(ctx, files[0])
	d.Close()
	s, _ := opened(t)
	if _, err := s.Add(t.Context(), &files[0], Options{Draft: d}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the reading was cancelled", err)
	}
}
