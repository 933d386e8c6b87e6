package admin

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"relais/auth/access"
	"relais/internal/cgroup"
	"relais/internal/system"
)

// Settings are the settings of a server, for the doctor. They are set before commands run.
type Settings struct {
	Version      string                 `json:"version"`
	Listen       string                 `json:"listen"`
	BaseURL      string                 `json:"baseUrl"` // as it was given; "" for the address of the listener
	PublicPrefix string                 `json:"publicPrefix,omitempty"`
	Proxies      []netip.Prefix         `json:"trustedProxies"`
	TLS          bool                   `json:"tls"`         // the server has a certificate of its own
	UpdateEvery  time.Duration          `json:"updateEvery"` // nanoseconds, 0: never
	Hops         func() access.SeenHops `json:"-"`
}

// A ServerState is the answer of Diagnose.
type ServerState struct {
	Settings
	PID      int             `json:"pid"`
	User     string          `json:"user"` // numeric
	ReadOnly bool            `json:"readOnly"`
	Files    uint64          `json:"files"`  // that it may have open
	Memory   int64           `json:"memory"` // of its control group, bytes; 0: no limit
	Uses     int64           `json:"uses"`   // resident bytes; 0: not known
	Seen     access.SeenHops `json:"seen"`
	Warnings []string        `json:"warnings"`
	Feeds    []FeedState     `json:"feeds"`
}

// Diagnose returns the state of a server.
type Diagnose struct{}

func (Diagnose) run(_ context.Context, s *Stores) (any, error) {
	state := ServerState{Settings: s.Settings, PID: os.Getpid(), User: fmt.Sprint(os.Geteuid()), ReadOnly: s.lock == nil,
		Warnings: s.Warnings(), Uses: resident(), Files: system.MostOpen()}
	if s.Settings.Hops != nil {
		state.Seen = s.Settings.Hops()
	}
	if bytes, ok := cgroup.MemoryLimit(); ok {
		state.Memory = bytes
	}
	if s.failed[CommunityFile] == nil {
		state.Feeds = feedStates(s.Outages, s.now())
	}
	return state, nil
}

// resident returns the bytes of memory that this process has, 0 if that is not known.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var all, pages int64
	if _, err := fmt.Sscan(string(text), &all, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// leastFiles is how many open files a busy server needs: each connection is one.
const leastFiles = 4096

// server looks at the settings of the server.
func (d *doctor) server(ctx context.Context) {
	if d.Server == nil {
		d.add("server", Note, fmt.Sprintf("relais serve --data %s", d.dir), "no server runs on the folder")
		return
	}
	s := d.Server
	d.add("server", Fine, "", "relais %s listens on %s (process %d)", s.Version, s.Listen, s.PID)
	if s.Files > 0 && s.Files < leastFiles {
		d.add("open files", Warning, "LimitNOFILE=65536 in the unit: sudo systemctl edit relais",
			"the server may have %d files open, and each connection is one", s.Files)
	}
	if s.Memory > 0 && s.Uses > s.Memory/10*9 {
		d.add("memory", Warning, "a larger MemoryMax= in the unit (sudo systemctl edit relais), or --markets",
			"the server has %d MB of the %d MB that it may have", s.Uses>>20, s.Memory>>20)
	}
	d.baseURL(ctx)
	d.proxies()
	for _, w := range s.Warnings {
		d.add("server", Warning, "", "%s", w)
	}
}

func isLocal(host string) bool {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// baseURL looks at the address under which clients reach the server.
func (d *doctor) baseURL(ctx context.Context) {
	s := d.Server
	const mend = "serve with --base-url https://antennas.example, your address"
	host, _, err := net.SplitHostPort(s.Listen)
	open := err != nil || !isLocal(host) // other machines reach it
	switch {
	case s.BaseURL == "" && len(s.Proxies) > 0:
		d.add("base URL", Wrong, mend, "--trusted-proxy is given and --base-url is not: links, the OpenAPI document and "+
			"the tool server name %s", s.Listen)
		return
	case s.BaseURL == "" && s.Seen.FromUnknown+s.Seen.WithHeader > 0:
		d.add("base URL", Wrong, mend, "requests come through a proxy, and --base-url is not given: links name %s", s.Listen)
		return
	case s.BaseURL == "" && open:
		d.add("base URL", Warning, mend, "others reach the server at %s, and --base-url is not given", s.Listen)
		return
	case s.BaseURL == "":
		d.add("base URL", Fine, "", "none is needed: only this machine reaches %s", s.Listen)
		return
	}
	u, err := url.Parse(s.BaseURL)
	switch {
	case err != nil:
		d.add("base URL", Wrong, mend, "%v", err)
		return
	case u.Scheme == "http" && !isLocal(u.Hostname()):
		d.add("base URL", Warning, "serve behind a proxy with TLS (docs/reverse-proxies.md), and say https in --base-url",
			"%s is not encrypted: keys and passwords can be read on the way", s.BaseURL)
	case len(s.Proxies) > 0 && isLocal(u.Hostname()):
		d.add("base URL", Warning, mend, "%s is this machine, though there is a proxy in front", s.BaseURL)
	}
	if d.ask == nil {
		return
	}
	// Only a warning: a router may not lead this machine back to itself, though others reach the address.
	if err := d.ask(ctx, s.BaseURL); err != nil {
		d.add("base URL", Warning, "look at DNS and at the proxy; from another machine: curl "+s.BaseURL+"/openapi.json",
			"%s does not lead here, seen from this machine: %v", s.BaseURL, err)
		return
	}
	d.add("base URL", Fine, "", "%s leads here", s.BaseURL)
}

// someRequests is a number of requests without X-Forwarded-For that is too large for the operator's own tests.
const someRequests = 20

// proxies looks at the addresses that send X-Forwarded-For: without the right --trusted-proxy all callers have the
// proxy's address, and share its limits.
func (d *doctor) proxies() {
	s := d.Server
	switch {
	case s.Seen.Unknown != "" && !strings.Contains(s.Seen.Unknown, "/"):
		d.add("proxy", Wrong, "serve with --trusted-proxy "+s.Seen.Unknown, "%s with X-Forwarded-For came from %s, which is "+
			"not a --trusted-proxy: limits and address rules take the proxy for the caller",
			Number(int(s.Seen.FromUnknown), "request"), s.Seen.Unknown)
	case s.Seen.NoHeader >= someRequests && s.Seen.WithHeader == 0:
		d.add("proxy", Warning, "let the proxy send X-Forwarded-For (docs/reverse-proxies.md)",
			"%s came from a --trusted-proxy, and none had X-Forwarded-For: all callers look like one",
			Number(int(s.Seen.NoHeader), "request"))
	case len(s.Proxies) > 0 && s.Seen.WithHeader == 0:
		d.add("proxy", Note, "", "no request came through the --trusted-proxy since the start")
	case len(s.Proxies) > 0:
		d.add("proxy", Fine, "", "%s came through, with the callers' addresses", Number(int(s.Seen.WithHeader), "request"))
	}
}
