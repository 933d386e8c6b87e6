package photos

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/store/logtest"
)

// What one node does, the others show.
func TestPhotosOfSeveralNodes(t *testing.T) {
	list3, log := nodes(t, 3)
	a, b, c := list3[0], list3[1], list3[2]
	p := add(t, a.Store, newOf("fr-1", "", 1))
	wantImage(t, b.Store, p.ID, Main, imagesOf(1)) // which b has not heard of
	if got, total := list(t, b.Store, "fr-1", "", 10, 0); total != 1 || got[0] != "1" {
		t.Errorf("list = %v of %d, want the photo", got, total)
	}
	if _, err := b.Hide(p.ID, audit.Decision{Why: "why"}); err != nil {
		t.Fatal(err)
	}
	a.pull(t)
	if _, err := a.Image(p.ID, Main); !errors.Is(err, ErrNoPhoto) {
		t.Errorf("hidden: error = %v, want ErrNoPhoto", err)
	}
	if _, err := c.Show(p.ID, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	a.pull(t)
	wantImage(t, a.Store, p.ID, OG, imagesOf(1))
	r := report(t, c.Store, p.ID, "a", "spam", "text")
	if _, err := b.Accept(r.ID, audit.Decision{}); err != nil { // b has not heard of it
		t.Errorf("accept: error = %v, want none", err)
	}
	second := add(t, b.Store, newOf("fr-1", "", 2))
	if _, err := c.Delete(second.ID, audit.Decision{}); err != nil {
		t.Errorf("delete: error = %v, want none", err)
	}
	if _, err := b.Delete(second.ID, audit.Decision{}); !errors.Is(err, ErrNoPhoto) {
		t.Errorf("delete again: error = %v, want ErrNoPhoto", err)
	}
	wantBlobs(t, a.shelf.cellar, p.ID)
	for _, n := range list3 {
		n.pull(t)
		if n, reports, err := n.CheckRecords(); n != 1 || reports != 1 || err != nil {
			t.Errorf("records = %d, reports = %d, error = %v; want 1, 1 and none", n, reports, err)
		}
		if months, err := Months(n.dir); len(months) > 0 || err != nil {
			t.Errorf("months = %v, %v; want none", months, err)
		}
	}
	log.SetAway(true)
	for _, tt := range []struct {
		name, id string
		want     error
	}{
		{"known", p.ID, ErrNoPhoto}, // it is hidden
		{"unknown", "01a1fdfe-1f74-743c-b84c-9104dadcbed7", store.ErrAway},
		{"no id", "x", ErrNoPhoto},
	} {
		t.Run("away, "+tt.name, func(t *testing.T) {
			if _, err := a.Image(tt.id, Main); !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}

// Images are read without a question to the log.
func TestImageAsksNobody(t *testing.T) {
	all, log := nodes(t, 1)
	p := add(t, all[0].Store, newOf("fr-1", "", 1))
	log.SetAway(true)
	wantImage(t, all[0].Store, p.ID, Thumb, imagesOf(1))
}

// After a deletion no node has a byte of the photo.
func TestDeleteEverywhere(t *testing.T) {
	all, _ := nodes(t, 2)
	a, b := all[0], all[1]
	n := newOf("fr-1", "", 1)
	n.Caption, n.Images[Main] = "a caption that must go", []byte("an image that must go")
	gone := add(t, a.Store, n)
	for _, n := range all {
		wantImage(t, n.Store, gone.ID, Main, map[Size][]byte{Main: []byte("an image that must go")})
	}
	if len(b.shelf.copies) == 0 {
		t.Fatal("no copies, want some")
	}
	if _, err := a.Delete(gone.ID, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	b.pull(t)
	wantBlobs(t, a.shelf.cellar)
	for i, n := range all {
		if len(n.shelf.copies) > 0 {
			t.Errorf("node %d has copies %v, want none", i, slices.Collect(maps.Keys(n.shelf.copies)))
		}
		if has, err := n.db.HasDeleted(); !has || err != nil {
			t.Errorf("node %d: marked = %v, %v; want true", i, has, err)
		}
		if _, _, err := n.db.Compact(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(string(n.dir), "photos.db"))
		if err != nil || bytes.Contains(text, []byte("must go")) {
			t.Errorf("node %d has traces, or error = %v, want none", i, err)
		}
	}
}

var errFault = errors.New("a fault")

// failAt makes a step fail. With "commit" the turn fails.
func (n *node) failAt(step string, log *logtest.Log) {
	n.shelf.before = func(what string) error {
		switch {
		case what == step:
			return errFault
		case step == "commit" && (what == "put og" || what == "pend"):
			log.SetAway(true)
		case step == "answer" && (what == "put og" || what == "pend"):
			log.LoseAnswer()
		}
		return nil
	}
}

// A node that dies between two steps leaves a whole photo, or nothing.
func TestFaultsBetweenSteps(t *testing.T) {
	for _, tt := range []struct {
		name, step    string
		delete, stays bool
	}{
		{"add, first image", "put main", false, false},
		{"add, last image", "put og", false, false},
		{"add, commit", "commit", false, false},
		{"add, answer", "answer", false, true},
		{"delete, note", "pend", true, true},
		{"delete, commit", "commit", true, true},
		{"delete, answer", "answer", true, false},
		{"delete, images", "delete", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, log := nodes(t, 2)
			a, b := all[0], all[1]
			var err error
			if tt.delete {
				p := add(t, a.Store, newOf("fr-1", "", 1))
				b.sweep(t) // an hour later: p is pending no more
				a.failAt(tt.step, log)
				_, err = a.Delete(p.ID, audit.Decision{})
			} else {
				a.failAt(tt.step, log)
				_, err = a.Add(t.Context(), newOf("fr-1", "", 1))
			}
			if err == nil {
				t.Fatal("no error, want one")
			}
			log.SetAway(false)
			b.sweep(t)
			l, total, err := b.List("fr-1", nil, 10, 0)
			if err != nil || (total == 1) != tt.stays {
				t.Fatalf("photos = %d, error = %v, want it to stay: %v", total, err, tt.stays)
			}
			var ids []string
			for _, p := range l {
				ids = append(ids, p.ID)
				wantImage(t, b.Store, p.ID, Main, imagesOf(1))
			}
			wantBlobs(t, a.shelf.cellar, ids...)
		})
	}
}

// A node that slept does not make a record of images that were swept meanwhile, and does not
// delete one whose images nobody would sweep.
func TestSleepingNode(t *testing.T) {
	all, _ := nodes(t, 2)
	a, b := all[0], all[1]
	p := add(t, a.Store, newOf("fr-1", "", 1))
	b.sweep(t)
	for _, step := range []string{"put og", "pend"} {
		a.shelf.before = func(what string) error {
			if what == step {
				a.clock.set(a.clock.now().Add(store.UnusedAfter))
			}
			return nil
		}
		var err error
		if step == "pend" {
			_, err = a.Delete(p.ID, audit.Decision{})
		} else {
			_, err = a.Add(t.Context(), newOf("fr-1", "", 2))
		}
		if !errors.Is(err, errSlow) {
			t.Errorf("%s: error = %v, want errSlow", step, err)
		}
	}
	b.sweep(t)
	wantBlobs(t, a.shelf.cellar, p.ID)
	wantImage(t, b.Store, p.ID, Main, imagesOf(1))
}

// Only bytes that fit the record are shown.
func TestDamagedBlobs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(b *shelf, name string)
		lost   bool
	}{
		{"copy", func(b *shelf, name string) { b.copies[name] = []byte("x") }, false},
		{"shorter copy", func(b *shelf, name string) { b.copies[name] = b.all[name][1:] }, false},
		{"longer", func(b *shelf, name string) { b.all[name] = append(bytes.Clone(b.all[name]), 'x') }, true},
		{"changed", func(b *shelf, name string) { b.all[name] = bytes.ToUpper(b.all[name]) }, true},
		{"damaged", func(b *shelf, _ string) {
			b.before = func(string) error { return fmt.Errorf("%w: %w", store.ErrAway, store.ErrDamaged) }
		}, true},
		{"gone", func(b *shelf, name string) { delete(b.all, name) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, _ := nodes(t, 1)
			p := add(t, all[0].Store, newOf("fr-1", "", 1))
			tt.damage(all[0].shelf, "photo/"+p.ID+"/main")
			image, err := all[0].Image(p.ID, Main)
			if errors.Is(err, errLost) != tt.lost || !tt.lost && !bytes.Equal(image, imagesOf(1)[Main]) {
				t.Errorf("%d bytes, %v, want it lost: %v", len(image), err, tt.lost)
			}
			if _, err := all[0].Image(p.ID, "huge"); err == nil {
				t.Error("an image of an unknown size was returned, want an error")
			}
		})
	}
}

// A photo that is deleted while its image is read leaves no copy.
func TestDeletedWhileRead(t *testing.T) {
	for _, step := range []string{"get", "got"} {
		t.Run(step, func(t *testing.T) {
			all, _ := nodes(t, 2)
			a, b := all[0], all[1]
			p := add(t, a.Store, newOf("fr-1", "", 1))
			b.pull(t)
			b.shelf.before = func(what string) error {
				if what == step {
					if _, err := a.Delete(p.ID, audit.Decision{}); err != nil {
						t.Error(err)
					}
					if step == "got" {
						b.pull(t)
					}
				}
				return nil
			}
			if _, err := b.Image(p.ID, Main); !errors.Is(err, ErrNoPhoto) {
				t.Errorf("error = %v, want ErrNoPhoto", err)
			}
			if len(b.shelf.copies) > 0 {
				t.Error("a copy stays, want none")
			}
		})
	}
}

// One of two nodes that delete a photo does it.
func TestDeleteAtOnce(t *testing.T) {
	all, _ := nodes(t, 2)
	p := add(t, all[0].Store, newOf("fr-1", "", 1))
	all[1].pull(t)
	results := make(chan error)
	for _, n := range all {
		go func() { results <- errorOf(n.Delete(p.ID, audit.Decision{})) }()
	}
	first, second := <-results, <-results
	if first != nil {
		first, second = second, first
	}
	if first != nil || !errors.Is(second, ErrNoPhoto) {
		t.Errorf("errors = %v, %v; want none and ErrNoPhoto", first, second)
	}
	all[0].sweep(t)
	wantBlobs(t, all[0].shelf.cellar)
}

// The images of a node become an ordinary folder again, and those of a folder blobs.
func TestWriteMonths(t *testing.T) {
	all, _ := nodes(t, 2)
	for i := range 5 {
		all[i%2].clock.set(noon.Add(time.Duration(i) * 200 * time.Hour)) // to 2026-12
		add(t, all[i%2].Store, newOf("fr-1", "", i))
	}
	a := all[0]
	a.pull(t)
	dir := folder.Dir(t.TempDir())
	for range 2 { // it may be repeated
		if n, lost, err := a.WriteMonths(t.Context(), dir); n != 5 || lost != nil || err != nil {
			t.Fatalf("WriteMonths() = %d, %v, %v; want 5", n, lost, err)
		}
	}
	copyRecords(t, a.db, dir)
	s, _ := opened(t, dir, time.Now)
	mustBeWhole(t, s, 5)
	images := 0
	n, lost, err := s.EachImage(t.Context(), func(p *Photo, size Size, image []byte) error {
		images++
		if !bytes.Equal(image, a.shelf.all[BlobName(p.ID, size)]) {
			t.Errorf("photo %s, %s: other bytes, want those sent", p.ID, size)
		}
		return nil
	})
	if n != 5 || images != 15 || lost != nil || err != nil {
		t.Errorf("EachImage() = %d, %v, %v, with %d images; want 5 with 15", n, lost, err, images)
	}
	delete(a.shelf.all, BlobName(errorless(a.List("fr-1", nil, 1, 0))[0].ID, OG))
	a.shelf.copies = map[string][]byte{}
	if n, lost, err := a.WriteMonths(t.Context(), folder.Dir(t.TempDir())); n != 5 || !errors.Is(lost, errLost) || err != nil {
		t.Errorf("WriteMonths() with a lost image = %d, %v, %v; want 5, errLost", n, lost, err)
	}
	a.shelf.before = func(string) error { return errFault }
	if n, _, err := a.WriteMonths(t.Context(), folder.Dir(t.TempDir())); n != 1 || !errors.Is(err, errFault) {
		t.Errorf("WriteMonths() without blobs = %d, %v; want 1, the fault", n, err)
	}
}

func errorless(list []*Photo, _ int, _ error) []*Photo { return list }

// copyRecords copies photos.db.
func copyRecords(t *testing.T, db *store.DB, dir folder.Dir) {
	t.Helper()
	var b bytes.Buffer
	must(t, db.View(func(tx *store.Tx) error { _, err := tx.WriteTo(&b); return err }))
	filetest.Write(t, filepath.Join(string(dir), "photos.db"), b.Bytes())
}

// Unused judges only names of images.
func TestUnused(t *testing.T) {
	all, _ := nodes(t, 2)
	p := add(t, all[0].Store, newOf("fr-1", "", 1))
	none := "photo/01a1fdfe-1f74-743c-b84c-9104dadcbed7/main"
	got, err := all[1].Unused(t.Context(), []string{"photo/" + p.ID + "/og", none, "photo/x/main", "photo/" + p.ID,
		"segment/1.seg", "", "photo/" + strings.ToUpper(p.ID) + "/main"})
	if err != nil || !slices.Equal(got, []string{none}) {
		t.Errorf("Unused() = %q, %v; want %q", got, err, none)
	}
}
