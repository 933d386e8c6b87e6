package httpapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relais/archive"
	"relais/index"
	"relais/outage"
	"relais/photos"
)

// A collector makes metrics when /metrics is asked.
type collector func(emit emit)

// emit adds a metric with the values of its labels.
type emit func(f family, value float64, labels ...string)

// A family is the metrics of one name.
type family struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) family {
	return family{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func count(name, help string, labels ...string) family {
	return family{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// Describe implements prometheus.Collector. It announces nothing: what there is depends on the data.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	c(func(f family, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(f.Desc, f.kind, value, labels...)
	})
}

var (
	buildInfo = gauge("relais_build_info", "Always 1; names the program's version.", "version")
	warnings  = gauge("relais_warnings", "What /readyz warns of at the moment.")

	dataInfo = gauge("relais_data_info", "Always 1; names the version of a market's data and the date of its source.",
		"market", "version", "source_date")
	dataSites    = gauge("relais_data_sites", "Sites of a market.", "market")
	dataLoaded   = gauge("relais_data_loaded_timestamp_seconds", "When a market's data was loaded: seconds since 1970.", "market")
	dataProblems = gauge("relais_data_problems",
		"Markets whose snapshot was refused or is gone; what was loaded before goes on.")
	sourceTime = gauge("relais_data_source_timestamp_seconds",
		"The date of a market's register, as its publisher states it: seconds since 1970.", "market")
	archiveTime = gauge("relais_archive_newest_timestamp_seconds",
		"The date of the newest edition in a market's archives: seconds since 1970.", "market")
	archiveEditions = gauge("relais_archive_editions", "Editions in a market's archives.", "market")
	feedTime        = gauge("relais_feed_read_timestamp_seconds",
		"When an operator's list of unavailable sites was last read: seconds since 1970.", "market", "operator")
	feedFailed = gauge("relais_feed_failed",
		"1 if the last attempt to read an operator's list of unavailable sites failed, else 0.", "market", "operator")
	outageDay = gauge("relais_outage_day_timestamp_seconds",
		"The newest day whose list of unavailable sites of all operators was read: seconds since 1970.", "market")
	photoQueue = gauge("relais_photo_queue", "What waits for a moderator of photos.", "kind")

	updateSuccess = gauge("relais_update_last_success_timestamp_seconds",
		"When a market's source files were last fetched or found unchanged: seconds since 1970.", "market")
	updateFailures = count("relais_update_failures_total",
		"Updates of a market that failed; what was loaded before goes on.", "market")

	hookPending   = gauge("relais_hook_pending", "Messages that wait for a webhook.", "hook")
	hookDelivered = count("relais_hook_delivered_total", "Messages that a webhook took.", "hook")
	hookDropped   = count("relais_hook_dropped_total",
		"Messages to a webhook that were given up; relais hook show says why.", "hook")
	hookFailures = gauge("relais_hook_failures", "Failed attempts to reach a webhook since it was last reached.", "hook")
	hookEnabled  = gauge("relais_hook_enabled", "0 for a webhook that answered 410.", "hook")

	heldPlaces = gauge("relais_held_places", "Bodies and large answers that are under way.", "of")
	heldBytes  = gauge("relais_held_bytes", "Memory of the answers that are under way.")
	busy       = count("relais_busy_total",
		"Requests that were answered 503 because their sender or all senders had too much under way.", "of")
)

// collect makes the metrics of what the server has. What cannot be read is left out: /readyz warns of it.
func (s *Server) collect(emit emit) {
	emit(buildInfo, 1, s.Version)
	emit(warnings, float64(len(s.Warnings())))
	s.collectData(emit)
	s.collectPhotos(emit)
	s.collectHooks(emit)
	s.collectAdmission(emit)
	if s.Updates != nil {
		u := s.Updates()
		for code, at := range u.Success {
			emit(updateSuccess, float64(at.Unix()), string(code))
		}
		for code, n := range u.Failures {
			emit(updateFailures, float64(n), string(code))
		}
	}
}

// collectData makes the metrics of markets.
func (s *Server) collectData(emit emit) {
	set := s.set.Load()
	if set == nil {
		emit(dataProblems, 0)
		return
	}
	emit(dataProblems, float64(len(set.Problems)))
	for m := range set.Loaded() {
		s.collectMarket(m, emit)
	}
}

func (s *Server) collectMarket(m *index.Market, emit emit) {
	code := string(m.Table.Code)
	emit(dataInfo, 1, code, m.Snap.Version, m.Snap.SourceDate)
	emit(dataSites, float64(m.Len()), code)
	emit(dataLoaded, float64(m.Loaded.Unix()), code)
	if day, err := time.Parse(time.DateOnly, m.Snap.SourceDate); err == nil {
		emit(sourceTime, float64(day.Unix()), code)
	}
	if s.Community != nil {
		for _, f := range s.Community.Outages().Feeds(m.Table.Code) {
			collectFeed(&f, emit)
		}
	}
	if s.History != nil {
		if o, err := s.History.Overview(context.Background(), m.Table.Code); err == nil && o.Read > 0 {
			emit(outageDay, float64(o.Newest.Time().Unix()), code)
		}
	}
	if s.Archives == nil {
		return
	}
	if all, err := s.Archives.Editions(m.Table.Code); err == nil && len(all) > 0 {
		newest := slices.MaxFunc(all, func(a, b archive.Edition) int { return cmp.Compare(a.Date, b.Date) })
		emit(archiveEditions, float64(len(all)), code)
		emit(archiveTime, float64(newest.Date.Time().Unix()), code)
	}
}

func collectFeed(f *outage.Feed, emit emit) {
	if f.ReadAt != nil {
		emit(feedTime, float64(f.ReadAt.Unix()), string(f.Market), f.Operator)
	}
	if f.ReadAt != nil || f.FailedAt != nil { // else it was never asked for
		emit(feedFailed, oneIf(f.State() == outage.Failed), string(f.Market), f.Operator)
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (s *Server) collectPhotos(emit emit) {
	if s.Photos == nil {
		return
	}
	if _, n, err := s.Photos.Reports(photos.ReportFilter{}, 0, 0); err == nil {
		emit(photoQueue, float64(n), "reports")
	}
	if n, err := s.Photos.Held(); err == nil {
		emit(photoQueue, float64(n), "held")
	}
}

// collectHooks makes the metrics of webhooks. Their numbers are those of hooks.db, which all nodes of a
// cluster share.
func (s *Server) collectHooks(emit emit) {
	if s.Hooks == nil {
		return
	}
	for _, h := range s.Hooks() {
		if h.Damaged { // its numbers are not known, and its id may be no text
			continue
		}
		emit(hookPending, float64(h.Pending), h.ID)
		emit(hookDelivered, float64(h.Done), h.ID)
		emit(hookDropped, float64(h.Dropped), h.ID)
		emit(hookFailures, float64(h.Failures), h.ID)
		emit(hookEnabled, oneIf(h.Enabled()), h.ID)
	}
}

// collectAdmission makes the metrics of what is held, and of requests that were refused because of that.
func (s *Server) collectAdmission(emit emit) {
	bodies, _, noBodies := s.bodies.Held()
	answers, _, noAnswers := s.answers.Held()
	emit(heldPlaces, float64(bodies.Places), "bodies")
	emit(heldPlaces, float64(answers.Places), "answers")
	emit(heldBytes, float64(answers.Bytes))
	emit(busy, float64(noBodies), "bodies")
	emit(busy, float64(noAnswers), "answers")
	emit(busy, float64(s.large.Refused()+s.quick.Refused()+s.forms.Refused()), "turns")
	for of, q := range s.Queues {
		running, _, refused := q.Held()
		emit(heldPlaces, float64(running), of)
		emit(busy, float64(refused), of)
	}
}
