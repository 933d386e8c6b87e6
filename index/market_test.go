package index

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

func TestFragmentsStandInSiteOrder(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 2*shardSites+3, 15))
	var all []byte
	for at := uint32(0); at < uint32(m.Len()); {
		var text []byte
		text, at = m.FragmentRun(at, uint32(m.Len()))
		all = append(all, text...)
	}
	want := strings.Join(scan(m, func(*site.Site) bool { return true }), ",") + ","
	if string(all) != want {
		t.Errorf("the runs have %d bytes, want the %d of the sites", len(all), len(want))
	}
	if got := string(m.Fragment(shardSites)); got != m.Snap.ID(shardSites)+"," {
		t.Errorf("first fragment of the second shard = %q, want that of site %d", got, shardSites)
	}
}

func TestEmptyMarket(t *testing.T) {
	m := load(t, market.FR, nil)
	box := geo.Box{South: -90, West: -180, North: 90, East: 180}
	for _, q := range []Query{{}, {Box: &box}, {Disc: &geo.Disc{Radius: 1000}}, {Text: "x"},
		{Text: "xyz", Ranked: true}, {Commune: "x"}} {
		q.Filter = All
		if h := m.Find(q, 0, 10); h.Total != 0 || len(h.Sites) != 0 {
			t.Errorf("Find(%+v) = %+v, want nothing", q, h)
		}
	}
}

// Loading encodes nothing. A question encodes the neighbours of what it asks for, once; reading all
// summaries keeps none.
func TestSummariesAreEncodedWhenAskedFor(t *testing.T) {
	snap := load(t, market.FR, register(market.FR, 3*shardSites+5, 18)).Snap
	var encoded atomic.Int64
	m, err := Load(snap, func(s *snapshot.Snapshot) Encode {
		encode := idEncoder(s)
		return func(dst []byte, s *site.Site) []byte {
			encoded.Add(1)
			return encode(dst, s)
		}
	}, time.Now())
	must(t, err)
	everywhere := geo.Box{South: -90, West: -180, North: 90, East: 180}
	m.Find(Query{Filter: All, Box: &everywhere, Text: "rue"}, 0, 10)
	want := func(what string, sites int) {
		t.Helper()
		if got := int(encoded.Load()); got != sites {
			t.Errorf("%s: %d sites were encoded so far, want %d", what, got, sites)
		}
	}
	want("loading and searching", 0)
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() { m.Fragment(shardSites + 1) })
	}
	asking.Wait()
	want("eight questions about one site", shardSites)
	if _, ok := m.FragmentsLength(); ok {
		t.Error("the length of all summaries is known, want it unknown before they were read")
	}
	var all []byte
	for text := range m.Fragments() {
		all = append(all, text...)
	}
	want("reading all", snap.Len())
	ids := strings.Join(scan(m, func(*site.Site) bool { return true }), ",") + ","
	if n, ok := m.FragmentsLength(); string(all) != ids || n != int64(len(ids)) || !ok {
		t.Errorf("all summaries: %d bytes, stated length %d, %t; want the %d bytes of the sites", len(all), n, ok, len(ids))
	}
	neighbours := m.fragments.run(shardSites, 2*shardSites)
	if got := m.fragments.bytes(); got != int64(len(neighbours)) {
		t.Errorf("%d bytes of summaries are kept, want the %d of one shard", got, len(neighbours))
	}
	for range m.Fragments() {
		break // who stops reading costs no more
	}
	want("reading the first piece", snap.Len()+shardSites)
}

// Only questions about texts wait for the index of texts.
func TestListsDoNotWaitForTheIndexOfTexts(t *testing.T) {
	m := load(t, market.FR, register(market.FR, 500, 3))
	asked, release := make(chan bool), make(chan bool)
	m.text = sync.OnceValue(func() *textIndex {
		close(asked)
		<-release
		return m.indexText()
	})
	searched := make(chan Hits)
	go func() { searched <- m.Find(Query{Filter: All, Text: "rue"}, 0, 500) }()
	<-asked
	everywhere := geo.Box{South: -90, West: -180, North: 90, East: 180}
	all := scan(m, func(*site.Site) bool { return true })
	for name, q := range map[string]Query{
		"box":  {Box: &everywhere},
		"disc": {Disc: &geo.Disc{Center: m.Position(0), Radius: 2e7}},
		"all":  {},
	} {
		q.Filter = All
		if h := m.Find(q, 0, 500); h.Total != len(all) {
			t.Errorf("%s: %d sites, want %d", name, h.Total, len(all))
		}
	}
	if i, ok := m.ByID(all[7]); !ok || m.Snap.ID(int(i)) != all[7] {
		t.Errorf("ByID(%q) = %d, %t, want that site", all[7], i, ok)
	}
	select {
	case <-searched:
		t.Error("a search answered without the index of texts")
	default:
	}
	close(release)
	want := scan(m, func(s *site.Site) bool { return strings.Contains(everyText(m, s), "rue") })
	if h := <-searched; h.Total != len(want) {
		t.Errorf("search: %d sites, want %d", h.Total, len(want))
	}
}
