package anfr

import (
	"slices"
	"sort"

	"relais/ingest/source"
	"relais/ingest/table"
)

// Columns of SUP_BANDE.
const (
	banEmitter = iota
	banFrom
	banTo
	banUnit
)

var bandColumns = []table.Column{
	{Name: "EMR_ID", Required: true}, {Name: "BAN_NB_F_DEB", Required: true}, {Name: "BAN_NB_F_FIN", Required: true},
	{Name: "BAN_FG_UNITE", Required: true}, {Name: "STA_NM_ANFR"}, {Name: "BAN_ID"},
}

// A frequency is kept as one number: the support, whether it is received, and
// the centre in Hz.
const (
	hertzBits   = 37 // up to 137 GHz
	receivedBit = 1 << hertzBits
	hertzMask   = receivedBit - 1
)

// uplink lists, in MHz, the halves of the French paired bands in which phones transmit and
// the site receives. The register does not state the direction of a band. All others are
// listed as transmitted, including bands of time division, which have both directions.
var uplink = [][2]uint64{{703, 748}, {832, 862}, {880, 915}, {1710, 1785}, {1920, 1980}, {2500, 2570}}

func (c *country) bandRow(r *source.Reader) string {
	number, ok := parseWhole(r.Field(banEmitter))
	if !ok {
		return "no emitter number"
	}
	sup, ok := c.findEmitter(number)
	if !ok {
		return otherEmitter
	}
	hertz, ok := centreFrequency(r.Field(banFrom), r.Field(banTo), r.Field(banUnit))
	if !ok {
		return "no frequency"
	}
	f := uint64(sup)<<(hertzBits+1) | hertz
	for _, half := range uplink {
		if half[0]*1e6 <= hertz && hertz <= half[1]*1e6 {
			f |= receivedBit
		}
	}
	// Neighbouring rows repeat the few bands of one support.
	for i := len(c.frequency) - 1; i >= 0 && i >= len(c.frequency)-48; i-- {
		if c.frequency[i] == f {
			return ""
		}
	}
	c.frequency = append(c.frequency, f)
	return ""
}

// bandsDone gives back what only bands search.
func (l *emitterList) bandsDone() error {
	l.emitters = nil
	return nil
}

// findEmitter returns the support of an emitter. It tries the emitters after the last one
// first: bands are sorted like their emitters.
func (l *emitterList) findEmitter(number uint32) (support uint32, ok bool) {
	for at := l.lastEmitter; at < len(l.emitters) && at < l.lastEmitter+3; at++ {
		if l.emitters[at].number == number {
			l.lastEmitter = at
			return l.emitters[at].support, true
		}
	}
	at := sort.Search(len(l.emitters), func(i int) bool { return l.emitters[i].number >= number })
	if at == len(l.emitters) || l.emitters[at].number != number {
		return 0, false
	}
	l.lastEmitter = at
	return l.emitters[at].support, true
}

// centreFrequency returns the centre of a band in Hz.
func centreFrequency(from, to, unit []byte) (uint64, bool) {
	digits := 0
	switch string(unit) {
	case "K":
		digits = 3
	case "M":
		digits = 6
	case "G":
		digits = 9
	default:
		return 0, false
	}
	a, ok1 := parseFixed(from, digits)
	b, ok2 := parseFixed(to, digits)
	if !ok1 || !ok2 || a <= 0 || b < a || b > hertzMask {
		return 0, false
	}
	return uint64(a+b) / 2, true
}

// cutFrequencies returns the frequencies of a support, which begin the sorted list, and
// the rest of the list.
func cutFrequencies(list []uint64, support uint32) (tx, rx, rest []uint64) {
	for len(list) > 0 && list[0]>>(hertzBits+1) == uint64(support) {
		if f := list[0]; f&receivedBit != 0 {
			rx = append(rx, f&hertzMask)
		} else {
			tx = append(tx, f&hertzMask)
		}
		list = list[1:]
	}
	return tx, rx, list
}

func sortFrequencies(list []uint64) []uint64 {
	slices.Sort(list)
	return slices.Compact(list)
}
