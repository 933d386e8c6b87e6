package site

import "fmt"

// A RadioKind tells what a radio identifier names.
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

// CellBits is how many bits of an ECI are the cell's own: the others are its eNB's.
const CellBits = 8

// Max is the greatest value that a kind can hold.
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

// A RadioID is a radio identifier of a site.
type RadioID struct {
	Kind     RadioKind
	Operator int // position in the market's operators
	Value    uint64
	Bits     uint8 // length of a gNB id when the source states it, else 0
	Learned  bool  // from where phones saw it; else a source gives it to the site
}
