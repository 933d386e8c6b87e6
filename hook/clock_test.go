package hook

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// The clock may jump: a pause does not last longer for it, and nothing is given up after one attempt.
func TestClockThatJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		ahead := time.Duration(0)
		w.s.now = func() time.Time { return time.Now().Add(ahead) }
		h := w.create("https://x.example/in", "")
		net.set("x.example", always(500))
		w.happen("fr-1", "fr-2")
		w.start()
		time.Sleep(time.Second)
		w.halt()
		ahead = 48 * time.Hour
		w.start()
		time.Sleep(time.Second)
		w.halt()
		if h := w.hook(h.ID); h.Pending != 2 || h.Dropped != 0 {
			t.Errorf("after a jump forward: got %+v, want two pending", h)
		}
		net.set("x.example", nil)
		ahead = 0
		w.start()
		time.Sleep(10 * time.Second)
		got := net.numbers(t, "x.example", "")
		if slices.Sort(got); !slices.Equal(got, []string{"1", "2"}) { // the order is that of a site
			t.Errorf("after a jump back: got %q, want 1 and 2", got)
		}
		w.close()
	})
}

// A test that reaches a hook ends its pause.
func TestTestEndsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		net.set("x.example", always(500))
		w.happen("fr-1")
		w.start()
		time.Sleep(time.Minute)
		net.set("x.example", nil)
		if _, err := w.s.Test(t.Context(), h.ID, w.options); err != nil {
			t.Fatal(err)
		}
		if got := w.hook(h.ID); got.Next != nil || got.Failures != 0 {
			t.Errorf("got %+v, want no pause", got)
		}
		w.close()
	})
}
