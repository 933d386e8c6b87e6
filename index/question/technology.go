package question

import (
	"strconv"
	"strings"

	"relais/site"
)

// technologies are the words for a generation.
var technologies = map[string]site.Generation{
	"2g": site.G2, "gsm": site.G2, "3g": site.G3, "umts": site.G3, "wcdma": site.G3, "4g": site.G4, "lte": site.G4,
	"4g+": site.G4,
	"5g":  site.G5, "nr": site.G5, "5g+": site.G5,
}

// systems are the prefixes of the registers' names of systems.
var systems = map[site.Generation]string{site.G2: "gsm", site.G3: "umts", site.G4: "lte", site.G5: "5g nr"}

// bands are those in MHz, by their usual names.
var bands = map[string]bool{
	"450": true, "600": true, "700": true, "800": true, "850": true, "900": true, "1400": true, "1500": true,
	"1700": true, "1800": true, "1900": true,
	"2100": true, "2300": true, "2600": true, "3500": true, "3700": true, "3800": true, "26000": true,
}

// technology reads a technology and its band: 5G, LTE 700, 3.5 GHz, 700 MHz.
func (s *scan) technology() int {
	n, generation := 0, site.Generation(0)
	for n < len(s.words) && technologies[s.words[n]] != 0 &&
		(generation == 0 || technologies[s.words[n]] == generation) { // 5G NR
		generation = technologies[s.words[n]]
		n++
	}
	if n > 0 {
		s.q.Generation = generation
	}
	band, length := bandOf(s.words[n:], n > 0)
	switch {
	case band == 0:
	case n > 0:
		s.q.Systems = appendNew(s.q.Systems, systems[generation]+" "+strconv.Itoa(band))
	default:
		s.q.Bands = appendNew(s.q.Bands, band)
	}
	return n + length
}

// bandOf reads a band in MHz: a number with its unit, or, after a technology, without.
func bandOf(words []string, after bool) (band, length int) {
	if len(words) == 0 {
		return 0, 0
	}
	number, unit, length := words[0], "", 1
	for _, u := range []string{"mhz", "ghz"} {
		if short, ok := strings.CutSuffix(number, u); ok {
			number, unit = short, u
		} else if len(words) > 1 && words[1] == u {
			unit, length = u, 2
		}
	}
	if unit == "ghz" {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || x <= 0 || x > 100 {
			return 0, 0
		}
		number = strconv.Itoa(int(x*1000 + 0.5))
	}
	if unit == "" && !(after && bands[number]) {
		return 0, 0
	}
	band, err := strconv.Atoi(number)
	if err != nil || band <= 0 {
		return 0, 0
	}
	return band, length
}

// band reads a number of the rest as a band, if it is one and a name stands next to it.
func (s *scan) band() {
	at, names := -1, 0
	for i, word := range s.kept {
		switch {
		case bands[word]:
			at = i
		case !links[word]:
			names++
		}
	}
	if at < 0 || names == 0 || len(s.q.Bands)+len(s.q.Systems) > 0 {
		return
	}
	// In other positions a number is that of a house.
	if at != len(s.kept)-1 && (at != 0 || len(s.kept) > 2 && !links[s.kept[1]]) {
		return
	}
	band, _ := strconv.Atoi(s.kept[at])
	s.q.Bands, s.q.BareBand = []int{band}, true
	s.kept = append(append([]string{}, s.kept[:at]...), s.kept[at+1:]...)
}
