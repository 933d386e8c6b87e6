package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// numbers returns the numbers of what a host got, in order, of one site or of all, without
// repetitions of a webhook-id.
func (r *receiver) numbers(t *testing.T, host, site string) (list []string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for _, m := range r.got[host] {
		var body struct {
			Type string
			Data thing
		}
		if err := json.Unmarshal([]byte(m.Body), &body); err != nil || body.Type != "thing.made" {
			t.Errorf("got the body %s, %v", m.Body, err)
		}
		if (site == "" || body.Data.Site == site) && !seen[m.ID] {
			list = append(list, body.Data.N)
		}
		seen[m.ID] = true
	}
	return list
}

// A receiver that is dead for an hour gets everything once it is back, in order for a site, and holds
// up nobody else.
func TestDeadForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		dead := w.create("https://dead.example/in", "")
		w.create("https://well.example/in", "")
		w.create("https://slow.example/in", "")
		net.set("dead.example", func(*http.Request, string) (int, error) { return 0, errors.New("connection refused") })
		net.set("slow.example", func(*http.Request, string) (int, error) {
			time.Sleep(9 * time.Second)
			return 200, nil
		})
		w.start()
		want := map[string][]string{}
		for i := range 60 {
			site := fmt.Sprintf("fr-%d", i%7)
			w.happen(site)
			want[site] = append(want[site], fmt.Sprint(i+1))
			want[""] = append(want[""], fmt.Sprint(i+1))
			time.Sleep(time.Minute - time.Second)
			if got := net.numbers(t, "well.example", ""); len(got) != i+1 {
				t.Fatalf("after %d minutes another hook has %d messages, want %d", i, len(got), i+1)
			}
			time.Sleep(time.Second)
		}
		h := w.hook(dead.ID)
		if h.Pending != 60 || h.Failures == 0 || !strings.Contains(h.LastError, "refused") || h.FailingSince == nil {
			t.Errorf("while it is dead: got %+v, want 60 pending and the failures", h)
		}
		if n := net.tries["dead.example"]; n < 10 || n > 60 {
			t.Errorf("got %d attempts in an hour, want 10 to 60", n)
		}
		net.set("dead.example", nil)
		time.Sleep(longestPause + 2*time.Minute)
		if h := w.hook(dead.ID); h.Pending != 0 || h.Done != 60 || h.Dropped != 0 || h.Failures != 0 {
			t.Errorf("when it is back: got %+v, want 60 delivered", h)
		}
		for site, numbers := range want {
			if site == "" {
				got := net.numbers(t, "dead.example", "")
				slices.SortFunc(got, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
				if diff := cmp.Diff(numbers, got); diff != "" {
					t.Errorf("all (-want +got):\n%s", diff)
				}
				continue
			}
			if diff := cmp.Diff(numbers, net.numbers(t, "dead.example", site)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", site, diff)
			}
		}
		if diff := cmp.Diff(want[""], net.numbers(t, "slow.example", "")); diff != "" {
			t.Errorf("a slow hook (-want +got):\n%s", diff)
		}
		w.close()
	})
}

// A receiver that fails now and then gets all other messages at once; one that is down gets few attempts.
func TestFailsNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		requests := 0
		net.set("x.example", func(*http.Request, string) (int, error) {
			if requests++; requests%7 == 0 { // 14 %
				return 503, nil
			}
			return 200, nil
		})
		w.start()
		var sites []string
		for i := range 250 {
			sites = append(sites, fmt.Sprint("fr-", i))
		}
		w.happen(sites...)
		time.Sleep(time.Second)
		if got := w.hook(h.ID); got.Done < 200 || got.Dropped != 0 || got.Next != nil {
			t.Errorf("after a second: got %+v, want at least 200 delivered and no pause", got)
		}
		time.Sleep(time.Minute)
		if got := w.hook(h.ID); got.Done != 250 || got.Pending != 0 || got.Failures != 0 {
			t.Errorf("after a minute: got %+v, want 250 delivered", got)
		}
		net.set("x.example", always(503))
		before := net.tries["x.example"]
		w.happen(sites...)
		time.Sleep(time.Second)
		if n, got := net.tries["x.example"]-before, w.hook(h.ID); n != downAfter || got.Next == nil {
			t.Errorf("when it is down: got %d attempts in a second and the pause %v, want %d and one", n, got.Next, downAfter)
		}
		w.close()
	})
}

// A message that its receiver never takes holds up the messages of its site, and is given up after
// 24 hours.
func TestMessageThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		net.set("x.example", func(_ *http.Request, body string) (int, error) {
			if strings.Contains(body, `"n":"1"`) {
				return 500, nil
			}
			return 200, nil
		})
		w.start()
		w.happen("fr-1", "fr-1", "fr-2", "fr-3")
		time.Sleep(time.Hour)
		if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"3", "4"}) {
			t.Errorf("after an hour: got %q, want 3 and 4", got)
		}
		time.Sleep(24 * time.Hour)
		if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"3", "4", "2"}) {
			t.Errorf("after a day: got %q, want 3, 4 and 2", got)
		}
		if h := w.hook(h.ID); h.Dropped != 1 || h.DroppedWhy != "24 hours of failures" || h.Pending != 0 {
			t.Errorf("got %+v, want one dropped", h)
		}
		w.close()
	})
}

// What a receiver could not get for 24 hours is dropped and counted; what is newer stays.
func TestDeadForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		net.set("x.example", always(503))
		w.start()
		w.happen("fr-1", "fr-2", "fr-3")
		time.Sleep(20 * time.Hour)
		if h := w.hook(h.ID); h.Dropped != 0 || h.Pending != 3 {
			t.Errorf("after 20 hours: got %+v, want 3 pending", h)
		}
		w.happen("fr-4")
		time.Sleep(5 * time.Hour)
		if h := w.hook(h.ID); h.Dropped != 3 || h.Pending != 1 || h.LastError != "the receiver answered 503" {
			t.Errorf("after 25 hours: got %+v, want 3 dropped", h)
		}
		// A restart does not forget how long it has failed.
		w.close()
		w.open()
		w.start()
		net.set("x.example", nil)
		time.Sleep(longestPause)
		if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"4"}) {
			t.Errorf("when it is back: got %q, want 4", got)
		}
		w.close()
	})
}

// A server that was stopped for days tries what waits before it gives it up.
func TestStoppedForDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		w.create("https://x.example/in", "")
		w.happen("fr-1")
		w.close()
		time.Sleep(72 * time.Hour)
		w.open()
		net.set("x.example", always(500))
		w.start()
		time.Sleep(time.Second)
		net.set("x.example", nil)
		time.Sleep(time.Minute)
		if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"1"}) {
			t.Errorf("got %q, want 1", got)
		}
		w.close()
	})
}

// A host that never answers is given up after ten seconds, and tried again.
func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		h := w.create("https://x.example/in", "")
		net.set("x.example", func(r *http.Request, _ string) (int, error) {
			<-r.Context().Done()
			return 0, r.Context().Err()
		})
		w.start()
		w.happen("fr-1")
		time.Sleep(attemptTime + time.Second)
		if h := w.hook(h.ID); h.LastError != "no answer within 10s" || h.Failures != 1 {
			t.Errorf("got %+v, want a failure", h)
		}
		net.set("x.example", nil)
		time.Sleep(time.Minute)
		if h := w.hook(h.ID); h.Done != 1 {
			t.Errorf("got %+v, want it delivered", h)
		}
		w.close()
	})
}

// 410 disables a hook, whose messages are dropped; a test that succeeds enables it.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, net := newWorld(t), newReceiver()
		w.options.Transport = net
		i := w.create("https://x.example/in", "")
		net.set("x.example", always(410))
		w.happen("fr-1", "fr-2", "fr-3")
		w.start()
		time.Sleep(time.Second)
		h := w.hook(i.ID)
		if h.Enabled() || h.Pending != 0 || h.Dropped != 3 || !strings.Contains(h.LastError, "410") ||
			net.tries["x.example"] != 1 {
			t.Errorf("got %+v after %d attempts, want it disabled by the first", h, net.tries["x.example"])
		}
		w.happen("fr-4")
		time.Sleep(time.Hour)
		if n := net.tries["x.example"]; n != 1 {
			t.Errorf("got %d attempts, want 1", n)
		}
		if test, err := w.s.Test(t.Context(), i.ID, w.options); err != nil || test.OK || test.Status != 410 {
			t.Errorf("a test got %+v, %v, want 410", test, err)
		}
		net.set("x.example", nil)
		if test, err := w.s.Test(t.Context(), i.ID, w.options); err != nil || !test.OK || test.Status != 204 {
			t.Errorf("a test got %+v, %v, want 204", test, err)
		}
		net.got = map[string][]message{}
		w.happen("fr-5")
		time.Sleep(time.Second)
		if got := net.numbers(t, "x.example", ""); !slices.Equal(got, []string{"5"}) {
			t.Errorf("after it was enabled: got %q, want 5", got)
		}
		w.close()
	})
}
