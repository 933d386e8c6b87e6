package measure

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"relais/geo"
	"relais/internal/folder"
	"relais/market"
)

// The measurements that are chosen are copied as they are, the others are not.
func TestCopyTo(t *testing.T) {
	s := openStore(t, t.TempDir())
	r := rand.New(rand.NewPCG(3, 4))
	want := map[string]bool{}
	for file := range 3 {
		var text strings.Builder
		text.WriteString("timestamp,lat,lng,download_mbps,mcc,mnc\n")
		for i := range 200 {
			lat, lng := 45+2*r.Float64(), 2+r.Float64()
			fmt.Fprintf(&text, "2026-11-%02dT10:%02d:00Z,%.5f,%.5f,%d,208,%02d\n", 1+r.IntN(20), r.IntN(60), lat, lng, i,
				1+9*r.IntN(2))
			if lat < 45.9999 {
				want[fmt.Sprintf("%.5f %.5f %d", lat, lng, i)] = true
			}
		}
		imported(t, s, market.FR, write(t, fmt.Sprintf("tests%d.csv", file), text.String()))
	}
	dir := t.TempDir()
	n, _, err := s.CopyTo(t.Context(), folder.Dir(dir), func(code market.Code, p geo.Point) bool {
		return code == market.FR && p.Lat < 45.9999
	})
	if err != nil || n[Speedtest] != len(want) || len(n) != 1 {
		t.Fatalf("got %v, %v; want %d speedtests", n, err, len(want))
	}
	to := openStore(t, dir)
	if problems := to.Problems(); len(problems) > 0 {
		t.Errorf("problems of the copy: %q, want none", problems)
	}
	for _, seg := range to.view().segments {
		for i := range uint32(seg.rows) {
			row := seg.columns.row(Speedtest, i)
			p := row.position()
			key := fmt.Sprintf("%.5f %.5f %d", p.Lat, p.Lng, row.down/1000)
			if !want[key] {
				t.Errorf("%s is copied", key)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d are not copied", len(want))
	}
}
