package archive

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// maxUnpacked bounds the bytes of an unpacked value.
const maxUnpacked = 256 << 20

// compressors returns how many values are compressed at a time. Each takes 5 MB.
func compressors() int { return min(runtime.GOMAXPROCS(0), 4) }

var coders = sync.OnceValue(func() (c struct {
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}) {
	var err error
	if c.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithEncoderConcurrency(compressors()), zstd.WithEncoderCRC(false)); err != nil {
		panic(fmt.Sprintf("zstd options: %v", err))
	}
	if c.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxUnpacked)); err != nil {
		panic(fmt.Sprintf("zstd options: %v", err))
	}
	return c
})

// seal packs the value of a key in a bucket. The result begins with a checksum over the bucket, the
// key and the packed value.
func seal(bucket string, key, plain []byte) []byte {
	sealed := coders().pack.EncodeAll(plain, make([]byte, 8))
	binary.BigEndian.PutUint64(sealed, sum(bucket, key, sealed[8:]))
	return sealed
}

// unseal is the reverse of seal. A changed value, or one of another key, is errDamaged.
func unseal(bucket string, key, sealed []byte) ([]byte, error) {
	if len(sealed) < 8 || binary.BigEndian.Uint64(sealed) != sum(bucket, key, sealed[8:]) {
		return nil, damaged(bucket + ": checksum")
	}
	plain, err := coders().unpack.DecodeAll(sealed[8:], nil)
	if err != nil {
		return nil, damaged(fmt.Sprintf("%s: %v", bucket, err))
	}
	return plain, nil
}

func sum(bucket string, key, packed []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.WriteString(bucket)
	d.Write(key)
	d.Write(packed)
	return d.Sum64()
}

// A writer appends numbers and texts.
type writer struct{ b []byte }

func (w *writer) number(n uint32) { w.b = binary.AppendUvarint(w.b, uint64(n)) }
func (w *writer) text(s string) {
	w.number(uint32(len(s)))
	w.b = append(w.b, s...)
}

// column writes each number as the difference to the one before.
func (w *writer) column(ns []uint32) {
	last := uint32(0)
	for _, n := range ns {
		w.b = binary.AppendVarint(w.b, int64(n)-int64(last))
		last = n
	}
}

// A reader reads what a writer wrote. After the first value that is missing it is bad, and returns
// zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) advance(n uint64, size int) uint64 {
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) number() uint32 {
	n, size := binary.Uvarint(r.b)
	if n = r.advance(n, size); n > 1<<32-1 {
		r.bad = true
		return 0
	}
	return uint32(n)
}

// count reads the number of elements that follow, each of at least one byte.
func (r *reader) count() int {
	n := int(r.number())
	if n > len(r.b) {
		r.bad = true
		return 0
	}
	return n
}

func (r *reader) text() []byte {
	n := r.count()
	t := r.b[:n]
	r.b = r.b[n:]
	return t
}

func (r *reader) column(ns []uint32) {
	last := int64(0)
	for i := range ns {
		var d int64
		if len(r.b) > 0 && r.b[0] < 0x80 { // most differences are small
			d = int64(r.b[0]>>1) ^ -int64(r.b[0]&1)
			r.b = r.b[1:]
		} else {
			v, size := binary.Varint(r.b)
			r.advance(0, size)
			d = v
		}
		if last += d; last < 0 || last > 1<<32-1 || r.bad {
			r.bad = true
			return
		}
		ns[i] = uint32(last)
	}
}

// end reports whether everything was read.
func (r *reader) end() bool { return !r.bad && len(r.b) == 0 }

func (w *writer) signed(n int64) { w.b = binary.AppendVarint(w.b, n) }

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.b)
	if r.advance(0, size); r.bad || n < -1<<32 || n > 1<<32 {
		r.bad = true
		return 0
	}
	return n
}
