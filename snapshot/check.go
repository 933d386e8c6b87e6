package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"relais/market"
	"relais/site"
)

// check returns an error for a file that would lead a later access out of bounds.
func (s *Snapshot) check() error {
	for _, col := range s.all() {
		if want := s.wantRows(col.rows); want >= 0 && col.len() != want {
			return fmt.Errorf("column %s has %d rows, want %d", col.name, col.len(), want)
		}
	}
	if len(s.Statuses) >= math.MaxUint8 || len(s.Systems) > math.MaxUint16 {
		return fmt.Errorf("%d statuses, %d systems", len(s.Statuses), len(s.Systems))
	}
	if site.ParseDate([]byte(s.SourceDate)).String() != s.SourceDate || s.SourceDate == "" {
		return fmt.Errorf("source date %q", s.SourceDate)
	}
	if err := s.checkStrings(); err != nil {
		return err
	}
	if err := s.checkSites(); err != nil {
		return err
	}
	return s.checkChildren()
}

// checkMarket returns an error unless the snapshot was written with the current
// table of its market: operators, statuses and areas are stored by their position
// in it.
func (s *Snapshot) checkMarket() error {
	m := market.Get(s.Market)
	if m == nil {
		return fmt.Errorf("market %q: %w", s.Market, ErrVersion)
	}
	if !slices.Equal(s.Operators, m.OperatorKeys()) {
		return fmt.Errorf("the operators of %s have changed: %w", s.Market, ErrVersion)
	}
	sameStatus := func(name string, st market.Status) bool { return name == st.Name }
	if len(m.Statuses) > 0 && !slices.EqualFunc(s.Statuses, m.Statuses, sameStatus) {
		return fmt.Errorf("the statuses of %s have changed: %w", s.Market, ErrVersion)
	}
	sameArea := func(code string, a market.Area) bool { return code == a.Code }
	if !slices.EqualFunc(s.Areas, m.Areas, sameArea) {
		return fmt.Errorf("the areas of %s have changed: %w", s.Market, ErrVersion)
	}
	return nil
}

func (s *Snapshot) checkStrings() error {
	n := len(s.stringEnd)
	if n == 0 || s.stringEnd[0] != 0 || !slices.IsSorted(s.stringEnd) || int(s.stringEnd[n-1]) != len(s.text) {
		return fmt.Errorf("the string table is out of order")
	}
	for _, col := range s.all() {
		if col.refs == nil {
			continue
		}
		for _, r := range col.refs() {
			if int(r) >= len(s.stringEnd) {
				return fmt.Errorf("column %s refers to string %d of %d", col.name, r, len(s.stringEnd))
			}
		}
	}
	return nil
}

func (s *Snapshot) checkSites() error {
	checkLists := s.listChecker()
	for i := range s.id {
		if s.id[i] == 0 {
			return fmt.Errorf("site %d has no id", i)
		}
		if s.lat[i] < -900000000 || s.lat[i] > 900000000 || s.lng[i] < -1800000000 || s.lng[i] > 1800000000 {
			return fmt.Errorf("site %d lies outside the Earth", i)
		}
		if int(s.area[i]) > len(s.Areas) || s.flags[i] > flagsKnown {
			return fmt.Errorf("site %d: area %d, flags %x", i, s.area[i], s.flags[i])
		}
		if err := checkLists(s.tx[i], s.rx[i]); err != nil {
			return fmt.Errorf("site %d: %v", i, err)
		}
	}
	if err := checkLists(s.emissionAzimuths...); err != nil {
		return fmt.Errorf("emissions: %v", err)
	}
	if err := checkLists(s.antennaFrequencies...); err != nil {
		return fmt.Errorf("antennas: %v", err)
	}
	return nil
}

// listChecker returns a function that checks number lists, each once: many rows share one.
func (s *Snapshot) listChecker() func(lists ...ref) error {
	valid := make([]bool, len(s.stringEnd))
	return func(lists ...ref) error {
		for _, list := range lists {
			if valid[list] {
				continue
			}
			if err := checkList(s.bytes(list)); err != nil {
				return err
			}
			valid[list] = true
		}
		return nil
	}
}

// maxListed is the largest number of a list: frequencies in hertz are below a terahertz.
const maxListed = 1e12

func checkList(b []byte) error {
	for sum := uint64(0); len(b) > 0; {
		d, n := binary.Uvarint(b)
		if n <= 0 || d > maxListed || sum+d > maxListed {
			return fmt.Errorf("a broken number list")
		}
		sum, b = sum+d, b[n:]
	}
	return nil
}

func (s *Snapshot) checkChildren() error {
	for _, table := range []struct {
		name  string
		start []uint32
		rows  int
	}{
		{"stations", s.stationStart, len(s.stationCode)},
		{"emissions", s.emissionStart, len(s.emissionStation)},
		{"radio identifiers", s.radioStart, len(s.radioKind)},
		{"antennas", s.antennaStart, len(s.antennaEmission)},
	} {
		last := len(table.start) - 1
		if table.start[0] != 0 || !slices.IsSorted(table.start) || int(table.start[last]) != table.rows {
			return fmt.Errorf("the %s are out of order", table.name)
		}
	}
	for _, o := range [][]uint8{s.stationOperator, s.radioOperator} {
		if len(o) > 0 && int(slices.Max(o)) >= len(s.Operators) {
			return fmt.Errorf("an operator lies outside the table")
		}
	}
	for i := range s.id {
		stations := s.stationStart[i+1] - s.stationStart[i]
		for e := s.emissionStart[i]; e < s.emissionStart[i+1]; e++ {
			if uint32(s.emissionStation[e]) >= stations || int(s.emissionSystem[e]) >= len(s.Systems) ||
				s.emissionGeneration[e] >= site.Generations || int(s.emissionStatus[e]) > len(s.Statuses) ||
				int(s.emissionOrigin[e]) >= site.Origins {
				return fmt.Errorf("site %d has a broken emission", i)
			}
		}
		emissions := s.emissionStart[i+1] - s.emissionStart[i]
		for a := s.antennaStart[i]; a < s.antennaStart[i+1]; a++ {
			if uint32(s.antennaEmission[a]) >= emissions {
				return fmt.Errorf("site %d has a broken antenna", i)
			}
		}
	}
	for r, kind := range s.radioKind {
		if int(kind) >= site.RadioKinds || s.radioValue[r] > site.RadioKind(kind).Max() || s.radioBits[r] > 32 {
			return fmt.Errorf("radio identifier %d is broken", r)
		}
	}
	return nil
}
