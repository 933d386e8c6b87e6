package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"relais/internal/store"
)

// The body of a change is its steps, compressed: for each the kind, the number of names of its
// path and each behind its length, then the key and the value behind theirs, and the number. Nodes of
// other versions read it: another form is another format of commits.

var (
	compressor = sync.OnceValue(func() *zstd.Encoder {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest)) // no option can be wrong
		return w
	})
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		r, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(mostBody))
		return r
	})
)

// mostBody is the most bytes of the steps of one commit. A damaged row must not take more memory.
const mostBody = 1 << 30

var errBody = errors.New("a commit in the cluster's database cannot be read")

// encode writes steps as the body of a change.
func encode(ops []store.Op) []byte {
	var b []byte
	text := func(v []byte) { b = append(binary.AppendUvarint(b, uint64(len(v))), v...) }
	for _, op := range ops {
		b = binary.AppendUvarint(append(b, byte(op.Kind)), uint64(len(op.Path)))
		for _, name := range op.Path {
			text(name)
		}
		text(op.Key)
		text(op.Value)
		b = binary.AppendUvarint(b, op.N)
	}
	return compressor().EncodeAll(b, nil)
}

// decode reads the body of a change.
func decode(body []byte) (ops []store.Op, err error) {
	b, err := decompressor().DecodeAll(body, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBody, err)
	}
	r := &bodyReader{rest: b}
	for len(r.rest) > 0 && !r.broken {
		op := store.Op{Kind: store.OpKind(r.byte())}
		for n := r.number(); n > 0 && !r.broken; n-- {
			op.Path = append(op.Path, r.text())
		}
		op.Key, op.Value, op.N = r.text(), r.text(), r.number()
		ops = append(ops, op)
	}
	if r.broken {
		return nil, errBody
	}
	return ops, nil
}

// A bodyReader reads the bytes that encode wrote. After an error everything is empty, so that only the end is
// checked.
type bodyReader struct {
	rest   []byte
	broken bool
}

func (r *bodyReader) byte() byte {
	b := r.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (r *bodyReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.rest, r.broken = nil, true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *bodyReader) text() []byte { return r.take(r.number()) }

// take returns the next n bytes, nil if there are fewer.
func (r *bodyReader) take(n uint64) []byte {
	if r.broken || n > uint64(len(r.rest)) {
		r.rest, r.broken = nil, true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}
