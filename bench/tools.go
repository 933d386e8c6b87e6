package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// toolClients is how many assistants call a tool at once, each in a session of its own.
const toolClients = 20

// A tool is as much of a tool as the server lists as a call needs.
type tool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct{ Examples []any }
		Required   []string
	}
	Annotations struct{ ReadOnlyHint bool }
}

// Places and words that have the most to answer.
var (
	busyPlaces = []string{"Paris", "Marseille", "Lyon", "Toulouse", "Saint-Denis", "Nice"}
	busyWords  = []string{"rue saint", "avenue de la republique", "paris", "saint denis", "route chateau eau", "place eglise"}
)

// busy are arguments about where there is the most to answer, for what has them, needed
// or not: those of the i-th caller. A date that is "" is left out.
func busy(i int, sites []string, from, to string) map[string]any {
	site := sites[i%len(sites)]
	m := map[string]any{"lat": 48.8566 + float64(i%5)*0.002, "lon": 2.3522 + float64(i%7)*0.002, "place": busyPlaces[i%len(busyPlaces)],
		"siteId": site, "id": site, "days": 365, "radiusKm": 5, "query": busyWords[i%len(busyWords)]}
	if to != "" {
		m["date"], m["from"], m["to"] = to, from, to
	}
	return m
}

// arguments are those of busy that the tool has, and examples for what else it needs.
func (t *tool) arguments(busy map[string]any) (map[string]any, error) {
	given := map[string]any{}
	for name, value := range busy {
		if _, ok := t.InputSchema.Properties[name]; ok {
			given[name] = value
		}
	}
	// A look-up needs one of several values, none of which is required by itself.
	needed := t.InputSchema.Required
	if _, ok := t.InputSchema.Properties["value"]; ok {
		needed = append(slices.Clone(needed), "value")
	}
	for _, name := range needed {
		if given[name] != nil {
			continue
		}
		examples := t.InputSchema.Properties[name].Examples
		if len(examples) == 0 {
			return nil, fmt.Errorf("no value is known for %s", name)
		}
		given[name] = examples[0]
	}
	return given, nil
}

// measureTools prints a line for every tool that only reads and needs nobody to sign in.
func measureTools(ctx context.Context, relais, data string, each time.Duration) error {
	server, _, err := start(ctx, exec.CommandContext(ctx, relais, "serve", "--data", data, "--listen", relaisListen, "--mcp-minute", "1000000000"), relaisListen)
	if err != nil {
		return err
	}
	defer server.stop()
	settle(server.pid)
	first, err := newSession(ctx)
	if err != nil {
		return err
	}
	var listed struct{ Tools []*tool }
	if err := first.ask(ctx, "tools/list", struct{}{}, &listed); err != nil {
		return err
	}
	given, err := first.busy(ctx)
	if err != nil {
		return err
	}
	sessions := []*session{first}
	for len(sessions) < toolClients {
		s, err := newSession(ctx)
		if err != nil {
			return err
		}
		sessions = append(sessions, s)
	}
	fmt.Printf("\n%-36s %9s %10s %10s %10s %10s\n", "TOOLS (20 sessions at once)", "bytes", "calls/s", "p50 ms", "p99 ms", "CPU ms")
	for _, t := range listed.Tools {
		if !t.Annotations.ReadOnlyHint || strings.HasPrefix(t.Name, "me_") {
			continue
		}
		if err := t.measure(ctx, sessions, given, server.pid, each); err != nil {
			fmt.Printf("%-36s %v\n", t.Name, err)
		}
	}
	return nil
}

// measure calls the tool from all sessions for some time.
func (t *tool) measure(ctx context.Context, sessions []*session, busy []map[string]any, pid int, each time.Duration) error {
	given, size := make([]map[string]any, len(busy)), 0
	for i := range busy {
		var err error
		if given[i], err = t.arguments(busy[i]); err != nil {
			return err
		}
		var answer json.RawMessage
		if err := sessions[0].call(ctx, t.Name, given[i], &answer); err != nil {
			return err
		}
		size = max(size, len(answer))
	}
	// What the generator does costs the server's processors, so that it is done before.
	requests := make([][][]byte, len(sessions))
	for k, s := range sessions {
		for _, arguments := range given {
			request, err := s.request("tools/call", map[string]any{"name": t.Name, "arguments": arguments})
			if err != nil {
				return err
			}
			requests[k] = append(requests[k], request)
		}
	}
	var err error
	var all []time.Duration
	var mu sync.Mutex
	var wg sync.WaitGroup
	used, began := cpuSeconds(pid), time.Now()
	for k, s := range sessions {
		wg.Go(func() {
			var times []time.Duration
			var worst error
			for i := k; time.Since(began) < each && worst == nil && ctx.Err() == nil; i++ {
				start := time.Now()
				_, worst = s.exchange(requests[k][i%len(given)])
				times = append(times, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, times...)
			if err == nil {
				err = worst
			}
		})
	}
	wg.Wait()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	took, used := time.Since(began), cpuSeconds(pid)-used
	slices.Sort(all)
	n := len(all)
	fmt.Printf("%-36s %9d %10.0f %10.2f %10.2f %10.2f\n", t.Name, size, float64(n)/took.Seconds(), milliseconds(all[n/2]), milliseconds(all[min(n-1, n*99/100)]), used*1000/float64(n))
	return nil
}

// busy asks for sites in the middle of Paris and the oldest and the newest archive, if
// there are some, and makes arguments of them.
func (s *session) busy(ctx context.Context) (list []map[string]any, err error) {
	var near struct{ Items []struct{ SiteKey string } }
	if err := s.call(ctx, "sites_nearby", map[string]any{"lat": 48.8566, "lon": 2.3522, "limit": toolClients}, &near); err != nil {
		return nil, err
	}
	var archives struct{ Current, Oldest string }
	if err := s.call(ctx, "anfr_list_archives", nil, &archives); err != nil {
		return nil, err
	}
	if len(near.Items) == 0 {
		return nil, errors.New("there is no site in the middle of Paris")
	}
	var sites []string
	for _, one := range near.Items {
		sites = append(sites, one.SiteKey)
	}
	for i := range toolClients {
		list = append(list, busy(i, sites, archives.Oldest, archives.Current))
	}
	return list, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
