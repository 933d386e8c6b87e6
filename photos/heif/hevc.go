package heif

import "bytes"

// hevcColor returns the colour space that the sequence parameter set in an hvcC box states (ITU-T H.265, 7.3.2.2 and
// E.2.1), or nil. Sets with lists or reference pictures of their own, which stills have no use for, are not read.
func hevcColor(config []byte) *Color {
	const fixed, sps = 22, 33
	r := reader{b: config}
	r.skip(fixed)
	for arrays := r.u8(); arrays > 0 && !r.bad; arrays-- {
		kind := r.u8() & 63
		for units := r.u16(); units > 0 && !r.bad; units-- {
			unit := r.take(uint64(r.u16()))
			if kind == sps && len(unit) > 2 {
				// Bytes that keep a start code from appearing are not a part of it.
				return spsColor(&bitReader{b: bytes.ReplaceAll(unit[2:], []byte{0, 0, 3}, []byte{0, 0})})
			}
		}
	}
	return nil
}

func spsColor(r *bitReader) *Color {
	const profileTier, level = 88, 8
	r.bits(4)
	subLayers := int(r.bits(3))
	r.bits(1)
	r.skip(profileTier + level)
	present := r.bits(2 * subLayers) // of each, whether it has a profile and a level
	if subLayers > 0 {
		r.skip(2 * (8 - subLayers))
	}
	for i := subLayers - 1; i >= 0; i-- {
		r.skip(int(present>>(2*i+1)&1)*profileTier + int(present>>(2*i)&1)*level)
	}
	r.ue() // id
	if r.ue() == 3 {
		r.bits(1)
	}
	r.ues(2) // width and height
	if r.bits(1) == 1 {
		r.ues(4)
	}
	r.ues(3) // depths and POC
	if r.bits(1) == 0 {
		subLayers = 0
	}
	r.ues(3 * (subLayers + 1))
	r.ues(6)
	if r.bits(1) == 1 { // scaling lists
		if own := r.bits(1); own == 1 {
			return nil
		}
	}
	r.bits(2)
	if r.bits(1) == 1 { // PCM
		r.bits(8)
		r.ues(2)
		r.bits(1)
	}
	if r.ue() != 0 || r.bits(1) == 1 { // sets of reference pictures
		return nil
	}
	r.bits(2)
	if r.bits(1) == 0 {
		return nil
	}
	return vuiColor(r)
}

func vuiColor(r *bitReader) *Color {
	const ownRatio = 255
	if r.bits(1) == 1 && r.bits(8) == ownRatio {
		r.bits(32)
	}
	if r.bits(1) == 1 { // overscan
		r.bits(1)
	}
	if r.bits(1) == 0 {
		return nil
	}
	r.bits(3)
	c := &Color{Primaries: 2, Transfer: 2, Matrix: 2, FullRange: r.bits(1) == 1}
	if r.bits(1) == 1 {
		c.Primaries, c.Transfer, c.Matrix = uint16(r.bits(8)), uint16(r.bits(8)), uint16(r.bits(8))
	}
	if r.bad {
		return nil
	}
	return c
}

// A bitReader reads bits, the highest first. Beyond the end it is bad and reads zeros.
type bitReader struct {
	b   []byte
	at  int // bit
	bad bool
}

// bits reads a number of at most 32 bits.
func (r *bitReader) bits(n int) (v uint32) {
	for ; n > 0; n-- {
		if r.at/8 >= len(r.b) {
			r.bad = true
			return 0
		}
		v = v<<1 | uint32(r.b[r.at/8]>>(7-r.at%8)&1)
		r.at++
	}
	return v
}

func (r *bitReader) skip(n int) { r.at += n }

// ue reads an Exp-Golomb number (9.2).
func (r *bitReader) ue() uint32 {
	zeros := 0
	for r.bits(1) == 0 && !r.bad && zeros < 32 {
		zeros++
	}
	return uint32(1<<zeros - 1 + uint64(r.bits(zeros)))
}

func (r *bitReader) ues(n int) {
	for range n {
		r.ue()
	}
}
