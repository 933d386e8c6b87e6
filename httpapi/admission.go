package httpapi

import "github.com/prometheus/client_golang/prometheus"

// An admission collects for /metrics what is held, and how many requests were refused because of that.
type admission struct{ *Server }

var (
	heldPlaces = prometheus.NewDesc("relais_held_places", "Bodies and large answers that are under way.", []string{"of"}, nil)
	heldBytes  = prometheus.NewDesc("relais_held_bytes", "Memory of the answers that are under way.", nil, nil)
	refused    = prometheus.NewDesc("relais_busy_total",
		"Requests that were answered 503 because their sender or all senders had too much under way.", []string{"of"}, nil)
)

// Describe implements prometheus.Collector.
func (a admission) Describe(d chan<- *prometheus.Desc) { prometheus.DescribeByCollect(a, d) }

// Collect implements prometheus.Collector.
func (a admission) Collect(m chan<- prometheus.Metric) {
	bodies, _, noBodies := a.bodies.Held()
	answers, _, noAnswers := a.answers.Held()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		m <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(heldPlaces, float64(bodies.Places), "bodies")
	gauge(heldPlaces, float64(answers.Places), "answers")
	gauge(heldBytes, float64(answers.Bytes))
	count := func(n uint64, of string) {
		m <- prometheus.MustNewConstMetric(refused, prometheus.CounterValue, float64(n), of)
	}
	count(noBodies, "bodies")
	count(noAnswers, "answers")
	count(a.large.Refused()+a.quick.Refused(), "turns")
	for of, q := range a.Queues {
		running, _, refused := q.Held()
		gauge(heldPlaces, float64(running), of)
		count(refused, of)
	}
}
