package admin

import (
	"context"
	"errors"
	"slices"
	"testing"

	"relais/auth/account"
	"relais/community/audit"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/photos"
)

// logged lists the log, the oldest first.
func logged(t *testing.T, dir folder.Dir) (list []string) {
	t.Helper()
	var l AuditList
	must(t, Call(context.Background(), dir, ListAudit{Page: Page{Limit: 100}}, &l, quiet))
	for _, e := range slices.Backward(l.Entries) {
		list = append(list, e.By+" "+e.Act+" "+e.Before+" "+e.After)
	}
	return list
}

// Decisions of the shell and of moderators are in one log, whether a server has the stores or not.
func TestAudit(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, stop := serve(t, dir)
	p := addPhoto(t, s, "a mast")
	ctx := context.Background()
	must(t, Call(ctx, dir, Decide{Act: "photo.hide", ID: p.ID, Why: "a face"}, new(photos.Photo), quiet))
	must(t, errorOf(NewCommands(s).Do(As(ctx, "alice"), Decide{Act: "photo.show", ID: p.ID})))
	// What a kill leaves in photos.db comes into the log with the next start.
	must(t, errorOf(s.Photos.Hide(p.ID, audit.Decision{By: "bob"})))
	stop()
	want := []string{"shell photo.hide shown hidden", "alice photo.show hidden shown", "bob photo.hide shown hidden"}
	if got := logged(t, dir); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	again, err := Open(dir, "test", quiet)
	must(t, err)
	defer again.Close()
	left := 0
	must(t, again.opened()[PhotosFile].View(func(tx *store.Tx) error {
		return store.EachKey(tx, audit.Bucket, func([]byte) error { left++; return nil })
	}))
	if left != 0 {
		t.Errorf("%d entries stay in photos.db, want 0", left)
	}
}

// Of two moderators who decide about one report, the second learns what the first decided.
func TestTwoDecide(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, _ := open(t, dir)
	p := addPhoto(t, s, "a mast")
	r, err := s.Photos.Report(photos.NewReport{PhotoID: p.ID, ClientID: "c", ClientName: "C", Reason: "privacy"})
	must(t, err)
	ctx, seen := context.Background(), r.Version()
	results := make(chan error, 2)
	for name, act := range map[string]string{"alice": "report.accept", "bob": "report.dismiss"} {
		go func() {
			_, err := NewCommands(s).Do(As(ctx, name), Decide{ID: r.ID, Act: act, Why: name + " says so", On: seen})
			results <- err
		}()
	}
	first, second := <-results, <-results
	if first != nil {
		first, second = second, first
	}
	changed, ok := errors.AsType[*ChangedError](second)
	if first != nil || !ok || changed.Last == nil || changed.Last.Why != changed.Last.By+" says so" {
		t.Fatalf("got %v and %v, want one done and the other told who was first", first, second)
	}
	var l AuditList
	answer, err := NewCommands(s).Do(ctx, ListAudit{Page: Page{Limit: 10}})
	if l, ok = answer.(AuditList); !ok || err != nil || l.Total != 1 || l.Entries[0].By != changed.Last.By {
		t.Errorf("the log has %+v, %v; want the one of %s", l, err, changed.Last.By)
	}
}

// Decisions about accounts are in the log by name, and so is who was first.
func TestDecideAboutAccounts(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, _ := open(t, dir)
	ctx := context.Background()
	made, err := s.Accounts.Create(ctx, "Eve", "correct horse battery")
	must(t, err)
	seen := made.Version()
	if _, err := NewCommands(s).Do(As(ctx, "root"), Decide{Act: "user.disable", ID: made.ID, On: seen, Why: "spam"}); err != nil {
		t.Fatal(err)
	}
	_, err = NewCommands(s).Do(As(ctx, "boss"), Decide{Act: "user.role", ID: "eve", Role: account.Moderator, On: seen})
	changed, ok := errors.AsType[*ChangedError](err)
	if !ok || changed.Last == nil || changed.Last.Subject != "Eve" || changed.Last.By != "root" {
		t.Fatalf("got %v, want that root was first", err)
	}
	must(t, errorOf(NewCommands(s).Do(ctx, Decide{Act: "user.enable", ID: "eve"})))
	must(t, errorOf(NewCommands(s).Do(ctx, Decide{Act: "user.role", ID: "eve", Role: account.Moderator})))
	entries, _, err := s.Audit.List(audit.Filter{Kind: "user"}, 10, 0)
	var got []string
	for _, e := range slices.Backward(entries) {
		got = append(got, e.By+" "+e.Act+" "+e.Before+" "+e.After)
	}
	want := []string{"root user.disable enabled disabled", "shell user.enable disabled enabled",
		"shell user.role member moderator"}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	must(t, s.DeleteUser(made.ID))
	if last, err := s.Audit.Last(audit.Filter{Subject: "Eve"}); last != nil || err != nil {
		t.Errorf("after the account is deleted the log names it: %+v, %v", last, err)
	}
}

func errorOf[T any](_ T, err error) error { return err }
