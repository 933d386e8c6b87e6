package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/admin"
	"relais/api/view"
	"relais/auth/access"
	"relais/auth/account"
	"relais/community/audit"
	"relais/demo"
	"relais/httpapi/web"
	"relais/httpapi/web/docs"
	"relais/httpapi/web/moderation"
	"relais/ingest"
	"relais/ingest/source"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/mcp"
	"relais/snapshot"
)

type demoCommand struct {
	Data   string `default:"relais-demo" placeholder:"DIR" help:"The data folder (${default}); made when it is missing or empty."`
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Where to listen (${default})."`
	TLS    bool   `name:"tls" help:"Speak HTTPS with a new certificate, which a phone needs to share its position."`
	logFlags
	Open bool `help:"Open the map in a browser."`
	baseFlags
}

// Validate refuses an empty name, which kong takes for a given one.
func (c *demoCommand) Validate() error { return dataFlag{c.Data}.Validate() }

// Run makes the demonstration if the folder has none, and serves it.
func (c *demoCommand) Run(ctx context.Context, streams Streams) error {
	dir, flags := folder.Dir(c.Data), webFlags{Map: "on", Pages: "on", Open: c.Open, baseFlags: c.baseFlags}
	if err := flags.base(new(web.Options)); err != nil {
		return err
	}
	listener, err := listen("--listen", c.Listen, dir) // first: a busy port would waste the work below
	if err != nil {
		return err
	}
	defer listener.Close()
	made, err := demoComplete(dir)
	if err != nil {
		return err
	}
	if !made {
		if err := makeDemo(ctx, dir, streams); err != nil {
			return err
		}
	}
	if err := c.addSampleData(ctx, streams); err != nil {
		return err
	}
	s := serveCommand{dataFlag: dataFlag{c.Data}, Listen: c.Listen, logFlags: c.logFlags, webFlags: flags,
		tlsFlags: tlsFlags{SelfSigned: c.TLS}}
	return s.serve(ctx, streams, listener, func(base string, stores *admin.Stores) error {
		return printDemo(ctx, streams, base, stores)
	})
}

// demoComplete reports whether the folder has the whole demonstration. It refuses a folder with
// anything else, so that no register of an authority is ever mixed with synthetic data or replaced by it. A
// demonstration that was interrupted is made again.
func demoComplete(dir folder.Dir) (bool, error) {
	if unused, err := dir.Unused(); err != nil || unused {
		return false, err
	}
	all, made, outdated := 0, 0, 0
	for _, set := range demo.Sets {
		for _, code := range set.Markets {
			all++
			switch s, err := snapshot.ReadFile(dir.Snapshot(string(code)), code); {
			case errors.Is(err, fs.ErrNotExist):
			case errors.Is(err, snapshot.ErrVersion) && demoSources(dir, set): // an older relais made it
				outdated++
			case err != nil:
				return false, fmt.Errorf("%s is not a demonstration (%w); name another folder", dir, err)
			case !s.Synthetic:
				return false, fmt.Errorf(
					"%s holds real data: serve it with relais serve --data %s, or name another folder", dir, dir)
			default:
				made++
			}
		}
	}
	if made+outdated == 0 {
		return false, fmt.Errorf("%s is neither empty nor a demonstration; name another folder", dir)
	}
	return made == all, nil
}

// demoSources reports whether the kept sources of the set are a demonstration's, and
// nothing else. Their names say so where the snapshot cannot be read.
func demoSources(dir folder.Dir, set demo.Set) bool {
	synthetic, others := 0, 0
	err := filepath.WalkDir(dir.Sources(string(set.Markets[0])), func(_ string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() || e.Name() == folder.ManifestName:
		case strings.HasPrefix(e.Name(), source.Synthetic):
			synthetic++
		default:
			others++
		}
		return nil
	})
	return err == nil && synthetic > 0 && others == 0
}

// makeDemo makes the whole demonstration, one ingest for each authority.
func makeDemo(ctx context.Context, dir folder.Dir, streams Streams) error {
	fmt.Fprintf(streams.Err, "Making synthetic countries in %s …\n", dir)
	tmp, err := os.MkdirTemp("", "relais-demo-")
	if err != nil {
		return err
	}
	defer system.RemoveAll(tmp)
	for _, set := range demo.Sets {
		files, err := set.Write(filepath.Join(tmp, string(set.Markets[0])), set.Size)
		if err != nil {
			return err
		}
		r, err := ingest.Run(ctx, ingest.Options{Dir: dir, Markets: set.Markets, Paths: files, Now: time.Now(),
			Progress: progress(streams.Err, "reading")})
		if err != nil {
			return err
		}
		for _, m := range r.Markets {
			fmt.Fprintf(streams.Err, "%s: %d synthetic sites, %d emissions\n", m.Market, m.Sites, m.Emissions)
		}
	}
	return nil
}

// demoClients has one client for each mode. A demonstration makes them again each time it
// starts, because their secrets can be shown once only.
var demoClients = []access.Client{
	{Name: "Demonstration, server", Mode: access.Server, CIDRs: loopback,
		Scopes: append(slices.Clone(access.ReadScopes), access.PhotosWrite), Partner: true, Limits: demoLimits},
	{Name: "Demonstration, browser", Mode: access.Browser,
		Origins: []string{"http://localhost:3000", "http://localhost:5173"}, Scopes: access.ReadScopes,
		Limits: demoLimits},
	{Name: "Demonstration, mobile", Mode: access.Mobile, Scopes: access.ReadScopes, Limits: demoLimits},
}

var (
	loopback   = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	demoLimits = access.Limits{Minute: 600, Day: 100_000}
)

// makeClients makes the clients. If the folder cannot be written to, they exist in memory
// until the demonstration ends; inMemory reports that.
func makeClients(clients *access.Clients) (made []*access.Issued, inMemory bool, err error) {
	made, err = storeClients(clients)
	if !errors.Is(err, access.ErrReadOnly) && !folder.ReadOnly(err) {
		return made, false, err
	}
	made = nil
	for _, spec := range demoClients {
		issued, err := clients.Lend(spec)
		if err != nil {
			return nil, true, err
		}
		made = append(made, issued)
	}
	return made, true, nil
}

// storeClients replaces the clients of an earlier start, which have the same names.
func storeClients(clients *access.Clients) (made []*access.Issued, err error) {
	for _, spec := range demoClients {
		for _, former := range clients.List() {
			if former.Name == spec.Name {
				if err := clients.Delete(former.ID); err != nil {
					return nil, err
				}
			}
		}
		issued, err := clients.Create(spec)
		if err != nil {
			return nil, err
		}
		made = append(made, issued)
	}
	return made, nil
}

// moderatorName is the name of the account that sees the pages of moderators.
const moderatorName = "moderator"

// makeModerator makes the account of a moderator, or gives it another password: the one of an earlier
// start was shown once. It returns the password, "" if the folder cannot be written to.
func makeModerator(ctx context.Context, accounts *account.Store) (password string, err error) {
	if accounts.ReadOnly() {
		return "", nil
	}
	password = rand.Text()
	a, err := accounts.Find(moderatorName)
	switch {
	case errors.Is(err, account.ErrNoAccount):
		if a, err = accounts.Create(ctx, moderatorName, password); err == nil {
			_, err = accounts.SetRole(a.ID, account.Moderator, audit.Decision{})
		}
	case err == nil:
		_, err = accounts.SetPassword(ctx, a.ID, password)
	}
	return password, err
}

// printDemo makes the clients and a moderator and prints lines to try.
func printDemo(ctx context.Context, streams Streams, base string, stores *admin.Stores) error {
	made, inMemory, err := makeClients(stores.Clients)
	if err != nil {
		return err
	}
	password, err := makeModerator(ctx, stores.Accounts)
	if err != nil {
		return err
	}
	server, browser, mobile := made[0], made[1], made[2]
	api, curl := base+"/external/v1", "curl"
	if strings.HasPrefix(base, "https:") {
		curl = "curl -k" // its certificate is not known to curl
	}
	out := &bytes.Buffer{}
	fmt.Fprintf(out, "Open %s/ to see the map. It shows synthetic data, not a register.\n", base)
	fmt.Fprintf(out, "A place with everything:      %s/?site=%s#map=15/%.4f/%.4f\n", base, demo.ShownSite, demo.Shown.Lat,
		demo.Shown.Lng)
	if inMemory {
		fmt.Fprintf(out, "%s cannot be written to: the keys below work until this program ends.\n", stores.Dir)
	}
	fmt.Fprintf(out, "\nA program asks with a key:\n\n  export KEY=%s\n", server.APIKey)
	for _, path := range []string{"/antennas?lat=45.76&lon=4.84&radiusKm=1&limit=2", "/sites/" + demo.ShownSite,
		"/outages?limit=5", "/coverage/points?technology=5G&limit=2",
		fmt.Sprintf("/coverage/at?lat=%.4f&lon=%.4f", demo.Shown.Lat, demo.Shown.Lng), "/anfr/archive/" + demo.Week(0)} {
		fmt.Fprintf(out, "  %s -H \"X-API-Key: $KEY\" '%s%s'\n", curl, api, path)
	}
	if _, err := os.Stat(stores.Dir.Basemap()); err != nil {
		fmt.Fprintf(out, "\nStreets under the map:        %s basemap --data %s %.4f,%.4f,20\n", program(), stores.Dir,
			demo.Shown.Lat, demo.Shown.Lng)
	}
	fmt.Fprintf(out, "\nAll routes, with lines to try: %s%s\n", base, docs.Path)
	fmt.Fprintf(out, "A site, as people see it:     %s\n", view.SitePage(base, demo.ShownSite))
	if password != "" {
		fmt.Fprintf(out, "Photos wait for a moderator:  %s%s, as %s with the password %s\n", base, moderation.Path,
			moderatorName, password)
	}
	fmt.Fprintf(out, "The tools of assistants:      %s%s\n", base, mcp.Path)
	fmt.Fprintf(out, "A page of http://localhost:3000 or http://localhost:5173 sends the key %s\n", browser.APIKey)
	fmt.Fprintf(out, "An app signs each request:\n\n"+
		"  %s -H \"$(%s client sign --secret %s GET %s/antennas)\" -H 'Authorization: Bearer %s' '%s/antennas?limit=1'\n\n"+
		"Stop with Ctrl-C.\n",
		curl, program(), mobile.SigningSecret, api, mobile.APIKey, api)
	_, err = streams.Out.Write(out.Bytes())
	return err
}

// program returns the path of this program.
func program() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return "relais"
}
