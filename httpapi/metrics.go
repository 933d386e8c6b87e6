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
	"relais/hook"
	"relais/index"
)

// meters are the metrics of /metrics.
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

func newMeters(version string, data func() *index.Set, updates func() Updates, warnings func() []string,
	cluster prometheus.Collector, hooks func() []hook.Hook, more ...prometheus.Collector) *meters {
	m := &meters{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "relais_requests_total",
			Help: "Answered requests."}, []string{"route", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "relais_request_duration_seconds",
			Help:    "Time from the header of a request to the end of its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}},
			[]string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "relais_quota_refusals_total",
			Help: "Requests that were refused because a limit was spent."}, []string{"limit"}),
		reloads: prometheus.NewCounter(prometheus.CounterOpts{Name: "relais_reloads_total",
			Help: "How often data was loaded and served, the first time included."}),
		reasons: newRefusalCounter(), clients: newClientCounter(), tools: newToolCounter(),
	}
	for _, limit := range []string{minuteLimit, dayLimit, addressLimit} {
		m.refusals.WithLabelValues(limit) // shown from the start, as 0
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "relais_build_info",
		Help: "Always 1; names the program's version.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	registry := prometheus.NewRegistry()
	registry.MustRegister(more...)
	registry.MustRegister(m.requests, m.duration, m.refusals, m.reasons, m.clients, m.tools, m.reloads, build, dataCollector(data),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "relais_warnings",
		Help: "What /readyz warns of at the moment."},
		func() float64 { return float64(len(warnings())) }))
	if updates != nil {
		registry.MustRegister(updateCollector(updates))
	}
	if cluster != nil {
		registry.MustRegister(cluster)
	}
	if hooks != nil {
		registry.MustRegister(hookCollector(hooks))
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

// A dataCollector reports the loaded data.
type dataCollector func() *index.Set

var (
	dataInfo = prometheus.NewDesc("relais_data_info",
		"Always 1; names the version of a market's data and the date of its source.",
		[]string{"market", "version", "source_date"}, nil)
	dataSites  = prometheus.NewDesc("relais_data_sites", "Sites of a market.", []string{"market"}, nil)
	dataLoaded = prometheus.NewDesc("relais_data_loaded_timestamp_seconds",
		"When a market's data was loaded: seconds since 1970.", []string{"market"}, nil)
	dataProblems = prometheus.NewDesc("relais_data_problems",
		"Markets whose snapshot was refused or is gone; what was loaded before goes on.", nil, nil)
)

// Describe implements prometheus.Collector.
func (dataCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{dataInfo, dataSites, dataLoaded, dataProblems} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c dataCollector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	set := c()
	if set == nil {
		gauge(dataProblems, 0)
		return
	}
	gauge(dataProblems, float64(len(set.Problems)))
	for m := range set.Loaded() {
		code := string(m.Table.Code)
		gauge(dataInfo, 1, code, m.Snap.Version, m.Snap.SourceDate)
		gauge(dataSites, float64(m.Len()), code)
		gauge(dataLoaded, float64(m.Loaded.Unix()), code)
	}
}

// An updateCollector reports the updates in the background.
type updateCollector func() Updates

var (
	updateSuccess = prometheus.NewDesc("relais_update_last_success_timestamp_seconds",
		"When a market's source files were last fetched or found unchanged: seconds since 1970.", []string{"market"},
		nil)
	updateFailures = prometheus.NewDesc("relais_update_failures_total",
		"Updates of a market that failed; what was loaded before goes on.", []string{"market"}, nil)
)

// Describe implements prometheus.Collector.
func (updateCollector) Describe(to chan<- *prometheus.Desc) {
	to <- updateSuccess
	to <- updateFailures
}

// Collect implements prometheus.Collector.
func (c updateCollector) Collect(to chan<- prometheus.Metric) {
	u := c()
	for code, at := range u.Success {
		to <- prometheus.MustNewConstMetric(updateSuccess, prometheus.GaugeValue, float64(at.Unix()), string(code))
	}
	for code, n := range u.Failures {
		to <- prometheus.MustNewConstMetric(updateFailures, prometheus.CounterValue, float64(n), string(code))
	}
}

// A hookCollector reports the webhooks. Their numbers are those of hooks.db, which all nodes of a
// cluster share.
type hookCollector func() []hook.Hook

var (
	hookPending   = prometheus.NewDesc("relais_hook_pending", "Messages that wait for a webhook.", []string{"hook"}, nil)
	hookDelivered = prometheus.NewDesc("relais_hook_delivered_total", "Messages that a webhook took.",
		[]string{"hook"}, nil)
	hookDropped = prometheus.NewDesc("relais_hook_dropped_total",
		"Messages to a webhook that were given up; relais hook show says why.", []string{"hook"}, nil)
	hookFailures = prometheus.NewDesc("relais_hook_failures",
		"Failed attempts to reach a webhook since it was last reached.", []string{"hook"}, nil)
	hookEnabled = prometheus.NewDesc("relais_hook_enabled", "0 for a webhook that answered 410.", []string{"hook"}, nil)
)

// Describe implements prometheus.Collector.
func (hookCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{hookPending, hookDelivered, hookDropped, hookFailures, hookEnabled} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c hookCollector) Collect(to chan<- prometheus.Metric) {
	for _, h := range c() {
		if h.Damaged { // its numbers are not known, and its id may be no text
			continue
		}
		one := func(d *prometheus.Desc, kind prometheus.ValueType, value float64) {
			to <- prometheus.MustNewConstMetric(d, kind, value, h.ID)
		}
		one(hookPending, prometheus.GaugeValue, float64(h.Pending))
		one(hookDelivered, prometheus.CounterValue, float64(h.Done))
		one(hookDropped, prometheus.CounterValue, float64(h.Dropped))
		one(hookFailures, prometheus.GaugeValue, float64(h.Failures))
		enabled := 1.0
		if !h.Enabled() {
			enabled = 0
		}
		one(hookEnabled, prometheus.GaugeValue, enabled)
	}
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
