package web

import (
	"errors"
	"slices"
	"strings"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/ingest/anfr/column"
	"relais/market"
)

// A siteTimeline is what the kept editions of the register changed of a site.
type siteTimeline struct {
	Editions   []siteEdition // newest first
	Oldest     string        // date of the oldest kept edition; the site was in it if OldestHas
	OldestHas  bool
	Total      int // editions that changed the site, without the oldest
	Unreadable bool
}

// A siteEdition is what an edition changed.
type siteEdition struct {
	Date    string
	Changes []siteChange
}

// A siteChange is a change of some systems of an operator.
type siteChange struct {
	Kind     string // name of the text
	Operator string
	Systems  []string
	Details  string // what became different
}

// mostEditions are the editions that the page of a site shows.
const mostEditions = 12

// timelineOf returns the changes of a site, nil for a market whose editions are not kept and for a
// site that none of them has.
func (p *Pages) timelineOf(env *api.Env, w words, m *market.Market, id string) *siteTimeline {
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
		if len(t.Editions) == mostEditions {
			break
		}
		t.Editions = append(t.Editions, newSiteEdition(w, m, &v))
	}
	return t
}

// kindNames are the names of the texts of kinds.
var kindNames = map[archive.Kind]string{archive.New: "kindNew", archive.Added: "kindAdded",
	archive.Activated: "kindActivated", archive.Deleted: "kindDeleted", archive.Changed: "kindChanged"}

// newSiteEdition joins the systems of an operator to which the same happened.
func newSiteEdition(w words, m *market.Market, v *archive.Version) siteEdition {
	e := siteEdition{Date: v.Date}
	for i := range v.Differences {
		d := &v.Differences[i]
		row := d.After
		if row == nil {
			row = d.Before
		}
		c := siteChange{Kind: kindNames[d.Kind], Operator: market.Label(m.Code, row.Values[column.Operator]),
			Details: detailsOf(w, d)}
		at := slices.IndexFunc(e.Changes, func(x siteChange) bool {
			return x.Kind == c.Kind && x.Operator == c.Operator && x.Details == c.Details
		})
		if at < 0 {
			at, e.Changes = len(e.Changes), append(e.Changes, c)
		}
		if system := row.Values[column.System]; !slices.Contains(e.Changes[at].Systems, system) {
			e.Changes[at].Systems = append(e.Changes[at].Systems, system)
		}
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
