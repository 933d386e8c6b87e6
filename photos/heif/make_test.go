package heif

import (
	"encoding/binary"
	"slices"
)

// cat joins bytes, text and big-endian numbers.
func cat(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case []byte:
			b = append(b, p...)
		case string:
			b = append(b, p...)
		case uint8:
			b = append(b, p)
		case uint16:
			b = binary.BigEndian.AppendUint16(b, p)
		case uint32:
			b = binary.BigEndian.AppendUint32(b, p)
		case uint64:
			b = binary.BigEndian.AppendUint64(b, p)
		default:
			panic(p)
		}
	}
	return b
}

func mk(kind string, parts ...any) []byte {
	body := cat(parts...)
	return cat(uint32(8+len(body)), kind, body)
}

// fullbox writes a FullBox without flags.
func fullbox(kind string, version uint8, parts ...any) []byte {
	return mk(kind, uint32(version)<<24, cat(parts...))
}

func infe(id uint16, kind string) []byte { return fullbox("infe", 2, id, uint16(0), kind, uint8(0)) }

// location writes an entry of an iloc of version 1 with one extent in the file (0) or in idat (1).
func location(id, construction uint16, offset, length uint32) []byte {
	return cat(id, construction, uint16(0), uint16(1), offset, length)
}

func ispe(w, h uint32) []byte { return fullbox("ispe", 0, w, h) }

func ref(kind string, from uint16, to ...uint16) []byte {
	b := cat(from, uint16(len(to)))
	for _, id := range to {
		b = cat(b, id)
	}
	return mk(kind, b)
}

// A layout is the boxes of a file; nil boxes are left out.
type layout struct {
	pitm, iinf, iloc, iref, iprp, idat []byte
}

var (
	ftyp = mk("ftyp", "avif", uint32(0), "mif1", "miaf")
	hdlr = fullbox("hdlr", 0, uint32(0), "pict", uint32(0), uint32(0), uint32(0), uint8(0))
)

const (
	start = 32 // where the bytes of the media lie: behind ftyp and the header of mdat
	media = "first tile second tile picture " + "\x00\x00\x00\x02..MM\x00\x2a and so on"
	exif  = 31
)

// sample returns a grid of two tiles (1, 2) in item 3, whose bytes are in idat, with alpha
// (4) and Exif (5).
func sample() layout {
	return layout{
		pitm: fullbox("pitm", 0, uint16(3)),
		iinf: fullbox("iinf", 0, uint16(5), infe(1, "av01"), infe(2, "av01"), infe(3, "grid"), infe(4, "av01"),
			infe(5, "Exif")),
		iloc: fullbox("iloc", 1, uint16(0x4400), uint16(5), location(1, 0, start, 10), location(2, 0, start+11, 11),
			location(3, 1, 0, 8),
			location(4, 0, start+23, 7), location(5, 0, start+exif, uint32(len(media)-exif))),
		iref: fullbox("iref", 0, ref("dimg", 3, 1, 2), ref("auxl", 4, 3), ref("prem", 3, 4), ref("cdsc", 5, 3)),
		iprp: mk("iprp",
			mk("ipco", ispe(64, 48), ispe(100, 48), mk("irot", uint8(1)), mk("imir", uint8(0)),
				mk("clap", uint32(90), uint32(1), uint32(80), uint32(2), uint32(0xfffffffe), uint32(2), uint32(0),
					uint32(1)),
				mk("colr", "nclx", uint16(1), uint16(13), uint16(6), uint8(0x80)),
				fullbox("pixi", 0, uint8(3), uint8(8), uint8(8), uint8(8)),
				fullbox("auxC", 0, alphas[0], uint8(0)),
				mk("av1C", uint8(0x81), uint8(0x20), uint8(0x4c), uint8(0), "obu"), mk("xyzw", "?")),
			fullbox("ipma", 0, uint32(4), uint16(1), uint8(2), uint8(1), uint8(0x89), uint16(2), uint8(2), uint8(1),
				uint8(0x89),
				uint16(3), uint8(6), uint8(2), uint8(0x85), uint8(0x83), uint8(0x84), uint8(6), uint8(7),
				uint16(4), uint8(3), uint8(2), uint8(8), uint8(0x8a))),
		idat: mk("idat", uint8(0), uint8(0), uint8(0), uint8(1), uint16(100), uint16(48)),
	}
}

func (l layout) file() []byte {
	meta := fullbox("meta", 0, hdlr, l.pitm, l.iinf, l.iloc, l.iref, l.iprp, l.idat)
	return slices.Concat(ftyp, mk("mdat", media), meta)
}
