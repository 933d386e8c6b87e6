package httpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/cluster"
	"relais/httpapi/web/docs"
	"relais/market"
)

// Paths for monitoring.
const (
	healthPath  = "/healthz"
	readyPath   = "/readyz"
	metricsPath = "/metrics"
)

// A fixedRoute is a route that is not an operation.
type fixedRoute func(w *answer, r *request)

func (f fixedRoute) serve(w *answer, r *request) { f(w, r) }

// health answers that the process is alive.
func health(w *answer, _ *request) {
	w.writeJSON(http.StatusOK, map[string]string{"status": "ok"})
}

// A loadedMarket is a market in /readyz.
type loadedMarket struct {
	Version    string    `json:"version"`
	SourceDate string    `json:"sourceDate"`
	Sites      int       `json:"sites"`
	LoadedAt   time.Time `json:"loadedAt"`
}

type readiness struct {
	Ready    bool                         `json:"ready"`
	Reason   string                       `json:"reason,omitempty"`
	Markets  map[market.Code]loadedMarket `json:"markets"`
	Problems map[market.Code]string       `json:"problems,omitempty"`
	Warnings []string                     `json:"warnings,omitempty"`
	Update   *Updates                     `json:"update,omitempty"`
	Cluster  *cluster.Health              `json:"cluster,omitempty"`
}

// Updates is the state of the updates in the background.
type Updates struct {
	Running  bool                   `json:"running"`
	LastRun  time.Time              `json:"lastRun,omitzero"` // when it ended
	Next     time.Time              `json:"next,omitzero"`
	Problems map[market.Code]string `json:"problems,omitempty"`
	// For /metrics: when a market's files were last fetched or found unchanged, and how
	// often that failed since the start.
	Success  map[market.Code]time.Time `json:"-"`
	Failures map[market.Code]int       `json:"-"`
}

// ready answers whether data is loaded, and which.
func ready(w *answer, r *request) {
	v, status := r.server.readiness()
	if !r.byOperator() {
		w.writeJSON(status, map[string]bool{"ready": v.Ready})
		return
	}
	w.writeJSON(status, v)
}

func (s *Server) readiness() (v readiness, status int) {
	set := s.set.Load()
	v = readiness{Markets: map[market.Code]loadedMarket{}, Warnings: s.Warnings()}
	if s.Updates != nil {
		u := s.Updates()
		u.LastRun, u.Next = u.LastRun.UTC().Truncate(time.Second), u.Next.UTC().Truncate(time.Second)
		v.Update = &u
	}
	why := s.notReady(&v)
	if set == nil {
		v.Reason = cmp.Or(why, "the data is still loading")
		return v, http.StatusServiceUnavailable
	}
	for m := range set.Loaded() {
		v.Markets[m.Table.Code] = loadedMarket{m.Snap.Version, m.Snap.SourceDate, m.Len(),
			m.Loaded.UTC().Truncate(time.Second)}
	}
	v.Problems = set.Problems
	v.Ready = len(v.Markets) > 0
	status = http.StatusOK
	if !v.Ready {
		status = http.StatusServiceUnavailable
		v.Reason = "the data folder has no snapshot that can be loaded: run relais ingest, or relais demo"
	}
	if why != "" {
		v.Ready, v.Reason, status = false, why, http.StatusServiceUnavailable
	}
	return v, status
}

// notReady says why a proxy should ask other servers although data is loaded, "" if it should not.
func (s *Server) notReady(v *readiness) string {
	if s.draining.Load() {
		return "the server is stopping"
	}
	if s.Cluster == nil {
		return ""
	}
	h := s.Cluster.Health()
	v.Cluster = &h
	return h.NotReady
}

// Drain makes /readyz say that the server is stopping.
func (s *Server) Drain() { s.draining.Store(true) }

const openAPIPath = "/openapi.json"

// buildOpenAPI encodes the OpenAPI document.
func (s *Server) buildOpenAPI() error {
	info := endpoint.Info{
		Title: "relais", Version: api.InterfaceVersion,
		Description: "The national registers of mobile-network antennas. Positions are WGS84 degrees, lengths metres, frequencies MHz. Later versions of the interface may have more markets and more codes of errors.",
		Licence:     "Apache-2.0", LicenceURL: "https://www.apache.org/licenses/LICENSE-2.0",
		Tags:   api.Tags(),
		Common: api.CommonCodes(), Keyed: api.KeyedCodes(), Problems: api.Problems(), BodyCodes: api.BodyCodes,
		Example: func(operation string) json.RawMessage { return docs.Example(operation, s.BaseURL) },
	}
	for _, mount := range mounts {
		info.Servers = append(info.Servers, s.BaseURL+mount)
	}
	text, err := view.JSON(endpoint.OpenAPI(info, api.Operations()))
	if err != nil {
		return err
	}
	s.openapi = append(text, '\n')
	sum := sha256.Sum256(append([]byte(s.Version+"\n"), s.openapi...)) // another version may answer differently
	s.shapes = string(sum[:])
	return nil
}

func openAPI(w *answer, r *request) {
	s := r.server
	w.shared = true // without the limits of who asks first
	h := w.Header()
	h["Access-Control-Allow-Origin"] = anyOrigin // tools on other origins read it
	h.Set("Cache-Control", "public, max-age=300")
	tag := etag(s.shapes, answerKey{})
	h["Etag"] = []string{tag}
	if known := r.Header["If-None-Match"]; etagMatches(known, tag) || etagMatches(known, "*") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(s.openapi))}
	w.WriteHeader(http.StatusOK)
	w.Write(s.openapi)
}
