package update

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/coverage"
	"relais/coverage/coveragetest"
	"relais/internal/filetest"
)

// mapFile returns a GeoPackage of ARCEP.
func mapFile(t *testing.T, plmn, techno, date string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "areas.gpkg")
	coveragetest.GeoPackage(t, path, "areas", 2154,
		coveragetest.Box(coveragetest.ARCEP(plmn, techno, date, nil), 350000, 6780000, 354000, 6784000))
	return filetest.Read(t, path)
}

// Of each map the newest edition is imported, unless it is too old; the next run asks and changes nothing; a map that is
// lost comes again; one that is refused is not fetched again, and the others are imported.
func TestCoverageMaps(t *testing.T) {
	k := newKit(t)
	var keys []string
	put := func(quarter, operator, techno string, text []byte) {
		key := fmt.Sprintf("mobile/couvertures_theoriques/%s/Metropole/00_Metropole/%[1]s_couv_Metropole_%s_%s_data.gpkg", quarter, operator, techno)
		keys = append(keys, key)
		k.put("/arcep/"+key, text)
	}
	put("2026_T2", "OF", "4G", mapFile(t, "20801", "4G", "2026-06-30"))
	put("2026_T3", "OF", "4G", mapFile(t, "20801", "4G", "2026-09-30"))
	put("2026_T2", "OF", "3G", mapFile(t, "20801", "3G", "2026-06-30"))
	put("2025_T4", "OF", "5G", mapFile(t, "20801", "5G", "2025-12-31"))
	put("2026_T3", "FREE", "4G", mapFile(t, "20899", "4G", "2026-09-30")) // a network that nobody has
	k.serveStore(keys, 2)
	k.use(strings.Replace(k.file("maps", "listing", "/arcep/?list-type=2&prefix=mobile/couvertures_theoriques/",
		`/([0-9]{4}_T[1-4])/Metropole/.*_couv_[^/]*\.gpkg$`), `"licence"`, `"for":"coverage","with":"coverage","licence"`, 1))
	run := func() *SourceReport {
		t.Helper()
		o := k.options()
		o.Choice = &Choice{With: []string{"coverage"}}
		return k.runWith(o)
	}
	layers := func() (names []string) {
		for _, l := range coverage.NewStore(k.dir.Coverage()).Layers(coverage.Filter{}) {
			names = append(names, l.Technology+" "+l.Edition)
		}
		return names
	}
	r := run()
	k.want(r, Failed, `operateur "20899"`)
	if got, want := layers(), []string{"3G 2026-06-30", "4G 2026-09-30"}; !slices.Equal(got, want) || len(r.Files[0].Maps) != 2 {
		t.Errorf("layers %v, maps %v, want %v", got, r.Files[0].Maps, want)
	}
	k.asked()
	r = run()
	if k.want(r, Unchanged, ""); !strings.Contains(strings.Join(r.Notes, " "), "FREE_4G_data.gpkg: ") ||
		!strings.Contains(strings.Join(r.Notes, " "), "refused before") {
		t.Errorf("notes %v, want the map that was refused before", r.Notes)
	}
	const store = "/arcep/mobile/couvertures_theoriques/"
	k.wantAsked("/arcep/ 200", "/arcep/ 200", "/arcep/ 200",
		store+"2026_T3/Metropole/00_Metropole/2026_T3_couv_Metropole_FREE_4G_data.gpkg 304",
		store+"2026_T2/Metropole/00_Metropole/2026_T2_couv_Metropole_OF_3G_data.gpkg 304",
		store+"2026_T3/Metropole/00_Metropole/2026_T3_couv_Metropole_OF_4G_data.gpkg 304")
	// A map that the server does not give does not keep those after it out.
	for _, status := range []int{403, 404, 410} {
		k.behave(store+"2026_T3/Metropole/00_Metropole/2026_T3_couv_Metropole_FREE_4G_data.gpkg", answering(status, ""))
		must(t, os.Remove(filepath.Join(k.dir.Coverage(), "fr-all-orange-3g-data-2026-06-30"+coverage.Suffix)))
		r = run()
		k.want(r, Failed, fmt.Sprintf("FREE_4G_data.gpkg: the server answers %d", status))
		if len(layers()) != 2 || !strings.Contains(strings.Join(r.Notes, " "), "fetched again") {
			t.Errorf("layers %v, notes %v, want the lost map again", layers(), r.Notes)
		}
	}
	// A listing that lacks the edition that was read is not asked for the one before it.
	k.asked()
	k.serveStore([]string{keys[0], keys[2]}, 9)
	k.want(run(), Failed, `is "2026_T2", older than "2026_T3"`)
	k.wantAsked("/arcep/ 200", store+"2026_T2/Metropole/00_Metropole/2026_T2_couv_Metropole_OF_3G_data.gpkg 304")
	if left, err := os.ReadDir(k.dir.Downloads()); err == nil && len(left) > 0 {
		t.Errorf("%v is left of the downloads at %v", left, time.Now())
	}
}
