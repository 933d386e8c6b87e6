package archive

import (
	"context"
	"testing"
)

// A draft that was read along with something else is added as the file itself would be.
func TestDraft(t *testing.T) {
	path := publication(t, "2026-08-20", line("ORANGE", "10", "LTE 800", "0032290001", "En service"),
		line("SFR", "20", "GSM 900", "0032700001", "Projet approuvé"))
	files, err := Files([]string{path})
	must(t, err)
	f, d := files[0], &Draft{}
	f.Second = d.Read
	r, err := f.Read(nil)
	must(t, err)
	for r.NextRow() {
	}
	must(t, r.Close())
	s, _ := opened(t)
	report, err := s.Add(context.Background(), &files[0], Options{Draft: d})
	if err != nil || report.File.Rows != 2 || report.File.Served != 2 || report.File.Path != path {
		t.Fatalf("Add: %+v, %v; want a report on two rows of %s", report, err, path)
	}
	mustTell(t, "whole", sitesOf(s.Whole("2026-08-20")),
		"new 1 2026-08-20 10 ORANGE LTE 800 0032290001", "new 2 2026-08-20 20 SFR GSM 900 0032700001")

	// One that was read twice is refused.
	twice := &Draft{}
	f.Second = twice.Read
	for range 2 {
		r, err = f.Read(nil)
		must(t, err)
		for r.NextRow() {
		}
		r.Close()
	}
	if _, err := s.Add(context.Background(), &files[0], Options{Draft: twice, Force: true}); err == nil {
		t.Error("a draft of two readings was added")
	}

	// One that was not read to its end is refused.
	cut := &Draft{}
	f.Second = cut.Read
	r, err = f.Read(nil)
	must(t, err)
	r.NextRow()
	r.Close()
	if _, err := s.Add(context.Background(), &files[0], Options{Draft: cut, Force: true}); err == nil {
		t.Error("a draft of a part of the file was added")
	}
}
