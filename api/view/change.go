package view

import (
	"relais/archive"
	"relais/archive/change"
	"relais/geo"
	"relais/index"
	"relais/market"
)

// ChangesMeta is the meta of /changes.
type ChangesMeta struct {
	Total        int         `json:"total" doc:"Changes of the market in the period."`
	TotalMatched int         `json:"totalMatched" doc:"Changes that match."`
	Returned     int         `json:"returned" doc:"Items in this answer."`
	Limit        int         `json:"limit"`
	Offset       int         `json:"offset"`
	HasMore      bool        `json:"hasMore"`
	NextOffset   *int        `json:"nextOffset" doc:"offset of the next page; null on the last."`
	Market       market.Code `json:"market"`
	Operator     string      `json:"operator"`
	Since        *string     `json:"since" doc:"Date of the edition with which the period begins, YYYY-MM-DD: what it changed itself is not in the answer. null when there is nothing to compare."`
	Until        *string     `json:"until" doc:"Date of the last edition of the period, YYYY-MM-DD; null when there is nothing to compare."`
	Net          bool        `json:"net" doc:"Whether the last edition of the period is compared with the first, instead of each with the one before it."`
	Kinds        ChangeKinds `json:"kinds" doc:"Changes that match, by kind."`
	Reason       *string     `json:"reason" doc:"Why there is nothing to compare; null when there is."`
	SourceDate   *string     `json:"sourceDate" doc:"The data's own date, YYYY-MM-DD."`
	Attribution
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// ChangeKinds are numbers of changes by kind.
type ChangeKinds struct {
	SiteAdded       int `json:"site-added"`
	SiteRemoved     int `json:"site-removed"`
	OperatorAdded   int `json:"operator-added"`
	OperatorRemoved int `json:"operator-removed"`
	SystemAdded     int `json:"system-added"`
	SystemRemoved   int `json:"system-removed"`
	StatusChanged   int `json:"status-changed"`
	Moved           int `json:"moved"`
}

// NewChangeKinds returns numbers of changes by kind.
func NewChangeKinds(n change.Tally) ChangeKinds {
	return ChangeKinds{n[change.SiteAdded], n[change.SiteRemoved], n[change.OperatorAdded], n[change.OperatorRemoved],
		n[change.SystemAdded], n[change.SystemRemoved], n[change.StatusChanged], n[change.Moved]}
}

// A Change is a difference between two editions of a register.
type Change struct {
	Market       market.Code `json:"market"`
	Date         string      `json:"date" doc:"Of the edition that has the change, YYYY-MM-DD."`
	PreviousDate string      `json:"previousDate" doc:"Of the edition that it is compared with, YYYY-MM-DD."`
	Kind         ChangeKind  `json:"kind"`
	Site         ChangeSite  `json:"site"`
	Operator     *string     `json:"operator" doc:"Key of the operator; null where the change is about the whole site."`
	Technology   *string     `json:"technology" doc:"System, such as 5G NR 3500; null where the change is not about one system, or the source does not state it."`
	Generation   *string     `json:"generation" doc:"Of the system; null where the change is not about one system, or the source does not state it."`
	Before       *ChangeSide `json:"before" doc:"What the edition before said; null where the kind says it all."`
	After        *ChangeSide `json:"after" doc:"What the edition says; null where the kind says it all."`
}

// A ChangeKind is the kind of a change.
type ChangeKind string

// Values lists the kinds.
func (ChangeKind) Values() []string { return change.Kind(0).Values() }

// A ChangeSite is the site of a change.
type ChangeSite struct {
	ID          string      `json:"id"`
	SiteKey     string      `json:"siteKey"`
	Coordinates Coordinates `json:"coordinates" doc:"In the newer edition; of a site that is gone, those it had."`
	Area        *Area       `json:"administrativeArea" doc:"null where the source names none."`
	Commune     *string     `json:"commune" doc:"As the present register has it; null where that has no such site or states no commune."`
}

// A ChangeSide is what one of two editions says.
type ChangeSide struct {
	Status      *string      `json:"status,omitempty" doc:"As published: the most advanced of the operator's emissions of the system on the site."`
	Coordinates *Coordinates `json:"coordinates,omitempty" doc:"Of a site that moved."`
}

// ChangesPage is an answer of /changes.
type ChangesPage = Body[[]Change, ChangesMeta]

// NewChange returns a change of an edition. loaded is the market's register, nil for none.
func NewChange(m *market.Market, loaded *index.Market, d *archive.Dated, c *change.Record) Change {
	v := Change{Market: m.Code, Date: d.Date.String(), PreviousDate: d.Previous.String(), Kind: ChangeKind(c.Kind.String()),
		Site: ChangeSite{ID: c.Site, SiteKey: index.Key(m.Code, c.Site), Coordinates: coordinates(c.Point())}}
	if i, ok := m.Area(c.Area); ok {
		v.Site.Area = &Area{Type: m.AreaType, Code: m.Areas[i].Code, Label: m.Areas[i].Label}
	}
	v.Site.Commune = communeOf(loaded, v.Site.SiteKey)
	generation := c.Generation.String()
	v.Operator, v.Technology, v.Generation = OrNull(&c.Operator), OrNull(&c.Technology), OrNull(&generation)
	if c.Kind == change.Moved {
		from, to := coordinates(c.Before.Position), coordinates(c.After.Position)
		v.Before, v.After = &ChangeSide{Coordinates: &from}, &ChangeSide{Coordinates: &to}
		return v
	}
	v.Before, v.After = statusSide(c.Before.Status), statusSide(c.After.Status)
	return v
}

func coordinates(p geo.Point) Coordinates { return Coordinates{Lat: p.Lat, Lng: p.Lng} }

// statusSide returns a side with a status, nil for none.
func statusSide(status string) *ChangeSide {
	if status == "" {
		return nil
	}
	return &ChangeSide{Status: &status}
}

// communeOf returns the commune of a site, nil if it is unknown.
func communeOf(loaded *index.Market, key string) *string {
	if loaded == nil {
		return nil
	}
	i, ok := loaded.ByID(key)
	if !ok {
		return nil
	}
	_, name := loaded.Snap.Commune(int(i))
	return OrNull(&name)
}

// A ChangeFeature is a change in GeoJSON.
type ChangeFeature struct {
	Type       string   `json:"type"`
	Geometry   Geometry `json:"geometry"`
	Properties Change   `json:"properties"`
}

// A ChangeCollection is changes as GeoJSON.
type ChangeCollection struct {
	Type     string          `json:"type"`
	Features []ChangeFeature `json:"features"`
	Meta     ChangesMeta     `json:"meta"`
}

// NewChangeCollection returns a page of changes as GeoJSON.
func NewChangeCollection(body *ChangesPage) ChangeCollection {
	c := ChangeCollection{Type: "FeatureCollection", Features: make([]ChangeFeature, len(body.Data)), Meta: body.Meta}
	for i, one := range body.Data {
		at := one.Site.Coordinates
		c.Features[i] = ChangeFeature{"Feature", Geometry{"Point", [2]float64{at.Lng, at.Lat}}, one}
	}
	return c
}
