package httpapi

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"relais/endpoint"
)

// A packed is the compressed beginning of an answer: everything but the end,
// which differs with each request. It is one stream that stops at a byte
// boundary, so that the end can follow in a block of its own. (A second gzip
// member would be right by the letter, but curl and Chromium do not read it.)
type packed struct {
	data  []byte
	crc   uint32 // of the plain bytes, gzip only
	plain uint32 // their number, modulo 2^32, gzip only
}

// A coding is a content coding.
type coding struct {
	name   string
	header []string
	// pack compresses a stream; better takes longer for less.
	pack func(s endpoint.Stream, better bool) (*packed, error)
	// end returns the last block of the answer.
	end func(p *packed, tail []byte) []byte
	// stream compresses without holding anything.
	stream func(w io.Writer, s endpoint.Stream, tail []byte) error
}

// codings in the order of preference.
var codings = []*coding{
	{"zstd", []string{"zstd"}, packZstd, endZstd, streamZstd},
	{"gzip", []string{"gzip"}, packGzip, endGzip, streamGzip},
}

// negotiate returns the coding that the client likes best, nil for none.
func negotiate(header []string) *coding {
	if len(header) == 0 {
		return nil
	}
	best := (*coding)(nil)
	quality, stated := acceptance(header, "identity")
	if !stated {
		quality = 0 // it is always allowed, and never preferred
	}
	for _, c := range codings {
		if q, _ := acceptance(header, c.name); q > quality || best == nil && q == quality && q > 0 {
			best, quality = c, q
		}
	}
	return best
}

// acceptance is the quality that a client gives to a coding, and whether it names
// it.
func acceptance(header []string, name string) (quality float64, named bool) {
	other := 0.0
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(part, ";")
			coding = strings.TrimSpace(coding)
			q := qualityOf(params)
			if strings.EqualFold(coding, name) || strings.EqualFold(coding, "x-"+name) {
				return q, true
			}
			if coding == "*" {
				other = q
			}
		}
	}
	return other, false
}

// qualityOf is the parameter q, 1 when there is none.
func qualityOf(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		key, text, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(q >= 0) {
			return 0
		}
		return q
	}
	return 1
}

var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

var (
	fastDeflate = sync.Pool{New: func() any { return newDeflate(flate.BestSpeed) }}
	fastZstd    = sync.Pool{New: func() any { return newZstd(zstd.SpeedFastest) }}
)

func newDeflate(level int) *flate.Writer {
	w, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}

// zstdWindow is below what browsers accept.
const zstdWindow = 1 << 20

func newZstd(level zstd.EncoderLevel) *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(zstdWindow), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return w
}

// A tally counts and checksums what passes through.
type tally struct {
	io.Writer
	crc uint32
	n   uint32
}

// Write implements io.Writer.
func (t *tally) Write(p []byte) (int, error) {
	t.crc = crc32.Update(t.crc, crc32.IEEETable, p)
	t.n += uint32(len(p))
	return t.Writer.Write(p)
}

func packGzip(s endpoint.Stream, better bool) (*packed, error) {
	var buf bytes.Buffer
	buf.Write(gzipHeader)
	var w *flate.Writer
	if better {
		w = newDeflate(flate.DefaultCompression)
	} else {
		w = fastDeflate.Get().(*flate.Writer)
		defer fastDeflate.Put(w)
	}
	w.Reset(&buf)
	t := &tally{Writer: w}
	if _, err := s.WriteTo(t); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil { // ends at a byte boundary
		return nil, err
	}
	return &packed{data: bytes.Clone(buf.Bytes()), crc: t.crc, plain: t.n}, nil
}

// endGzip is a stored final block and the trailer.
func endGzip(p *packed, tail []byte) []byte {
	end := make([]byte, 0, len(tail)+13)
	end = append(end, 1)
	end = binary.LittleEndian.AppendUint16(end, uint16(len(tail)))
	end = binary.LittleEndian.AppendUint16(end, ^uint16(len(tail)))
	end = append(end, tail...)
	end = binary.LittleEndian.AppendUint32(end, crc32.Update(p.crc, crc32.IEEETable, tail))
	return binary.LittleEndian.AppendUint32(end, p.plain+uint32(len(tail)))
}

func streamGzip(w io.Writer, s endpoint.Stream, tail []byte) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return finish(z, s, tail)
}

func packZstd(s endpoint.Stream, better bool) (*packed, error) {
	var buf bytes.Buffer
	var w *zstd.Encoder
	if better {
		w = newZstd(zstd.SpeedDefault)
	} else {
		w = fastZstd.Get().(*zstd.Encoder)
		defer fastZstd.Put(w)
	}
	w.Reset(&buf)
	if _, err := s.WriteTo(w); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil { // ends with a block that is not the last
		return nil, err
	}
	return &packed{data: bytes.Clone(buf.Bytes())}, nil
}

// endZstd is a raw last block (RFC 8878, 3.1.1.2).
func endZstd(_ *packed, tail []byte) []byte {
	head := uint32(len(tail))<<3 | 1
	return append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, tail...)
}

func streamZstd(w io.Writer, s endpoint.Stream, tail []byte) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow))
	if err != nil {
		return err
	}
	return finish(z, s, tail)
}

func finish(z io.WriteCloser, s endpoint.Stream, tail []byte) error {
	if _, err := s.WriteTo(z); err != nil {
		return err
	}
	if _, err := z.Write(tail); err != nil {
		return err
	}
	return z.Close()
}
