package tools

import (
	"context"

	"relais/api/endpoint"
	"relais/measure"
)

var sitesGetSignalStats = endpoint.New(endpoint.Decl{
	Name: "sites_get_signal_stats", Title: "Signal measured near a site",
	Summary: "How strong and how clean the signal is that phones measured around a site: for each operator and generation how many points, and the tenth percentile, median and ninetieth percentile of RSRP, RSRQ and SNR. The points are of any site that was received there. Use sites_get_coverage for where they are.",
}, getSignalStats)

// SignalStats has the quantiles of the coverage points around a site.
type SignalStats struct {
	Center Center        `json:"center" doc:"The site."`
	Total  int           `json:"total" doc:"Points of all groups."`
	Groups []SignalGroup `json:"groups" doc:"By operator and generation."`
	Measured
	Sourced
}

// A SignalGroup is coverage points of one operator and generation.
type SignalGroup struct {
	Group
	RSRP *Quantiles `json:"rsrp" doc:"dBm; of 4G and 5G."`
	RSRQ *Quantiles `json:"rsrq" doc:"dB; of 4G and 5G."`
	SNR  *Quantiles `json:"snr" doc:"dB."`
}

func getSignalStats(r *Reading, _ context.Context, p *nearSiteParams) (*SignalStats, error) {
	loaded, c, q, err := r.nearSite(p)
	if err != nil {
		return nil, err
	}
	groups, err := r.Survey(measure.Coverage, q)
	if err != nil {
		return nil, err
	}
	v := &SignalStats{Center: *c, Groups: make([]SignalGroup, len(groups)), Measured: r.measured(c.Market, measure.Coverage),
		Sourced: sourced(loaded.Table, loaded)}
	for i, g := range groups {
		v.Total += g.Count
		v.Groups[i] = SignalGroup{newGroup(&g), newQuantiles(g.Values[0]), newQuantiles(g.Values[1]),
			newQuantiles(g.Values[2])}
	}
	return v, nil
}
