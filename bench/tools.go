package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// toolClients is how many calls of a tool are answered at once, and how many sessions take
// turns with them.
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
	fmt.Printf("%-34s %s\n", "start to ready, with measures", ms(server.ready))
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

// rounds is how often each tool is measured, for a second at least: where the machine is
// shared, it stands still now and then, and of a second in which it does, every figure is of
// that. What is printed are the medians.
const rounds = 5

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
	script, err := t.script(sessions, given)
	if err != nil {
		return err
	}
	defer os.Remove(script)
	var rates, p50s, p99s, costs []float64
	second := max((each / rounds).Truncate(time.Second), time.Second)
	for range rounds {
		used := cpuSeconds(pid)
		r, err := runWrk("http://"+relaisListen, second, "-t1", "-c"+strconv.Itoa(len(sessions)), "-s", script)
		if err != nil {
			return err
		}
		used = cpuSeconds(pid) - used
		rates, p50s, p99s = append(rates, r.rate), append(p50s, r.p50), append(p99s, r.p99)
		costs = append(costs, used*1000/(r.rate*second.Seconds()))
	}
	fmt.Printf("%-36s %9d %10.0f %10.2f %10.2f %10.2f\n", t.Name, size, middle(rates), middle(p50s), middle(p99s), middle(costs))
	return nil
}

// middle is the median, of an odd number.
func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// script writes a script of wrk that calls the tool with each of the arguments in turn, in
// one session after the other.
func (t *tool) script(sessions []*session, given []map[string]any) (path string, err error) {
	var lua bytes.Buffer
	lua.WriteString("local calls, requests, at = {}, {}, 0\n")
	for turn := range given {
		for k, s := range sessions {
			message, err := s.message("tools/call", map[string]any{"name": t.Name, "arguments": given[(k+turn)%len(given)]})
			if err != nil {
				return "", err
			}
			lua.WriteString("calls[#calls+1] = {{")
			for name, value := range s.headers() {
				fmt.Fprintf(&lua, "[%s]=%s,", luaText(name), luaText(value))
			}
			fmt.Fprintf(&lua, "}, %s}\n", luaText(string(message)))
		}
	}
	lua.WriteString(`
function init()
  for n, c in ipairs(calls) do requests[n] = wrk.format("POST", "/mcp", c[1], c[2]) end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`)
	f, err := os.CreateTemp("", "relais-bench-*.lua")
	if err != nil {
		return "", err
	}
	_, err = f.Write(lua.Bytes())
	return f.Name(), errors.Join(err, f.Close())
}

// luaText is a string as Lua writes it, byte by byte.
func luaText(text string) string {
	b := []byte{'"'}
	for _, c := range []byte(text) {
		b = fmt.Appendf(b, "\\%03d", c)
	}
	return string(append(b, '"'))
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
