package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/access"
	"relais/admin"
	"relais/archive"
	"relais/cgroup"
	"relais/folder"
	"relais/httpapi"
	"relais/index"
	"relais/ingest"
	"relais/measure"
	"relais/ops"
	"relais/photos/worker"
	"relais/view"
)

type serveCommand struct {
	dataFlag
	Listen  string `default:"127.0.0.1:8080" help:"Where to listen (${default})."`
	BaseURL string `name:"base-url" placeholder:"URL" help:"Origin and prefix under which clients reach the service; default: the listen address."`
	proxyFlags
	OpsListen      string        `placeholder:"ADDR" help:"Where /healthz, /readyz and /metrics listen instead, such as 127.0.0.1:9090."`
	AttestationKey string        `type:"path" placeholder:"FILE" help:"Public key (PEM) that device attestations are checked with."`
	UpdateEvery    time.Duration `placeholder:"DURATION" help:"Fetch the authorities' files in the background that often, such as 24h; default: never."`
	Sources        string        `type:"path" placeholder:"FILE" help:"With --update-every: a table of your own of where the files are."`
	mcpFlags
	KeepMeasures days   `default:"365d" placeholder:"TIME" help:"How long speedtests and coverage points are kept (${default}); 0 keeps them all."`
	Log          string `enum:"text,json" default:"text" help:"Form of the log."`
	LogAddress   string `enum:"short,full" default:"short" help:"Client addresses in the log: shortened to /24 and /48, or full."`
}

// proxyFlags say what stands before the server.
type proxyFlags struct {
	TrustedProxy []string `placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed, such as 127.0.0.1/32."`
	PublicPrefix string   `placeholder:"/PREFIX" help:"What the proxy takes off the path; clients sign the path with it."`
}

// Help is shown below the flags.
func (*serveCommand) Help() string {
	return `Serves every market that has a snapshot in the folder, and loads a new snapshot by itself
within two seconds. Stops at SIGTERM or SIGINT after finishing what runs, at most ten seconds.

Examples:
  relais serve --data DIR
  relais serve --data DIR --listen 127.0.0.1:9000 --base-url https://antennas.example
  relais serve --data DIR --update-every 24h`
}

// Times and sizes that hold off clients that do not behave.
const (
	headerTime  = 10 * time.Second
	readTime    = 30 * time.Second
	writeTime   = 60 * time.Second
	idleTime    = 120 * time.Second
	headerBytes = 64 << 10
	stopTime    = 10 * time.Second
	lookEvery   = 250 * time.Millisecond // at the folder for new snapshots
	learnEvery  = time.Second            // from measures, where they or snapshots are new
)

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, streams Streams) error {
	return c.serve(ctx, streams, nil, nil)
}

// serve serves on a listener, or with nil on one of its own. It calls started, which may
// be nil, with the base URL and the clients when it listens.
func (c *serveCommand) serve(ctx context.Context, streams Streams, listener net.Listener,
	started func(base string, clients *access.Clients) error) (err error) {
	log := newLog(streams.Err, c.Log)
	dir := c.dir()
	if _, err := os.Stat(string(dir)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the data folder does not exist: make it with relais ingest, or try relais demo", dir)
	} else if err != nil {
		return err
	}
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return err
	}
	if c.PublicPrefix != "" && !strings.HasPrefix(c.PublicPrefix, "/") {
		return usageError{fmt.Errorf("--public-prefix %q: it begins with a slash, such as /antennes", c.PublicPrefix)}
	}
	proxies, err := access.ParsePrefixes(c.TrustedProxy)
	if err != nil {
		return usageError{fmt.Errorf("--trusted-proxy: %w", err)}
	}
	var attestor *access.Attestor
	if c.AttestationKey != "" {
		if attestor, err = access.ReadAttestor(c.AttestationKey); err != nil {
			return err
		}
	}
	keeper, err := c.keeperOf(dir)
	if err != nil {
		return err
	}
	if listener == nil { // before the stores are opened, which may take long
		if listener, err = listen("--listen", c.Listen, dir); err != nil {
			return err
		}
		defer listener.Close()
	}
	stores, err := admin.Open(dir, holding+c.Listen, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	if base == "" {
		base = "http://" + listener.Addr().String()
	}
	workers := worker.New(worker.Options{Program: worker.Program(), Memory: memoryOfWorkers(cgroup.MemoryLimit), Log: log})
	defer workers.Close()
	requests, flush := newRequestLog(streams.Err, c.Log)
	defer flush()
	var measures atomic.Pointer[measure.Store]
	api, err := httpapi.New(httpapi.Options{
		Photos: &ops.Photos{Store: stores.Photos, Render: workers.Render}, Outages: stores.Outages,
		Archives: stores.Archives, Measures: measures.Load, Updates: updatesOf(keeper),
		Gate: &access.Gate{Clients: stores.Clients, Attestor: attestor, Failures: access.NewFailures(),
			Answers: stores.Answers, Origin: originOf(base)},
		BaseURL: base, Proxies: proxies, PublicPrefix: strings.TrimSuffix(c.PublicPrefix, "/"),
		Version: version(), Log: log, Requests: requests, FullAddress: c.LogAddress == "full",
		Warnings: stores.Warnings, Failed: failedData(stores), Received: stores.Clock.Receipt,
		OpsApart: c.OpsListen != "", SpoolDir: string(dir),
	})
	if err != nil {
		return err
	}
	if err := c.mount(ctx, api, stores); err != nil {
		return err
	}
	limitMemory()
	both := []servingAt{{listener, api}}
	if c.OpsListen != "" {
		apart, err := listen("--ops-listen", c.OpsListen, dir)
		if err != nil {
			return err
		}
		defer apart.Close()
		log.Info("health and metrics", "listen", apart.Addr().String())
		both = append(both, servingAt{apart, api.Operational()})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	background.Go(func() { follow(ctx, dir, api, log) })
	background.Go(func() { api.Learn(ctx, learnEvery) })
	background.Go(func() { stores.Keep(ctx, log) })
	background.Go(func() {
		measures.Store(openMeasures(stores, log))
		stores.RetainMeasures(ctx, time.Duration(c.KeepMeasures), log)
	})
	background.Go(func() { stores.MergeMeasures(ctx, log) })
	if keeper != nil {
		keeper.Log, keeper.Feeds = log, stores.Outages.Take
		keep := archiver(func(ctx context.Context, c admin.AddArchives) ([]*archive.Report, error) {
			added, err := stores.AddArchives(ctx, c)
			if err != nil {
				log.Warn("what was ingested is in no archive", "error", err)
			}
			return added, err
		}).keep(dir, false)
		keeper.Ingested = func(ctx context.Context, r *ingest.Report) {
			stores.Clock.Receipt()
			keep(ctx, r)
		}
		background.Go(func() { keeper.Run(ctx) })
	}
	background.Go(func() {
		if err := stores.Serve(ctx, log); err != nil {
			log.Warn("no admin.sock here: relais client and other admin commands need the server stopped", "error", err)
		}
	})
	log.Info("serving", "data", string(dir), "listen", listener.Addr().String(), "baseUrl", base, "version", version())
	if started != nil {
		if err := started(base, stores.Clients); err != nil {
			log.Warn("the demonstration's clients could not be made", "error", err)
		}
	}
	err = run(ctx, both, log)
	cancel()
	background.Wait()
	return err
}

// failedData says why a dataset of the API cannot be used.
func failedData(stores *admin.Stores) map[string]error {
	failed := map[string]error{}
	for data, file := range map[string]string{
		ops.DataPhotos: admin.PhotosFile, ops.DataOutages: admin.CommunityFile, ops.DataArchives: admin.ArchivesFile,
		ops.DataPeople: admin.UsersFile,
	} {
		if err := stores.Failed(file); err != nil {
			failed[data] = err
		}
	}
	return failed
}

// openMeasures reads the measures, while everything else is served already; nil when
// they cannot be.
func openMeasures(stores *admin.Stores, log *slog.Logger) *measure.Store {
	m, err := stores.Measures()
	if err != nil {
		log.Error("speedtests and coverage points cannot be served: relais check says more", "error", err)
		return nil
	}
	for _, problem := range m.Problems() {
		log.Error("measures are left out: relais check says more", "error", problem)
	}
	return m
}

// baseURL checks the address under which clients reach the service; "" is the one
// where it listens.
func baseURL(text string) (string, error) {
	text = strings.TrimSuffix(text, "/")
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	wrong := err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil
	if wrong || strings.HasSuffix(u.Path, "/external/v1") {
		return "", usageError{fmt.Errorf("--base-url %q: want the origin and prefix of the service, such as "+
			"https://antennas.example, without external/v1", text)}
	}
	return text, nil
}

// originOf is the origin of a base URL, "" when it has none.
func originOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	origin, err := access.ParseOrigin(u.Scheme + "://" + u.Host)
	if err != nil {
		return ""
	}
	return origin
}

// follow keeps the API at what the folder holds. The whole exports are prepared
// after each load, beside the answers.
func follow(ctx context.Context, dir folder.Dir, api *httpapi.Server, log *slog.Logger) {
	var preparing sync.WaitGroup
	stop := func() {}
	live := index.NewLive(dir, view.Summaries, log, func(set *index.Set) {
		api.Show(set)
		stop()
		preparing.Wait()
		var preparation context.Context
		preparation, stop = context.WithCancel(ctx)
		preparing.Go(func() {
			if err := api.Prepare(preparation, set); err != nil && !errors.Is(err, context.Canceled) {
				log.Error("the exports could not be prepared", "error", err)
			}
			for m := range set.Loaded() {
				m.PreparePlaces()
			}
			debug.FreeOSMemory() // what loading and compressing needed once
		})
	})
	live.Refresh()
	if live.Empty() {
		log.Warn("the folder has no snapshot that can be loaded: run relais ingest, or relais demo", "data", string(dir))
	}
	live.Follow(ctx, lookEvery)
	stop()
	preparing.Wait()
}

// servingAt is what is served where.
type servingAt struct {
	listener net.Listener
	handler  http.Handler
}

// run serves until ctx ends, and then lets running requests finish.
func run(ctx context.Context, list []servingAt, log *slog.Logger) error {
	failed := make(chan error, len(list))
	servers := make([]*http.Server, len(list))
	for i, at := range list {
		servers[i] = &http.Server{
			Handler: at.handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
			MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		}
		go func() { failed <- servers[i].Serve(httpapi.BoundUnsent(at.listener)) }()
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("stopping")
	}
	ending, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	for _, server := range servers {
		if server.Shutdown(ending) != nil {
			server.Close()
			log.Warn("requests that were still running were cut off", "after", stopTime)
		}
	}
	return err
}
