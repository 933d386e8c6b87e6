package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"relais/auth/access"
	"relais/community"
	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/tier"
	"relais/market"
	"relais/outage"
)

const sitesHS = `code_site_op;departement;commune;Lat;Lon;2Gvoix;4Gdata;raison;debut
00000001R1;75;Paris;48.8584;2.2945;HS;HS;Incident;2026-08-20 06:10:00
00000002R1;75;Paris;;;HS;HS;Incident;2026-08-20 06:10:00
`

// Feeds and reports are changed alike, whether a server has the stores or not.
func TestOutages(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		ask := func(c Command, answer any) error { return Call(context.Background(), dir, c, answer, quiet) }
		path := filetest.New(t, "sites_hs.csv", sitesHS)
		var made OutageImport
		if err := ask(ImportOutages{market.FR, "orange", []string{path}}, &made); err != nil ||
			len(made.Files) != 1 || made.Files[0].Rows != 2 || made.Feed.Served != 1 ||
			made.Feed.Rejected["no position"] != 1 ||
			made.Feed.State != outage.Available || !made.Feed.Available || made.Feed.Operator != "ORANGE" {
			t.Fatalf("served %v: got %+v, %v, want 2 rows of ORANGE, one served, one without a position", served,
				made, err)
		}
		wantErr := func(c Command, says string) {
			t.Helper()
			if err := ask(c, new(any)); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("served %v: %+v: %v, want %s", served, c, err, says)
			}
		}
		wantErr(ImportOutages{market.BE, "PROXIMUS_BE", []string{path}}, "publish no unavailable sites")
		wantErr(ImportOutages{market.FR, "ZEOP", []string{path}}, "not an operator")
		wantErr(ImportOutages{market.FR, "ORANGE", []string{path + "2"}}, "no such file")
		filetest.Write(t, path, "<html>")
		wantErr(ImportOutages{market.FR, "ORANGE", []string{path}}, "sites_hs.csv:1: this is a web page")
		var r OutageReport
		n := community.NewReport{Market: market.FR, Operator: "orange", At: geo.Point{Lat: 48.8585, Lng: 2.2946},
			Services: []string{"data"}, User: "one"}
		if err := ask(ReportOutage{n}, &r); err != nil || r.State != community.Reported || !r.OperatorConfirmed ||
			!slices.Equal(r.Services, []string{"data"}) {
			t.Fatalf("served %v: got %+v, %v, want data reported, confirmed by the operator", served, r, err)
		}
		id := r.ID
		for i, user := range []string{"one", "two", "two", "three", "four"} {
			if err := ask(Decide{Act: "outage.confirm", ID: id, User: user, Market: market.FR,
				Operator: "Orange"}, &r); err != nil || r.Confirms != []int{0, 1, 1, 2, 3}[i] {
				t.Errorf("served %v: confirmation %d: %+v, %v, want no error and Confirms = %v", served, i, r, err,
					[]int{0, 1, 1, 2, 3}[i])
			}
		}
		if r.State != community.Confirmed {
			t.Errorf("served %v: %s after three, want %s", served, r.State, community.Confirmed)
		}
		wantErr(Decide{Act: "outage.reject", ID: id, Operator: "SFR"}, "is of ORANGE in FR")
		wantErr(Decide{Act: "outage.reject", ID: "community:x"}, "relais outage list")
		wantErr(Decide{ID: id, Act: "outage.dance"}, "unknown decision")
		var l OutageList
		all := Page{Limit: 10}
		if err := ask(ListOutages{community.ReportFilter{Market: market.FR}, all}, &l); err != nil ||
			len(l.Feeds) != 4 || l.Total != 1 || !l.Reports[0].OperatorConfirmed {
			t.Errorf("served %v: got %+v, %v, want 4 feeds and one report, confirmed by the operator", served, l, err)
		}
		if f := l.Feeds[2]; f.Operator != "ORANGE" || f.State != outage.Failed || f.Available || f.Served != 1 ||
			f.ReadAt == nil || strings.Contains(f.Why, string(os.PathSeparator)) {
			t.Errorf("served %v: got %+v, want ORANGE failed with one served, and no path", served, f)
		}
		resolved := community.ReportFilter{Operator: "orange", States: []community.ReportState{community.Resolved}}
		if err := ask(ListOutages{resolved, all},
			&l); err != nil || len(l.Feeds) != 2 || l.Total != 0 || len(l.Reports) != 0 {
			t.Errorf("served %v: of one operator: %+v, %v, want no error, len(l.Feeds) = 2, Total = 0 and no "+
				"Reports", served, l, err)
		}
		wantErr(ListOutages{community.ReportFilter{Market: market.CA, Operator: "SFR"}, all}, "not an operator")
		if err := ask(Decide{Act: "outage.resolve", ID: id}, &r); err != nil ||
			r.State != community.Resolved {
			t.Errorf("served %v: %+v, %v, want no error and State = %v", served, r, err, community.Resolved)
		}
		wantErr(Decide{Act: "outage.confirm", ID: id, User: "five"}, "resolved or rejected")
		if err := ask(Decide{Act: "outage.reject", ID: id, Why: "made up"}, &r); err != nil ||
			r.State != community.Rejected || r.Why != "made up" {
			t.Errorf("served %v: %+v, %v, want no error, State = %v and Why = made up", served, r, err,
				community.Rejected)
		}
		var f OutageFeed
		if err := ask(ClearOutages{market.FR, "ORANGE"}, &f); err != nil || f.State != outage.Absent || f.Served != 0 {
			t.Errorf("served %v: %+v, %v, want no error, State = %v and Served = 0", served, f, err, outage.Absent)
		}
	}
}

// Old reports go with a compaction, by command or by Keep, whether a server has the
// stores or not.
func TestOldReportsGo(t *testing.T) {
	tier.Slow(t)
	for _, how := range []string{"nobody serves", "compact", "keep"} {
		dir := folder.Dir(t.TempDir())
		ask := func(c Command, answer any) {
			t.Helper()
			must(t, Call(context.Background(), dir, c, answer, quiet))
		}
		var gone, stays OutageReport
		n := community.NewReport{Market: market.FR, Operator: "SFR", At: geo.Point{Lat: 48.8585, Lng: 2.2946},
			User: "one"}
		for _, r := range []*OutageReport{&gone, &stays} {
			ask(ReportOutage{n}, r)
			ask(Decide{Act: "outage.resolve", ID: r.ID}, r)
		}
		s, err := Open(dir, "test", quiet)
		must(t, err)
		if err := s.opened()[CommunityFile].Update(func(tx *store.Tx) error {
			age := func(bucket string, key []byte, name string) error {
				b := tx.Bucket([]byte(bucket))
				year := fmt.Sprintf(`"%s":"%d-`, name, gone.ClosedAt.Year())
				old := strings.Replace(string(b.Get(key)), year, fmt.Sprintf(`"%s":"%d-`, name, gone.ClosedAt.Year()-2), 1)
				return b.Put(key, []byte(old))
			}
			entry, _ := tx.Bucket([]byte("audit")).Cursor().First() // the first decision, which was about gone
			key := uuid.MustParse(strings.TrimPrefix(gone.ID, "community:"))
			return errors.Join(age("outageReports", key[:], "closedAt"), age("audit", bytes.Clone(entry), "at"))
		}); err != nil {
			t.Fatal(err)
		}
		must(t, s.Close())
		ask(Accept{}, new(Accepted))
		switch how {
		case "compact":
			serve(t, dir)
			fallthrough
		case "nobody serves":
			ask(CompactStores{}, new([]Compacted))
		case "keep":
			s, _ := serve(t, dir)
			stopKeeping := keep(t, s)
			soon(t, "end of the old report", func() bool { _, err := s.Community.Report(gone.ID); return err != nil })
			stopKeeping()
		}
		var l OutageList
		if ask(ListOutages{Page: Page{Limit: 10}}, &l); l.Total != 1 || l.Reports[0].ID != stays.ID {
			t.Errorf("%s: %+v, want Total = 1 and ID = %v", how, l.Reports, stays.ID)
		}
		text, err := os.ReadFile(filepath.Join(string(dir), CommunityFile))
		if err != nil || strings.Contains(string(text), gone.ID) || !strings.Contains(string(text), stays.ID) {
			t.Errorf("%s: on the disk: got %v, %v, want %s without %s", how, strings.Contains(string(text), gone.ID),
				err, stays.ID, gone.ID)
		}
	}
}

// News of an update is taken alike, whether a server has the stores or not.
func TestTakeOutages(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		if served {
			serve(t, dir)
		}
		path := filetest.New(t, "sites_hs.csv", sitesHS)
		var all []outage.Outcome
		news := []outage.News{{Operator: "ORANGE", File: path}, {Operator: "SFR", Failed: "HTTP 503"},
			{Operator: "FREE", File: path + "2"}}
		if err := Call(context.Background(), dir, TakeOutages{market.FR, news}, &all, quiet); err != nil ||
			len(all) != 4 {
			t.Fatalf("served %v: %+v, %v, want no error and len(all) = 4", served, all, err)
		}
		if o := all[2]; o.Operator != "ORANGE" || o.State != outage.Available || o.Served != 1 || len(o.Files) != 1 ||
			o.Files[0].Rejected["no position"] != 1 {
			t.Errorf("served %v: got %+v, want ORANGE available with one served, one without a position", served, o)
		}
		if o := all[0]; o.State != outage.Failed || o.Why != "HTTP 503" || all[3].State != outage.Absent ||
			!strings.Contains(all[3].Error, "no such file") {
			t.Errorf("served %v: got %+v, %+v, want HTTP 503 and no such file", served, o, all[3])
		}
		if err := Call(context.Background(), dir, TakeOutages{Market: market.BE}, &all, quiet); err == nil ||
			!strings.Contains(err.Error(), "publish no unavailable sites") {
			t.Errorf("served %v: %v, want an error with publish no unavailable sites", served, err)
		}
	}
}

// An API client confirms no report, by its own id or that of its account: three of one
// operator would be three users.
func TestClientsConfirmNoOutage(t *testing.T) {
	s, _ := serve(t, folder.Dir(t.TempDir()))
	ctx := context.Background()
	answer, err := NewCommands(s).Do(ctx, spec("one"))
	must(t, err)
	client := answer.(*access.Issued)
	acts, err := s.Accounts.OfClient(client.ID, client.Name)
	must(t, err)
	person, err := s.Accounts.Create(ctx, "Élodie", "correct horse battery")
	must(t, err)
	n := community.NewReport{Market: market.FR, Operator: "orange", At: geo.Point{Lat: 48.8585, Lng: 2.2946},
		User: "admin"}
	r, _, err := s.Community.AddReport(n)
	must(t, err)
	for _, c := range []struct {
		user    string
		refused bool
		count   int // after it
	}{{client.ID, true, 0}, {acts.ID, true, 0}, {person.ID, false, 1}, {"somebody", false, 2}} {
		_, err := NewCommands(s).Do(ctx, Decide{Act: "outage.confirm", ID: r.ID, User: c.user})
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "API client") {
			t.Errorf("%s: got %v, want it refused to an API client: %v", c.user, err, c.refused)
		}
		if after, err := s.Community.Report(r.ID); err != nil || after.Confirms != c.count {
			t.Errorf("%s: %+v, %v, want no error and Confirms = %v", c.user, after, err, c.count)
		}
	}
}
