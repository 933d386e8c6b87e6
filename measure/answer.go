package measure

import (
	"fmt"
	"math"
	"strings"
	"time"

	"relais/ingest/source"
	"relais/market"
)

// since returns the earliest Unix time of a query, 0 for any.
func (q *Query) since() uint32 {
	if q.Since.IsZero() {
		return 0
	}
	t := q.Since.Add(time.Second - 1).Unix()      // measurements have whole seconds
	return uint32(min(max(t, 1), math.MaxUint32)) // 0 is an unknown time
}

// until returns the latest Unix time of a query.
func (q *Query) until() uint32 {
	if q.Until.IsZero() {
		return math.MaxUint32
	}
	return uint32(min(max(q.Until.Add(-1).Unix(), 0), math.MaxUint32))
}

// check returns an error for an invalid query.
func (q *Query) check() error {
	if market.Get(q.Market) == nil {
		return fmt.Errorf("unknown market %q", q.Market)
	}
	if q.Limit < 1 || q.Limit > maxLimit {
		return fmt.Errorf("limit %d is not between 1 and %d", q.Limit, maxLimit)
	}
	return nil
}

// maxLimit bounds the memory of an answer.
const maxLimit = 100_000

// measurement returns the values of a row that both kinds have.
func (s *segment) measurement(r *row) Measurement {
	n := &s.Networks[r.network]
	m := Measurement{ID: idText(r.id(s.Kind, n)), Position: r.position(), MCC: n.MCC, MNC: n.MNC, OperatorName: n.Name,
		Technology: technologies[r.technology].name, NetworkType: networkTypes[r.networkType],
		Radio: Radio{ENB: r.node(), GNB: r.gnb, Cell: r.cell, PCI: -1, RSRP: level(r.rsrp), RSRQ: level(r.rsrq),
			SNR: level(r.snr)}, Edition: s.Campaign.ID}
	if r.time > 0 {
		m.Time = unix(int64(r.time))
	}
	if o := s.operators[r.network]; o >= 0 {
		m.Operator, m.OperatorName = s.table.Operators[o].Key, s.table.Operators[o].Label
	}
	if s.Synthetic {
		m.OperatorName = strings.TrimSpace(source.Synthetic + " " + m.OperatorName)
	}
	if r.pci != noPCI {
		m.Radio.PCI = int(r.pci)
	}
	return m
}

func (s *segment) point(i uint32) Point {
	r := s.columns.row(Coverage, i)
	return Point{Measurement: s.measurement(&r), Signal: level(r.signal)}
}

func (s *segment) test(i uint32) Test {
	r := s.columns.row(Speedtest, i)
	return Test{Measurement: s.measurement(&r), Download: speed(r.down), Average: speed(r.mean), Max: speed(r.peak),
		Upload: speed(r.up), Ping: speed(r.rtt),
		DeviceType: deviceTypes[r.deviceType]}
}
