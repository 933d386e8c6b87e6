package snapshot

import (
	"fmt"
	"slices"
	"unsafe"
)

// A ref is the number of a string in the string table; 0 is "".
type ref uint32

// columns are the tables of a snapshot: pointer-free columns of fixed width.
// The children of site i are rows start[i] to start[i+1]-1 of their table.
type columns struct {
	stringEnd []uint32 // where each string ends in text
	text      []byte

	// a row a site
	lat, lng                            []int32 // 1e-7 degrees
	id, nationalCode, sourceCode        []ref
	area                                []uint16 // position in Meta.Areas + 1, 0 when unknown
	commune, communeCode, postalCode    []ref
	place, address1, address2, address3 []ref
	height, antennaHeight               []int32 // millimetres, unknown when noLength
	heightText                          []ref
	natureCode, nature                  []ref
	ownerCode, owner                    []ref
	implemented, commissioned           []int32 // site.Date
	tx, rx                              []ref   // number lists, see list.go
	flags                               []uint8
	crozonLeader                        []ref
	reference                           []ref

	registers []uint8 // bits of site.Site.Registers

	stationStart, emissionStart, radioStart, antennaStart []uint32 // one row more than sites

	// a row a station
	stationCode, operatorSiteID []ref
	stationOperator             []uint8

	// a row an emission
	emissionStation    []uint16 // position among the site's stations
	emissionSystem     []uint16
	emissionGeneration []uint8
	emissionStatus     []uint8
	emissionOn         []int32 // site.Date
	emissionAzimuths   []ref   // number lists
	emissionOrigin     []uint8 // site.Origin of the azimuths

	// a row a radio identifier
	radioKind, radioOperator, radioBits []uint8
	radioValue                          []uint64

	// a row an antenna; numbers in thousandths, unknown when noLength
	antennaEmission                                                     []uint16 // position among the site's emissions
	antennaAzimuth                                                      []int32
	antennaMiddle, antennaPower, antennaTilt, antennaElectrical         []int32
	antennaMiddleIn, antennaPowerIn, antennaTiltIn, antennaElectricalIn []ref // units
	antennaFrequencies                                                  []ref // number lists
}

// Flags of a site.
const (
	flagFixedLink = 1 << iota
	flagSharedRadio
	flagCrozon
	flagsKnown = 1<<iota - 1
)

// noLength is the length that the source does not state.
const noLength = -1 << 31

// A rows value says which table a column belongs to, and so how many rows it has.
type rows uint8

const (
	anyRows rows = iota
	stringRows
	siteRows
	startRows // one more than sites
	stationRows
	emissionRows
	radioRows
	antennaRows
)

// A column binds a section of the file to a slice of columns.
type column struct {
	name string // in error messages and FORMAT.md
	rows rows
	raw  func() []byte
	load func([]byte) error
	len  func() int
	grow func(n int) // makes room for n more rows
	// permute reorders the rows by perm, a list of sites by their old number. The
	// children of site i are the rows start[i] to start[i+1]-1; a nil start says
	// that the rows are the sites themselves.
	permute func(perm, start []uint32)
	refs    func() []ref // nil unless the column refers to strings
}

func bind[T uint8 | uint16 | uint32 | uint64 | int32 | ref](name string, r rows, p *[]T) column {
	width := int(unsafe.Sizeof(T(0)))
	col := column{
		name: name, rows: r,
		len:  func() int { return len(*p) },
		grow: func(n int) { *p = slices.Grow(*p, n) },
		raw: func() []byte {
			if len(*p) == 0 {
				return nil
			}
			return unsafe.Slice((*byte)(unsafe.Pointer(&(*p)[0])), len(*p)*width)
		},
		// The slices that load gets begin at a multiple of eight bytes.
		load: func(b []byte) error {
			if len(b)%width != 0 {
				return fmt.Errorf("column %s has %d bytes, not a multiple of %d", name, len(b), width)
			}
			*p = nil
			if len(b) > 0 {
				*p = unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/width)
			}
			return nil
		},
		permute: func(perm, start []uint32) {
			out := make([]T, 0, len(*p))
			for _, i := range perm {
				if start == nil {
					out = append(out, (*p)[i])
				} else {
					out = append(out, (*p)[start[i]:start[i+1]]...)
				}
			}
			*p = out
		},
	}
	if p, ok := any(p).(*[]ref); ok {
		col.refs = func() []ref { return *p }
	}
	return col
}

// all returns the columns in the order of the file. A column's position in this
// list is the number of its section: a new column goes to the end, with a new
// Version.
func (c *columns) all() []column {
	return []column{
		bind("string.end", stringRows, &c.stringEnd),
		bind("string.text", anyRows, &c.text),
		bind("site.lat", siteRows, &c.lat),
		bind("site.lng", siteRows, &c.lng),
		bind("site.id", siteRows, &c.id),
		bind("site.nationalCode", siteRows, &c.nationalCode),
		bind("site.sourceCode", siteRows, &c.sourceCode),
		bind("site.area", siteRows, &c.area),
		bind("site.commune", siteRows, &c.commune),
		bind("site.communeCode", siteRows, &c.communeCode),
		bind("site.postalCode", siteRows, &c.postalCode),
		bind("site.place", siteRows, &c.place),
		bind("site.address1", siteRows, &c.address1),
		bind("site.address2", siteRows, &c.address2),
		bind("site.address3", siteRows, &c.address3),
		bind("site.height", siteRows, &c.height),
		bind("site.heightText", siteRows, &c.heightText),
		bind("site.natureCode", siteRows, &c.natureCode),
		bind("site.nature", siteRows, &c.nature),
		bind("site.ownerCode", siteRows, &c.ownerCode),
		bind("site.owner", siteRows, &c.owner),
		bind("site.antennaHeight", siteRows, &c.antennaHeight),
		bind("site.implemented", siteRows, &c.implemented),
		bind("site.commissioned", siteRows, &c.commissioned),
		bind("site.tx", siteRows, &c.tx),
		bind("site.rx", siteRows, &c.rx),
		bind("site.flags", siteRows, &c.flags),
		bind("site.crozonLeader", siteRows, &c.crozonLeader),
		bind("site.stationStart", startRows, &c.stationStart),
		bind("site.emissionStart", startRows, &c.emissionStart),
		bind("site.radioStart", startRows, &c.radioStart),
		bind("station.code", stationRows, &c.stationCode),
		bind("station.operator", stationRows, &c.stationOperator),
		bind("station.operatorSiteID", stationRows, &c.operatorSiteID),
		bind("emission.station", emissionRows, &c.emissionStation),
		bind("emission.system", emissionRows, &c.emissionSystem),
		bind("emission.generation", emissionRows, &c.emissionGeneration),
		bind("emission.status", emissionRows, &c.emissionStatus),
		bind("emission.on", emissionRows, &c.emissionOn),
		bind("radio.kind", radioRows, &c.radioKind),
		bind("radio.operator", radioRows, &c.radioOperator),
		bind("radio.bits", radioRows, &c.radioBits),
		bind("radio.value", radioRows, &c.radioValue),
		bind("site.reference", siteRows, &c.reference),
		bind("emission.azimuths", emissionRows, &c.emissionAzimuths),
		bind("emission.origin", emissionRows, &c.emissionOrigin),
		bind("site.registers", siteRows, &c.registers),
		bind("site.antennaStart", startRows, &c.antennaStart),
		bind("antenna.emission", antennaRows, &c.antennaEmission),
		bind("antenna.azimuth", antennaRows, &c.antennaAzimuth),
		bind("antenna.height", antennaRows, &c.antennaMiddle),
		bind("antenna.power", antennaRows, &c.antennaPower),
		bind("antenna.tilt", antennaRows, &c.antennaTilt),
		bind("antenna.electrical", antennaRows, &c.antennaElectrical),
		bind("antenna.heightUnit", antennaRows, &c.antennaMiddleIn),
		bind("antenna.powerUnit", antennaRows, &c.antennaPowerIn),
		bind("antenna.tiltUnit", antennaRows, &c.antennaTiltIn),
		bind("antenna.electricalUnit", antennaRows, &c.antennaElectricalIn),
		bind("antenna.frequencies", antennaRows, &c.antennaFrequencies),
	}
}

// wantRows returns how many rows a column of kind r must have, -1 for any number.
func (c *columns) wantRows(r rows) int {
	switch r {
	case stringRows:
		return len(c.stringEnd)
	case siteRows:
		return len(c.id)
	case startRows:
		return len(c.id) + 1
	case stationRows:
		return len(c.stationCode)
	case emissionRows:
		return len(c.emissionStation)
	case radioRows:
		return len(c.radioKind)
	case antennaRows:
		return len(c.antennaEmission)
	}
	return -1
}
