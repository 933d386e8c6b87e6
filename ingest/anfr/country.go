// Package anfr reads the French sources: the weekly observatoire of the ANFR,
// its monthly SUP tables and reference tables, ARCEP's sites, communes and radio
// identifiers. One reading makes the snapshots of FR and DROM. Raw spellings of
// the files live here and nowhere else.
package anfr

import (
	"fmt"
	"unicode/utf8"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/chunked"
	"relais/internal/intern"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Markets are the markets that Build makes.
var Markets = []market.Code{market.FR, market.DROM}

// records are the supports, stations, rows and antennas that were read.
type records struct {
	supports  chunked.List[support]
	supportOf map[uint32]uint32 // sup_id → index in supports of the first of its number
	stations  chunked.List[station]
	stationOf map[stationCode]uint32 // → the first of its code in stations
	rows      chunked.List[row]
	antennas  chunked.List[antenna]
	emitted   map[emittedSystem]bool // what has no bit in antenna.systems
}

// A systemTable is the systems of the rows, by number.
type systemTable struct {
	systems  []string
	ranks    []int // see systemRanks
	systemOf map[string]uint16
}

// texts are the texts of all rows.
type texts struct{ intern.Table }

// An emitterList is the emitters whose frequencies count.
type emitterList struct {
	emitters    []emitter // sorted by number after emittersDone
	lastEmitter int       // the last result of findEmitter
}

// A country collects the files' data in columns and small records, so that memory grows
// with the sites, not with the files.
type country struct {
	targets   []*target
	places    map[string]place // by department as written
	contested map[uint32]bool  // sup_id with several positions
	records
	texts
	emitterList
	// What the row before gave, for rows that repeat it.
	siteBefore    stationSite
	stationBefore struct {
		at     uint32
		reason string
	}
	systemTable
	statusOf   map[string]int8
	updated    string    // the observatoire's date_maj in the format of answers
	named      site.Date // in the observatoire's name
	natures    map[string]string
	owners     map[string]string
	frequency  []uint64          // see bands.go
	communes   map[uint32]string // names by the INSEE codes of supports, which are numbers of texts
	nodes      []node
	leaders    map[uint32]string // operator key by support
	azimuths   azimuthLists
	observed   *source.Report
	onAntennas *source.Report // on SUP_ANTENNE, nil without it

	operatorsOn []uint64 // by support: bits of the operators with emissions there
	crozon      uint64   // bits of the two operators of the Crozon agreement
}

// A target is one of Markets.
type target struct {
	market    *market.Market
	asked     bool
	operators *operators
}

// A place is a department's target and area; reason says why it is not served.
type place struct {
	target, area int
	reason       string
}

type support struct {
	number       uint32
	target, area uint8
	lat, lng     float64
	position     uint64 // hash of the coordinates as written
	// Numbers of texts; height, nature and owner as written: metres, code, code.
	insee, postal, lieu   uint32
	address               [3]uint32
	height, nature, owner uint32
	rows                  int32  // emissions
	first, last           uint32 // of them, indexes in country.rows
	antenna               uint32 // the first of its antennas
	next                  uint32 // another position of the same number
	fixedLink             bool
}

// noNext ends a chain: of positions of a support, of stations with a code, of antennas.
const noNext = ^uint32(0)

type station struct {
	code                      stationCode
	operator                  uint8
	target                    uint8
	antenna                   uint32 // the first of its antennas
	next                      uint32 // another operator with the same code
	siteID                    uint32 // number of a text
	shared                    bool
	implemented, commissioned int32
}

// operatorBit returns the bit of the station's operator.
func (s *station) operatorBit() uint64 { return operatorBit(s.target, s.operator) }

// operatorBit returns the bit of an operator of a target.
func operatorBit(target, operator uint8) uint64 { return 1 << (target*16 + operator) }

// A row is one emission of the observatoire.
type row struct {
	next       uint32 // of the support, which counts them
	station    uint32
	on         int32
	azimuths   uint32 // index in azimuthLists; 0: not stated
	system     uint16
	generation uint8
	status     int8
}

// Build reads the files and returns a snapshot for each of the markets, and a report on
// each file. An observatoire must be among the files.
func Build(files []source.Found, markets []*market.Market, watch source.Watch) ([]*snapshot.Builder, []*source.Report,
	error) {
	c, err := newCountry(markets)
	if err != nil {
		return nil, nil, err
	}
	var reports []*source.Report
	for _, step := range c.steps() {
		for i := range files {
			if f := &files[i]; f.Kind.Name == step.kind {
				report, err := c.read(f, step.row, watch)
				if err != nil {
					return nil, nil, err
				}
				switch step.kind {
				case Observatory:
					c.observed = report
				case kindAntennas:
					c.onAntennas = report
				}
				reports = append(reports, report)
			}
		}
		if step.after != nil {
			if err := step.after(); err != nil {
				return nil, nil, err
			}
		}
	}
	builders, err := c.assemble(files)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range reports {
		r.CountServed()
	}
	return builders, reports, nil
}

func newCountry(markets []*market.Market) (c *country, err error) {
	c = &country{
		places: map[string]place{}, contested: map[uint32]bool{},
		records: records{supportOf: map[uint32]uint32{}, stationOf: map[stationCode]uint32{},
			emitted: map[emittedSystem]bool{}},
		systemTable: systemTable{systemOf: map[string]uint16{}}, statusOf: map[string]int8{},
		leaders: map[uint32]string{}, azimuths: newAzimuthLists(),
	}
	if c.natures, err = embedded("anfr/nature.csv"); err != nil {
		return nil, err
	}
	if c.owners, err = embedded("anfr/owner.csv"); err != nil {
		return nil, err
	}
	for _, code := range Markets {
		t := &target{market: market.Get(code)}
		t.operators = newOperators(t.market)
		for _, m := range markets {
			t.asked = t.asked || m.Code == code
		}
		c.targets = append(c.targets, t)
	}
	return c, nil
}

// A step reads every file of one kind; row returns the reason for rejecting a row, "" if
// it is served.
type step struct {
	kind  string
	row   func(*source.Reader) string
	after func() error
}

// steps lists the kinds in the order of reading: a table comes after those that its rows
// refer to.
func (c *country) steps() []step {
	return []step{
		{kind: kindNatures, row: labelRow(c.natures)},
		{kind: kindOwners, row: labelRow(c.owners)},
		// These two add nothing; they are read so that a complete folder of reference
		// tables can be ingested.
		{kind: kindAntennaTypes, row: labelRow(map[string]string{})},
		{kind: kindLicensees, row: labelRow(map[string]string{})},
		{kind: Observatory, row: c.observatoryRow, after: c.observatoryDone},
		{kind: kindLaPoste, row: c.laPosteRow},
		{kind: kindInsee, row: c.inseeRow},
		{kind: kindSupports, row: c.supportRow},
		{kind: kindStations, row: c.stationRow},
		{kind: kindAntennas, row: c.antennaRow},
		{kind: kindEmitters, row: c.emitterRow, after: c.emittersDone},
		{kind: kindBands, row: c.bandRow, after: c.bandsDone},
		{kind: kindArcepSites, row: c.arcepRow},
		{kind: kindRadioNodes, row: c.nodeRow, after: c.nodesDone},
		{kind: kindLeaders, row: c.leaderRow},
	}
}

func (c *country) read(f *source.Found, row func(*source.Reader) string, watch source.Watch) (*source.Report, error) {
	r, err := f.Read(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for r.NextRow() {
		if reason := row(r); reason != "" {
			r.Reject(reason)
		}
	}
	return r.Done()
}

// maxTexts bounds the bytes of all texts, whose ends are counted in 32 bits.
const maxTexts = 4<<30 - 4*table.MaxRecord // decoding may triple a field

// internText returns the number of a text that many rows have.
func (t *texts) internText(b []byte) uint32 { return t.addText(b, intern.Add) }

// appendText returns the number of a text that few other rows have.
func (t *texts) appendText(b []byte) uint32 { return t.addText(b, intern.Append) }

// addText adds a text. Above maxTexts it adds none, and assemble fails.
func (t *texts) addText(b []byte, add func(*intern.Table, []byte) uint32) uint32 {
	if !utf8.Valid(b) {
		b = []byte(validText(b))
	}
	if t.Size() > maxTexts {
		return 0
	}
	return add(&t.Table, b)
}

// support returns the support of an index.
func (r *records) support(at uint32) *support { return r.supports.At(int(at)) }

// addRow adds a row of a support.
func (r *records) addRow(support uint32, e row) {
	at, s := uint32(r.rows.Len()), r.support(support)
	r.rows.Append(e)
	if s.rows == 0 {
		s.first = at
	} else {
		r.rows.At(int(s.last)).next = at
	}
	s.last = at
	s.rows++
}

// rowsOf appends the rows of a support to a list.
func (r *records) rowsOf(s *support, list []row) []row {
	at := s.first
	for range s.rows {
		e := r.rows.At(int(at))
		list, at = append(list, *e), e.next
	}
	return list
}

// station returns the station of an index.
func (r *records) station(at uint32) *station { return r.stations.At(int(at)) }

// rowStation returns the station that a column of a row names. Rows that follow each other often name the same.
func (c *country) rowStation(r *source.Reader, column int) (at uint32, reason string) {
	if r.Same()>>column&1 == 0 {
		c.stationBefore.at, c.stationBefore.reason = c.findStation(r.Field(column))
	}
	return c.stationBefore.at, c.stationBefore.reason
}

// findStation returns the station with this number.
func (r *records) findStation(field []byte) (at uint32, reason string) {
	code, ok := parseStation(field)
	if !ok {
		return 0, "no station number"
	}
	at, ok = r.stationOf[code]
	if !ok {
		return 0, otherStation
	}
	return at, ""
}

// findSupport returns the support with this number.
func (r *records) findSupport(field []byte) (at uint32, reason string) {
	number, ok := parseWhole(field)
	if !ok {
		return 0, "no support number"
	}
	at, ok = r.supportOf[number]
	if !ok {
		return 0, otherSupport
	}
	return at, ""
}

// observatoryDone checks the observatoire and prepares lookups of the other tables.
func (c *country) observatoryDone() error {
	if c.observed == nil {
		return fmt.Errorf("no observatoire among the files: the other tables only add to it")
	}
	c.settlePositions()
	if c.rows.Len() == 0 {
		if len(c.observed.Examples) == 0 {
			return fmt.Errorf("%s: no rows", c.observed.Path)
		}
		first := c.observed.Examples[0]
		return fmt.Errorf("%s:%d: %s; none of the %d rows is served", c.observed.Path, first.Line, first.Reason,
			c.observed.Rows)
	}
	if c.updated == "" && c.named != 0 {
		c.updated = c.named.String() + "T00:00:00"
	}
	if c.updated == "" {
		return fmt.Errorf("%s: neither the column date_maj nor the file's name says the data's date; name the "+
			"file like observatoire_2026-08-27.csv", c.observed.Path)
	}
	c.operatorsOn = make([]uint64, c.supports.Len())
	var rows []row
	for i, s := range c.supports.All() {
		rows = c.rowsOf(s, rows[:0])
		for _, e := range rows {
			c.operatorsOn[i] |= c.station(e.station).operatorBit()
		}
	}
	for target, t := range c.targets {
		for _, key := range []string{"SFR", "BOUYGUES"} {
			if operator, ok := t.market.Operator(key); ok {
				c.crozon |= operatorBit(uint8(target), uint8(operator))
			}
		}
	}
	return nil
}
