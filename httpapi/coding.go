package httpapi

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"relais/api/endpoint"
	"relais/internal/accept"
)

// A packed is the compressed beginning of an answer: everything except the end, which
// differs with each request. The stream stops at a byte boundary, so that the end can
// follow in a block of its own. (A second gzip member would be valid, but curl and
// Chromium do not read it.)
type packed struct {
	data  []byte
	crc   uint32 // of the uncompressed bytes, gzip only
	plain uint32 // number of uncompressed bytes modulo 2^32, gzip only

	contentType string // of the answer
	content     bool   // the answer is an endpoint.Content
	fileName    string // of an endpoint.File
	prepared    bool   // it stays in memory
}

// A coding is a content coding.
type coding struct {
	name   string
	header []string
	// pack writes the compressed stream to w and returns a packed without data. better
	// compresses more and takes longer.
	pack func(w io.Writer, s endpoint.Stream, better bool) (packed, error)
	// end returns the last block of the answer: tail.
	end func(p *packed, tail []byte) []byte
	// stream compresses a whole answer while it is written.
	stream func(w io.Writer, s endpoint.Stream, tail []byte) error
}

// codings in the order of preference.
var codings = []*coding{
	{"zstd", []string{"zstd"}, packZstd, endZstd, streamZstd},
	{"gzip", []string{"gzip"}, packGzip, endGzip, streamGzip},
}

// identity keeps answers uncompressed.
var identity = &coding{name: "identity", pack: packPlain, end: endPlain}

// inMemory compresses a stream.
func (c *coding) inMemory(s endpoint.Stream, better bool) (*packed, error) {
	var buf bytes.Buffer
	p, err := c.pack(&buf, s, better)
	if err != nil {
		return nil, err
	}
	p.data, p.contentType, p.content = bytes.Clone(buf.Bytes()), s.ContentType(), isContent(s)
	return &p, nil
}

func packPlain(w io.Writer, s endpoint.Stream, _ bool) (packed, error) {
	_, err := s.WriteTo(w)
	return packed{}, err
}

func endPlain(_ *packed, tail []byte) []byte { return tail }

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
	fastZstd    = sync.Pool{New: func() any { return newZstd(zstd.SpeedFastest, zstdWindow) }}
	streamGzips = sync.Pool{New: func() any { return newGzip() }}
	streamZstds = sync.Pool{New: func() any { return newZstd(zstd.SpeedFastest, streamWindow) }}
)

func newGzip() *gzip.Writer {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}

func newDeflate(level int) *flate.Writer {
	w, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}

// Windows of zstd, both below what browsers accept. The smaller one is for streams: many
// are open at a time, for as long as their readers take.
const (
	zstdWindow   = 1 << 20
	streamWindow = 256 << 10
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
	crc uint32
	n   uint32
}

// Write implements io.Writer.
func (t *tally) Write(p []byte) (int, error) {
	t.crc = crc32.Update(t.crc, crc32.IEEETable, p)
	t.n += uint32(len(p))
	return t.Writer.Write(p)
}

func packGzip(to io.Writer, s endpoint.Stream, better bool) (packed, error) {
	if _, err := to.Write(gzipHeader); err != nil {
		return packed{}, err
	}
	var w *flate.Writer
	if better {
		w = newDeflate(flate.DefaultCompression)
	} else {
		w = fastDeflate.Get().(*flate.Writer)
		defer fastDeflate.Put(w)
	}
	w.Reset(to)
	t := &tally{Writer: w}
	if _, err := s.WriteTo(t); err != nil {
		return packed{}, err
	}
	if err := w.Flush(); err != nil { // ends at a byte boundary
		return packed{}, err
	}
	return packed{crc: t.crc, plain: t.n}, nil
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

func streamGzip(w io.Writer, s endpoint.Stream, tail []byte) error {
	z := streamGzips.Get().(*gzip.Writer)
	defer streamGzips.Put(z)
	z.Reset(w)
	defer z.Reset(nil) // the pool must not keep the connection alive
	return finish(z, s, tail)
}

func packZstd(to io.Writer, s endpoint.Stream, better bool) (packed, error) {
	var w *zstd.Encoder
	if better {
		w = newZstd(zstd.SpeedDefault, zstdWindow)
	} else {
		w = fastZstd.Get().(*zstd.Encoder)
		defer fastZstd.Put(w)
	}
	w.Reset(to)
	defer w.Reset(nil) // the pool must not keep the writer alive
	if _, err := s.WriteTo(w); err != nil {
		return packed{}, err
	}
	return packed{}, w.Flush() // ends with a block that is not the last
}

// endZstd returns a raw last block (RFC 8878, 3.1.1.2).
func endZstd(_ *packed, tail []byte) []byte {
	head := uint32(len(tail))<<3 | 1
	return append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, tail...)
}

func streamZstd(w io.Writer, s endpoint.Stream, tail []byte) error {
	z := streamZstds.Get().(*zstd.Encoder)
	defer streamZstds.Put(z)
	z.Reset(w)
	defer z.Reset(nil) // the pool must not keep the connection alive
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
