package web

import (
	"net/http"
	"slices"
	"strings"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/index"
	"relais/ingest/anfr/column"
	"relais/market"
	"relais/site"
)

// A removedPage is the data of removed.html: a site that was in the register.
type removedPage struct {
	sitePage        // its names, operators and time line; Site is nil
	LastSeen string // date of the last edition that had it
	Gone     string // date of the first one without it
	Source   market.Register
}

// removed answers the page of a site that is gone from the register and that kept editions know, and reports whether
// it is one. Its status is 410: the address was right, and search engines may forget it.
func (p sites) removed(w http.ResponseWriter, r *http.Request, env *api.Env, key string) bool {
	m := market.Get(market.OfSiteKey(key))
	if m == nil || env.Archives == nil || !slices.Contains(archive.Markets, m.Code) || env.Usable(catalog.Archives) != nil {
		return false
	}
	_, id, _ := strings.Cut(key, "-")
	last, gone, err := lastEdition(env, id)
	if err != nil || last == "" {
		return false // the answer is then that of an unknown site
	}
	words := wordsFor(r)
	page, err := p.newRemovedPage(r, env, words, m, id, last)
	if err != nil {
		p.failFigures(w, r, err)
		return true
	}
	page.LastSeen, page.Gone = last, gone
	w.Header().Set("Cache-Control", "public, max-age=60")
	p.render(w, r, http.StatusGone, "removed.html", page)
	return true
}

// lastEdition returns the dates of the last edition that had a support and of the next one, "" if the newest has it
// or none had it.
func lastEdition(env *api.Env, id string) (last, gone string, err error) {
	versions, err := env.Archives.History(id)
	if err != nil || len(versions) == 0 {
		return "", "", err
	}
	dates, _, err := env.Archives.Dates()
	if err != nil {
		return "", "", err
	}
	slices.Sort(dates)
	newest := versions[len(versions)-1]
	at := slices.Index(dates, newest.Date)
	if at < 1 || slices.ContainsFunc(newest.Differences, func(d archive.Difference) bool { return d.After != nil }) {
		return "", "", nil
	}
	now, err := env.Archives.SiteAt(id, newest.Date)
	if err != nil || len(now.Records) > 0 {
		return "", "", err
	}
	return dates[at-1], newest.Date, nil
}

// newRemovedPage returns what the edition of a date has of a support.
func (p sites) newRemovedPage(r *http.Request, env *api.Env, w words, m *market.Market, id, date string) (*removedPage,
	error) {
	was, err := env.Archives.SiteAt(id, date)
	if err != nil {
		return nil, err
	}
	publications, err := env.Archives.List()
	if err != nil {
		return nil, err
	}
	page := &removedPage{Source: m.Register}
	page.Key, page.Date = index.Key(m.Code, id), date
	page.Synthetic = slices.ContainsFunc(publications, func(e archive.Publication) bool {
		return e.Date == date && e.Synthetic
	})
	page.setOperators(w, operatorsThen(w, m, was.Records))
	page.Phases = true
	for i := range was.Records[:min(1, len(was.Records))] {
		v := &was.Records[i].Values
		page.place = placeOf(m, &site.Site{Commune: env.CommuneName(v[column.Insee2]), CommuneCode: v[column.Insee2],
			PostalCode: v[column.Postal], Place: v[column.Lieu],
			Address: [3]string{v[column.Address1], v[column.Address2], v[column.Address3]}}, page.Key)
		if at, ok := was.Records[i].Point(); ok {
			page.NearLink = Link(r, nearPath, "lat", formatDegrees(at.Lat), "lng", formatDegrees(at.Lng), "market", string(m.Code))
		}
	}
	p.setTimeline(env, w, m, id, &page.sitePage)
	return page, nil
}

// operatorsThen returns the operators of a support in an edition with their systems.
func operatorsThen(w words, m *market.Market, rows []archive.Record) (list []siteOperator) {
	for i := range rows {
		v := &rows[i].Values
		label := market.Label(m.Code, v[column.Operator])
		at := slices.IndexFunc(list, func(o siteOperator) bool { return o.Label == label })
		if at < 0 {
			key := ""
			if i, ok := m.OperatorNamed(v[column.Operator]); ok {
				key = m.Operators[i].Key
			}
			at, list = len(list), append(list, siteOperator{Key: key, Label: label})
		}
		phase := m.Phase(slices.IndexFunc(m.Statuses, func(s market.Status) bool { return s.Name == v[column.Status] }))
		list[at].Emissions = append(list[at].Emissions, siteEmission{System: v[column.System],
			Generation: v[column.Generation], Status: v[column.Status], Meaning: w.Status(v[column.Status]),
			Planned: phase == market.Project, Date: v[column.Date]})
	}
	for i := range list {
		list[i].setBest(m)
	}
	return list
}
