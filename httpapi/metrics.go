package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"relais/api"
	"relais/auth/access"
)

// meters are the metrics of /metrics that are counted while requests are answered.
type meters struct {
	requests *prometheus.CounterVec   // by route and status
	duration *prometheus.HistogramVec // by route, in seconds
	refusals *prometheus.CounterVec   // by the limit that was exceeded
	reasons  *prometheus.CounterVec   // of refusals
	clients  *clientCounter
	tools    *prometheus.CounterVec // calls, by tool and result
	reloads  prometheus.Counter
	page     http.Handler
}

// Labels of the limits.
const (
	minuteLimit  = "minute"
	dayLimit     = "day"
	addressLimit = "address" // of failed authentications
)

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (s *Server) newMeters() *meters {
	m := &meters{
		requests: counters("relais_requests_total", "Answered requests.", "route", "code"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "relais_request_duration_seconds",
			Help:    "Time from the header of a request to the end of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}},
			[]string{"route"}),
		refusals: counters("relais_quota_refusals_total", "Requests that were refused because a limit was spent.", "limit"),
		reasons:  counters("relais_refusals_total", "Requests that were refused before anything was done for them.", "reason"),
		clients:  newClientCounter(),
		tools: counters("relais_tool_calls_total",
			"Calls of tools by assistants; an error is a result that says what was wrong.", "tool", "result"),
		reloads: prometheus.NewCounter(prometheus.CounterOpts{Name: "relais_reloads_total",
			Help: "How often data was loaded and served, the first time included."}),
	}
	for _, limit := range []string{minuteLimit, dayLimit, addressLimit} {
		m.refusals.WithLabelValues(limit) // shown from the start, as 0
	}
	for _, r := range refusalReasons {
		m.reasons.WithLabelValues(r.reason)
	}
	m.reasons.WithLabelValues(otherRefusal)
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Collectors...)
	registry.MustRegister(m.requests, m.duration, m.refusals, m.reasons, m.clients, m.tools, m.reloads, collector(s.collect),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if s.Cluster != nil {
		registry.MustRegister(s.Cluster)
	}
	m.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// count counts a request that was answered.
func (m *meters) count(w *answer, took time.Duration) {
	client, route := w.request.client, w.request.route
	if route == "" {
		route = "unknown"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(w.status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
	if client != nil {
		m.clients.count(client.Name, w.status)
	}
	if w.refusal != nil {
		m.reasons.WithLabelValues(reasonOf(w.refusal)).Inc()
	}
}

// refuse counts a request that was refused by a limit.
func (m *meters) refuse(u access.Usage) {
	limit := minuteLimit
	switch {
	case u.Day.Limit == 0:
		limit = addressLimit
	case u.Day.Remaining == 0:
		limit = dayLimit
	}
	m.refusals.WithLabelValues(limit).Inc()
}

// metrics answers /metrics in the Prometheus format.
func metrics(w *answer, r *request) {
	if !r.byOperator() {
		w.fail(api.ErrOperatorsOnly)
		return
	}
	w.Header()["Cache-Control"] = noStore
	r.server.meters.page.ServeHTTP(w, r.Request)
}
