// Package api is the operations of the API, a file for each resource. An operation
// resolves its parameters to a question, asks one dataset, and returns the answer in a
// public shape. It knows no transport.
package api

import (
	"context"
	"io"
	"net/netip"
	"strings"
	"time"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/auth/access"
	"relais/community"
	"relais/export"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/site"
)

// An Env is what one request works on: the data, the caller and the clock. The data does
// not change while an operation runs, even if newer data is loaded.
type Env struct {
	Set *index.Set // nil while nothing has been loaded yet
	// Body is the request's body, nil if the operation takes none. It can be read more
	// than once.
	Body *io.SectionReader
	File *File // of a form, nil for none
	// Client is the caller. BaseURL is the beginning of addresses in answers.
	Client   *access.Client
	Address  netip.Addr // of the client, not valid when it is unknown
	Photos   *Photos
	Outages  *community.Outages
	Archives *archive.Store
	Sectors  *export.SectorCounts // for OGC API
	BaseURL  string
	// Measures are nil as long as they are not open, and where they cannot be.
	Measures *measure.Store
	Now      time.Time // of the request
	// Keyless means that rows of registers that may not be redistributed are left out.
	Keyless bool
	// Failed returns why a dataset cannot be used on this server; nil for a server that can use all.
	Failed func(data string) error
}

// A File is a file that a client sent.
type File struct {
	Size int64 // in bytes
	Open func() (io.Reader, error)
}

// The datasets of answers.
const (
	dataRegisters = "registers"
	dataLearned   = "registers and learned radio identifiers"
	dataPhotos    = "photos"
	dataOutages   = "outages"
	dataArchives  = "archives"
)

// Version returns the version of the data that an operation's answers depend on. While it
// is the same, so are the answers to the same kind of caller. It is "" while some of the data is
// still loading.
func (r *Env) Version(op *endpoint.Op[*Env]) string {
	data := op.DependsOn
	if len(data) == 0 {
		data = []string{dataRegisters}
	}
	versions := make([]string, len(data))
	for i, name := range data {
		if versions[i] = r.datasetVersion(name); versions[i] == "" {
			return ""
		}
	}
	if r.restricted() {
		versions = append(versions, "keyless")
	}
	return strings.Join(versions, " ")
}

// Withholds reports whether the caller may not have rows of a market that come from registers with these
// names. A register that may not be redistributed is withheld with all of its market, because the sites of a
// snapshot do not state their registers.
func (r *Env) Withholds(m *market.Market, registers []string) bool {
	return r.Keyless && m.NeedsPermission(registers)
}

// Withheld returns the names of the registers whose changes the caller may not have, as a filter of changes
// has them: with "", because a site that several registers have together does not state its register.
func (r *Env) Withheld(m *market.Market) []string {
	if !r.Keyless || len(m.NeedPermission) == 0 {
		return nil
	}
	return append([]string{""}, m.NeedPermission...)
}

// Markets calls yield for each loaded market that the caller may read, in table order.
func (r *Env) Markets(yield func(*index.Market) bool) {
	if r.Set == nil {
		return
	}
	for m := range r.Set.Loaded() {
		if !r.Withholds(m.Table, m.Snap.Registers) && !yield(m) {
			return
		}
	}
}

// restricted reports whether some of the data is not for callers without a key.
func (r *Env) restricted() bool {
	if r.Set != nil {
		for m := range r.Set.Loaded() {
			if r.Withholds(m.Table, m.Snap.Registers) {
				return true
			}
		}
	}
	return false
}

func (r *Env) datasetVersion(data string) string {
	switch data {
	case dataRegisters:
		if r.Set == nil {
			return ""
		}
		return r.Set.Version
	case dataLearned:
		if r.Set == nil {
			return ""
		}
		return r.Set.Version + " learned " + r.Set.Learned
	case dataPhotos:
		return r.Photos.Version()
	case dataOutages: // with keys of sites
		return r.withRegisters(r.Outages.Version())
	case dataArchives: // with names of communes
		return r.withRegisters(r.Archives.Version())
	case dataMeasures:
		return r.measuresVersion(false)
	case dataRecent:
		return r.measuresVersion(true)
	}
	panic("api: no dataset " + data)
}

// withRegisters returns the version of data whose answers also have something of the registers, as far
// as these are loaded.
func (r *Env) withRegisters(version string) string {
	if r.Set == nil {
		return version
	}
	return version + " " + r.Set.Version
}

// minute returns the minute of the request, as versions state it.
func (r *Env) minute() time.Time { return r.Now.Truncate(time.Minute) }

// windowStart returns the start of a window of so many days. It moves by whole minutes, so
// that answers of one version are the same.
func (r *Env) windowStart(days int) time.Time {
	return r.minute().Add(-time.Duration(days) * 24 * time.Hour)
}

// measuresVersion returns the version of answers from measurements. Answers about recent days
// change with each minute.
func (r *Env) measuresVersion(recent bool) (version string) {
	if r.Set != nil {
		version = r.Set.Version
	}
	if r.Measures != nil {
		version += " measures " + r.Measures.Version()
	}
	if recent {
		version += " minute " + r.minute().UTC().Format(time.RFC3339)
	}
	return version
}

// InterfaceVersion is the version of the API. It changes with the operations, not with each
// build.
const InterfaceVersion = "1.1.0"

// Operations lists the operations. Where two paths match, the first one counts:
// literals stand before parameters.
func Operations() []*endpoint.Op[*Env] {
	return []*endpoint.Op[*Env]{
		listAntennas, exportAntennas, searchAntennas, lookupAntennas, lookupCells, getAntenna, getSite, departments, listMarkets,
		listPhotos, uploadPhoto, reportPhoto, deletePhoto, listOutages, listUnavailableSites, listArchives, getArchive,
		listSpeedtests, siteSpeedtests, coveragePoints, getTile, describeTiles, listChanges,
	}
}

// MapOperations lists the operations that the map of this server asks without a key.
func MapOperations() []*endpoint.Op[*Env] {
	return []*endpoint.Op[*Env]{
		getTile, describeTiles, listMarkets, listAntennas, searchAntennas, lookupAntennas, getAntenna, listOutages,
		listUnavailableSites, coveragePoints, listSpeedtests, listChanges,
	}
}

// load returns the register of a market, nil if the market has no inventory. It fails if
// the inventory is not loaded: an empty answer would look like a country without antennas.
func (r *Env) load(m *market.Market) (*index.Market, error) {
	if r.Set == nil {
		return nil, errLoading
	}
	if !m.HasInventory() {
		return nil, nil
	}
	loaded := r.Set.Market(m.Code)
	if loaded == nil {
		return nil, notLoaded(m.Code)
	}
	if r.Withholds(m, loaded.Snap.Registers) {
		return nil, errRestricted
	}
	return loaded, nil
}

// resolveMarket resolves the parameters that pick a market's sites. What the market does
// not have is an error before anything of the data is one: a question that is
// wrong stays wrong, whatever is loaded. The register is nil for a market without
// an inventory.
func (r *Env) resolveMarket(ctx context.Context, in marketParams, p siteFilters) (*market.Market, *index.Market,
	index.Filter, error) {
	m, f := market.Get(in.Market), index.All
	var err error
	var choices index.Choices
	if choices.Operators, err = in.Operator.positions(m); err != nil {
		return nil, nil, f, err
	}
	if f.Area, err = p.position(m); err != nil {
		return nil, nil, f, err
	}
	if err := p.check(m); err != nil {
		return nil, nil, f, err
	}
	loaded, err := r.load(m)
	if err != nil {
		return nil, nil, f, err
	}
	choices.Generations = generationChoice(p.Generation)
	if loaded != nil {
		choices.Statuses = statusesIn(p.Status, loaded)
		if choices.Systems, err = systemsIn(p.Technology, p.Band, loaded); err != nil {
			return nil, nil, f, err
		}
		if p.Together {
			choices.Together = eachValue(choices, p.emissionParams, loaded)
		}
		if f.Within, err = r.changed(ctx, p.changeParams, loaded); err != nil {
			return nil, nil, f, err
		}
	}
	f.Operator, choices.Operators = singleValue(choices.Operators)
	f.Generation, choices.Generations = singleValue(choices.Generations)
	f.Status, choices.Statuses = singleValue(choices.Statuses)
	if choices.Operators != nil || choices.Generations != nil || choices.Statuses != nil || choices.Systems != nil {
		f.OneOf = &choices
	}
	return m, loaded, f, nil
}

func generationChoice(list []site.Generation) (c index.Choice) {
	for _, g := range list {
		c = append(c, int(g))
	}
	return c
}

// singleValue splits a choice of one value from other choices, which it returns.
func singleValue(c index.Choice) (int, index.Choice) {
	if len(c) == 1 {
		return c[0], nil
	}
	return index.Any, c
}

// attribution returns the source of a market's data; loaded may be nil.
func attribution(m *market.Market, loaded *index.Market) (a view.Attribution, date *string) {
	from := m.Register
	if loaded != nil {
		from, date = view.SourceOf(m, loaded.Snap), &loaded.Snap.SourceDate
	}
	return view.Attribution{SourceLabel: from.Source, SourceAuthority: from.Authority,
		SourceUnavailableReason: unavailableReason(m)}, date
}

func unavailableReason(m *market.Market) *string {
	if m.HasInventory() {
		return nil
	}
	return &m.UnavailableReason
}
