package catalog

import (
	"slices"
	"time"

	"relais/community"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/outage"
)

// An OutageSource says which outages are meant.
type OutageSource int

// The sources.
const (
	AnySource OutageSource = iota
	FromOperators
	FromPeople
)

// Outages asks for outages of a market: the last to begin comes first, with a disc the nearest.
type Outages struct {
	Market       *market.Market
	Operators    index.Choice // nil for any
	Areas        []string     // codes, nil for any
	Source       OutageSource
	Disc         *geo.Disc
	Box          *geo.Box  // ignored with a disc
	Since, Until time.Time // began then or later, and before; zero for any. Unknown beginnings match all.
	// Offset is how many outages are passed over, and Limit how many there are at most, -1 for all.
	Offset, Limit int
}

// OutagesFound is a page of outages.
type OutagesFound struct {
	Page[community.Outage]
	Feed outage.FeedStatus // state of the files of the operators that were asked for
}

// FindOutages returns a page of outages. It needs no register.
func (c *Catalog) FindOutages(q Outages) OutagesFound {
	keys := q.Market.KeysOf(q.Operators)
	ask := outage.Query{Market: q.Market.Code, Operators: keys, Areas: q.Areas, Disc: q.Disc, Box: q.Box}
	all := slices.DeleteFunc(c.Outages.All(ask), func(o community.Outage) bool {
		return q.Source == FromOperators && o.Entry == nil || q.Source == FromPeople && o.Report == nil || !q.inPeriod(o.Began())
	})
	found := OutagesFound{Feed: c.Outages.FeedStatus(ask.Market, keys)}
	found.Total, found.Version = len(all), c.Outages.Version()
	if found.Items = all[min(q.Offset, len(all)):]; q.Limit >= 0 {
		found.Items = found.Items[:min(q.Limit, len(found.Items))]
	}
	return found
}

// inPeriod reports whether an outage that began at t is wanted. An unknown beginning may be in any period.
func (q *Outages) inPeriod(t time.Time) bool {
	return t.IsZero() || !t.Before(q.Since) && (q.Until.IsZero() || t.Before(q.Until))
}

// SiteOf returns the key of the only site that an outage can be at. It is nil if that is not exactly one, if the
// market is not loaded, and if the caller may not see its sites.
func (c *Catalog) SiteOf(o community.Outage) *string {
	code, operator, name, p := o.Where()
	loaded, _ := c.Register(market.Get(code))
	if loaded == nil {
		return nil
	}
	var at uint32
	ok := false
	if o.Report != nil && o.Report.SiteKey != "" {
		at, ok = loaded.ByID(o.Report.SiteKey)
	} else if i, known := loaded.Table.Operator(operator); known {
		place := &p
		if o.Entry != nil && o.Entry.Unplaced {
			place = nil
		}
		at, ok = loaded.OperatorSite(i, name, place)
	}
	if !ok {
		return nil
	}
	return new(index.Key(code, loaded.Snap.ID(int(at))))
}
