package snapshot

import "relais/site"

func (b *Builder) addAntennas(list []site.Antenna) {
	for _, a := range list {
		b.antennaEmission = append(b.antennaEmission, uint16(a.Emission))
		b.antennaAzimuth = append(b.antennaAzimuth, millimetres(a.Azimuth))
		b.antennaMiddle = append(b.antennaMiddle, millimetres(a.Height.Value))
		b.antennaPower = append(b.antennaPower, millimetres(a.Power.Value))
		b.antennaTilt = append(b.antennaTilt, millimetres(a.Tilt.Value))
		b.antennaElectrical = append(b.antennaElectrical, millimetres(a.Electrical.Value))
		b.antennaMiddleIn = append(b.antennaMiddleIn, b.intern(a.Height.Unit))
		b.antennaPowerIn = append(b.antennaPowerIn, b.intern(a.Power.Unit))
		b.antennaTiltIn = append(b.antennaTiltIn, b.intern(a.Tilt.Unit))
		b.antennaElectricalIn = append(b.antennaElectricalIn, b.intern(a.Electrical.Unit))
		b.antennaFrequencies = append(b.antennaFrequencies, internList(b, a.Frequencies))
	}
	b.antennaStart = append(b.antennaStart, uint32(len(b.antennaEmission)))
}

// antennas appends the antennas of site i to dst, which has no elements, and reuses its slices.
func (s *Snapshot) antennas(i int, dst []site.Antenna) []site.Antenna {
	for row := s.antennaStart[i]; row < s.antennaStart[i+1]; row++ {
		var frequencies []uint64
		if len(dst) < cap(dst) {
			frequencies = dst[:len(dst)+1][len(dst)].Frequencies[:0]
		}
		dst = append(dst, site.Antenna{
			Emission: int(s.antennaEmission[row]), Azimuth: metres(s.antennaAzimuth[row]),
			Height:      site.Quantity{Value: metres(s.antennaMiddle[row]), Unit: s.str(s.antennaMiddleIn[row])},
			Power:       site.Quantity{Value: metres(s.antennaPower[row]), Unit: s.str(s.antennaPowerIn[row])},
			Tilt:        site.Quantity{Value: metres(s.antennaTilt[row]), Unit: s.str(s.antennaTiltIn[row])},
			Electrical:  site.Quantity{Value: metres(s.antennaElectrical[row]), Unit: s.str(s.antennaElectricalIn[row])},
			Frequencies: unpackList(frequencies, s.bytes(s.antennaFrequencies[row]))})
	}
	return dst
}
