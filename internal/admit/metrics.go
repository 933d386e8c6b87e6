package admit

import "github.com/prometheus/client_golang/prometheus"

// A Source is a Pool, a Queue or Turns.
type Source interface {
	// Held returns what is held, by how many holders or how many wait for it, and how often somebody
	// was refused.
	Held() (held Cost, n int, refused uint64)
}

// Metrics collects for Prometheus what is held, by the names of sources. Those of a name are added up.
type Metrics map[string][]Source

var (
	heldPlaces = prometheus.NewDesc("relais_held_places",
		"Bodies, large answers, computations, sign-ins and images that are under way.", []string{"of"}, nil)
	heldBytes = prometheus.NewDesc("relais_held_bytes", "Memory of the answers that are under way.", nil, nil)
	busy      = prometheus.NewDesc("relais_busy_total",
		"Requests that were answered 503 because their sender or all senders had too much under way.", []string{"of"}, nil)
)

// Describe implements prometheus.Collector.
func (m Metrics) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, to) }

// Collect implements prometheus.Collector.
func (m Metrics) Collect(to chan<- prometheus.Metric) {
	bytes := int64(0)
	for name, sources := range m {
		places, refused := 0, uint64(0)
		for _, s := range sources {
			held, _, times := s.Held()
			places, bytes, refused = places+held.Places, bytes+held.Bytes, refused+times
		}
		to <- prometheus.MustNewConstMetric(heldPlaces, prometheus.GaugeValue, float64(places), name)
		to <- prometheus.MustNewConstMetric(busy, prometheus.CounterValue, float64(refused), name)
	}
	to <- prometheus.MustNewConstMetric(heldBytes, prometheus.GaugeValue, float64(bytes))
}
