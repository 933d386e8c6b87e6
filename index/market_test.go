package index

import (
	"errors"
	"strings"
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
	if n := m.Nearest(geo.Point{}, 5, All); len(n) != 0 {
		t.Errorf("Nearest() = %v, want nothing", n)
	}
}

func TestLoadFailsWhenASiteCannotBeEncoded(t *testing.T) {
	m := load(t, market.FR, register(market.FR, shardSites+1, 18))
	want := errors.New("no such thing")
	last := m.Snap.ID(shardSites)
	got, err := Load(m.Snap, func(*snapshot.Snapshot) Encode {
		return func(dst []byte, s *site.Site) ([]byte, error) {
			if s.ID == last {
				return dst, want
			}
			return dst, nil
		}
	}, time.Now())
	if got != nil || !errors.Is(err, want) {
		t.Errorf("Load() = %v, %v, want nil, %v", got, err, want)
	}
}
