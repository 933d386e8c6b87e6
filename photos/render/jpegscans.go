package render

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"
	"strings"
)

const endOfImageJPEG = "\xff\xd9"

// decodeJPEG also decodes a file that lacks only its end marker: every component, and of a progressive image every
// bit of every coefficient, has a scan. Whether the last scan is whole, the decoder finds out.
func decodeJPEG(data []byte) (image.Image, error) {
	s := readScans(data)
	if !s.ended && !s.whole() {
		return nil, errCutOff
	}
	if err := s.checkTables(); err != nil {
		return nil, err
	}
	if s.ended {
		return jpeg.Decode(bytes.NewReader(data))
	}
	data = bytes.TrimSuffix(data, []byte{0xff})
	m, err := jpeg.Decode(io.MultiReader(bytes.NewReader(data), strings.NewReader(endOfImageJPEG)))
	if err != nil {
		return nil, errCutOff
	}
	return m, nil
}

// checkTables refuses files without tables, for which the decoder would take zeros or has no plain word.
func (s *scansJPEG) checkTables() error {
	for _, table := range s.quantizers {
		if !s.tables[table] {
			return &unsupported{"this JPEG has no quantization tables of its own", "a JPEG with its tables or as PNG"}
		}
	}
	if !s.huffman {
		return &unsupported{"this JPEG has no Huffman tables of its own", "a JPEG with its tables or as PNG"}
	}
	return nil
}

// A scansJPEG is what the scans of a file have brought so far (ITU-T T.81, B.2.3 and G.1.1.1).
type scansJPEG struct {
	ended       bool // by a marker
	progressive bool
	components  map[byte]*[64]int // by id: of each coefficient, 1 + the bits that are still missing; 0: all are
	quantizers  []byte            // numbers of the tables that components want
	tables      [16]bool          // numbers of those that there are
	huffman     bool              // whether there are any
}

// readScans walks over the segments and scans.
func readScans(data []byte) *scansJPEG {
	s := &scansJPEG{}
	for rest := data; len(rest) >= 2; {
		at := bytes.IndexByte(rest, 0xff)
		if at < 0 || at+2 > len(rest) {
			return s
		}
		marker := rest[at+1]
		rest = rest[at+1:]
		switch {
		case marker == 0xd9:
			s.ended = true
			return s
		case marker == 0xff: // fill
			continue
		case marker <= 0x01 || marker >= 0xd0 && marker <= 0xd8: // data, or without a content
			rest = rest[1:]
			continue
		}
		if len(rest) < 3 {
			return s
		}
		length := int(binary.BigEndian.Uint16(rest[1:]))
		if length < 2 || 1+length > len(rest) {
			return s
		}
		s.segment(marker, rest[3:1+length])
		rest = rest[1+length:]
	}
	return s
}

func (s *scansJPEG) segment(marker byte, body []byte) {
	switch {
	case marker >= 0xc0 && marker <= 0xc2 && len(body) >= 6 && len(body) >= 6+3*int(body[5]):
		s.progressive = marker == 0xc2
		s.components = map[byte]*[64]int{}
		for i := range int(body[5]) {
			s.components[body[6+3*i]] = &[64]int{}
			s.quantizers = append(s.quantizers, body[8+3*i]&15)
		}
	case marker == 0xc4:
		s.huffman = true
	case marker == 0xdb:
		for len(body) > 64 {
			s.tables[body[0]&15] = true
			body = body[min(len(body), 1+64<<(body[0]>>4&1)):]
		}
	case marker == 0xda && len(body) >= 1 && len(body) >= 4+2*int(body[0]):
		parameters := body[1+2*int(body[0]):]
		first, last, missing := int(parameters[0]), min(int(parameters[1]), 63), int(parameters[2]&15)
		if !s.progressive {
			first, last, missing = 0, 63, 0
		}
		for i := range int(body[0]) {
			if c := s.components[body[1+2*i]]; c != nil {
				for k := first; k <= last; k++ {
					c[k] = 1 + missing
				}
			}
		}
	}
}

// whole reports whether nothing is missing.
func (s *scansJPEG) whole() bool {
	for _, c := range s.components {
		for _, state := range c {
			if state != 1 {
				return false
			}
		}
	}
	return len(s.components) > 0
}
