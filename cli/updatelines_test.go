package cli

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relais/ingest/update"
	"relais/market"
)

func TestUpdateError(t *testing.T) {
	failing := func(offline bool) *update.Report {
		return &update.Report{Offline: offline, Sources: []*update.SourceReport{
			{Markets: []market.Code{"FR", "DROM"}, Status: update.Failed, Error: "the disk is full", Files: []*update.FileReport{
				{Name: "a", Status: update.Failed, Error: "x"}, {Name: "b", Status: update.Unchanged}}}}}
	}
	for _, tt := range []struct {
		name  string
		r     *update.Report
		wants []string
	}{
		{"some", failing(false), []string{"FR,DROM: the disk is full\n", "1 of 2 files failed, for the reasons above: a\n",
			"next: relais update --data D "}},
		{"offline", failing(true), []string{"no internet? Download the files by hand", "relais ingest --data D MARKET FILE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := updateError("D", tt.r)
			for _, want := range tt.wants {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
	if err := updateError("D", &update.Report{}); err != nil {
		t.Errorf("nothing failed: %v, want nil", err)
	}
}

func TestUpdateLines(t *testing.T) {
	var w bytes.Buffer
	line, retry := fileLines(&w), retryLines(&w)
	line(&update.FileReport{Name: "a", Bytes: 204800800})
	line(&update.FileReport{Name: "b", Status: update.Unchanged})
	line(&update.FileReport{Name: "c", Status: update.Failed, Error: "no \x1b[31mhost"})
	retry("d", errors.New("cut"), 2*time.Second)
	want := "a: downloaded 204.8 MB\n" +
		"b: unchanged\nc: failed: no \\x1b[31mhost\n" +
		"d: cut; trying again in 2 s\n"
	if w.String() != want {
		t.Errorf("got %q, want %q", w.String(), want)
	}
}

// A line for each file goes to standard error, and the reason of a failure into the table.
func TestUpdateSaysWhy(t *testing.T) {
	weekly := weeklyFile(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".csv") {
			w.Write(weekly)
			return
		}
		http.NotFound(w, r)
	}))
	defer s.Close()
	dir := t.TempDir()
	out, errs, code := command(t.Context(), "update", "--data", dir, "--sources",
		tableFile(t, [3]string{"FR", "weekly", s.URL + "/SYNTHETIC_observatoire.csv"}, [3]string{"CH", "gone", s.URL + "/x"}))
	if code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	for _, want := range []string{"weekly: downloaded ", "gone: failed: the server answers 404 Not Found\n",
		"relais: 1 of 2 files failed, for the reasons above: gone\n", "next: relais update --data " + dir} {
		if !strings.Contains(errs, want) {
			t.Errorf("standard error lacks %q:\n%s", want, errs)
		}
	}
	if !strings.Contains(out, "the server answers 404 Not Found\n") ||
		!strings.Contains(out, "next: relais serve --data "+dir+"\n") {
		t.Errorf("the report lacks the reason, or what to do next:\n%s", out)
	}
}
