package httpapi

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"relais/api/endpoint"
	"relais/internal/accept"
)

// A packed is the compressed beginning of an answer: everything except the end, which
// differs with each request. The stream stops at a byte boundary, so that the end can
// follow in a block of its own. (A second gzip member would be valid, but curl and
// Chromium do not read it.)
type packed struct {
	data []byte
	from io.ReaderAt // instead of data, with size bytes
	size int64
	sums

	contentType, fileName string
	whole                 bool // nothing follows
	prepared              bool // it stays in memory
}

// sums are about the uncompressed bytes, for gzip only.
type sums struct{ crc, plain uint32 } // plain is their number modulo 2^32

// A coding is a content coding.
type coding struct {
	name   string
	header []string
	// begin writes the compressed answer to w, without its end. better compresses more and takes longer.
	begin func(w io.Writer, a *endpoint.Answer, better bool) (sums, error)
	// end returns the last block of the answer: tail.
	end func(p *packed, tail []byte) []byte
}

// codings in the order of preference.
var codings = []*coding{
	{"zstd", []string{"zstd"}, beginZstd, endZstd},
	{"gzip", []string{"gzip"}, beginGzip, endGzip},
}

// identity keeps answers uncompressed.
var identity = &coding{name: "identity", begin: beginPlain, end: endPlain}

// pack writes the compressed answer to w, and returns it without its data.
func (c *coding) pack(w io.Writer, a *endpoint.Answer, better bool) (*packed, error) {
	sums, err := c.begin(w, a, better)
	return &packed{sums: sums, contentType: a.ContentType, fileName: a.FileName, whole: a.Whole}, err
}

// inMemory compresses an answer.
func (c *coding) inMemory(a *endpoint.Answer, better bool) (*packed, error) {
	var buf bytes.Buffer
	p, err := c.pack(&buf, a, better)
	if err != nil {
		return nil, err
	}
	p.data, p.size = bytes.Clone(buf.Bytes()), int64(buf.Len())
	return p, nil
}

func beginPlain(w io.Writer, a *endpoint.Answer, _ bool) (sums, error) { return sums{}, a.Write(w) }

func endPlain(_ *packed, tail []byte) []byte { return tail }

// stream writes a whole answer while it is compressed.
func (c *coding) stream(w io.Writer, a *endpoint.Answer, tail []byte) error {
	p, err := c.pack(w, a, false)
	if err != nil {
		return err
	}
	_, err = w.Write(c.end(p, tail))
	return err
}

// negotiate returns the coding that the client prefers, nil for uncompressed.
func negotiate(header []string) *coding {
	if len(header) == 0 {
		return nil
	}
	best := (*coding)(nil)
	quality, stated := accept.Quality(header, "identity")
	if !stated {
		quality = 0 // it is always allowed, and never preferred
	}
	for _, c := range codings {
		if q, _ := accept.Quality(header, c.name); q > quality || best == nil && q == quality && q > 0 {
			best, quality = c, q
		}
	}
	return best
}

var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

// Encoders are reused, as each takes megabytes.
var (
	fastDeflate = sync.Pool{New: func() any { return newDeflate(flate.BestSpeed) }}
	fastZstd    = sync.Pool{New: func() any { return newZstd(zstd.SpeedFastest, fastWindow) }}
)

func newDeflate(level int) *flate.Writer {
	w, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}

// Windows of zstd, both below what browsers accept. With the smaller one many answers are open at a time, for
// as long as their readers take.
const (
	zstdWindow = 1 << 20
	fastWindow = 256 << 10
)

func newZstd(level zstd.EncoderLevel, window int) *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return w
}

// A tally counts and checksums what passes through.
type tally struct {
	io.Writer
	sums
}

// Write implements io.Writer.
func (t *tally) Write(p []byte) (int, error) {
	t.crc = crc32.Update(t.crc, crc32.IEEETable, p)
	t.plain += uint32(len(p))
	return t.Writer.Write(p)
}

func beginGzip(to io.Writer, a *endpoint.Answer, better bool) (sums, error) {
	if _, err := to.Write(gzipHeader); err != nil {
		return sums{}, err
	}
	var w *flate.Writer
	if better {
		w = newDeflate(flate.DefaultCompression)
	} else {
		w = fastDeflate.Get().(*flate.Writer)
		defer fastDeflate.Put(w)
	}
	w.Reset(to)
	defer w.Reset(nil) // the pool must not keep the writer alive
	t := &tally{Writer: w}
	if err := a.Write(t); err != nil {
		return sums{}, err
	}
	return t.sums, w.Flush() // ends at a byte boundary
}

// endGzip returns a stored final block and the trailer.
func endGzip(p *packed, tail []byte) []byte {
	end := make([]byte, 0, len(tail)+13)
	end = append(end, 1)
	end = binary.LittleEndian.AppendUint16(end, uint16(len(tail)))
	end = binary.LittleEndian.AppendUint16(end, ^uint16(len(tail)))
	end = append(end, tail...)
	end = binary.LittleEndian.AppendUint32(end, crc32.Update(p.crc, crc32.IEEETable, tail))
	return binary.LittleEndian.AppendUint32(end, p.plain+uint32(len(tail)))
}

func beginZstd(to io.Writer, a *endpoint.Answer, better bool) (sums, error) {
	var w *zstd.Encoder
	if better {
		w = newZstd(zstd.SpeedDefault, zstdWindow)
	} else {
		w = fastZstd.Get().(*zstd.Encoder)
		defer fastZstd.Put(w)
	}
	w.Reset(to)
	defer w.Reset(nil) // the pool must not keep the writer alive
	if err := a.Write(w); err != nil {
		return sums{}, err
	}
	return sums{}, w.Flush() // ends with a block that is not the last
}

// endZstd returns a raw last block (RFC 8878, 3.1.1.2).
func endZstd(_ *packed, tail []byte) []byte {
	head := uint32(len(tail))<<3 | 1
	return append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, tail...)
}
