package cluster

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("relais_cluster_"+name, help, labels, nil)
}

var (
	markDesc    = desc("mark", "Number of the last commit of a store that this node has.", "store")
	lagDesc     = desc("lag_commits", "Commits of a store that this node does not have yet.", "store")
	lagTimeDesc = desc("lag_seconds", "How long this node has been behind, in seconds.")
	stepDesc    = desc("turn_seconds", "Time of turns by their step: lock and commit.", "store", "step")
	turnsDesc   = desc("turns_total", "Turns by outcome: ok, error, unknown_settled, unknown.", "store", "outcome")
	rewoundDesc = desc("rewound_total", "How often a replica was built again because the engine did not have its commit.",
		"store")
	upDesc    = desc("engine_up", "1 if the engine answers.")
	skewDesc  = desc("clock_skew_seconds", "How far the node's clock is ahead of the engine's.")
	countDesc = desc("count_reports_total", "How often counts of requests were told, by outcome: ok, away.", "outcome")
	leaseDesc = desc("lease", "1 if this node does the job.", "name")
	nodesDesc = desc("nodes", "Nodes that live.")
)

// Describe implements prometheus.Collector.
func (r *Replicas) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{markDesc, lagDesc, lagTimeDesc, stepDesc, turnsDesc, rewoundDesc, upDesc,
		skewDesc, countDesc, leaseDesc, nodesDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector. It answers from memory: metrics must come while the engine is away.
func (r *Replicas) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
	}
	bit := map[bool]float64{true: 1}
	for name, db := range r.dbs {
		gauge(markDesc, float64(db.Mark().Seq), name)
		counter(rewoundDesc, float64(db.Rebuilt()), name)
	}
	s := &r.engine.state
	s.mu.Lock()
	defer s.mu.Unlock()
	longest := 0.0
	for name, l := range s.lag {
		gauge(lagDesc, float64(l.commits), name)
		if !l.since.IsZero() {
			longest = max(longest, time.Since(l.since).Seconds())
		}
	}
	gauge(lagTimeDesc, longest)
	for at, t := range s.times {
		name, step, _ := strings.Cut(at, " ")
		to <- prometheus.MustNewConstSummary(stepDesc, uint64(t.Count), t.Seconds, nil, name, step)
	}
	for at, n := range s.turns {
		counter(turnsDesc, float64(n), at[0], at[1])
	}
	gauge(upDesc, bit[s.engineErr == nil])
	gauge(skewDesc, s.skew.Seconds())
	gauge(nodesDesc, float64(max(1, s.nodes)))
	for outcome, n := range s.reports {
		counter(countDesc, float64(n), outcome)
	}
	for name, held := range s.leases {
		gauge(leaseDesc, bit[held], name)
	}
}
