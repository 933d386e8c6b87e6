package anfr

import (
	"strconv"

	"relais/geo"
	"relais/ingest/anfr/column"
	"relais/ingest/source"
	"relais/market"
	"relais/site"
)

// A Mapper makes the sites of single supports out of their published rows, as Build makes them out of
// a file. Of a site it knows id, position, area, stations and emissions.
type Mapper struct {
	country *country
	fields  publishedFields
	state   fillState
}

// publishedFields are the fields of a published row, by the positions in observatoryColumns.
type publishedFields [obsAzimuths + 1][]byte

func (f *publishedFields) Field(i int) []byte { return f[i] }

func (f *publishedFields) Date(i int) site.Date { return site.ParseDate(f[i]) }

// Same returns nothing: nobody has compared the rows.
func (f *publishedFields) Same() uint64 { return 0 }

// NewMapper returns a Mapper without rows.
func NewMapper() (*Mapper, error) {
	var markets []*market.Market
	for _, code := range Markets {
		markets = append(markets, market.Get(code))
	}
	c, err := newCountry(markets)
	if err != nil {
		return nil, err
	}
	c.observed = &source.Report{Rejected: map[string]int{}}
	return &Mapper{country: c}, nil
}

// Add adds the next row of a support in the order of the file, by the columns of column.Names. Rows
// that Build rejects are left out.
func (m *Mapper) Add(values *[len(column.Names)]string) {
	for i, at := range publishedAt {
		switch at {
		case obsLieu, obsAddress1, obsAddress2, obsAddress3, obsPostal, obsNature, obsHeight, obsOwner, obsID, obsUpdated,
			obsAzimuths:
		default:
			m.fields[at] = append(m.fields[at][:0], values[i]...)
		}
	}
	if support, e, reason := m.country.emission(&m.fields); reason == "" {
		m.country.addRow(support, e)
	}
}

// Site sets s to the site of the rows since the last call. ok is false if no row is served. It reuses
// the slices of s.
func (m *Mapper) Site(s *site.Site) (code market.Code, ok bool) {
	c := m.country
	defer c.forget()
	c.settlePositions()
	for _, sup := range c.supports.All() {
		if sup.rows == 0 { // outvoted by another position
			continue
		}
		*s = site.Site{ID: strconv.FormatUint(uint64(sup.number), 10), Area: int(sup.area),
			Position: geo.Point{Lat: sup.lat, Lng: sup.lng}, Stations: s.Stations[:0], Emissions: s.Emissions[:0]}
		c.fillEmissions(s, sup, &m.state)
		return c.targets[sup.target].market.Code, true
	}
	return "", false
}

// forget removes supports with their rows and stations.
func (c *country) forget() {
	clear(c.supportOf)
	clear(c.contested)
	clear(c.stationOf)
	c.supports.Reset()
	c.stations.Reset()
	c.rows.Reset()
}
