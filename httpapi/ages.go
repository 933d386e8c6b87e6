package httpapi

import (
	"cmp"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relais/archive"
	"relais/market"
	"relais/outage"
	"relais/photos"
)

// An ageCollector reports how old the data is, as the times from which it is, and how much waits for
// a moderator.
type ageCollector struct{ *Server }

var (
	sourceTime = prometheus.NewDesc("relais_data_source_timestamp_seconds",
		"The date of a market's register, as its publisher states it: seconds since 1970.", []string{"market"}, nil)
	archiveTime = prometheus.NewDesc("relais_archive_newest_timestamp_seconds",
		"The date of the newest edition in a market's archives: seconds since 1970.", []string{"market"}, nil)
	archiveEditions = prometheus.NewDesc("relais_archive_editions", "Editions in a market's archives.",
		[]string{"market"}, nil)
	feedTime = prometheus.NewDesc("relais_feed_read_timestamp_seconds",
		"When an operator's list of unavailable sites was last read: seconds since 1970.",
		[]string{"market", "operator"}, nil)
	feedFailed = prometheus.NewDesc("relais_feed_failed",
		"1 if the last attempt to read an operator's list of unavailable sites failed, else 0.",
		[]string{"market", "operator"}, nil)
	photoQueue = prometheus.NewDesc("relais_photo_queue", "What waits for a moderator of photos.", []string{"kind"}, nil)
)

// Describe implements prometheus.Collector.
func (ageCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sourceTime, archiveTime, archiveEditions, feedTime, feedFailed, photoQueue} {
		to <- d
	}
}

// Collect implements prometheus.Collector. What cannot be read is left out: /readyz warns of it.
func (c ageCollector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if set := c.set.Load(); set != nil {
		for m := range set.Loaded() {
			code := m.Table.Code
			if at, ok := dayOf(m.Snap.SourceDate); ok {
				gauge(sourceTime, at, string(code))
			}
			for _, f := range c.feeds(code) {
				c.collectFeed(&f, gauge)
			}
			c.collectArchive(code, gauge)
		}
	}
	if c.Photos != nil && c.Photos.Store != nil {
		if _, n, err := c.Photos.Store.Reports(photos.ReportFilter{}, 0, 0); err == nil {
			gauge(photoQueue, float64(n), "reports")
		}
		if n, err := c.Photos.Store.Held(); err == nil {
			gauge(photoQueue, float64(n), "held")
		}
	}
}

type gauge func(d *prometheus.Desc, value float64, labels ...string)

func (ageCollector) collectFeed(f *outage.Feed, gauge gauge) {
	if f.ReadAt != nil {
		gauge(feedTime, float64(f.ReadAt.Unix()), string(f.Market), f.Operator)
	}
	if f.ReadAt != nil || f.FailedAt != nil { // else it was never asked for
		failed := 0.0
		if f.State() == outage.Failed {
			failed = 1
		}
		gauge(feedFailed, failed, string(f.Market), f.Operator)
	}
}

func (c ageCollector) collectArchive(code market.Code, gauge gauge) {
	if c.Archives == nil {
		return
	}
	all, err := c.Archives.Editions(code)
	if err != nil || len(all) == 0 {
		return
	}
	newest := slices.MaxFunc(all, func(a, b archive.Edition) int { return cmp.Compare(a.Date, b.Date) })
	gauge(archiveEditions, float64(len(all)), string(code))
	gauge(archiveTime, float64(newest.Date.Time().Unix()), string(code))
}

// feeds returns the feeds of a market, none if they cannot be used.
func (s *Server) feeds(code market.Code) []outage.Feed {
	if s.Community == nil {
		return nil
	}
	return s.Community.Outages().Feeds(code)
}

// dayOf returns the begin of a day YYYY-MM-DD, in seconds since 1970.
func dayOf(date string) (at float64, ok bool) {
	day, err := time.Parse(time.DateOnly, date)
	return float64(day.Unix()), err == nil
}
