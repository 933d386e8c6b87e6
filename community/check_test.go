package community

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"relais/internal/store/storetest"
	"relais/market"
	"relais/outage"
)

// Check counts what there is of reports and finds what cannot be used; Open leaves that out.
func TestCheckReports(t *testing.T) {
	s, db := opened(t, newClock())
	n := said("ann")
	n.Token = "t"
	r := made(t, s, n)
	if reports, validations, bugs, err := Check(db); reports != 1 || validations+bugs != 0 || err != nil {
		t.Errorf("got %d, %d, %d, %v, want one report", reports, validations, bugs, err)
	}
	u, err := reportKey(r.ID)
	must(t, err)
	for _, c := range []struct{ bucket, key, value, open string }{
		{reportsBucket, string(u[:]), "{}", "1 problems; 0 reports"},
		{reportsBucket, string(u[:]), `{"id":"` + r.ID + `","market":"FR","operator":"SFR","state":"dormant"}`,
			"1 problems; 0 reports"},
		{reportsBucket, string(u[:]), `{"id":"` + r.ID + `","market":"FR","operator":"SFR","state":"confirmed"}`,
			"0 problems; 1 reports"},
		{tokensBucket, "x", "y", "0 problems; 1 reports"},
	} {
		before := storetest.Set(t, db, c.bucket, c.key, []byte(c.value))
		if _, _, _, err := Check(db); err == nil {
			t.Errorf("%s %q: %s: nothing found", c.bucket, c.key, c.value)
		}
		s, err := openBoth(db, newClock().now)
		must(t, err)
		_, total, err := s.Reports(ReportFilter{}, 10, 0)
		if got := fmt.Sprintf("%d problems; %d reports", len(s.Problems()), total); got != c.open || err != nil {
			t.Errorf("%s %q: %s: opened with %s, %v; want %s", c.bucket, c.key, c.value, got, err, c.open)
		}
		storetest.Set(t, db, c.bucket, c.key, before)
		if _, _, _, err := Check(db); err != nil {
			t.Fatal(err)
		}
	}
}

// Confirmations count while feeds change, and the answer shows both.
func TestConfirmWhileImporting(t *testing.T) {
	s, _ := opened(t, newClock())
	r := made(t, s, said("ann"))
	var work sync.WaitGroup
	for i := range 3 {
		work.Go(func() {
			for k := range 10 {
				load(t, s, "SFR", rowOf(fmt.Sprint(i)))
				if _, err := s.Confirm(r.ID, fmt.Sprint(i, k%5)); err != nil {
					t.Error(err)
				}
			}
		})
		work.Go(func() {
			for range 200 {
				all := s.Outages().All(outage.Query{Market: market.FR})
				if len(all) > 2 || all[len(all)-1].Report == nil && all[0].Report == nil {
					t.Errorf("got %d outages, want one or two, a report among them", len(all))
				}
			}
		})
	}
	work.Wait()
	if got, err := s.Report(r.ID); look(got, err) != "confirmed 15 0" || !got.OperatorConfirmed {
		t.Errorf("got %s, want confirmed 15 0, confirmed by the operator", look(got, err))
	}
}

// What was asked for at one moment stays as it was, with its version.
func TestOutagesOfOneMoment(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	look := func(o *Outages) string {
		list := o.All(outage.Query{Market: market.FR})
		return fmt.Sprint(o.Version(), len(list))
	}
	moment := s.Outages()
	before := look(moment)
	load(t, s, "SFR", rowOf("1"))
	made(t, s, said("ann"))
	if look(moment) != before || look(s.Outages()) == before {
		t.Errorf("%s, later %s; before it was %s, want %s and other than %s", look(moment), look(s.Outages()), before,
			before, before)
	}
	moment = s.Outages()
	before = look(moment)
	c.at = c.at.Add(25 * time.Hour) // the feed is fresh, the report dormant
	if look(moment) != before || look(s.Outages()) == before {
		t.Errorf("%s, later %s; before it was %s, want %s and other than %s", look(moment), look(s.Outages()), before,
			before, before)
	}
}
