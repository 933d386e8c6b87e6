package tools

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/market"
	"relais/radio"
	"relais/site"
)

// diagnosed is what radio_diagnose_site says of site 7, and of its first operator.
func diagnosed(t *testing.T, r *Reading, more string) (d Diagnosis, o *OperatorDiagnosis) {
	t.Helper()
	d = radioOf[Diagnosis](t, r, "radio_diagnose_site", `{"siteId":"7"`+more+`}`)
	return d, &d.Operators[0]
}

// said are the identifiers with their givers and counts, in short.
func said(nodes []DiagnosedNode) (list []string) {
	for _, n := range nodes {
		list = append(list, fmt.Sprint(n.Type, " ", n.Value, " ", n.Given, " ", n.All, " ", n.Near))
	}
	return list
}

// Most phones in NR say the gNB and the cell: the site is given both, and each measure is
// one even so.
func TestMeasuresOfAGNBAndItsCell(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome,
		Radio: []site.RadioID{{Kind: site.GNB, Operator: orange, Value: 70000}}}
	emits(&s, orange, "5G NR 3500", site.G5, 2)
	states(&s, 0, 90)
	var rows []radioRow
	for i := range 6 {
		rows = append(rows, radioRow{at: away(radioHome, 100+20*float64(i), 90), operator: orange, tech: "NR",
			gnb: 70000, cell: 70000<<8 | 1, pci: 10})
	}
	// may be of any gNB
	bare := radioRow{at: away(radioHome, 200, 95), operator: orange, tech: "NR", cell: 70000<<8 | 2, pci: 11}
	r := radioReading(t, []site.Site{s}, append(rows, bare))
	_, o := diagnosed(t, r, "")
	if got := said(o.Nodes); !slices.Equal(got, []string{"gnb 70000 source 6 6", "cell 17920002 measures 1 1"}) ||
		o.AllNodes != 2 {
		t.Errorf("got %q of %d, want gnb 70000 of the source, then cell 17920002 of the measures", got, o.AllNodes)
	}
	if g := o.Generation[0]; len(o.Generation) != 1 || g.Generation != "5G" || g.Naming != 7 || g.Near != 7 {
		t.Errorf("got %+v, want len(o.Generation) = 1, Generation = 5G, Naming = 7 and Near = 7", o.Generation)
	}
	m := radioOf[Alignment](t, r, "radio_check_sector_alignment", `{"siteId":"7"}`).Measured
	if m.Looked.Measures != 7 || m.Of != 7 || m.Sample || m.Cells[0].Measures != 6 || m.Cells[1].Measures != 1 ||
		m.Sectors[0].Measures != 7 {
		t.Errorf("got %+v, want all 7 measures in one sector, 6 and 1 of two cells", m)
	}
}

// What a sample of very many measures says of a cell is as much of all, and said to be one.
func TestMeasuresOfACellThatVeryManyName(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome,
		Radio: []site.RadioID{{Kind: site.GNB, Operator: orange, Value: 70000},
			{Kind: site.Cell, Operator: orange, Value: 70000<<8 | 1}}}
	emits(&s, orange, "5G NR 3500", site.G5, 2)
	states(&s, 0, 90)
	var rows []radioRow
	for i := range 800 { // three of four say the cell alone
		x := radioRow{at: away(radioHome, 100+float64(i), float64(i)), operator: orange, tech: "NR", cell: 70000<<8 | 1,
			pci: 10}
		if i%4 == 0 {
			x.gnb = 70000
		}
		rows = append(rows, x)
	}
	d, o := diagnosed(t, radioReading(t, []site.Site{s}, rows), "")
	if len(o.Nodes) != 2 || o.Nodes[0].All != 800 || o.Nodes[1].All != 200 {
		t.Errorf("got %q, want two nodes of 800 and 200", said(o.Nodes))
	}
	if g := o.Generation[0]; len(o.Generation) != 1 || g.Generation != "5G" || g.Naming < 720 || g.Naming > 880 {
		t.Errorf("got %+v, want len(o.Generation) = 1, Generation = 5G, Naming at least 720 and Naming at most 880",
			o.Generation)
	}
	if d.Near.Sample || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "a sample") {
		t.Errorf("got %q, want a note of a sample alone", d.Notes)
	}
	if d, _ = diagnosed(t, radioReading(t, []site.Site{s}, rows[:40]), ""); len(d.Notes) != 0 {
		t.Errorf("of few: %q, want none", d.Notes)
	}
}

// A site may be assigned a cell whose base station has another cell elsewhere.
func TestMeasuresOfACell(t *testing.T) {
	sites := []site.Site{{ID: "7", Position: radioHome}, {ID: "8", Position: away(radioHome, 3000, 0)}}
	for i := range sites {
		emits(&sites[i], orange, "LTE 800", site.G4, 2)
		sites[i].Radio = []site.RadioID{{Kind: site.Cell, Operator: orange, Value: 1009<<8 | uint64(i+1)}}
	}
	var rows []radioRow
	for i := range 5 {
		rows = append(rows, radioRow{at: away(radioHome, 100+400*float64(i), 40), operator: orange, tech: "LTE",
			cell: 1009<<8 | 1, pci: 3})
	}
	_, o := diagnosed(t, radioReading(t, sites, rows), "")
	if got := said(o.Nodes); !slices.Equal(got, []string{"cell 258305 source 5 3", "enb 1009 nobody 5 3"}) {
		t.Errorf("got %q, want cell 258305 of the source, then enb 1009 of nobody, of 5 each", got)
	}
	if g := o.Generation[0]; g.Generation != "4G" || g.Naming != 5 || g.Near != 3 {
		t.Errorf("got %+v, want Generation = 4G, Naming = 5 and Near = 3", g)
	}
}

// An NCI equal to the eNB's number is not a cell of that eNB, nor is the eNB one of NR.
func TestNodeThatIsACellsNumber(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome, Radio: []site.RadioID{{Kind: site.ENB, Operator: orange, Value: 1009}}}
	emits(&s, orange, "LTE 800", site.G4, 2)
	_, o := diagnosed(t, radioReading(t, []site.Site{s},
		[]radioRow{{at: away(radioHome, 2000, 0), operator: orange, tech: "NR", enb: 1009, cell: 1009, pci: 3}}), "")
	if len(o.Generation) != 1 || o.Generation[0].Generation != "4G" || o.Generation[0].Naming != 1 ||
		len(o.Undeclared) > 0 || len(o.Unmeasured) > 0 {
		t.Errorf("got %+v, want len(o.Generation) = 1, Generation = 4G, Naming = 1, no Undeclared and no Unmeasured",
			o)
	}
}

// Measures that state no technology are measures.
func TestMeasuresWithoutATechnology(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	d, o := diagnosed(t, radioReading(t, []site.Site{s}, []radioRow{
		{at: away(radioHome, 500, 0), operator: orange, enb: 2000}, {at: away(radioHome, 600, 0), operator: orange}}),
		"")
	if len(d.Notes) != 0 || !slices.Equal(said(o.Nodes), []string{"enb 2000 nobody 1 1"}) {
		t.Errorf("got %q, %q, want none and %q", d.Notes, said(o.Nodes), []string{"enb 2000 nobody 1 1"})
	}
}

// Of more base stations than are compared, the others are the site's no less.
func TestManyNodes(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	for i := range 20 {
		s.Radio = append(s.Radio, site.RadioID{Kind: site.ENB, Operator: orange, Value: uint64(5000 + i)})
	}
	_, o := diagnosed(t, radioReading(t, []site.Site{s},
		[]radioRow{{at: away(radioHome, 500, 0), operator: orange, tech: "LTE", enb: 5019}}), `,"limit":20`)
	if got := said(o.Nodes); len(got) != maxNodes+1 || got[maxNodes] != "enb 5019 source 1 1" {
		t.Errorf("got %q, want %d nodes and enb 5019 last", got, maxNodes+1)
	}
}

// Operators share what is compared of their PCIs; two sites on one spot have no direction
// from each other; the least and the greatest PCI are PCIs.
func TestCollisionsAtTheEdges(t *testing.T) {
	sites := []site.Site{{ID: "7", Position: radioHome}, {ID: "8", Position: radioHome},
		{ID: "9", Position: away(radioHome, 4999, 359.98)}, {ID: "10", Position: away(radioHome, 5001, 0)}}
	for i := range sites {
		emits(&sites[i], sfr, "LTE 800", site.G4, 2)
		emits(&sites[i], orange, "LTE 800", site.G4, 2)
	}
	pci := func(at, operator int, values ...uint64) {
		for _, v := range values {
			sites[at].Radio = append(sites[at].Radio, site.RadioID{Kind: site.PCI, Operator: operator, Value: v})
		}
	}
	for v := range uint64(60) {
		pci(0, sfr, 300+v)
	}
	pci(0, orange, 0, 1007)
	pci(1, orange, 1007, 2) // equal and, as 1007 is 2 modulo 3, another
	pci(2, orange, 0, 503)  // equal, and 503 is 2 modulo 3
	pci(2, free, 0)
	pci(3, orange, 0)
	d := mustCall(t, radioReading(t, sites, nil), "radio_diagnose_site", `{"siteId":"7"}`)["pciClashes"].(object)
	wantMembers(t, d, object{"pcisOfSite": 62.0, "neighbours": 2.0, "equal": 2.0, "mod3": 2.0}, "collisions")
	var got []string
	for _, c := range d["list"].([]any) {
		o := c.(object)
		got = append(got, strings.TrimSuffix(fmt.Sprintln(o["kind"], o["pci"], o["neighbour"], o["neighbourPci"],
			o["distanceMeters"], o["bearingDegrees"]), "\n"))
	}
	if want := []string{"equal 1007 fr-8 1007 0 <nil>", "equal 0 fr-9 0 4999 0", "mod3 1007 fr-8 2 0 <nil>",
		"mod3 1007 fr-9 503 4999 0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A position on the site itself has no direction from it.
func TestPositionOfTheSite(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	states(&s, 0, 10)
	r := radioReading(t, []site.Site{s}, nil)
	at := fmt.Sprintf(`"lat":%v,"lon":%v`, radioHome.Lat, radioHome.Lng)
	p := mustCall(t, r, "radio_check_sector_alignment", `{"siteId":"7",`+at+`}`)["position"].(object)
	c := mustCall(t, r, "radio_profile_estimate", `{`+at+`}`)["items"].([]any)[0].(object)
	if p["distanceMeters"] != 0.0 || p["bearingDegrees"] != nil || p["nearestSector"] != nil ||
		c["distanceMeters"] != 0.0 || c["bearingDegrees"] != nil {
		t.Errorf("got %v, %v, want 0 m without a direction", p, c)
	}
}

// points are those of a part.
func (c *Candidate) points(part radio.PartName) float64 {
	for _, p := range c.Parts {
		if p.Name == part {
			return p.Points
		}
	}
	return math.NaN()
}

// Of many sites with the PCI, the nearest are scored, whatever their order in the register.
func TestProfileOfTheNearestWithThePCI(t *testing.T) {
	random := rand.New(rand.NewPCG(91, 92))
	var sites []site.Site
	for i := range 140 {
		s := site.Site{ID: fmt.Sprint(i), Position: away(radioHome, 300*random.Float64(), 360*random.Float64())}
		if i >= nearestSites {
			s.Position = away(radioHome, 1000+20000*random.Float64(), 360*random.Float64())
			s.Radio = []site.RadioID{{Kind: site.PCI, Operator: orange, Value: 7}}
		}
		emits(&s, orange, "LTE 800", site.G4, 2)
		sites = append(sites, s)
	}
	var want []string
	slices.SortFunc(sites, func(a, b site.Site) int {
		return cmp.Compare(apart(radioHome, a.Position), apart(radioHome, b.Position))
	})
	for _, s := range sites[nearestSites : nearestSites+50] {
		want = append(want, "fr-"+s.ID)
	}
	r := radioReading(t, sites, nil)
	arguments := fmt.Sprintf(`{"lat":%v,"lon":%v,"pci":7,"radiusKm":30`, radioHome.Lat, radioHome.Lng)
	var got []string
	for offset := 0; ; {
		page := radioOf[Profile](t, r, "radio_profile_estimate",
			fmt.Sprintf(`%s,"limit":20,"offset":%d}`, arguments, offset))
		if page.Considered != 70 || page.Total != 70 {
			t.Fatalf("got %d of %d, want 70 and 70", page.Total, page.Considered)
		}
		for _, c := range page.Items {
			if c.points(radio.PCI) > 0 {
				got = append(got, c.SiteKey)
			}
		}
		if page.NextOffset == nil {
			break
		}
		offset = *page.NextOffset
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if first := radioOf[Profile](t, r, "radio_profile_estimate", arguments+`}`); len(first.Items) != 10 ||
		!first.Truncated {
		t.Errorf("got %d items, truncated %v, want 10 and more to come", len(first.Items), first.Truncated)
	}
}

// Lists have ten items unless more are asked for.
func TestRadioLimits(t *testing.T) {
	for _, tool := range radioTools {
		for _, p := range tool.Params {
			if p.Name == "limit" && p.Default != "10" {
				t.Errorf("%s: got a limit of %s, want 10", tool.Name, p.Default)
			}
		}
	}
}

// Measures of networks of no operator are counted and nothing else said of them; a
// register that is not loaded has no count of sites.
func TestNothingInvented(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome}
	emits(&s, orange, "LTE 800", site.G4, 2)
	r := radioReading(t, []site.Site{s},
		[]radioRow{{at: radioHome, operator: 4, tech: "LTE", enb: 7}, {at: radioHome, operator: 4, tech: "NR"},
			{at: radioHome, operator: orange}})
	fr := mustCall(t, r, "markets_compare_coverage", `{}`)["markets"].([]any)[0].(object)
	if fmt.Sprint(fr["otherNetworks"]) != "map[coveragePoints:2 speedtests:0]" ||
		fr["coveragePoints"].(object)["count"] != 3.0 {
		t.Errorf("got %v, want otherNetworks = map[coveragePoints:2 speedtests:0] and count = 3.0", fr)
	}
	for _, m := range mustCall(t, r, "capabilities_guide", `{}`)["markets"].([]any) {
		if o := m.(object); o["market"] == string(market.FR) && o["sites"] != 1.0 || o["market"] != string(market.FR) &&
			o["sites"] != nil {
			t.Errorf("got %v, want one site in FR and no count elsewhere", o)
		}
	}
}

// An emission without a generation may be of any. Then a measured generation does not
// contradict the register, and an unmeasured one is not a gap.
func TestGenerationsThatARegisterDoesNotState(t *testing.T) {
	s := site.Site{ID: "7", Position: radioHome, Radio: []site.RadioID{{Kind: site.ENB, Operator: orange, Value: 1009}}}
	emits(&s, orange, "", 0, 2)
	emits(&s, sfr, "LTE 800", site.G4, 2)
	r := radioReading(t, []site.Site{s}, []radioRow{
		{at: away(radioHome, 500, 0), operator: orange, tech: "LTE", enb: 1009},
		{at: away(radioHome, 500, 9), operator: orange, tech: "GSM"},
		{at: away(radioHome, 500, 18), operator: sfr, tech: "GSM"}})
	d, _ := diagnosed(t, r, "")
	for i, want := range []string{"[2G no 0 1 4G inOperation 0 0] [4G] [] [2G]",
		"[2G notStated 0 1 4G notStated 1 1] [] [] []"} {
		o := d.Operators[i]
		var list []any
		for _, g := range o.Generation {
			list = append(list, g.Generation, g.Declared, g.Naming, g.Near)
		}
		if got := fmt.Sprint(list, " ", o.Unmeasured, " ", o.Undeclared, " ", o.MaybeOther); got != want {
			t.Errorf("%s: %s, want %s", o.Operator, got, want)
		}
	}
	c := radioOf[Profile](t, r, "radio_profile_estimate", `{"node":1009,"technology":"LTE"}`).Items[0]
	if c.points(radio.Technology) != 0 || c.Parts[1].Why != "ORANGE leaves open whether it has 4G" {
		t.Errorf("got %+v, want no points, ORANGE leaving open whether it has 4G", c.Parts)
	}
}
