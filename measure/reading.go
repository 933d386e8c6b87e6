package measure

import (
	"slices"
	"time"

	"relais/ingest/cells"
	"relais/ingest/source"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

// A rowReader reads the rows of a file.
type rowReader struct {
	*source.Reader
	format             *format
	kind               Kind
	market             *market.Market
	countries          []int
	zone               *time.Location
	now                time.Time
	first, second      [roles]int
	networks           map[network]network // as rows state them → as resolved
	builder            *builder
	badIDs, firstBadID int // rows with identifiers that were left out, and the line of the first
}

// Reasons why a row is rejected.
const (
	noPosition   = "position unknown"
	outside      = "outside the market"
	foreign      = "network of another country"
	manyNetworks = "too many different networks"
	neighbours   = "a neighbour of the cell that serves"
	badSpeed     = "speed or time out of range"
	noSpeeds     = "no speed"
	nothing      = "nothing measured"
)

// field returns the row's value of a role, nil if the format has no such column.
func (r *rowReader) field(x role) []byte {
	if r.first[x] < 0 {
		return nil
	}
	return r.Field(r.first[x])
}

// radioField is field, but prefers the columns for NR in an NR row.
func (r *rowReader) radioField(x role, g Generation) []byte {
	b := r.field(x)
	if g == 5 && r.second[x] >= 0 && absent(b) {
		return r.Field(r.second[x])
	}
	return b
}

// readRow reads the current row. A reason says why the row is rejected.
func (r *rowReader) readRow() (m row, reason string) {
	if fold.EqualASCII(string(r.field(neighbour)), "true") || fold.EqualASCII(string(r.field(serving)), "false") {
		return m, neighbours
	}
	if reason := r.readPosition(&m); reason != "" {
		return m, reason
	}
	where := r.placeOf()
	if m.time, reason = r.readTime(where); reason != "" {
		return m, reason
	}
	if r.format.only != "" {
		m.technology = technologyOf(r.format.only)
	} else {
		m.technology = technologyOf(string(r.field(tech)))
	}
	m.networkType, m.deviceType = wordOf(networkTypes, r.field(networkType)), wordOf(deviceTypes, r.field(deviceType))
	if reason := r.readSpeeds(&m); reason != "" {
		return m, reason
	}
	r.readRadio(&m)
	if r.readRSCP(&m); r.statesNoService() && m.technology == 0 && m.rsrp == noLevel && m.rsrq == noLevel {
		m.networkType = wordOf(networkTypes, []byte(noService))
	}
	if r.kind == Coverage && m.signal == noLevel && m.rsrp == noLevel && m.rsrq == noLevel && m.snr == noLevel &&
		m.cell == 0 && m.enb == 0 && m.gnb == 0 && networkTypes[m.networkType] != noService {
		return m, nothing
	}
	m.network, reason = r.readNetwork(where) // last: it gives the network a number in the segment
	return m, reason
}

// readTime reads the time, which is that of the place if the table states one.
func (r *rowReader) readTime(where *place) (uint32, string) {
	zone := r.zone
	if where != nil {
		zone = where.zone
	}
	if whole := r.field(wholeTime); !absent(whole) {
		return r.format.clock.parse(whole, nil, zone, r.now)
	}
	var tod []byte
	if r.first[timeOfDay] >= 0 {
		tod = r.field(timeOfDay)
	}
	return r.format.clock.parse(r.field(timestamp), tod, zone, r.now)
}

// readPosition reads the position. Apps write 0, 0 for an unknown one.
func (r *rowReader) readPosition(m *row) string {
	y, ok1 := numberBetween(r.field(lat), 7, -90e7, 90e7)
	x, ok2 := numberBetween(r.field(lng), 7, -180e7, 180e7)
	if !ok1 || !ok2 || x == 0 && y == 0 {
		return noPosition
	}
	m.lat, m.lng = int32(y), int32(x)
	if r.market.HasInventory() && !r.market.Holds(-1, m.position()) {
		return outside
	}
	return ""
}

// readSpeeds reads the values of a speedtest.
func (r *rowReader) readSpeeds(m *row) string {
	m.down, m.mean, m.peak, m.up, m.rtt = noSpeed, noSpeed, noSpeed, noSpeed, noSpeed
	if r.kind != Speedtest {
		return ""
	}
	for _, s := range [...]struct {
		role  role
		to    *int32
		bound int64
	}{{download, &m.down, maxSpeed}, {averageDownload, &m.mean, maxSpeed}, {maxDownload, &m.peak, maxSpeed},
		{upload, &m.up, maxSpeed},
		{rtt, &m.rtt, maxPing}} {
		var ok bool
		if *s.to, ok = speedOf(r.field(s.role), s.bound); !ok {
			return badSpeed
		}
	}
	if r.first[transfer] >= 0 && !r.readTransfer(m) {
		return badSpeed
	}
	if m.down == noSpeed && m.mean == noSpeed && m.peak == noSpeed && m.up == noSpeed {
		return noSpeeds
	}
	return ""
}

// readRadio reads the cell and its levels. Apps write too large identifiers for unknown ones.
func (r *rowReader) readRadio(m *row) {
	g := technologies[m.technology].generation
	m.signal, m.rsrp = levelOf(r.field(signal), lowSignal, highSignal), levelOf(r.radioField(rsrp, g), lowRSRP,
		highRSRP)
	m.rsrq, m.snr = levelOf(r.radioField(rsrq, g), lowRSRQ, highRSRQ), levelOf(r.radioField(snr, g), lowSNR, highSNR)
	if g == 2 || g == 3 { // RSCP and Ec/Io stand in the same columns
		m.rsrp, m.rsrq = noLevel, noLevel
	}
	if !r.readCell(m, g) {
		if r.badIDs++; r.badIDs == 1 {
			r.firstBadID = r.Line()
		}
	}
	m.pci = noPCI
	if p := number(r.field(pci), widestPCI(g)); p > 0 || p == 0 && r.format.zeroPCI {
		m.pci = uint16(p)
	}
}

// readCell reads the identifiers of the cell and its base station. ok is false if one was left out because it is out of
// range, or if two contradict each other.
func (r *rowReader) readCell(m *row, g Generation) (ok bool) {
	id, isCell := cells.Number(r.field(cell))
	if r.format.local && g == 4 {
		id, isCell = cells.LocalECI(r.field(cell), r.field(enb))
	}
	station, isENB := cells.Number(r.field(enb))
	node, isGNB := cells.Number(r.field(gnb))
	isCell = isCell && id <= widest(g) && (g != 4 || id == 0 || id>>site.ECICellBits != 0)
	isENB, isGNB = isENB && station <= cells.MaxENB, isGNB && node <= maxGNB
	if isCell {
		m.cell = id
	}
	if isENB {
		m.enb = uint32(station)
	}
	if isGNB {
		m.gnb = uint32(node)
	}
	if g == 4 && m.cell != 0 && m.enb != 0 && uint64(m.enb) != m.cell>>site.ECICellBits {
		m.cell, m.enb, isCell = 0, 0, false
	}
	return isCell && isENB && isGNB
}

// maxGNB is the largest gNB identifier, which has 22 to 32 bits.
const maxGNB = 1<<32 - 1

// widest returns the largest identifier of a cell of a generation.
func widest(g Generation) uint64 {
	if g == 5 || g == 0 { // what is not stated may be NR
		return cells.MaxNCI
	}
	return cells.MaxECI
}

// widestPCI returns the largest PCI of a generation, -1 for one without PCIs.
func widestPCI(g Generation) int {
	switch g {
	case 2, 3:
		return -1
	case 4:
		return cells.MaxPCI
	}
	return cells.MaxNRPCI
}

// maxCode is the largest mobile country or network code.
const maxCode = 999

// readNetwork reads the measured network.
func (r *rowReader) readNetwork(where *place) (uint16, string) {
	said := network{MCC: number(r.field(mcc), maxCode), MNC: number(r.field(mnc), maxCode)}
	if n, ok := where.networkIn(r.field(operator)); ok {
		said = n
	}
	if b := r.field(plmn); len(b) >= 5 {
		said.MCC, said.MNC = number(b[:3], maxCode), number(trimCode(b[3:]), maxCode)
	}
	if said.MCC < 200 {
		said.MCC = -1
	}
	if r.first[operator] >= 0 && (said.MCC < 0 || said.MNC < 0 || operatorByCode(r.market, said.MCC, said.MNC) < 0) {
		said.Name = networkName(r.field(operator))
	}
	n, ok := r.networks[said]
	if !ok {
		if len(r.networks) >= maxNetworks { // names in the file could otherwise fill the memory
			return 0, manyNetworks
		}
		n = r.resolve(said)
		r.networks[said] = n
	}
	if n.MCC >= 0 && len(r.countries) > 0 && !slices.Contains(r.countries, n.MCC) {
		return 0, foreign
	}
	i, ok := r.builder.number(n)
	if !ok {
		return 0, manyNetworks
	}
	return i, ""
}

func trimCode(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '-' || b[0] == '/') {
		b = b[1:]
	}
	return b
}

// resolve completes a network from the market's table.
func (r *rowReader) resolve(n network) network {
	if n.MCC < 0 && n.MNC >= 0 && len(r.countries) == 1 {
		n.MCC = r.countries[0]
	}
	if operatorByCode(r.market, n.MCC, n.MNC) >= 0 {
		n.Name = ""
		return n
	}
	if i := operatorByName(r.market, n.Name); n.Name != "" && i >= 0 && (n.MCC < 0 || n.MNC < 0) {
		n.infer(&r.market.Operators[i])
	}
	return n
}
