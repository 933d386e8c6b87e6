package httpapi

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/filetest"
	"relais/market"
	"relais/measure"
	"relais/measure/measuretest"
	"relais/site"
)

// A lesson is a server of a few sites, with a store of measures of its own.
type lesson struct {
	*Server
	t     *testing.T
	first *index.Set
	store *measure.Store
	clock *time.Time
	files int
}

// Sites of a lesson, all of Orange: one, another, and one whose eNB 50000 is statedSite.
var (
	oneSite    = site.Site{ID: "1", Position: geo.Point{Lat: 48, Lng: 2}}
	otherSite  = site.Site{ID: "2", Position: geo.Point{Lat: 48.1, Lng: 2}}
	statedSite = site.Site{ID: "3", Position: geo.Point{Lat: 48.2, Lng: 2},
		Radio: []site.RadioID{{Kind: site.ENB, Operator: orange, Value: 50000}}}
)

var orange, _ = market.Get(market.FR).Operator("ORANGE")

func newLesson(t *testing.T) *lesson {
	t.Helper()
	sites := []site.Site{oneSite, otherSite, statedSite}
	for i := range sites {
		sites[i].Stations = []site.Station{{Code: "001" + sites[i].ID, Operator: orange}}
	}
	l := &lesson{Server: empty(t), t: t,
		first: index.NewSet([]*index.Market{indextest.Market(t, market.FR, sites...)}, nil),
		clock: new(time.Now().UTC())}
	l.SetData(l.first)
	l.store = measuretest.Open(t, func() time.Time { return *l.clock })
	l.Measures = func() *measure.Store { return l.store }
	return l
}

// A seenCell is a row of coverage.csv.
type seenCell struct {
	at             geo.Point
	enb, cell, pci string
}

// imports adds measures of Orange, a day old.
func (l *lesson) imports(rows ...seenCell) {
	l.t.Helper()
	l.files++
	text := "timestamp,lat,lng,signal_strength,technology,mcc,mnc,enb,cell_id,pci\n"
	for _, r := range rows {
		text += fmt.Sprintf("%s,%v,%v,-%d,LTE,208,1,%s,%s,%s\n", l.clock.Add(-24*time.Hour).Format(time.RFC3339),
			r.at.Lat, r.at.Lng, 60+l.files, r.enb, r.cell, r.pci)
	}
	path := filepath.Join(l.t.TempDir(), "coverage.csv")
	filetest.Write(l.t, path, text)
	reports, err := l.store.Import(context.Background(), market.FR, measure.Options{Kind: measure.Coverage}, path)
	if err != nil || reports[0].Served != len(rows) {
		l.t.Fatalf("import: %v %+v, want all rows served", err, reports)
	}
}

// radioOf is what the detail of a site says of identifiers.
func (l *lesson) radioOf(id string) string {
	l.t.Helper()
	r := parse(l.t, get(l.t, l.Server, "/antennas/"+id), 200)["data"].(object)["radio"].(object)
	return fmt.Sprint(r["nodes"], r["cellIds"], r["physicalIds"])
}

// named lists the sites that a look-up answers.
func (l *lesson) named(query string) (text string) {
	l.t.Helper()
	for _, item := range parse(l.t, get(l.t, l.Server, "/antennas/lookup-by-radio?"+query), 200)["data"].([]any) {
		text += fmt.Sprint(item.(object)["site"].(object)["id"], item.(object)["matches"])
	}
	return text
}

const enb, cell = "654321", "167506179" // 654321 << 8 | 3

// expect compares what is learned of a site, and what its eNB and its cell name.
func (l *lesson) expect(t *testing.T, when, radio, byNode, byCell string) {
	t.Helper()
	l.learn(t.Context(), true)
	if got := l.radioOf(oneSite.ID); got != radio {
		t.Errorf("%s: the detail has %s, want %s", when, got, radio)
	}
	if got := l.named("enb=" + enb); got != byNode {
		t.Errorf("%s: the eNB names %q, want %q", when, got, byNode)
	}
	if got := l.named("ci=" + cell); got != byCell {
		t.Errorf("%s: the cell names %q, want %q", when, got, byCell)
	}
}

// From the import of measures to details and look-ups, and back.
func TestLearn(t *testing.T) {
	l := newLesson(t)
	detail, lookup, list, page := "/antennas/"+oneSite.ID, "/antennas/lookup-by-radio?enb="+
		enb, "/antennas?limit=3", "/sites/"+oneSite.ID
	tags := func() (tags [4]string) {
		for i, target := range []string{detail, lookup, list, page} {
			tags[i] = get(t, l.Server, target).Header().Get("Etag")
		}
		return tags
	}
	nothing := "[] [] []"
	l.expect(t, "before", nothing, "", "")
	before := tags()

	near := geo.Point{Lat: oneSite.Position.Lat + 0.0015, Lng: oneSite.Position.Lng} // 167 m
	l.imports(seenCell{near, enb, cell, "77"},
		seenCell{geo.Point{Lat: oneSite.Position.Lat + 0.004, Lng: oneSite.Position.Lng}, "600000", "", ""})
	if got := tags(); got != before {
		t.Error("tags change before anything was learned")
	}
	learned := fmt.Sprintf("[map[learned:true operator:ORANGE type:enb value:%s]] [%s] [77]", enb, cell)
	byNode, byCell := oneSite.ID+"[map[type:enb value:"+enb+"]]", oneSite.ID+"[map[type:ci value:"+cell+"]]"
	l.expect(t, "seen near one site", learned, byNode, byCell)
	if got := l.named("enb=600000"); got != "" { // 440 m
		t.Errorf("what is far away names %s, want empty", got)
	}
	if got := l.named("enb=" + enb + "&operator=orange"); got != byNode {
		t.Errorf("of its operator: %s, want %s", got, byNode)
	}
	after := tags()
	if after[0] == before[0] || after[1] == before[1] || after[2] != before[2] || after[3] != before[3] {
		t.Errorf("got tags %v, before %v; want those of detail and look-up changed, the others not", after, before)
	}
	if w := get(t, l.Server, detail, "If-None-Match", before[0]); w.Code != 200 {
		t.Errorf("the old tag: %d, want 200", w.Code)
	}
	if w := get(t, l.Server, detail, "If-None-Match", after[0]); w.Code != 304 {
		t.Errorf("the new tag: %d, want 304", w.Code)
	}

	l.imports(seenCell{near, enb, cell, "77"}) // says nothing new
	l.expect(t, "seen again", learned, byNode, byCell)
	if tags() != after {
		t.Error("tags change with measures that teach nothing")
	}
	l.SetData(l.first)
	if tags() != after {
		t.Error("the same snapshots, shown again, have forgotten")
	}

	*l.clock = l.clock.Add(10 * 24 * time.Hour)
	l.imports(seenCell{otherSite.Position, enb, "167506180", ""})
	l.expect(t, "the eNB's other cell near another site", fmt.Sprintf("[] [%s] [77]", cell), "", byCell)
	l.imports(seenCell{otherSite.Position, enb, cell, ""})
	l.expect(t, "the cell near another site", nothing, "", "")

	*l.clock = l.clock.Add(5 * 24 * time.Hour)
	if n, err := l.store.Retain(10 * 24 * time.Hour); n != 3 || err != nil {
		t.Fatalf("got %v, %v, want 3 and no error", n, err)
	}
	l.expect(t, "only the other site's measures are left", nothing, otherSite.ID+"[map[type:enb value:"+enb+"]]",
		otherSite.ID+"[map[type:ci value:"+cell+"]]")
	if n, err := l.store.Retain(time.Hour); n != 2 || err != nil {
		t.Fatalf("got %v, %v, want 2 and no error", n, err)
	}
	l.expect(t, "all are gone", nothing, "", "")
	if tags() != before {
		t.Error("other tags than at first")
	}
}

// What a source states is the site's, whatever phones say, and comes before what they say.
func TestStatedWins(t *testing.T) {
	l := newLesson(t)
	l.imports(seenCell{oneSite.Position, "50000", "12800009", "3"}, // 50000 << 8 | 9
		// 304000 << 8 | 1
		seenCell{statedSite.Position, "50000", "12800010", ""}, seenCell{otherSite.Position, "", "77824001", ""})
	l.learn(t.Context(), true)
	for _, tt := range []struct{ id, want string }{
		{"1", "[] [] []"},
		{"2", "[map[learned:true operator:ORANGE type:enb value:304000]] [77824001] []"},
		{"3", "[map[learned:false operator:ORANGE type:enb value:50000]] [12800010] []"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			if got := l.radioOf(tt.id); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.id, got, tt.want)
			}
		})
	}
	l.imports(seenCell{oneSite.Position, "", "12800256", "3"}) // of the eNB 50001
	l.imports(seenCell{otherSite.Position, "40000", "", "4"})
	l.learn(t.Context(), true)
	for _, tt := range []struct{ query, want string }{
		{"enb=50000", "3[map[type:enb value:50000]]"},
		{"ci=12800009", "3[map[type:ci value:12800009]]"}, // by its eNB
		{"value=12800010", "3[map[type:ci value:12800010] map[type:cellid value:12800010]]"},
		{"pci=3", "1[map[type:pci value:3]]"},
		{"pci=4", "2[map[type:pci value:4]]"},
		{"enb=40000", "2[map[type:enb value:40000]]"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			if got := l.named(tt.query); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.query, got, tt.want)
			}
		})
	}
}

// While the server rests, what is only measured waits, and another snapshot does not.
func TestLearnAndRest(t *testing.T) {
	l := newLesson(t)
	l.imports(seenCell{oneSite.Position, "654321", "", "1"})
	for _, step := range []struct {
		before         func()
		again, learned bool
		names          string
	}{
		{func() {}, false, true, ""},
		{func() {}, true, false, ""},
		{func() { l.imports(seenCell{otherSite.Position, "654320", "", "2"}) }, false, false, ""},
		{func() { l.SetData(l.first) }, false, false, ""},                          // which keeps what was learned
		{func() { l.set.Store(l.first) }, false, true, "2[map[type:pci value:2]]"}, // which has learned nothing
	} {
		step.before()
		if learned := l.learn(t.Context(), step.again); learned != step.learned || l.named("pci=2") != step.names {
			t.Errorf("%+v: learned = %v, named %s, want %v and %s", step, learned, l.named("pci=2"), step.learned,
				step.names)
		}
	}
}

// While measures come and snapshots go, every answer is one of a state as a whole.
func TestLearnWhileServing(t *testing.T) {
	l := newLesson(t)
	targets := []string{"/antennas/" + oneSite.ID, "/antennas/lookup-by-radio?enb=654321"}
	answers := map[string]bool{}
	note := func() {
		for _, target := range targets {
			w := get(t, l.Server, target, "X-Request-Id", "same")
			answers[w.Header().Get("Etag")+w.Body.String()] = true
		}
	}
	note()
	for i := range 3 { // each teaches one more PCI
		l.imports(seenCell{oneSite.Position, "654321", "", fmt.Sprint(i + 1)})
		l.learn(t.Context(), true)
		note()
	}
	if len(answers) != 8 { // look-ups differ by their tags
		t.Errorf("%d answers, want 8", len(answers))
	}
	again := newLesson(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { again.Learn(ctx, time.Millisecond) })
	for range 2 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				w := get(t, again.Server, targets[i%2], "X-Request-Id", "same")
				if w.Code != 200 || !answers[w.Header().Get("Etag")+w.Body.String()] {
					t.Errorf("got %d %.200s, want the whole answer of one state", w.Code, w.Body)
				}
			}
		})
	}
	last := func() bool { return again.set.Load().Learned == l.set.Load().Learned }
	for i := range 3 {
		again.imports(seenCell{oneSite.Position, "654321", "", fmt.Sprint(i + 1)})
		again.SetData(again.first)
	}
	for end := time.Now().Add(time.Minute); !last() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if !last() {
		t.Error("what was imported is not learned")
	}
	stop()
	wg.Wait()
}
