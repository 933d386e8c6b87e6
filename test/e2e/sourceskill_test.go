//go:build linux

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/tier"
)

// killedSources are those of an update that is killed. The query service alone takes 15 seconds.
var killedSources = []string{"anfr-observatoire", "arcep-mesures-metropole", "arcep-mesures-outremer", "arcep-sites-indisponibles",
	"brussels-antennas"}

// An update that is killed at any moment leaves whole campaigns and whole days, or none of them. The next update
// brings the folder to what one that was not killed makes.
func TestUpdateKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	k, dir := newSourcesKit(t), newFolder(t)
	run(t, updateAll(dir, k.table(t, killedSources...))...)
	s := serve(t, dir)
	want, requests, moments := s.answers(), k.asked.Load(), 12
	s.stop()
	if tier.Full() {
		moments = 40
	}
	for i := range moments {
		nth, delay := 1+int64(i)*requests/int64(moments), rand.N(60*time.Millisecond)
		t.Run(fmt.Sprintf("%s after request %d of %d", delay.Round(time.Millisecond), nth, requests), func(t *testing.T) {
			t.Parallel()
			k, dir := newSourcesKit(t), newFolder(t)
			table := k.table(t, killedSources...)
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			k.meet = func(n int64) {
				if n == nth {
					time.AfterFunc(delay, kill)
				}
			}
			cmd := prepared(t, updateAll(dir, table)...)
			out, err := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...).CombinedOutput()
			if err != nil && ctx.Err() == nil {
				t.Fatalf("the update ended by itself: %v: %s", err, out)
			}
			k.hasNoHalves(t, dir)
			run(t, updateAll(dir, table)...)
			s := serve(t, dir)
			if diff := cmp.Diff(want, s.answers()); diff != "" {
				t.Errorf("without a kill (-), with one (+)\n%.3000s", diff)
			}
			s.stop()
			run(t, "check", "--data", dir)
		})
	}
}

// answers are what a server says of every source of the kit, without the version of the data and the time of an ingest.
func (s *server) answers() map[string]any {
	s.t.Helper()
	all := map[string]any{}
	for _, path := range []string{"/antennas?limit=1000", "/antennas/be-bru-17?market=BE", "/speedtests?limit=1000",
		"/speedtests?limit=1000&market=DROM", "/coverage/points", "/coverage/points?market=DROM", "/outages/history?from=2026-01-01"} {
		all[path] = s.ask(path)["data"]
	}
	brussels := all["/antennas/be-bru-17?market=BE"].(object) // its source has no date
	delete(brussels, "updatedAt")
	delete(brussels, "dates")
	meta := s.meta("/outages/history?from=2026-01-01")
	all["days"] = []any{meta["availability"], meta["gaps"], meta["daysRead"], meta["total"]}
	return all
}

// hasNoHalves checks that a folder has each campaign and each day whole, or not at all.
func (k *sourcesKit) hasNoHalves(t *testing.T, dir string) {
	t.Helper()
	s := serve(t, dir)
	defer s.stop()
	s.waitUntil("the measurements are opened", func() bool { return s.succeeds("/external/v1/speedtests") == nil })
	for market, part := range parts {
		speedtests, points := measured(t, k.files[campaign(part)])
		gotTests := len(s.list("/speedtests?limit=1000&market=" + market))
		gotPoints := len(s.list("/coverage/points?limit=5000&market=" + market))
		if (gotTests != 0 || gotPoints != 0) && (gotTests != speedtests || gotPoints != points) {
			t.Errorf("%s: %d speedtests and %d points, want none or %d and %d", market, gotTests, gotPoints, speedtests, points)
		}
	}
	for i, day := range outageDays {
		meta := s.meta("/outages/history?from=" + day + "&to=" + day)
		want := float64(strings.Count(unavailableOn(i), `"Feature"`))
		if got := meta["total"]; got != want && (got != 0.0 || meta["daysRead"] != 0.0) {
			t.Errorf("%s: %v sites of %v days, want %v, or no day", day, got, meta["daysRead"], want)
		}
	}
}
