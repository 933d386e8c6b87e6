package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// The peers find what a look at every document finds.
func TestPeers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []document
	for i := range 2000 {
		d := document{id: fmt.Sprint(9000 + i), lat: 48.8 + r.Float64()/10, lon: 2.3 + r.Float64()/10}
		d.text = fmt.Sprintf(`{"id":%q,"address":"12 rue de l'Église","properties":{"a":"}"}}`, d.id)
		all = append(all, d)
	}
	for name, newPeer := range peers {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "relais-peer-") // PostgreSQL does not run as root, who owns t.TempDir's parent
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			p, err := newPeer(t.Context(), dir)
			if err != nil {
				t.Skip(err)
			}
			defer p.close()
			versions, err := p.load(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(versions)
			b := box{48.83, 48.86, 2.32, 2.37}
			joined, n, err := p.inBox(t.Context(), b)
			check(t, "box", joined, n, err, filter(all, func(d document) bool {
				return d.lat >= b.south && d.lat <= b.north && d.lon >= b.west && d.lon <= b.east
			}))
			joined, n, err = p.byID(t.Context(), "9123")
			check(t, "id", joined, n, err, all[123:124])
			const lat, lon = 48.85, 2.35
			near := slices.SortedFunc(slices.Values(all), func(a, b document) int {
				return cmp.Compare(metres(lat, lon, a), metres(lat, lon, b))
			})
			joined, n, err = p.nearest(t.Context(), lat, lon, 2, 20)
			check(t, "nearest", joined, n, err, near[:20])
			joined, n, err = p.nearest(t.Context(), lat, lon, 0.3, 2000)
			check(t, "within 300 m", joined, n, err, filter(all, func(d document) bool { return metres(lat, lon, d) <= 300 }))
		})
	}
}

func filter(all []document, want func(document) bool) (found []document) {
	for _, d := range all {
		if want(d) {
			found = append(found, d)
		}
	}
	return found
}

// metres is the distance on a sphere, by the haversine formula.
func metres(lat, lon float64, d document) float64 {
	const rad = math.Pi / 180
	a := math.Pow(math.Sin((d.lat-lat)*rad/2), 2) +
		math.Cos(lat*rad)*math.Cos(d.lat*rad)*math.Pow(math.Sin((d.lon-lon)*rad/2), 2)
	return 2 * 6371008.8 * math.Asin(math.Sqrt(a))
}

func check(t *testing.T, question, joined string, n int, err error, want []document) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	var got []json.RawMessage
	if err := json.Unmarshal([]byte("["+joined+"]"), &got); err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	if n != len(want) || len(got) != n {
		t.Fatalf("%s: got %d documents and the number %d, want %d", question, len(got), n, len(want))
	}
	texts := map[string]bool{}
	for _, g := range got {
		texts[string(g)] = true
	}
	for _, d := range want {
		if !texts[d.text] {
			t.Errorf("%s: no document %s", question, d.text)
		}
	}
}
