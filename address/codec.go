package address

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// mostUnpacked bounds a block: the streets of a commune, and the table of communes.
const mostUnpacked = 64 << 20

// A block carries its own checksum: unpacking one that was changed fails.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true)) // no option can be wrong
		return w
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		r, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(mostUnpacked))
		return r
	})
)

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// flags packs what a street has next to its name.
func flags(postcode int, hamlet bool) uint64 {
	n := uint64(postcode) << 1
	if hamlet {
		n |= 1
	}
	return n
}

func unflag(n uint64) (postcode int, hamlet bool) { return int(n >> 1 & (1<<31 - 1)), n&1 == 1 }

// A reader reads a block. After what cannot be, it is bad and returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count returns a number of things that have at least so many bytes each.
func (r *reader) count(least int) int {
	n := r.number()
	if n > uint64(len(r.rest)/least) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count(1)
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func (r *reader) fail() { r.rest, r.bad = nil, true }
