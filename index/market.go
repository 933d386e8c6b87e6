// Package index finds sites in snapshots in memory: in a box or disc, by text, by
// identifier, by radio identifier, by emission, and the nearest; and it counts sites
// by department. A Market is one snapshot with its indexes, a Set has the markets of
// one moment, and a Live follows a data folder: it loads snapshots that are replaced,
// and keeps the old one when the new file cannot be used.
//
// The package identifies sites by their position in the snapshot. It does not know how
// a site is shown: its caller provides the function that encodes summaries. It does not
// write to the folder.
package index

import (
	"iter"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/geo"
	"relais/internal/cache"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// An Encode appends the public form of a site to dst. It cannot fail: Load gets only snapshots that
// were checked.
type Encode func(dst []byte, s *site.Site) []byte

// A Market is the register of one market in memory. It does not change, and is safe for
// concurrent use.
type Market struct {
	Table  *market.Market
	Snap   *snapshot.Snapshot
	Loaded time.Time
	// Public is what everybody may see of a register that needs permission in part; else nil.
	Public *Market
	*indexes
	learned *learned // nil: nothing; only details and look-ups show it
}

// indexes depend on the snapshot only.
type indexes struct {
	fragments *arena
	space     *space
	emissions *emissions
	siteIDs   *nameTable
	nationals *nameTable
	stations  *nameTable // by station row
	sources   *nameTable // source codes that differ from all station codes
	radio     *radio
	text      func() *textIndex
	stats     stats
	scratch   *sync.Pool // not a part of indexes, which the runtime would keep with it
	communes  func() map[string]string
	places    func() *gazetteer
	extents   func() []Extent
	spots     func() []geo.Spot
	bounds    func() geo.Box
	// operatorIDs are the operators' own names of sites, by station row.
	operatorIDs func() *nameTable
	subsets     *cache.Cache[string, *Subset] // by name, those that were asked for last
}

// Load indexes a snapshot. What most questions do not need is made when it is first asked for: the
// encoded summaries, the index of texts, the places. It calls encoder for each goroutine that encodes
// summaries. It returns an error when the snapshot has too many radio identifiers to be indexed.
func Load(s *snapshot.Snapshot, encoder func(*snapshot.Snapshot) Encode, now time.Time) (*Market, error) {
	m := &Market{Table: market.Get(s.Market), Snap: s, Loaded: now, indexes: &indexes{
		subsets: cache.New(cache.Options[string, *Subset]{Max: keptSubsets})}}
	m.communes = sync.OnceValue(m.readCommunes)
	m.places = sync.OnceValue(m.readPlaces)
	m.extents = sync.OnceValue(m.countExtents)
	m.spots = sync.OnceValue(m.project)
	m.bounds = sync.OnceValue(m.findBounds)
	m.operatorIDs = sync.OnceValue(m.readOperatorIDs)
	m.text = sync.OnceValue(m.indexText)
	m.scratch = &sync.Pool{New: func() any { return newWork(s.Len()) }}
	m.fragments = newArena(s, func() Encode { return encoder(s) })
	var failed error
	runParallel([]func(){
		func() { m.radio, failed = newRadio(s) },
		func() { m.stations = newNameTable(s.StationRows(), s.StationCode) },
		func() { m.sources = newNameTable(s.Len(), s.OwnSourceCode) },
		func() { m.siteIDs = newNameTable(s.Len(), s.ID) },
		func() { m.nationals = newNameTable(s.Len(), s.NationalCode) },
		func() { m.emissions = newEmissions(s) },
		func() { m.stats = newStats(m.Table, s) },
		func() { m.space = newSpace(s.Positions()) },
	})
	if failed != nil {
		return nil, failed
	}
	public, err := snapshot.Public(s)
	if err == nil && public != nil && public != s {
		m.Public, err = Load(public, encoder, now)
	}
	return m, err
}

// runParallel runs the jobs, on as many goroutines as GOMAXPROCS.
func runParallel(jobs []func()) {
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(len(jobs), runtime.GOMAXPROCS(0)) {
		done.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(jobs)); i = next.Add(1) - 1 {
				jobs[i]()
			}
		})
	}
	done.Wait()
}

// Len returns the number of sites.
func (m *Market) Len() int { return m.Snap.Len() }

// Bounds returns the smallest box with all sites. ok is false without sites.
func (m *Market) Bounds() (b geo.Box, ok bool) { return m.bounds(), m.Len() > 0 }

func (m *Market) findBounds() geo.Box {
	if m.Len() == 0 {
		return geo.Box{}
	}
	lat, lng := m.Snap.Positions()
	return geo.Box{South: geo.Degrees(slices.Min(lat)), North: geo.Degrees(slices.Max(lat)),
		West: geo.Degrees(slices.Min(lng)), East: geo.Degrees(slices.Max(lng))}
}

// Spots returns the positions of the sites on the Mercator map. They are projected when they are first
// asked for.
func (m *Market) Spots() []geo.Spot { return m.spots() }

func (m *Market) project() []geo.Spot {
	lats, lngs := m.Snap.Positions()
	spots := make([]geo.Spot, len(lats))
	for i := range spots {
		spots[i] = geo.Mercator(lats[i], lngs[i])
	}
	return spots
}

// Fragment returns the encoded summary of site i. Summaries are encoded when they are first asked for,
// together with those of their neighbours, and kept.
func (m *Market) Fragment(i uint32) []byte { return m.fragments.text(i) }

// FragmentRun returns the encoded summaries of consecutive sites as one slice: those of
// sites from to end-1, where end is at most to.
func (m *Market) FragmentRun(from, to uint32) (text []byte, end uint32) {
	end = min(to, (from/shardSites+1)*shardSites)
	return m.fragments.run(from, end), end
}

// Fragments returns the encoded summaries of all sites in pieces, in the order of the sites. It keeps
// none that it encodes.
func (m *Market) Fragments() iter.Seq[[]byte] { return m.fragments.all }

// FragmentsLength returns the length of all encoded summaries. ok is false before they were all read
// once.
func (m *Market) FragmentsLength() (n int64, ok bool) {
	n = m.fragments.length.Load()
	return n, n > 0 || m.Len() == 0
}

// Site sets dst to site i; see snapshot.Snapshot.Site.
func (m *Market) Site(i uint32, dst *site.Site) { m.Snap.Site(int(i), dst) }

// Commune returns the name of the commune with a code of the statistics office, "" if no site
// of the register is in it.
func (m *Market) Commune(code string) string { return m.communes()[code] }

func (m *Market) readCommunes() map[string]string {
	names := map[string]string{}
	for i := range m.Len() {
		if code, name := m.Snap.Commune(i); code != "" && name != "" {
			names[code] = name
		}
	}
	return names
}

// Has reports whether the operator has a station at site i.
func (m *Market) Has(i uint32, operator int) bool {
	from, to := m.Snap.Stations(int(i))
	for row := from; row < to; row++ {
		if m.Snap.StationOperator(row) == operator {
			return true
		}
	}
	return false
}

// Key returns the siteKey of a site id, which is unique among all markets.
func Key(c market.Code, id string) string { return strings.ToLower(string(c)) + "-" + id }

// sitesWithID returns the sites with this id or siteKey.
func (m *Market) sitesWithID(name string) []uint32 {
	sites := m.siteIDs.find(name)
	if prefix := Key(m.Table.Code, ""); len(name) > len(prefix) && fold.EqualASCII(name[:len(prefix)], prefix) {
		sites = append(sites, m.siteIDs.find(name[len(prefix):])...)
	}
	return sites
}

// sitesWithNationalCode returns the sites with this national code. A site without one has
// its id as national code.
func (m *Market) sitesWithNationalCode(code string) []uint32 {
	sites := m.nationals.find(code)
	for _, i := range m.siteIDs.find(code) {
		if m.Snap.NationalCode(int(i)) == "" {
			sites = append(sites, i)
		}
	}
	return sites
}

// sitesWithSourceCode returns the sites with this source code and those with a station of
// this code.
func (m *Market) sitesWithSourceCode(code string) []uint32 {
	sites := m.stations.find(code)
	for k, row := range sites {
		sites[k] = m.siteOfStation(row)
	}
	return append(sites, m.sources.find(code)...)
}

func (m *Market) siteOfStation(row uint32) uint32 {
	return uint32(sort.Search(m.Len(), func(i int) bool { _, to := m.Snap.Stations(i); return to > int(row) }))
}

// ByID returns the first site with this id or siteKey, else with this national code, else
// with this source code or station number. It returns false if no site has it.
func (m *Market) ByID(name string) (uint32, bool) {
	for _, find := range []func(string) []uint32{m.sitesWithID, m.sitesWithNationalCode, m.sitesWithSourceCode} {
		if sites := find(name); len(sites) > 0 {
			return slices.Min(sites), true
		}
	}
	return 0, false
}

// Find is ByID for a snapshot that is not loaded. It indexes names only.
func Find(s *snapshot.Snapshot, name string) (uint32, bool) {
	m := &Market{Table: market.Get(s.Market), Snap: s, indexes: &indexes{
		siteIDs: newNameTable(s.Len(), s.ID), nationals: newNameTable(s.Len(), s.NationalCode),
		stations: newNameTable(s.StationRows(), s.StationCode), sources: newNameTable(s.Len(), s.OwnSourceCode)}}
	return m.ByID(name)
}
