package site

import "fmt"

// A RadioKind is the kind of a radio identifier.
type RadioKind uint8

// The kinds of radio identifiers.
const (
	ENB  RadioKind = iota // LTE base station, 20 bits
	GNB                   // 5G base station, 22 to 32 bits
	Cell                  // ECI (28 bits) or NCI (36 bits)
	PCI                   // physical cell id, 0 to 1007
	radioKinds
)

// RadioKinds is the number of kinds.
const RadioKinds = int(radioKinds)

// Max returns the largest value of the kind.
func (k RadioKind) Max() uint64 {
	switch k {
	case ENB:
		return 1<<20 - 1
	case GNB:
		return 1<<32 - 1
	case Cell:
		return 1<<36 - 1
	}
	return 1007
}

// String returns "enb", "gnb", "cell" or "pci".
func (k RadioKind) String() string {
	if k >= radioKinds {
		return fmt.Sprintf("RadioKind(%d)", uint8(k))
	}
	return [...]string{"enb", "gnb", "cell", "pci"}[k]
}

// Lengths of identifiers, in bits: an ECI is 20 of eNB and 8 of cell; an NCI is 22 to 32
// of gNB, as the network chose, and the cell.
const (
	ECIBits, ECICellBits   = 28, 8
	NCIBits                = 36
	MinGNBBits, MaxGNBBits = 22, 32
)

// A RadioID is a radio identifier of a site.
type RadioID struct {
	Kind     RadioKind
	Operator int // position in the market's operators
	Value    uint64
	Bits     uint8 // length of a gNB id when the source states it, else 0
	Learned  bool  // from observations of phones; else a source assigns it to the site
}

// OfNCI reports whether an NCI is a cell of the gNB with this identifier. If the
// length of the gNB is not stated, every length is tried, and a match is not certain.
func (r *RadioID) OfNCI(nci uint64) (fits, certain bool) {
	if r.Bits != 0 {
		fits = nci>>(NCIBits-min(int(r.Bits), NCIBits)) == r.Value
		return fits, fits
	}
	for bits := MinGNBBits; bits <= MaxGNBBits; bits++ {
		fits = fits || nci>>(NCIBits-bits) == r.Value
	}
	return fits, false
}
