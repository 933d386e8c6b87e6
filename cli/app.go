package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/address"
	"relais/admin"
	"relais/api"
	"relais/api/view"
	"relais/archive"
	"relais/auth/access"
	"relais/catalog"
	"relais/cluster"
	"relais/coverage"
	"relais/hook"
	"relais/httpapi"
	"relais/index"
	"relais/internal/admit"
	"relais/internal/cgroup"
	"relais/market"
	"relais/measure"
	"relais/photos/confine"
	"relais/photos/worker"
)

const (
	// lookEvery is how often the folder is searched for new snapshots. It also is how long the folder must
	// stay as it is before they are loaded; see index.Live.
	lookEvery  = 250 * time.Millisecond
	learnEvery = time.Second // how often new measurements or snapshots are combined
)

// An app is a server with all its parts. serve sets them in the order in which they need each other.
type app struct {
	*serveCommand
	settings
	log, requests *slog.Logger
	stores        *admin.Stores
	jobs          *admin.Jobs
	workers       *worker.Pool
	certificates  certificates
	measures      atomic.Pointer[measure.Store] // nil until they are read
	api           *httpapi.Server
	hops          access.Hops
}

// serve serves on the listener, or opens one if it is nil. Once it listens it calls onStart,
// which may be nil, with the base URL and the stores.
func (c *serveCommand) serve(
	ctx context.Context, streams Streams, listener net.Listener,
	onStart func(base string, stores *admin.Stores) error,
) (err error) {
	a := &app{serveCommand: c, log: c.newLog(streams.Err)}
	if a.settings, err = c.check(); err != nil {
		return err
	}
	if listener == nil { // before the stores are opened, which may take long
		if listener, err = listen("--listen", c.Listen, a.dir); err != nil {
			return err
		}
		defer listener.Close()
	}
	if a.certificates, err = c.openCertificates(listener, a.log); err != nil {
		return err
	}
	if a.base == "" { // the port may be 0: only the listener knows it
		a.base = "http://" + listener.Addr().String()
		if c.speaksTLS() {
			a.base = "https://" + listener.Addr().String()
		}
	}
	if a.stores, err = admin.OpenNode(a.dir, a.node, serverHolder+c.Listen, a.log); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.stores.Close()) }()
	a.jobs = admin.NewJobs(a.stores, a.log)
	a.workers = worker.New(worker.Options{Program: worker.Program(), Memory: memoryOfWorkers(cgroup.MemoryLimit),
		Log: a.log})
	defer a.workers.Close()
	var flush func()
	a.requests, flush = c.newRequestLog(streams.Err)
	defer flush()
	if a.api, err = httpapi.New(a.options()); err != nil {
		return err
	}
	if err := c.mount(a.api, a.stores); err != nil {
		return err
	}
	// Commands and hooks read these without a lock: they are set before start begins either.
	a.stores.HookOptions = a.hooks()
	a.stores.Settings = a.doctorSettings(listener.Addr().String())
	limitMemory()
	serving := []servingAt{{listener, a.api, a.certificates.config()}}
	if c.OpsListen != "" {
		monitoring, err := listen("--ops-listen", c.OpsListen, a.dir)
		if err != nil {
			return err
		}
		defer monitoring.Close()
		a.log.Info("health and metrics", "listen", monitoring.Addr().String())
		serving = append(serving, servingAt{listener: monitoring, handler: a.api.MonitoringHandler()})
	}
	a.warnOfSettings()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	a.start(ctx, &background)
	waitForHooks := a.stores.Hooks.Deliver(ctx, a.stores.HookOptions)
	a.log.Info("serving", "data", string(a.dir), "listen", listener.Addr().String(), "baseUrl", a.base, "version",
		version())
	if hash := a.certificates.fingerprint(); hash != "" {
		fmt.Fprintf(streams.Out, "The certificate is self-signed: browsers will warn. Its SHA-256 fingerprint is\n%s\n\n",
			hash)
	}
	if onStart == nil {
		fmt.Fprintf(streams.Out, "Serving at %s/\n", a.base)
	} else if err := onStart(a.base, a.stores); err != nil {
		a.log.Warn("making the demonstration's clients and moderator failed", "error", err)
	}
	if c.Open {
		if err := openBrowser(a.base + "/"); err != nil {
			a.log.Warn("--open: " + err.Error())
		}
	}
	err = run(ctx, serving, a.drain, a.log)
	// run may have ended by an error, with ctx alive. The background work must end before the deferred
	// calls close the stores that it uses.
	cancel()
	background.Wait()
	waitForHooks()
	return err
}

// uploads refuses photos on a system that cannot confine, unless its operator accepts them.
func (a *app) uploads(confined bool) api.Uploads {
	u := api.Uploads{Hold: a.PhotosHold, Forget: a.stores.ForgetPhoto}
	if confined || a.AcceptUnconfinedUploads {
		u.Render = a.workers.Render
	}
	return u
}

// options returns the parts and settings of the API.
func (a *app) options() httpapi.Options {
	o := httpapi.Options{
		Updates:   updatesOf(a.keeper),
		Photos:    a.stores.Photos,
		Uploads:   a.uploads(confine.Possible),
		Community: a.stores.Community,
		Archives:  a.stores.Archives,
		History:   a.stores.History,
		Addresses: address.NewStore(address.Path(a.dir)),
		Coverage:  coverage.NewStore(a.dir.Coverage()),
		Measures:  a.usableMeasures,
		Gate: &access.Gate{Clients: a.stores.Clients, Attestor: a.attestor, Failures: access.NewFailures(),
			Answers: a.stores.Answers, Origin: originOf(a.base),
			Unusable: func() error { return a.stores.Failed(admin.ClientsFile) }},
		BaseURL:            a.base,
		PublicPrefix:       a.prefix,
		Proxies:            a.proxies,
		Hops:               &a.hops,
		OwnTLS:             a.certificates.files != nil,
		SeparateMonitoring: a.OpsListen != "",
		Version:            version(),
		Log:                a.log,
		Requests:           a.requests,
		FullAddress:        a.LogAddress == "full",
		Warnings:           a.warnings,
		Collectors:         a.certificates.collectors(),
		Queues:             map[string]*admit.Queue{"sign-ins": a.stores.Accounts.Hashes(), "images": a.workers.Queue()},
		Failed:             failedData(a.stores),
		Hooks:              a.stores.Hooks.List,
		SpoolDir:           string(a.dir),
		Map:                a.mode(),
		MapAll:             a.MapAll,
		ErrorDocs:          a.errorDocs(a.base),
		Links:              a.links(a.base, a.MCP != "off"),
	}
	if a.dir.IsPack() { // a pack is only read, and so may its stick be
		o.SpoolDir = ""
	}
	if r := a.stores.Replicas(); r != nil {
		o.Cluster = membership{r, a.ClusterStale}
	}
	return o
}

// doctorSettings returns the settings that relais doctor asks for.
func (a *app) doctorSettings(listen string) admin.Settings {
	return admin.Settings{Version: version(), Listen: listen, BaseURL: strings.TrimSuffix(a.BaseURL, "/"), PublicPrefix: a.prefix,
		Proxies: a.proxies, UpdateEvery: a.UpdateEvery, Hops: a.hops.Seen}
}

// start starts the background work; all of it ends with ctx. Work that must be done once in a cluster
// waits for its job there: Lead runs it on one node at a time.
func (a *app) start(ctx context.Context, background *sync.WaitGroup) {
	background.Go(func() { a.follow(ctx) })
	background.Go(func() { a.certificates.follow(ctx) })
	background.Go(func() { a.api.Learn(ctx, learnEvery) })
	background.Go(func() { a.jobs.Keep(ctx) })
	background.Go(func() {
		// Measurements may be large: antennas are served while they are read.
		a.measures.Store(openMeasures(a.stores, a.log))
		a.jobs.Lead(ctx, cluster.JobKeep, func(ctx context.Context) {
			var jobs sync.WaitGroup
			jobs.Go(func() { a.jobs.RetainMeasures(ctx, time.Duration(a.KeepMeasures)) })
			jobs.Go(func() { a.jobs.MergeMeasures(ctx) })
			jobs.Go(func() { a.jobs.KeepCluster(ctx) })
			jobs.Go(func() { a.jobs.ArchiveKept(ctx) })
			jobs.Wait()
		})
	})
	if a.keeper != nil {
		a.connectKeeper()
		background.Go(func() { a.jobs.Lead(ctx, cluster.JobUpdate, a.keeper.Run) })
	}
	background.Go(func() {
		if err := admin.NewCommands(a.stores).Serve(ctx, a.log); err != nil {
			a.log.Warn("listening for admin commands failed: relais client and other admin commands need the server stopped",
				"error", err)
		}
	})
}

// hooks returns how hooks are reached, and how their events are made.
func (a *app) hooks() hook.Options {
	return hook.Options{Private: a.HookPrivate, Version: version(), Log: a.log,
		Events: func(ctx context.Context, c hook.Cause) ([]*hook.Event, error) {
			env := a.api.Env()
			if !a.MapAll { // a receiver has no key, so it gets only what may be redistributed
				env.WithoutKey()
			}
			return api.HookEvents(ctx, env, a.stores.Community, c)
		},
		Lead: func(ctx context.Context, do func(context.Context)) { a.jobs.Lead(ctx, cluster.JobHooks, do) }}
}

// connectKeeper passes what the keeper fetches to the stores. The keeper was made by check, before there
// were stores.
func (a *app) connectKeeper() {
	a.keeper.Log, a.keeper.Feeds, a.keeper.Publisher = a.log, a.stores.Outages.Take, admin.NewCommands(a.stores).Publisher()
	a.keeper.Measures, a.keeper.Days = a.stores.TakeMeasures, a.stores.TakeOutageDays
	a.keeper.Failed = func(markets []market.Code, files string) {
		if err := a.stores.Hooks.Add(api.UpdateFailed(markets, files, time.Now())); err != nil {
			a.log.Error("telling hooks of a failed update failed", "error", err)
		}
	}
	a.keeper.Archive = archiveOf(func(ctx context.Context, c admin.AddArchives) ([]*archive.Report, error) {
		added, err := a.stores.AddArchives(ctx, c)
		if err != nil {
			a.log.Warn("adding the ingested edition to the archives failed", "error", err)
		}
		return added, err
	})
}

// follow keeps the API's data up to date with the folder. After each load it notes the editions and
// prepares the complete exports, while requests are answered.
func (a *app) follow(ctx context.Context) {
	var preparing sync.WaitGroup
	cancel := func() {} // ends the preparation of the previous set
	live := index.NewLive(a.dir, view.Summaries, a.log, func(set *index.Set) {
		// The new set answers first. Only one set is prepared at a time: two would need the memory and the
		// processors twice, and the older one is asked no more.
		a.api.SetData(set)
		cancel()
		preparing.Wait()
		var prepareCtx context.Context
		prepareCtx, cancel = context.WithCancel(ctx)
		preparing.Go(func() {
			// With ctx, not prepareCtx: an edition that the next load skips would be missing from the history.
			for m := range set.Loaded() {
				a.jobs.NoteEdition(ctx, m.Snap)
			}
			for m := range set.Loaded() {
				m.PrepareText() // people search before they export
			}
			if err := a.api.Prepare(prepareCtx, set); err != nil && !errors.Is(err, context.Canceled) {
				a.log.Error("preparing the exports failed", "error", err)
			}
			for m := range set.Loaded() {
				m.PreparePlaces()
			}
			debug.FreeOSMemory() // loading and compressing need much that nothing needs afterwards
		})
	})
	live.Only(a.Markets)
	live.Refresh()
	if live.Empty() {
		a.log.Warn("the folder has no snapshot that can be loaded: run relais update, relais ingest, or relais demo", "data",
			string(a.dir))
	}
	live.Follow(ctx, lookEvery)
	cancel()
	preparing.Wait()
}

// failedData returns a function that says why a dataset of the API cannot be used. A damaged store closes
// the routes of its dataset, and not those of the antennas.
func failedData(stores *admin.Stores) func(data string) error {
	files := map[string]string{
		catalog.DataPhotos:  admin.PhotosFile,
		catalog.DataOutages: admin.CommunityFile,
		catalog.Archives:    admin.ArchivesFile,
		catalog.DataHistory: admin.OutagesFile,
		api.DataPeople:      admin.UsersFile,
	}
	return func(data string) error { return stores.Failed(files[data]) }
}

// warnings returns the warnings of /readyz.
func (a *app) warnings() []string {
	list := append(a.stores.Warnings(), a.certificates.warnings()...)
	if m := a.measures.Load(); m != nil && len(m.Problems()) > 0 {
		list = append(list, fmt.Sprintf("%s: %s cannot be used; relais check says more", measure.Dir,
			admin.Number(len(m.Problems()), "file")))
	}
	return list
}

// openMeasures reads the measurements, or returns nil if that fails: the server goes on without them.
func openMeasures(stores *admin.Stores, log *slog.Logger) *measure.Store {
	m, err := stores.Measures()
	if err != nil {
		log.Error("opening the speedtests and coverage points failed: relais check says more", "error", err)
		return nil
	}
	for _, problem := range m.Problems() {
		log.Error("reading a file of measures failed, and it is left out: relais check says more", "error", problem)
	}
	return m
}

// usableMeasures returns the measurements, nil while they cannot be used. They may fail after they were
// read, and recover: each request asks again.
func (a *app) usableMeasures() *measure.Store {
	if a.stores.Failed(measure.DatabaseName) != nil {
		return nil
	}
	return a.measures.Load()
}

// originOf returns the origin of a base URL without its prefix, or "": it is compared with the Origin of
// browsers, which never has one.
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
