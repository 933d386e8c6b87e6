package community

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"relais/community/audit"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/outage"
)

// Who is forgotten is off the disk when the file is compacted; the file says that it needs
// it, and only then.
func TestForgottenIsOffTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "community.db")
	db := database(t, path)
	defer db.Close()
	s := reopen(t, db, newClock())
	if n, err := s.Forget("nobody"); n != 0 || err != nil {
		t.Errorf("got %v, %v, want 0 and no error", n, err)
	}
	storetest.Compact(t, db, path, false)
	r := made(t, s, said("ann"))
	if _, err := s.Confirm(r.ID, "bob"); err != nil {
		t.Fatal(err)
	}
	bob := []byte(base64.StdEncoding.EncodeToString((&reportRecord{Report: *r}).hash("bob")))
	if n, err := s.Forget("bob"); n != 1 || err != nil || !bytes.Contains(filetest.Read(t, path), bob) {
		t.Errorf("got %d, %v, or nothing was left, want 1 and bob in the file", n, err)
	}
	if bytes.Contains(storetest.Compact(t, db, path, true), bob) {
		t.Error("the user is still on the disk")
	}
	if got, err := reopen(t, db, newClock()).Report(r.ID); look(got, err) != "reported 1 2" {
		t.Errorf("got %v, want reported 1 2", look(got, err))
	}
}

// endedReports are of begin, in different states at that time or an hour later.
func endedReports(t *testing.T, s *Store, c *clock) map[string]*Report {
	t.Helper()
	reports := map[string]*Report{}
	for _, name := range []string{"resolved", "rejected", "dormant", "confirmed late", "resolved late",
		"rejected after its end"} {
		n := said("ann")
		n.Token, n.Reason = name, "reason of "+name
		reports[name] = made(t, s, n)
	}
	elsewhere := said("ann")
	elsewhere.Market, elsewhere.Operator, elsewhere.At.Lat, elsewhere.At.Lng = market.CH, "SALT_CH", 46.95, 7.44
	reports["in CH"] = made(t, s, elsewhere)
	must := func(_ *Report, err error) {
		t.Helper()
		must(t, err)
	}
	must(s.ResolveAs(reports["resolved"].ID, audit.Decision{}))
	must(s.Reject(reports["rejected"].ID, audit.Decision{Why: "no"}))
	must(s.ResolveAs(reports["rejected after its end"].ID, audit.Decision{}))
	c.at = c.at.Add(time.Hour)
	must(s.Confirm(reports["confirmed late"].ID, "bob"))
	must(s.ResolveAs(reports["resolved late"].ID, audit.Decision{}))
	must(s.Reject(reports["rejected after its end"].ID, audit.Decision{Why: "never was"}))
	return reports
}

// Reports leave the disk a year after their last news, and nothing else does.
func TestRetainReports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "community.db")
	db := database(t, path)
	defer db.Close()
	c := newClock()
	begin := c.at
	s := reopen(t, db, c)
	load(t, s, "SFR", rowOf("1"))
	reports := endedReports(t, s, c)
	for _, step := range []struct {
		after   time.Duration
		removed int
		left    []string
	}{
		{365 * 24 * time.Hour, 0,
			[]string{"confirmed late", "dormant", "in CH", "rejected", "rejected after its end", "resolved",
				"resolved late"}},
		{365*24*time.Hour + time.Second, 4, []string{"confirmed late", "rejected after its end", "resolved late"}},
		{365*24*time.Hour + time.Hour, 0, []string{"confirmed late", "rejected after its end", "resolved late"}},
		{365*24*time.Hour + time.Hour + time.Second, 3, nil},
	} {
		c.at = begin.Add(step.after)
		if n, others, err := s.Retain(Keep); n != step.removed || others != 0 || err != nil {
			t.Errorf("%s: %d reports and %d others removed, %v, want %d, 0 and no error", step.after, n, others, err,
				step.removed)
		}
		text := storetest.Compact(t, db, path, step.removed > 0)
		for _, s := range []*Store{s, reopen(t, db, c)} {
			var left []string
			for name, r := range reports {
				onDisk := bytes.Contains(text, []byte("reason of "+name+`"`)) ||
					name == "in CH" && bytes.Contains(text, []byte(r.ID))
				if _, err := s.Report(r.ID); err == nil != onDisk || err != nil && !errors.Is(err, ErrNoReport) {
					t.Errorf("%s: %s: got %v, on the disk %v, want ErrNoReport when it is not", step.after, name, err,
						onDisk)
				}
				if onDisk {
					left = append(left, name)
				}
			}
			if slices.Sort(left); !slices.Equal(left, step.left) {
				t.Errorf("%s: %q are left, want %q", step.after, left, step.left)
			}
			open := s.Outages().Reports(outage.Query{Market: market.CH}, reportStates...)
			if len(open) == 1 != slices.Contains(step.left, "in CH") {
				t.Errorf("%s: %d reports are answered, want one while %q has it", step.after, len(open), step.left)
			}
		}
	}
	if f := s.Feeds.Feeds(market.FR)[0]; f.Served != 1 || f.State() != outage.Available {
		t.Errorf("the feed: %+v, want Served = 1 and State = %v", f, outage.Available)
	}
	n := said("ann")
	n.Token = "resolved"
	if again := made(t, s, n); again.ID == reports["resolved"].ID {
		t.Error("the token outlived its report")
	}
}

// Thousands of old reports go in several steps, and their space comes back.
func TestRetainManyReports(t *testing.T) {
	const many = 2*retained + 5
	path := filepath.Join(t.TempDir(), "community.db")
	db := database(t, path)
	defer db.Close()
	c := newClock()
	r := made(t, reopen(t, db, c), said("ann"))
	must(t, db.Update(func(tx *store.Tx) error {
		for i := range many {
			id := uuid.New()
			old := reportRecord{Report: *r}
			old.ID, old.State, old.ClosedAt = reportPrefix+id.String(), Resolved, &c.at
			old.Reason = strings.Repeat("x", maxReportText)
			old.Token = fmt.Appendf(nil, "%016d", i)
			if err := errors.Join(old.put(tx), tx.Bucket([]byte(tokensBucket)).Put(old.Token, id[:])); err != nil {
				return err
			}
		}
		return nil
	}))
	s := reopen(t, db, c)
	if list := s.Outages().Reports(outage.Query{Market: market.FR}, reportStates...); len(list) != 1 ||
		len(s.reports.All()) != 1 {
		t.Errorf("%d reports are answered, %d in memory, want 1 and 1", len(list), len(s.reports.All()))
	}
	c.at = c.at.Add(Keep - time.Hour)
	if _, err := s.Confirm(r.ID, "bob"); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(2 * time.Hour)
	before := len(filetest.Read(t, path))
	if n, others, err := s.Retain(Keep); n != many || others != 0 || err != nil {
		t.Errorf("%d reports and %d others removed, %v, want %d, 0 and no error", n, others, err, many)
	}
	if after := len(storetest.Compact(t, db, path, true)); before < many*maxReportText || after > 1<<20 {
		t.Errorf("%d bytes before, %d after, want at least %d and at most %d", before, after, many*maxReportText,
			1<<20)
	}
	if _, n, err := reopen(t, db, c).Reports(ReportFilter{}, 10, 0); n != 1 || err != nil {
		t.Errorf("%d reports, %v, want 1 and no error", n, err)
	}
}
