package web

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/ingest/anfr/column"
	"relais/market"
)

// A siteTimeline is what happened at a site: what the kept editions of the register changed, and the dates that the
// register states.
type siteTimeline struct {
	Events, Earlier []siteEvent // newest first
	Oldest          string      // date of the oldest kept edition, "" without editions; the site was in it if OldestHas
	OldestHas       bool
	Editions        int // that changed the site and are shown, of Total, without the oldest
	Total           int
	Unreadable      bool
}

// A siteEvent is what happened on a day.
type siteEvent struct {
	Date    string
	Changes []siteChange
}

// siteEvents are the data of the template of a list of events.
type siteEvents struct {
	W    words
	List []siteEvent
}

// A siteChange is a change of some systems of an operator.
type siteChange struct {
	Kind     string // name of the text
	Operator string
	Systems  []string
	Details  string // what became different
}

// The editions that the page of a site shows, and the events that are not folded.
const (
	mostEditions = 12
	mostEvents   = 6
)

// setTimeline adds what happened at the site.
func (p sites) setTimeline(env *api.Env, w words, m *market.Market, id string, s *sitePage) {
	var t *siteTimeline
	if env.Archives != nil {
		t = p.timelineOf(env, w, m, id)
	}
	if t == nil {
		t = &siteTimeline{}
	}
	if m.Deployments {
		t.addDeployments(s.Operators)
	}
	if len(t.Events) == 0 && t.Oldest == "" && !t.Unreadable {
		return
	}
	slices.SortStableFunc(t.Events, func(a, b siteEvent) int { return cmp.Compare(b.Date, a.Date) })
	if n := min(mostEvents, len(t.Events)); len(t.Events) > n+1 { // one more takes less room than its fold
		t.Events, t.Earlier = t.Events[:n], t.Events[n:]
	}
	s.Timeline = t
}

// addDeployments adds the dates of deployment that the register states.
func (t *siteTimeline) addDeployments(operators []siteOperator) {
	for _, o := range operators {
		for _, e := range o.Emissions {
			if e.Date == "" || e.Planned || e.System == "" {
				continue
			}
			at := slices.IndexFunc(t.Events, func(x siteEvent) bool { return x.Date == e.Date })
			if at < 0 {
				at, t.Events = len(t.Events), append(t.Events, siteEvent{Date: e.Date})
			}
			t.Events[at].add(siteChange{Kind: "kindDeployed", Operator: o.Label}, e.System)
		}
	}
}

// add adds a system to the change of the same kind, or the change.
func (e *siteEvent) add(c siteChange, system string) {
	at := slices.IndexFunc(e.Changes, func(x siteChange) bool {
		return x.Kind == c.Kind && x.Operator == c.Operator && x.Details == c.Details
	})
	if at < 0 {
		at, e.Changes = len(e.Changes), append(e.Changes, c)
	}
	e.Changes[at].Systems = appendNew(e.Changes[at].Systems, system)
}

// timelineOf returns the changes of a site, nil for a market whose editions are not kept and for a
// site that none of them has.
func (p sites) timelineOf(env *api.Env, w words, m *market.Market, id string) *siteTimeline {
	if !slices.Contains(archive.Markets, m.Code) {
		return nil
	}
	err := env.Usable(catalog.Archives)
	var versions []archive.Version
	var dates []string
	if err == nil {
		versions, err = env.Archives.History(id)
	}
	if err == nil {
		dates, _, err = env.Archives.Dates()
	}
	if errors.Is(err, archive.ErrNoArchive) || err == nil && (len(versions) == 0 || len(dates) == 0) {
		return nil
	}
	if err != nil {
		p.Log.Warn("the page of a site has no timeline", "error", err)
		return &siteTimeline{Unreadable: true}
	}
	t := &siteTimeline{Oldest: slices.Min(dates)}
	if versions[0].Date == t.Oldest {
		t.OldestHas, versions = true, versions[1:]
	}
	t.Total = len(versions)
	for _, v := range slices.Backward(versions) {
		if t.Editions == mostEditions {
			break
		}
		t.Events = append(t.Events, newSiteEvent(w, m, &v))
		t.Editions++
	}
	return t
}

// kindNames are the names of the texts of kinds.
var kindNames = map[archive.Kind]string{archive.New: "kindNew", archive.Added: "kindAdded",
	archive.Activated: "kindActivated", archive.Deleted: "kindDeleted", archive.Changed: "kindChanged"}

// newSiteEvent joins the systems of an operator to which the same happened.
func newSiteEvent(w words, m *market.Market, v *archive.Version) siteEvent {
	e := siteEvent{Date: v.Date}
	for i := range v.Differences {
		d := &v.Differences[i]
		row := d.After
		if row == nil {
			row = d.Before
		}
		e.add(siteChange{Kind: kindNames[d.Kind], Operator: market.Label(m.Code, row.Values[column.Operator]),
			Details: detailsOf(w, d)}, row.Values[column.System])
	}
	return e
}

// columnNames are the names of the texts of columns. Others are "other details".
var columnNames = map[int]string{
	column.Status: "columnStatus", column.Date: "columnDate", column.Height: "columnHeight",
	column.Position: "columnPosition", column.Coord: "columnPosition", column.Lieu: "columnAddress",
	column.Address1: "columnAddress", column.Address2: "columnAddress", column.Address3: "columnAddress",
	column.Postal: "columnAddress", column.Station: "columnStation", column.Azimuths: "columnAzimuths",
}

// detailsOf says what differs in a row. Statuses, dates, heights and azimuths are shown as they were and as
// they are.
func detailsOf(w words, d *archive.Difference) string {
	var parts []string
	columns := slices.Clone(d.Columns)
	if i := slices.Index(columns, column.Status); i > 0 { // what matters most comes first
		columns = slices.Insert(slices.Delete(columns, i, i+1), 0, column.Status)
	}
	for _, at := range columns {
		name := w["columnOther"]
		if known := columnNames[at]; known != "" {
			name = w[known]
		}
		if at == column.Status || at == column.Date || at == column.Height || at == column.Azimuths {
			name += w["colon"] + " " + changedValue(w, at, d.Before) + " → " + changedValue(w, at, d.After)
		}
		if !slices.Contains(parts, name) {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ", ")
}

// changedValue returns the value of a column for people.
func changedValue(w words, at int, r *archive.Record) string {
	value := r.Values[at]
	switch {
	case value == "":
		return w["notStated"]
	case at == column.Date:
		return w.Date(value)
	case at == column.Height:
		return value + "\u00a0m"
	case at == column.Azimuths:
		return strings.ReplaceAll(value, "|", ", ") + "\u00a0°"
	}
	return value
}
