package httpapi

import (
	"net/http"
	"slices"
	"time"

	"relais/api"
	"relais/auth/access"
	"relais/internal/admit"
)

// A MapMode says who may read what the map reads.
type MapMode string

// The modes.
const (
	MapOpen MapMode = "on"  // everybody, through the pages of this server
	MapKey  MapMode = "key" // callers with a key
	MapOff  MapMode = "off" // nobody: there is no map
)

// MapPath is the path prefix of what the map reads. These routes have no version: they are for the
// pages of this program alone.
const MapPath = "/map"

// Requests that an address has in a minute.
const (
	mapTiles = 1200
	mapOther = 120
)

// A mapCaller is the limits and the client of requests without a key.
type mapCaller struct {
	tiles, other *admit.Rate
	client       *access.Client // for logs and metrics
}

func newMapCaller() *mapCaller {
	return &mapCaller{tiles: admit.NewRate(time.Minute), other: admit.NewRate(time.Minute),
		client: &access.Client{ID: "map", Name: "map", Scopes: mapScopes()}}
}

// mapScopes lists the scopes of the operations that the map asks.
func mapScopes() (list []access.Scope) {
	for _, op := range api.MapOperations() {
		for _, scope := range op.Scopes() {
			list = append(list, access.Scope(scope))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// mountMap routes the operations that the map asks.
func (s *Server) mountMap() {
	if s.Map == MapOff {
		return
	}
	for _, op := range api.MapOperations() {
		s.public.handle(MapPath+op.Path, http.MethodGet, mapRoute{newOperation(op)})
	}
}

// A mapRoute answers an operation to the pages of this server. Browsers do not let pages of other
// origins read the answer.
type mapRoute struct{ *operation }

func (m mapRoute) serve(w *answer, r *request) {
	s := r.server
	r.op, r.sameOrigin = m.Op, true
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if !access.FromOwnPage(r.Header["Sec-Fetch-Site"]) {
		w.refuse(access.ErrOrigin, access.Usage{}, r.start)
		return
	}
	if s.Map == MapKey {
		m.operation.serve(w, r)
		return
	}
	m.serveKeyless(w, r)
}

// An openRoute answers an operation that needs no key to everybody. Pages of every origin may read the answer.
type openRoute struct{ *operation }

func (o openRoute) serve(w *answer, r *request) {
	r.op = o.Op
	w.Header()["Access-Control-Allow-Origin"] = anyOrigin
	o.serveKeyless(w, r)
}

// serveKeyless answers within the limits of an address.
func (o *operation) serveKeyless(w *answer, r *request) {
	s := r.server
	r.client, r.keyless = s.mapCaller.client, true
	usage, ok := s.mapCaller.count(r)
	w.state(usage, r.start)
	if !ok {
		w.refuse(access.ErrRateLimited, usage, r.start)
		return
	}
	if err := r.env().Usable(o.DependsOn...); err != nil {
		w.failWith(err)
		return
	}
	o.read(w, r)
}

// count counts the request of an address, and reports whether it is within the limit.
func (c *mapCaller) count(r *request) (access.Usage, bool) {
	counter, most := c.other, mapOther
	if r.op.Cheap {
		counter, most = c.tiles, mapTiles
	}
	n := counter.Add(r.start, admit.Line(r.address).String(), 1)
	return access.Usage{Minute: access.Window{Limit: most, Remaining: max(0, most-n), Reset: counter.End(r.start)}}, n <= most
}
