// Package index answers questions over snapshots in memory: sites of a box, of a
// disc, by text, by identifier, by radio identifier, by what they emit, nearest,
// and the statistics of departments. A Market is one snapshot with its indexes, a
// Set the markets of one moment, and a Live follows a data folder: it loads what
// is replaced there and keeps what was loaded when the new file is no good.
//
// The package works on sites by their place in the snapshot and does not know how
// a site is shown: the encoded summaries that it keeps are made by a function that
// it is given. It writes nothing to the folder.
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

	"relais/fold"
	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// An Encode appends the public form of a site to dst.
type Encode func(dst []byte, s *site.Site) ([]byte, error)

// A Market is one market's register in memory. It never changes, so that any
// number of goroutines may ask it.
type Market struct {
	Table  *market.Market
	Snap   *snapshot.Snapshot
	Loaded time.Time
	*indexes
	learned *learned // nil: nothing yet; only details and look-ups show it
}

// indexes are made of the snapshot alone.
type indexes struct {
	fragments arena
	space     *space
	emissions *emissions
	siteIDs   *nameTable
	nationals *nameTable
	stations  *nameTable // by station row
	sources   *nameTable // source codes that are no station's
	radio     *radio
	text      textIndex
	stats     stats
	scratch   sync.Pool
	communes  func() map[string]string
	places    func() *gazetteer
	extents   func() []Extent
}

// Load indexes a snapshot. encoder is called once for each goroutine that
// encodes. Load fails when encoding a site does, and when the snapshot has more
// radio identifiers than can be indexed.
func Load(s *snapshot.Snapshot, encoder func(*snapshot.Snapshot) Encode, now time.Time) (*Market, error) {
	m := &Market{Table: market.Get(s.Market), Snap: s, Loaded: now, indexes: &indexes{}}
	m.communes = sync.OnceValue(m.readCommunes)
	m.places = sync.OnceValue(m.readPlaces)
	m.extents = sync.OnceValue(m.countExtents)
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
	together(jobs)
	if failed != nil {
		return nil, failed
	}
	m.loadText()
	return m, nil
}

// together runs the jobs, as many at once as there are processors.
func together(jobs []func()) {
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

// fillShards encodes the sites of one shard after the other, until none is left.
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
	together(jobs)
}

// Len is the number of sites.
func (m *Market) Len() int { return m.Snap.Len() }

// Fragment returns the encoded summary of site i.
func (m *Market) Fragment(i uint32) []byte { return m.fragments.at(i) }

// FragmentRun returns the encoded summaries of sites from to to-1 as one piece,
// as long as they lie together: it returns how far it came.
func (m *Market) FragmentRun(from, to uint32) (text []byte, end uint32) {
	end = min(to, (from/shardSites+1)*shardSites)
	return m.fragments.run(from, end), end
}

// FragmentBytes is the memory that the summaries take.
func (m *Market) FragmentBytes() int64 { return m.fragments.bytes() }

// Site fills dst with site i.
func (m *Market) Site(i uint32, dst *site.Site) { m.Snap.Site(int(i), dst) }

// Commune returns the name of the commune that has a code of the statistics office, ""
// when no site stands in one that the register names.
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

// Has tells whether the operator has a station on site i.
func (m *Market) Has(i uint32, operator int) bool {
	from, to := m.Snap.Stations(int(i))
	for row := from; row < to; row++ {
		if m.Snap.StationOperator(row) == operator {
			return true
		}
	}
	return false
}

// Key is the siteKey of a site id: unique over all markets.
func Key(c market.Code, id string) string { return strings.ToLower(string(c)) + "-" + id }

// sitesNamed returns the sites with this id or siteKey.
func (m *Market) sitesNamed(name string) []uint32 {
	sites := m.siteIDs.find(name)
	if prefix := Key(m.Table.Code, ""); len(name) > len(prefix) && fold.EqualASCII(name[:len(prefix)], prefix) {
		sites = append(sites, m.siteIDs.find(name[len(prefix):])...)
	}
	return sites
}

// nationally returns the sites with this national code, which is the id where
// the source has no other.
func (m *Market) nationally(code string) []uint32 {
	sites := m.nationals.find(code)
	for _, i := range m.siteIDs.find(code) {
		if m.Snap.NationalCode(int(i)) == "" {
			sites = append(sites, i)
		}
	}
	return sites
}

// bySource returns the sites that have this source code, or a station of it.
func (m *Market) bySource(code string) []uint32 {
	sites := m.stations.find(code)
	for k, row := range sites {
		sites[k] = m.siteOfStation(row)
	}
	return append(sites, m.sources.find(code)...)
}

func (m *Market) siteOfStation(row uint32) uint32 {
	return uint32(sort.Search(m.Len(), func(i int) bool { _, to := m.Snap.Stations(i); return to > int(row) }))
}

// ByID returns the site with this id, siteKey or national code, else the first
// with a station of this number, and false when there is none.
func (m *Market) ByID(name string) (uint32, bool) {
	for _, find := range []func(string) []uint32{m.sitesNamed, m.nationally, m.bySource} {
		if sites := find(name); len(sites) > 0 {
			return slices.Min(sites), true
		}
	}
	return 0, false
}

// Find is ByID for one question to a snapshot that is not loaded: only names are indexed.
func Find(s *snapshot.Snapshot, name string) (uint32, bool) {
	m := &Market{Table: market.Get(s.Market), Snap: s, indexes: &indexes{
		siteIDs: newNameTable(s.Len(), s.ID), nationals: newNameTable(s.Len(), s.NationalCode),
		stations: newNameTable(s.StationRows(), s.StationCode), sources: newNameTable(s.Len(), s.OwnSourceCode)}}
	return m.ByID(name)
}

// Nearest returns the k sites nearest to p that satisfy f, nearest first, or all
// of them when they are fewer.
func (m *Market) Nearest(p geo.Point, k int, f Filter) []Near {
	mask := m.emissions.mask(f)
	systems := f.choices().Systems != nil
	return m.space.nearest(p, k, func(i uint32) bool {
		return (f.Area == Any || m.Snap.Area(int(i)) == f.Area) && (mask == nil || m.emissions.matches(i, mask)) &&
			(!systems || m.emits(i, &f))
	})
}
