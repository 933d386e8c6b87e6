// Package api is the operations of the API, a file for each resource. An operation
// resolves its parameters to a question, asks one dataset, and returns the answer in a
// public shape. It knows no transport.
package api

import (
	"io"
	"net/netip"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
	"relais/catalog"
	"relais/export"
	"relais/index"
	"relais/market"
)

// An Env is what one request works on: what it may read, the caller and what it sent.
type Env struct {
	catalog.Catalog
	// Body is the request's body, nil if the operation takes none. It can be read more
	// than once.
	Body *io.SectionReader
	File *File // of a form, nil for none
	// Client is the caller. BaseURL is the beginning of addresses in answers.
	Client  *access.Client
	Address netip.Addr // of the client, not valid when it is unknown
	Uploads Uploads
	Sectors *export.SectorCounts // for OGC API
	BaseURL string
	Land    func() string // address of the land without streets in GeoJSON; nil for none
}

// A File is a file that a client sent.
type File struct {
	Size int64 // in bytes
	Open func() (io.Reader, error)
}

// Version returns the version of the data that an operation's answers depend on. While it
// is the same, so are the answers to the same kind of caller. It is "" while some of the data is
// still loading.
func (r *Env) Version(op *endpoint.Op[*Env]) string {
	data := op.DependsOn
	if len(data) == 0 {
		data = []string{catalog.Registers}
	}
	return r.Catalog.Version(data...)
}

// InterfaceVersion is the version of the API. It changes with the operations, not with each
// build.
const InterfaceVersion = "1.1.0"

// Operations lists the operations. Where two paths match, the first one counts:
// literals stand before parameters.
func Operations() []*endpoint.Op[*Env] {
	return []*endpoint.Op[*Env]{
		listAntennas, exportAntennas, searchAntennas, lookupAntennas, lookupCells, getAntenna, find, getSite, departments, listMarkets,
		listPhotos, uploadPhoto, reportPhoto, deletePhoto, listOutages, outageHistory, listUnavailableSites, listArchives, getArchive,
		listSpeedtests, siteSpeedtests, coveragePoints, coverageAt, coverageArea, getTile, describeTiles, getStyle, listChanges,
	}
}

// MapOperations lists the operations that the map of this server asks without a key.
func MapOperations() []*endpoint.Op[*Env] {
	return []*endpoint.Op[*Env]{
		getTile, describeTiles, listMarkets, listAntennas, find, getAntenna, listOutages,
		listUnavailableSites, coveragePoints, coverageAt, listSpeedtests, listChanges,
	}
}

// attribution returns the source of a market's data; loaded may be nil.
func attribution(m *market.Market, loaded *index.Market) (a view.Attribution, date *string) {
	from := m.Register
	a.SourceRegions = []string{}
	if loaded != nil {
		from, date = view.SourceOf(m, loaded.Snap), &loaded.Snap.SourceDate
		a.SourceRegions = view.RegionsOf(m, loaded.Snap)
	}
	a.SourceLabel, a.SourceAuthority, a.SourceUnavailableReason = from.Source, from.Authority, unavailableReason(m)
	return a, date
}

func unavailableReason(m *market.Market) *string {
	if m.HasInventory() {
		return nil
	}
	return &m.UnavailableReason
}
