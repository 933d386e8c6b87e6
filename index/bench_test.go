package index

import (
	"testing"
	"time"

	"relais/geo"
	"relais/market"
)

// national is the number of sites of a national register.
const national = 72000

func BenchmarkLoad(b *testing.B) {
	m := load(b, market.FR, register(market.FR, national, 1))
	for _, bb := range []struct {
		name  string
		build func()
	}{
		{"all", func() { Load(m.Snap, idEncoder, time.Time{}) }},
		{"names", func() { newNameTable(m.Snap.StationRows(), m.Snap.StationCode) }},
		{"radio", func() { newRadio(m.Snap) }},
		{"trigrams", func() { newTrigramIndex(m.text().texts, 0, national) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.build()
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	m := load(b, market.FR, register(market.FR, national, 1))
	disc := &geo.Disc{Center: m.space.position(national / 2), Radius: 150000}
	box := disc.Box()
	dense, point := &geo.Disc{Center: m.space.position(national / 2),
		Radius: 50000}, &geo.Disc{Center: m.space.position(national / 2), Radius: 2000}
	for _, bb := range []struct {
		name string
		q    Query
	}{
		{"box", Query{Box: &box}},
		{"disc", Query{Disc: disc}},
		{"disc of 50 km", Query{Disc: dense}},
		{"disc of 2 km", Query{Disc: point}},
		{"text", Query{Text: "rue de l'eglise"}},
		{"two words", Query{Text: "rue saint"}},
		{"spoken", Query{Text: "saint lyon", Spoken: true, Ranked: true}},
		{"commune", Query{Commune: "lyon", Ranked: true}},
		{"id", Query{ID: m.Snap.ID(national / 2)}},
		{"operator", Query{}},
	} {
		bb.q.Filter = All
		if bb.name == "operator" {
			bb.q.Filter.Operator = 0
		}
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				m.Find(bb.q, 0, 100)
			}
		})
		b.Run(bb.name+"/past", func(b *testing.B) {
			for b.Loop() {
				m.Find(bb.q, national, 100)
			}
		})
	}
}

func BenchmarkByID(b *testing.B) {
	m := load(b, market.FR, register(market.FR, national, 1))
	i := 0
	for b.Loop() {
		m.ByID(m.Snap.ID(i))
		i = (i + 7919) % national
	}
}
