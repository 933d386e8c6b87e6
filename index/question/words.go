package question

import (
	"strings"

	"relais/market"
)

// statuses are the words for the status of an emission, longer ones first.
var statuses = []struct {
	phrase string
	phase  market.Phase
}{
	{"techniquement operationnelles", market.Operational}, {"techniquement operationnelle", market.Operational},
	{"techniquement operationnels", market.Operational}, {"techniquement operationnel", market.Operational},
	{"projet approuve", market.Project}, {"projets approuves", market.Project}, {"en projet", market.Project},
	{"projet", market.Project},
	{"projets", market.Project}, {"a venir", market.Project}, {"planned", market.Project}, {"upcoming", market.Project},
	{"future", market.Project},
	{"project", market.Project}, {"projects", market.Project}, {"prevu", market.Project}, {"prevus", market.Project},
	{"prevue", market.Project},
	{"prevues", market.Project}, {"planifie", market.Project}, {"planifies", market.Project},
	{"planifiee", market.Project}, {"planifiees", market.Project},
	{"en service", market.InService}, {"in service", market.InService}, {"active", market.InService},
	{"actives", market.InService},
	{"actif", market.InService}, {"actifs", market.InService}, {"in betrieb", market.InService},
	{"in dienst", market.InService}, {"in gebruik", market.InService}, {"aktive", market.InService},
	{"aktiven", market.InService}, {"actieve", market.InService},
	{"geplant", market.Project}, {"geplante", market.Project}, {"geplanten", market.Project}, {"gepland", market.Project},
	{"geplande", market.Project}, {"projektiert", market.Project}, {"projektierte", market.Project},
}

// countries are the codes of the markets' countries by their names in several languages.
var countries = func() map[string]string {
	table := map[string]string{}
	for _, m := range market.All {
		for _, name := range m.Names {
			table[name] = m.Country
		}
	}
	return table
}()

// noisePhrases are phrases that say nothing about place or content, longer ones first.
var noisePhrases = phrases(`antennes relais, antenne relais, base stations, base station, cell towers, cell tower, cell sites, cell
	site, ou sont, ou est, ou se trouvent, a proximite de, a proximite, pres de, pres du, pres des, proche de,
	proches de, autour de, autour du, close to, next to, show me, is there, in der nahe von, in der nahe, in der
	umgebung von, rund um, wo sind, wo steht, wo stehen, gibt es, in de buurt van, in de buurt, in de omgeving
	van, waar staan, waar staat, waar zijn, zijn er, gsm masten, gsm mast, was ist, wat is er, what s, what is,
	quoi de, are there, y a t il, je cherche, les plus proches, la plus proche, le plus proche`)

// noiseWords are words that say nothing.
var noiseWords = words(`antenne antennes antenna antennas site sites relais pylone pylones mast masts towers emetteur emetteurs
	telephonie mobile mobiles reseau network couverture coverage operateur operateurs operator operators mhz ghz
	commune city town departement department region province near nearby nearest closest around within dans chez
	pres proche proches autour quelles quels quelle quel which what where show find list liste cherche trouve
	trouver toutes tous all any please svp with avec have has for pour are there is antennen sendemast
	sendemasten funkmast funkmasten mobilfunk mobilfunkantenne mobilfunkantennen mobilfunkanlage
	mobilfunkanlagen sendeanlage sendeanlagen masten basisstation basisstationen basisstations netz abdeckung
	standort standorte welche zeige zeig suche alle nahe bei umgebung zendmast zendmasten zender zenders
	zendantenne zendantennen netwerk dekking toon zoek welke waar zijn dichtbij nabij rond rondom mit fur voor
	met wo sind`)

// links are the words between those of a name, and between a name and what is
// asked for.
var links = words(`a au aux d de des du en et in at of on l la le les the to from and or ou sur sous lez , -
	im am der die das den dem und oder von vom zu zum zur van het te bij op of`)

// leading are the links that never begin a name.
var leading = words(`a au aux d de des du en et in at of on the to from and or ou vers sur , -
	im am der die das den dem und oder von vom zu zum zur van het te bij op`)

// operators are the keys of an operator's name in all markets.
var operators = func() map[string][]string {
	table := map[string][]string{}
	add := func(name, key string) {
		name = strings.Join(strings.Fields(name), " ")
		if name != "" {
			table[name] = appendNew(table[name], key)
		}
	}
	for _, m := range market.All {
		for _, o := range m.Operators {
			if len(o.PLMNs) == 0 { // the name of a group is a word of other questions
				continue
			}
			key := strings.TrimSuffix(strings.ToLower(o.Key), "_"+strings.ToLower(m.Country))
			add(strings.ReplaceAll(key, "_", " "), o.Key)
			for _, name := range append(o.Names(), o.Nicknames()...) {
				add(strings.Join(split(name), " "), o.Key)
			}
		}
	}
	delete(table, "base") // as in "base station"
	return table
}()

func phrases(text string) (list []string) {
	for phrase := range strings.SplitSeq(text, ",") {
		list = append(list, strings.Join(strings.Fields(phrase), " "))
	}
	return list
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
