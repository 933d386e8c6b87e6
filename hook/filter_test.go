package hook

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/internal/store"
	"relais/internal/store/storetest"
)

// A hook for which an event cannot be made loses it alone, and says so.
func TestFilterThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		w.options.Events = func(ctx context.Context, c Cause) ([]*Event, error) {
			list, err := eventsOf(ctx, c)
			of := list[0].Data
			list[0].Data = func(filter string) (any, error) {
				if filter == "broken" {
					return nil, errors.New("at most 50 values")
				}
				return of(filter)
			}
			return list, err
		}
		broken := w.create("https://broken.example/in", "broken")
		w.create("https://well.example/in", "")
		w.happen("fr-1", "fr-2")
		w.start()
		time.Sleep(time.Second)
		if got := net.numbers(t, "well.example", ""); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("the other hook: got %q, want 1 and 2", got)
		}
		h := w.hook(broken.ID)
		if h.Dropped != 2 || !strings.Contains(h.LastError, "at most 50 values") || !strings.Contains(h.DroppedWhy, "50") {
			t.Errorf("got %+v, want two dropped with the reason", h)
		}
		w.close()
	})
}

// When another process has read one of two journals meanwhile, the other one is read again, whichever
// of them comes first.
func TestReadTogether(t *testing.T) {
	for range 20 { // the order of a map is random
		w := newWorld(t)
		other := storetest.New(t, things)
		w.s.sources = append(w.s.sources, Source{Name: "other", DB: other, News: newsOfThings})
		h := w.create("https://x.example/in", "")
		w.happen("fr-1")
		storetest.Set(w.t, other, things, "fr-2 2", []byte("v"))
		once := false
		w.options.Events = func(ctx context.Context, c Cause) ([]*Event, error) {
			if !once {
				once = true
				w.must(w.db.Update(func(tx *store.Tx) error { return putCursor(tx, "other", 1) }))
			}
			return eventsOf(ctx, c)
		}
		for range 2 {
			_, err := w.s.read(t.Context(), &w.options)
			w.must(err)
		}
		if got := w.hook(h.ID).Pending; got != 1 {
			t.Fatalf("got %d messages, want that of the journal that nobody else has read", got)
		}
		w.close()
	}
}

// After a restore of an older store, what happens next is told.
func TestRestoredSource(t *testing.T) {
	w := newWorld(t)
	h := w.create("https://x.example/in", "")
	w.must(w.db.Update(func(tx *store.Tx) error { return putCursor(tx, "things", 3) }))
	w.happen("fr-1", "fr-1")
	for range 3 {
		_, err := w.s.read(t.Context(), &w.options)
		w.must(err)
		w.happen("fr-1")
	}
	if got := w.hook(h.ID).Pending; got != 4 {
		t.Errorf("got %d messages, want 4", got)
	}
}
