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
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/geo"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// An Encode appends the public form of a site to dst.
type Encode func(dst []byte, s *site.Site) ([]byte, error)

// A Market is the register of one market in memory. It does not change, and is safe for
// concurrent use.
type Market struct {
	Table  *market.Market
	Snap   *snapshot.Snapshot
	Loaded time.Time
	*indexes
	learned *learned // nil: nothing; only details and look-ups show it
}

// indexes depend on the snapshot only.
type indexes struct {
	fragments arena
	space     *space
	emissions *emissions
	siteIDs   *nameTable
	nationals *nameTable
	stations  *nameTable // by station row
	sources   *nameTable // source codes that differ from all station codes
	radio     *radio
	text      textIndex
	stats     stats
	scratch   sync.Pool
	communes  func() map[string]string
	places    func() *gazetteer
	extents   func() []Extent
	// operatorIDs are the operators' own names of sites, by station row.
	operatorIDs func() *nameTable
	subsets     subsets
}

// Load indexes a snapshot. It calls encoder once for each goroutine that encodes
// summaries. It returns an error when encoding a site fails, and when the snapshot has
// too many radio identifiers to be indexed.
func Load(s *snapshot.Snapshot, encoder func(*snapshot.Snapshot) Encode, now time.Time) (*Market, error) {
	m := &Market{Table: market.Get(s.Market), Snap: s, Loaded: now, indexes: &indexes{}}
	m.communes = sync.OnceValue(m.readCommunes)
	m.places = sync.OnceValue(m.readPlaces)
	m.extents = sync.OnceValue(m.countExtents)
	m.operatorIDs = sync.OnceValue(m.readOperatorIDs)
	m.scratch.New = func() any { return newWork(m.Len()) }
	m.fragments, m.text.texts = newArena(s.Len()), newArena(s.Len())
	var failed error
	var once sync.Once
	fail := func(err error) {
		if err != nil {
			once.Do(func() { failed = err })
		}
	}
	shards := atomic.Int64{}
	fill := func() { fail(m.fillShards(&shards, encoder(s))) }
	jobs := append(slices.Repeat([]func(){fill}, runtime.GOMAXPROCS(0)),
		func() {
			var err error
			m.radio, err = newRadio(s)
			fail(err)
		},
		func() { m.stations = newNameTable(s.StationRows(), s.StationCode) },
		func() { m.sources = newNameTable(s.Len(), s.OwnSourceCode) },
		func() { m.siteIDs = newNameTable(s.Len(), s.ID) },
		func() { m.nationals = newNameTable(s.Len(), s.NationalCode) },
		func() { m.emissions = newEmissions(s) },
		func() { m.stats = newStats(m.Table, s) },
		func() { m.space = newSpace(s.Positions()) },
	)
	runParallel(jobs)
	if failed != nil {
		return nil, failed
	}
	m.loadText()
	return m, nil
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

// fillShards encodes the sites of shard after shard until next has counted all of them.
func (m *Market) fillShards(next *atomic.Int64, encode Encode) error {
	var s site.Site
	var fragments, texts []byte
	for k := int(next.Add(1) - 1); k < len(m.fragments); k = int(next.Add(1) - 1) {
		fragments, texts = fragments[:0], texts[:0]
		for i := k * shardSites; i < min((k+1)*shardSites, m.Len()); i++ {
			m.Snap.Site(i, &s)
			var err error
			if fragments, err = encode(fragments, &s); err != nil {
				return err
			}
			texts = appendText(texts, m.Table, &s)
			if len(fragments) > math.MaxUint32 || len(texts) > math.MaxUint32 {
				return fmt.Errorf("the texts of %d sites are over 4 GiB", shardSites)
			}
			m.fragments[k].end[i%shardSites], m.text.texts[k].end[i%shardSites] = uint32(len(fragments)),
				uint32(len(texts))
		}
		m.fragments[k].text = append(make([]byte, 0, len(fragments)), fragments...)
		m.text.texts[k].text = append(make([]byte, 0, len(texts)), texts...)
	}
	return nil
}

// trigramParts is how many parts the trigram index of a large register has, and
// trigramSites how many sites a part has at least.
const (
	trigramParts = 8
	trigramSites = 32768
)

func (m *Market) loadText() {
	size := max(trigramSites, (m.Len()+trigramParts-1)/trigramParts)
	jobs := []func(){func() { m.text.readCommunes(m.Len()) }, func() { m.text.readPostal(m.Len()) }}
	for from := 0; from < m.Len(); from += size {
		to := min(from+size, m.Len())
		k := len(m.text.parts)
		m.text.parts = append(m.text.parts, nil)
		jobs = append(jobs, func() { m.text.parts[k] = newTrigramIndex(m.text.texts, uint32(from), uint32(to)) })
	}
	runParallel(jobs)
}

// Len returns the number of sites.
func (m *Market) Len() int { return m.Snap.Len() }

// Bounds returns the smallest box with all sites. ok is false without sites.
func (m *Market) Bounds() (b geo.Box, ok bool) {
	if m.Len() == 0 {
		return geo.Box{}, false
	}
	lat, lng := m.Snap.Positions()
	return geo.Box{South: geo.Degrees(slices.Min(lat)), North: geo.Degrees(slices.Max(lat)),
		West: geo.Degrees(slices.Min(lng)), East: geo.Degrees(slices.Max(lng))}, true
}

// Fragment returns the encoded summary of site i.
func (m *Market) Fragment(i uint32) []byte { return m.fragments.text(i) }

// FragmentRun returns the encoded summaries of consecutive sites as one slice: those of
// sites from to end-1, where end is at most to.
func (m *Market) FragmentRun(from, to uint32) (text []byte, end uint32) {
	end = min(to, (from/shardSites+1)*shardSites)
	return m.fragments.run(from, end), end
}

// FragmentBytes returns the memory of the encoded summaries.
func (m *Market) FragmentBytes() int64 { return m.fragments.bytes() }

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

// Nearest returns the k sites nearest to p that satisfy f, nearest first, or all of them
// if they are fewer. f may not have Together.
func (m *Market) Nearest(p geo.Point, k int, f Filter) []Near {
	mask := m.emissions.mask(f)
	systems := f.choices().Systems != nil
	return m.space.nearest(p, k, func(i uint32) bool {
		return (f.Area == Any || m.Snap.Area(int(i)) == f.Area) && f.Within.has(i) &&
			(mask == nil || m.emissions.matches(i, mask)) && (!systems || m.emits(i, &f))
	})
}
