package measure

import (
	"slices"

	"relais/internal/fold"
)

// A Generation is a generation of mobile networks, 2 to 5. 0 is unknown.
type Generation uint8

// A technology is a name that sources use for a kind of radio.
type technology struct {
	name       string
	generation Generation
}

// technologies are in the order of their numbers in files: a new one goes to the end. Number
// 0 stands for a technology that is not stated.
var technologies = []technology{
	{"", 0}, {"2G", 2}, {"3G", 3}, {"4G", 4}, {"5G", 5},
	{"GSM", 2}, {"GPRS", 2}, {"EDGE", 2}, {"CDMA", 2}, {"IDEN", 2},
	{"UMTS", 3}, {"WCDMA", 3}, {"HSPA", 3}, {"HSPA+", 3}, {"HSDPA", 3}, {"HSUPA", 3}, {"EVDO", 3}, {"TD-SCDMA", 3},
	{"LTE", 4}, {"LTE-A", 4}, {"LTE-CA", 4}, {"LTE+", 4}, {"4G+", 4},
	{"NR", 5}, {"NR NSA", 5}, {"NR SA", 5}, {"5G NSA", 5}, {"5G SA", 5}, {"5G NR", 5}, {"5G+", 5}, {"LTE-M", 4},
	{"NB-IOT", 4},
}

// spellings have the numbers of technologies by their normalized names.
var spellings = func() map[string]uint8 {
	m := map[string]uint8{"EVDO_0": 16, "EVDO_A": 16, "EVDO_B": 16, "1XRTT": 8}
	for i, t := range technologies[1:] {
		m[normalize(t.name)] = uint8(i + 1)
	}
	return m
}()

// normalize returns a word in capitals without separators.
func normalize(s string) string {
	b := make([]byte, 0, 16)
	for i := 0; i < len(s) && len(b) < 16; i++ {
		if c := s[i]; c != ' ' && c != '-' && c != '_' {
			b = append(b, c)
		}
	}
	return fold.UpperASCII(string(b))
}

// Technologies returns the generation of a technology in any usual spelling: 2G, GSM, EDGE,
// LTE, 4g+, 5G NSA. A query for a technology selects its whole generation, since one app
// writes 4G where another writes LTE. canonical is the spelling of this package. ok is false
// for an unknown technology.
func Technologies(name string) (canonical string, g Generation, ok bool) {
	i := technologyOf(name)
	return technologies[i].name, technologies[i].generation, i > 0
}

// technologyOf returns the number of a technology, 0 for an unknown one.
func technologyOf(name string) uint8 {
	if len(name) > 16 {
		return 0
	}
	return spellings[normalize(name)]
}

// Words for types of networks and devices, in the order of their numbers. Other words are not
// kept.
var (
	networkTypes = []string{"", "CELLULAR", "WIFI", "ETHERNET", "VPN", "BLUETOOTH", "OTHER", "UNKNOWN", "NONE", noService}
	deviceTypes  = []string{"", "phone", "tablet", "router", "modem", "laptop", "desktop", "computer", "watch", "car",
		"probe", "other", "unknown"}
)

// noService is the network type of a point at which a phone found no network.
const noService = "NO_SERVICE"

// NoService reports whether a phone found no network.
func (m *Measurement) NoService() bool { return m.NetworkType == noService }

func wordOf(list []string, word []byte) uint8 {
	if len(word) == 0 || len(word) > 16 {
		return 0
	}
	s := string(word)
	return uint8(max(0, slices.IndexFunc(list, func(w string) bool { return fold.EqualASCII(w, s) })))
}
