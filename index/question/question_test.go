package question

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/market"
	"relais/site"
)

// shown formats a question like the tests' tables.
func shown(q Question) string {
	var parts []string
	add := func(name string, value any, has bool) {
		if has {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value))
		}
	}
	add("operators", strings.Join(q.Operators, "|"), len(q.Operators) > 0)
	add("generation", q.Generation, q.Generation != 0)
	add("systems", strings.Join(q.Systems, "|"), len(q.Systems) > 0)
	add("bands", q.Bands, len(q.Bands) > 0)
	add("phase", q.Phase, q.Phase != 0)
	add("country", q.Country, q.Country != "")
	add("plmn", q.PLMN, q.PLMN != "")
	if q.Identifier != nil && q.Identifier.Kind != Any {
		add(string(q.Identifier.Kind), q.Identifier.Value, true)
	}
	add("key", q.Key, q.Key != "")
	if q.Position != nil {
		add("position", *q.Position, true)
	}
	add("here", q.Here, q.Here)
	add("topic", q.Topic, q.Topic != "")
	add("days", q.Days, q.Days > 0)
	add("place", q.Place, q.Place != "")
	return strings.Join(parts, " ")
}

func TestParse(t *testing.T) {
	const orange, free, sfr = "operators=ORANGE|ORANGE_BE|ORANGE_ES", "operators=FREE|FREE_CARAIBES|TELCO_OI", "operators=SFR|SRR"
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Rennes", "place=rennes"},
		{"5G Rennes", "generation=5G place=rennes"},
		{"antenne Orange à Vitré", orange + " place=vitre"},
		{"gare de Rennes", "place=gare de rennes"},
		{"Paris 15e", "place=paris 15e"},
		{"tour Eiffel", "place=tour eiffel"},
		{"Rennes 3500", "bands=[3500] place=rennes"},
		{"3500 à Rennes", "bands=[3500] place=rennes"},
		{"3500", "place=3500"},
		{"planned 5G in Brest", "generation=5G phase=1 place=brest"},
		{"antennes en projet près de Brest", "phase=1 place=brest"},
		{"Rennes, France", "country=FR place=rennes"},
		{"Île-de-France", "place=ile de france"},
		{"5G en Île-de-France", "generation=5G place=ile de france"},
		{"LTE 700 Vitré", "generation=4G systems=lte 700 place=vitre"},
		{"5G NR 3500 Free Mobile à La Rochelle", "operators=FREE generation=5G systems=5g nr 3500 place=la rochelle"},
		{"les antennes 5G de la Rochelle", "generation=5G place=la rochelle"},
		{"Where are the antennas in Rennes?", "place=rennes"},
		{"Rennes 3,5 GHz", "bands=[3500] place=rennes"},
		{"700MHz Lyon 3", "bands=[700] place=lyon 3"},
		{"26 GHz", "bands=[26000]"},
		{"800 rue de la gare Rennes", "place=800 rue de la gare rennes"},
		{"SFR en service Saint-Germain-des-Prés", sfr + " phase=3 place=saint germain des pres"},
		{"Vitry-sur-Seine free", free + " place=vitry sur seine"},
		{"sites Bouygues Telecom et SFR", "operators=BOUYGUES|SFR|SRR"},
		{"Swisscom Bern", "operators=SWISSCOM_CH place=bern"},
		{"oranges", "place=oranges"},
		{"12, rue de l'Église, Vitré", "place=12, rue de l eglise, vitre"},
		{"où sont les antennes 4G ?", "generation=4G"},
		{"\x00\xff", "place=\ufffd"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := shown(Parse(tt.text)); got != tt.want {
				t.Errorf("%q: %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

// Words are the words of the rest, by which sites are searched.
func TestParseWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"gare de Rennes", "gare rennes"},
		{"5G à la place de l'Étoile, Brest", "place etoile brest"},
		{"antennes", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			q := Parse(tt.text)
			if got := strings.Join(q.Words, " "); got != tt.want {
				t.Errorf("words of %q = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// Every operator of the table is found by its label.
func TestParseOperators(t *testing.T) {
	for _, m := range market.All {
		for _, o := range m.Operators {
			if q := Parse("antenne " + o.Label + " Xanadu"); o.Key != "REGIONAL" &&
				(!slices.Contains(q.Operators, o.Key) || q.Place != "xanadu") {
				t.Errorf("%s: operators = %q and place = %q, want one operator only", o.Label, q.Operators, q.Place)
			}
		}
	}
	if q := Parse("5G 3500"); q.Generation != site.G5 || !slices.Equal(q.Systems, []string{"5g nr 3500"}) ||
		q.BareBand || !q.Filters() {
		t.Errorf("wrong question %+v", q)
	}
	if q := Parse("Hasselt 3500"); !q.BareBand {
		t.Errorf("question = %+v, want BareBand for a number that may be a postal code", q)
	}
}

func TestParsePlaces(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Paris 15e", "paris 15; paris 15e"},
		{"Paris 15ème arrondissement", "paris 15; paris 15eme arrondissement"},
		{"Lyon 3", "lyon 03; lyon 3"},
		{"Lyon 3rd district", "lyon 03; lyon 3rd district"},
		{"Rennes, France", "rennes; rennes, france"},
		{"Rennes France", "rennes; rennes france"},
		{"Île-de-France", "ile de france"},
		{"Saint-Denis 974", "saint denis 974"},
		{"saint denis 93200", "saint denis 93200"},
		{"75015", "75015"},
		{"35000 Rennes", "rennes 35000; 35000 rennes"},
		{"", ""},
		{"Paris 1er, France", "paris 01; paris 1er; paris 1er, france"},
		{"Vitré, Ille-et-Vilaine", "vitre, ille et vilaine; vitre ille et vilaine"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := strings.Join(Places(tt.text), "; "); got != tt.want {
				t.Errorf("%q: %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
	for _, tt := range []struct{ text, want string }{
		{"Rennes, France", "FR"},
		{"Bern Switzerland", "CH"},
		{"Hauts-de-France", ""},
		{"France", ""},
		{"Brest", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := Country(tt.text); got != tt.want {
				t.Errorf("country of %q = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestShorter(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"gare de Rennes", "rennes"},
		{"Rennes", ""},
		{"", ""},
		{"tour Eiffel", "eiffel"},
		{"place de la Gare, Vitré", "la gare, vitre; gare, vitre; vitre; place de la gare"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := strings.Join(Shorter(tt.text), "; "); got != tt.want {
				t.Errorf("%q: %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

// What is understood in addition to emissions and places, and words of other languages.
func TestParseMore(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"eNB 28963 Free", "operators=FREE|FREE_CARAIBES|TELCO_OI enb=28963"},
		{"5 rue du Lac 74000 Annecy", "place=5 rue du lac 74000 annecy"},
		{"CC Leclerc cellule 12 Rennes", "place=cc leclerc cellule 12 rennes"},
		{"cellule 12", "cell=12"},
		{"gNodeB:0xFF Orange", "operators=ORANGE|ORANGE_BE|ORANGE_ES gnb=255"},
		{"cell id 7 Salt", "operators=SALT_CH cell=7"},
		{"Zelle 7410001", "cell=7410001"},
		{"pci12", "pci=12"},
		{"TAC 1234", "tac=1234"},
		{"20801 eNB 1234", "operators=ORANGE plmn=20801 enb=1234"},
		{"208 15", "operators=FREE plmn=20815"},
		{"cell towers in Bern", "place=bern"},
		{"eNB 99999999999999999999", "place=enb 99999999999999999999"},
		{"fr-2894812", "key=fr-2894812"},
		{"site 2894812", "key=2894812"},
		{"sites 5G", "generation=5G"},
		{"Orange near 48.11, -1.68", "operators=ORANGE|ORANGE_BE|ORANGE_ES position={48.11 -1.68}"},
		{"autour de moi", "here=true"},
		{"antennes 5G près de chez moi", "generation=5G here=true"},
		{"pannes SFR à Lyon", "operators=SFR|SRR topic=outages place=lyon"},
		{"Störungen Swisscom Bern", "operators=SWISSCOM_CH topic=outages place=bern"},
		{"new sites in Brest this week", "topic=changes days=7 place=brest"},
		{"nieuwe 5G-masten in Gent deze maand", "generation=5G topic=changes days=30 place=gent"},
		{"was ist neu in Bern", "topic=changes place=bern"},
		{"5G en Nouvelle-Aquitaine", "generation=5G place=nouvelle aquitaine"},
		{"nouvelles antennes en Nouvelle-Aquitaine", "topic=changes place=nouvelle aquitaine"},
		{"New Westminster 5G", "generation=5G place=new westminster"},
		{"geplante 5G-Antennen in der Nähe von Bern", "generation=5G phase=1 place=bern"},
		{"zendmasten Proximus Hasselt", "operators=PROXIMUS_BE place=hasselt"},
		{"gsm-masten in dienst te Gent", "phase=3 place=gent"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := shown(Parse(tt.text)); got != tt.want {
				t.Errorf("%q: %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestPostal(t *testing.T) {
	for text, want := range map[string]string{"CH-1200 Genève": "1200 Genève, switzerland", "fr-75001 Paris": "75001 Paris, france",
		"fr-2894812": "", "fr-2894812 Rennes": "", "fr-75001": "", "XX-1000 Rennes": ""} {
		got, ok := Postal(text)
		place, _, _ := strings.Cut(got, ",")
		if without, _, _ := strings.Cut(want, ","); ok != (want != "") || place != without ||
			ok && Country(got) != strings.ToUpper(text[:2]) {
			t.Errorf("%q: got %q, %t, want %q", text, got, ok, want)
		}
	}
}

func TestPosition(t *testing.T) {
	place, minutes := geo.Point{Lat: 48.85, Lng: 2.35}, geo.Point{Lat: 48 + 51.5/60, Lng: 2.35}
	for text, want := range map[string]geo.Point{
		"48.85, 2.35": place, "48,85 2,35": place, "48,85; 2,35": place, "geo:48.85,2.35": place,
		"48.85° N, 2.35° E": place, "E 2.35 N 48.85": place, "48°51.5'N 2°21'E": minutes,
		"N 48 51 30 E 2 21 0": minutes, "48 51 30 2 21 0": minutes, "48.85N 2.35W": {Lat: 48.85, Lng: -2.35},
		"N 48,85 O 2,35": {Lat: 48.85, Lng: -2.35}, "S 21 06 E 55 30": {Lat: -21.1, Lng: 55.5},
		"46°57'N 7°27'O": {Lat: 46.95, Lng: 7.45}, // Bern
		"-21,1 55,5":     {Lat: -21.1, Lng: 55.5}, "48, 2": {Lat: 48, Lng: 2}, "−0.5, 2.5": {Lat: -0.5, Lng: 2.5},
	} {
		got, ok := Position(text)
		if !ok || math.Abs(got.Lat-want.Lat) > 1e-9 || math.Abs(got.Lng-want.Lng) > 1e-9 {
			t.Errorf("%q: got %v, %t, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"75001", "75 001", "91, 2", "48.85, 190", "48 61 0 N 2 0 0 E", "12, rue de la Paix",
		"1,2,3,4,5,6,7", "N 48 N 2", "", strings.Repeat("1.5, ", 1000), "35000 Rennes", "3,5 GHz"} {
		if got, ok := Position(text); ok {
			t.Errorf("%q: got %v, want no position", text, got)
		}
	}
}
