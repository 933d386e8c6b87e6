package measure

import (
	"slices"

	"relais/fold"
)

// A Generation is one of mobile networks: 2 to 5; 0 is not known.
type Generation uint8

// A technology is what a source may call the kind of radio.
type technology struct {
	name       string
	generation Generation
}

// technologies are in the order of their numbers in the files: a new one goes to the
// end. Number 0 is what is not stated.
var technologies = []technology{
	{"", 0}, {"2G", 2}, {"3G", 3}, {"4G", 4}, {"5G", 5},
	{"GSM", 2}, {"GPRS", 2}, {"EDGE", 2}, {"CDMA", 2}, {"IDEN", 2},
	{"UMTS", 3}, {"WCDMA", 3}, {"HSPA", 3}, {"HSPA+", 3}, {"HSDPA", 3}, {"HSUPA", 3}, {"EVDO", 3}, {"TD-SCDMA", 3},
	{"LTE", 4}, {"LTE-A", 4}, {"LTE-CA", 4}, {"LTE+", 4}, {"4G+", 4},
	{"NR", 5}, {"NR NSA", 5}, {"NR SA", 5}, {"5G NSA", 5}, {"5G SA", 5}, {"5G NR", 5}, {"5G+", 5}, {"LTE-M", 4},
	{"NB-IOT", 4},
}

// spellings are other ways to write a technology, and its own without separators.
var spellings = func() map[string]uint8 {
	m := map[string]uint8{"EVDO_0": 16, "EVDO_A": 16, "EVDO_B": 16, "1XRTT": 8}
	for i, t := range technologies[1:] {
		m[plain(t.name)] = uint8(i + 1)
	}
	return m
}()

// plain is a word in capitals without what stands between its parts.
func plain(s string) string {
	b := make([]byte, 0, 16)
	for i := 0; i < len(s) && len(b) < 16; i++ {
		if c := s[i]; c != ' ' && c != '-' && c != '_' {
			b = append(b, c)
		}
	}
	return fold.UpperASCII(string(b))
}

// Technologies returns the generation that a technology belongs to, in any usual
// spelling: 2G, GSM, EDGE, LTE, 4g+, 5G NSA. A generation stands for each of its
// technologies, and each of them for the generation: the measures of one app say 4G
// where those of another say LTE. canonical is how this package spells it. false: it is
// none.
func Technologies(name string) (canonical string, g Generation, ok bool) {
	i := technologyOf(name)
	return technologies[i].name, technologies[i].generation, i > 0
}

// technologyOf returns the number of a technology, 0 when it is none.
func technologyOf(name string) uint8 {
	if len(name) > 16 {
		return 0
	}
	return spellings[plain(name)]
}

// Words that a source may say of a network and of a device, in the order of their
// numbers; others are not kept.
var (
	networkTypes = []string{"", "CELLULAR", "WIFI", "ETHERNET", "VPN", "BLUETOOTH", "OTHER", "UNKNOWN", "NONE"}
	deviceTypes  = []string{"", "phone", "tablet", "router", "modem", "laptop", "desktop", "computer", "watch", "car",
		"probe", "other", "unknown"}
)

func wordOf(list []string, word []byte) uint8 {
	if len(word) == 0 || len(word) > 16 {
		return 0
	}
	s := string(word)
	return uint8(max(0, slices.IndexFunc(list, func(w string) bool { return fold.EqualASCII(w, s) })))
}
