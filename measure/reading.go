package measure

import (
	"time"

	"relais/fold"
	"relais/ingest/cells"
	"relais/ingest/source"
	"relais/market"
	"relais/site"
)

// A reading is a file that is read.
type reading struct {
	*source.Reader
	format        *format
	kind          Kind
	market        *market.Market
	countries     []int
	zone          *time.Location
	now           time.Time
	first, second [roles]int
	networks      map[network]network // what was made of what rows say
	builder       *builder
}

// Reasons about what is measured, where and by whom.
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

// field returns what the row says in a role, nil when the format has no such column.
func (r *reading) field(x role) []byte {
	if r.first[x] < 0 {
		return nil
	}
	return r.Field(r.first[x])
}

// radioField is field, but for NR where its columns are others.
func (r *reading) radioField(x role, g Generation) []byte {
	b := r.field(x)
	if g == 5 && r.second[x] >= 0 && absent(b) {
		return r.Field(r.second[x])
	}
	return b
}

// row reads the current row; a reason says why it does not count.
func (r *reading) row() (m row, reason string) {
	if fold.EqualASCII(string(r.field(neighbour)), "true") || fold.EqualASCII(string(r.field(serving)), "false") {
		return m, neighbours
	}
	if reason := r.place(&m); reason != "" {
		return m, reason
	}
	var tod []byte
	if r.first[timeOfDay] >= 0 {
		tod = r.field(timeOfDay)
	}
	if m.time, reason = r.format.clock.moment(r.field(when), tod, r.zone, r.now); reason != "" {
		return m, reason
	}
	if r.format.only != "" {
		m.technology = technologyOf(r.format.only)
	} else {
		m.technology = technologyOf(string(r.field(tech)))
	}
	m.networkType, m.deviceType = wordOf(networkTypes, r.field(networkType)), wordOf(deviceTypes, r.field(deviceType))
	if reason := r.speeds(&m); reason != "" {
		return m, reason
	}
	r.radio(&m)
	if r.kind == Coverage && m.signal == noLevel && m.rsrp == noLevel && m.rsrq == noLevel && m.snr == noLevel &&
		m.cell == 0 && m.enb == 0 && m.gnb == 0 {
		return m, nothing
	}
	m.network, reason = r.network()
	return m, reason
}

// place reads the position. The point 0, 0 in the Gulf of Guinea stands for one that is
// not known.
func (r *reading) place(m *row) string {
	y, ok1 := between(r.field(lat), 7, -90e7, 90e7)
	x, ok2 := between(r.field(lng), 7, -180e7, 180e7)
	if !ok1 || !ok2 || x == 0 && y == 0 {
		return noPosition
	}
	m.lat, m.lng = int32(y), int32(x)
	if r.market.HasInventory() && !r.market.Holds(-1, m.position()) {
		return outside
	}
	return ""
}

// speeds reads what a speedtest measures.
func (r *reading) speeds(m *row) string {
	m.down, m.mean, m.most, m.up, m.rtt = noSpeed, noSpeed, noSpeed, noSpeed, noSpeed
	if r.kind != Speedtest {
		return ""
	}
	for _, s := range [...]struct {
		role  role
		to    *int32
		bound int64
	}{{down, &m.down, maxSpeed}, {mean, &m.mean, maxSpeed}, {most, &m.most, maxSpeed}, {up, &m.up, maxSpeed},
		{rtt, &m.rtt, maxPing}} {
		var ok bool
		if *s.to, ok = speedOf(r.field(s.role), s.bound); !ok {
			return badSpeed
		}
	}
	if m.down == noSpeed && m.mean == noSpeed && m.most == noSpeed && m.up == noSpeed {
		return noSpeeds
	}
	return ""
}

// radio reads the cell and its levels. An identifier out of its width is one that the
// app does not know.
func (r *reading) radio(m *row) {
	g := technologies[m.technology].generation
	m.signal, m.rsrp = levelOf(r.field(signal), lowSignal, highSignal), levelOf(r.radioField(rsrp, g), lowRSRP,
		highRSRP)
	m.rsrq, m.snr = levelOf(r.radioField(rsrq, g), lowRSRQ, highRSRQ), levelOf(r.radioField(snr, g), lowSNR, highSNR)
	if g == 2 || g == 3 { // RSCP and Ec/Io stand in the same columns
		m.rsrp, m.rsrq = noLevel, noLevel
	}
	m.cell = within(r.field(cell), widest(g))
	m.enb, m.gnb = uint32(within(r.field(enb), cells.MaxENB)), uint32(within(r.field(gnb), maxGNB))
	if g == 4 && m.cell != 0 && m.cell>>site.ECICellBits == 0 {
		m.cell = 0
	}
	if g == 4 && m.cell != 0 && m.enb != 0 && uint64(m.enb) != m.cell>>site.ECICellBits {
		m.cell, m.enb = 0, 0 // one of them is of another cell, and nobody knows which
	}
	m.pci = noPCI
	if p := number(r.field(pci), widestPCI(g)); p > 0 || p == 0 && r.format.zeroPCI {
		m.pci = uint16(p)
	}
}

// maxGNB is the greatest base station of NR, whose identifier has 22 to 32 bits.
const maxGNB = 1<<32 - 1

// widest is the greatest identifier of a cell.
func widest(g Generation) uint64 {
	if g == 5 || g == 0 { // what is not stated may be NR
		return cells.MaxNCI
	}
	return cells.MaxECI
}

// widestPCI is the greatest physical cell id, -1 where there is none.
func widestPCI(g Generation) int {
	switch g {
	case 2, 3:
		return -1
	case 4:
		return cells.MaxPCI
	}
	return cells.MaxNRPCI
}

func within(b []byte, most uint64) uint64 {
	n, ok := cells.Number(b)
	if !ok || n > most {
		return 0
	}
	return n
}

// maxCode is the greatest code of a country or network.
const maxCode = 999

// network reads which network was measured.
func (r *reading) network() (uint16, string) {
	said := network{MCC: number(r.field(mcc), maxCode), MNC: number(r.field(mnc), maxCode)}
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
		if len(r.networks) >= maxNetworks {
			return 0, manyNetworks
		}
		n = r.resolve(said)
		r.networks[said] = n
	}
	if n.MCC >= 0 && len(r.countries) > 0 && !contains(r.countries, n.MCC) {
		return 0, foreign
	}
	i, ok := r.builder.number(n)
	if !ok {
		return 0, manyNetworks
	}
	return i, ""
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

func trimCode(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '-' || b[0] == '/') {
		b = b[1:]
	}
	return b
}

// resolve adds to what a row says what follows from it by the market's table.
func (r *reading) resolve(n network) network {
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
