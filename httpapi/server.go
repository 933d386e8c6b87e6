// Package httpapi serves the operations over HTTP: routes, parameters from the URL,
// caching, compression and errors. It does not know what an operation does.
package httpapi

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relais/address"
	"relais/api"
	"relais/api/endpoint"
	"relais/archive"
	"relais/auth/access"
	"relais/catalog"
	"relais/cluster"
	"relais/community"
	"relais/coverage"
	"relais/export"
	"relais/hook"
	"relais/index"
	"relais/internal/admit"
	"relais/internal/cache"
	"relais/measure"
	"relais/outage/history"
	"relais/photos"
)

// mounts are the path prefixes of the operations. Each operation is under all of them.
var mounts = []string{"/external/v1", "/api/external/v1"}

// Options say how to serve.
type Options struct {
	BaseURL string // origin and prefix of the service, without a mount
	Version string // of the program
	Log     *slog.Logger
	Gate    *access.Gate
	Proxies access.Proxies // whose X-Forwarded-For is trusted
	Hops    *access.Hops   // notes who sends that header; may be nil
	// PublicPrefix is the prefix that a proxy removes from paths. Clients sign paths with
	// it.
	PublicPrefix string
	// Requests gets a line for each request. FullAddress logs whole client addresses.
	Requests    *slog.Logger
	FullAddress bool
	// Updates, which may be nil, returns the state of the updates in the background, for
	// /readyz and /metrics.
	Updates func() Updates
	// Warnings, which may be nil, returns what an operator should know, for /readyz.
	Warnings func() []string
	// Cluster, which may be nil, is what a node says of its cluster, for /readyz and /metrics.
	Cluster interface {
		prometheus.Collector
		Health() cluster.Health
	}
	// Collectors are more metrics, for /metrics. Queues are those of other parts of the program, by name.
	Collectors []prometheus.Collector
	Queues     map[string]*admit.Queue
	// Hooks, which may be nil, returns the webhooks, for /metrics.
	Hooks func() []hook.Hook
	// OwnTLS says that the server has a certificate of its operator, so that no proxy adds headers.
	OwnTLS bool
	// Failed returns why a dataset, by its name in package api, cannot be used. It may be nil.
	Failed    func(data string) error
	Photos    *photos.Store
	Uploads   api.Uploads
	Community *community.Store
	Archives  *archive.Store
	History   *history.Store
	Addresses *address.Store
	Coverage  *coverage.Store
	// Measures returns nil while the measurements are not open.
	Measures func() *measure.Store
	// Now, which may be nil, returns the time for operations instead of the request's.
	Now func() time.Time
	// SpoolDir is a folder for large answers that are kept in unlinked files. If it is "",
	// they are made again for each client.
	SpoolDir string
	// SeparateMonitoring serves /healthz, /readyz and /metrics only by MonitoringHandler.
	SeparateMonitoring bool
	// Map says who may read what the map reads; "" is MapOff. MapAll also shows registers that may
	// not be redistributed without their publisher's permission.
	Map    MapMode
	MapAll bool
	// ErrorDocs, which may be nil, returns the address of the documentation of an error code.
	ErrorDocs func(code string) string
	// NotFound, which may be nil, answers browsers that ask for a page that does not exist.
	NotFound http.Handler
	// Land returns the address of the land without streets, which styles draw; nil for none.
	Land func() string
	// Links are what / answers in JSON, by name. nil means that something else answers / .
	Links map[string]string
}

// A Server answers the API. It is an http.Handler.
type Server struct {
	Options
	public, monitoring *router
	bodies             *bodies
	answers            *admit.Pool  // under way
	large, quick       *admit.Turns // in which large answers, and others that may be many, are computed
	forms              *admit.Turns // in which forms are taken apart
	files              *files
	meters             *meters
	refusals           flood // in the log
	anonymous          flood // in the log
	notices            notices
	set                atomic.Pointer[index.Set]
	pages              *cache.Cache[cacheKey, *packed]
	prepared           atomic.Pointer[prepared]
	sectors            export.SectorCounts
	openapi            []byte
	shapes             string // identifies the program in entity tags
	mapCaller          *mapCaller
	draining           atomic.Bool // see Drain
}

// New returns a server that has no data yet.
func New(o Options) (*Server, error) {
	if o.Measures == nil {
		o.Measures = func() *measure.Store { return nil }
	}
	if o.Warnings == nil {
		o.Warnings = func() []string { return nil }
	}
	if o.Map == "" {
		o.Map = MapOff
	}
	s := &Server{Options: o, pages: newPageCache(pageCacheBytes), files: newFiles(o.SpoolDir, keptBytes), mapCaller: newMapCaller(),
		bodies: newBodies(), answers: admit.NewPool(admit.Cost{Bytes: answerBytes}),
		large: admit.NewTurns(processors()), quick: admit.NewTurns(processors()), forms: admit.NewTurns(4), // two at a time
		refusals: flood{what: "refused requests", most: callerLines, mostAll: allLines, lines: admit.NewRate(time.Minute)},
		anonymous: flood{what: "answers without a key", most: anonymousLines, mostAll: allAnonymousLines,
			lines: admit.NewRate(time.Minute)}}
	s.prepared.Store(&prepared{})
	s.meters = s.newMeters()
	s.notices.setBase(o.BaseURL)
	if err := s.buildOpenAPI(); err != nil {
		return nil, err
	}
	s.public, s.monitoring = newRouter(), newRouter()
	s.mountOperations(api.Operations())
	s.mountMap()
	s.mountOGC()
	s.public.handle(mediaPath, http.MethodGet, fixedRoute(media))
	s.public.handle(openAPIPath, http.MethodGet, fixedRoute(openAPI))
	if o.Links != nil {
		s.public.handle("/", http.MethodGet, fixedRoute(links))
	}
	s.public.PathPrefix(legacyPath).Handler(&handler{path: legacyPath + "*",
		methods: map[string]route{anyMethod: fixedRoute(retired)}})
	for _, r := range []*router{s.public, s.monitoring} {
		if r == s.monitoring || !o.SeparateMonitoring {
			r.handle(healthPath, http.MethodGet, fixedRoute(health))
			r.handle(readyPath, http.MethodGet, fixedRoute(ready))
			r.handle(metricsPath, http.MethodGet, fixedRoute(metrics))
		}
	}
	return s, nil
}

// mountOperations routes the paths of the operations.
func (s *Server) mountOperations(list []*endpoint.Op[*api.Env]) {
	for _, mount := range mounts {
		for _, op := range list {
			var route route = newOperation(op)
			if op.Scope == "" {
				route = openRoute{newOperation(op)}
			}
			s.public.handle(mount+op.Path, op.Method, route)
		}
	}
}

// SetData makes the server answer from set. What was learned for one of its snapshots is
// kept.
func (s *Server) SetData(set *index.Set) {
	s.set.Store(set.Keep(s.set.Load()))
	s.meters.reloads.Inc()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.answer(s.public, w, r, false) }

// MonitoringHandler answers /healthz, /readyz and /metrics, on an address for the operator
// of the server alone.
func (s *Server) MonitoringHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(s.monitoring, w, r, true) })
}

// monitoringPaths are those that programs of the operator ask.
var monitoringPaths = []string{"/healthz", "/readyz", "/metrics"}

// answer answers a request: who asks, then the answer, then the account of both.
func (s *Server) answer(routes *router, to http.ResponseWriter, from *http.Request, monitoring bool) {
	r := s.newRequest(from, monitoring)
	w := &answer{ResponseWriter: to, request: r}
	if !monitoring && !slices.Contains(monitoringPaths, r.URL.Path) { // health probes do not come through the proxy
		s.Hops.Note(s.Proxies, r.RemoteAddr, r.Header["X-Forwarded-For"])
	}
	h := w.Header()
	h["X-Request-Id"] = []string{r.id}
	h["X-Content-Type-Options"], h["Content-Security-Policy"] = nosniff, noContent
	s.requireHTTPS(h, from)
	defer s.settle(w)
	defer w.end()
	defer w.recover()
	if route := s.find(routes, w, r); route != nil {
		route.serve(w, r)
	}
}

// find returns the route of a request. If it has no route, find answers it and returns nil.
func (s *Server) find(routes *router, w *answer, r *request) route {
	handler, vars := routes.find(r.Request)
	if !handler.knowsOrigins() && w.preflight() {
		return nil
	}
	if handler == nil {
		if !r.monitoring && s.NotFound != nil && wantsPage(r.Request) {
			return mounted{s.NotFound}
		}
		w.fail(api.ErrNotFound)
		return nil
	}
	r.route, r.vars = handler.path, vars
	route := handler.route(r.Method)
	if route == nil {
		w.refuseMethod(handler)
	}
	return route
}

// refuseMethod answers a method that a path does not have. OPTIONS is for the methods that it has, and for preflights.
func (w *answer) refuseMethod(handler *handler) {
	methods := slices.Sorted(maps.Keys(handler.methods))
	allow := methods
	if !handler.knowsOrigins() {
		allow = append(slices.Clone(methods), http.MethodOptions)
	}
	w.Header()["Allow"] = []string{strings.Join(allow, ", ")}
	if w.request.Method == http.MethodOptions && len(allow) > len(methods) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.fail(api.NotAllowed(methods))
}

// recover answers 500 after a handler panicked, which is a bug.
func (w *answer) recover() {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	r := w.request
	r.server.Log.Error("panic", "requestId", r.id, "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler) // cut the connection: a part of the answer was sent
	}
	if r.op != nil {
		w.failWith(errors.New("panic"))
		return
	}
	w.fail(api.ErrInternal)
}

// Answers are data: a browser must not treat one as a page, or show it in one.
var (
	nosniff   = []string{"nosniff"}
	noContent = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// env returns the data and the context of a request, for its operation.
func (r *request) env() *api.Env {
	s, now := r.server, r.start
	if s.Now != nil {
		now = s.Now()
	}
	env := &api.Env{Client: r.client, Address: r.address, BaseURL: s.BaseURL, Land: s.Land, Uploads: s.Uploads, Sectors: &s.sectors,
		Catalog: catalog.Catalog{Set: s.set.Load(), Outages: s.Community.Outages(), Archives: s.Archives,
			History: s.History, Measures: s.Measures(), Photos: s.Photos, Addresses: s.Addresses, Coverage: s.Coverage,
			Now: now, Failed: s.Failed}}
	if r.keyless && !s.MapAll {
		env.WithoutKey()
	}
	return env
}
