package heif

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errShort = errors.New("it is cut off")

// A box is one box of ISO/IEC 14496-12, without its header.
type box struct {
	kind string
	body []byte
}

// next splits the first box off b.
func next(b []byte) (first box, rest []byte, err error) {
	r := reader{b: b}
	size := uint64(r.u32())
	kind := r.fourCC()
	switch size {
	case 0: // extends to the end
		size = uint64(len(b))
	case 1:
		size = r.u64()
	}
	if kind == "uuid" {
		r.skip(16)
	}
	header := uint64(len(b) - len(r.b))
	if r.bad {
		return box{}, nil, errShort
	}
	if size < header || size > uint64(len(b)) {
		return box{}, nil, fmt.Errorf("box %q states %d bytes, has %d", kind, size, len(b))
	}
	return box{kind, b[header:size]}, b[size:], nil
}

// children calls fn with the boxes of a body, in their order.
func children(body []byte, fn func(box) error) error {
	for n := 0; len(body) > 0; n++ {
		if n == maxBoxes {
			return fmt.Errorf("it has more than %d boxes", maxBoxes)
		}
		b, rest, err := next(body)
		if err != nil {
			return err
		}
		if err := fn(b); err != nil {
			return fmt.Errorf("%s: %w", b.kind, err)
		}
		body = rest
	}
	return nil
}

// A reader reads big-endian numbers from b. Beyond the end it is bad and reads zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}

// uint reads a number of 0 to 8 bytes.
func (r *reader) uint(bytes int) uint64 {
	var v uint64
	for _, b := range r.take(uint64(bytes)) {
		v = v<<8 | uint64(b)
	}
	return v
}

func (r *reader) skip(n uint64)  { r.take(n) }
func (r *reader) u8() uint8      { return uint8(r.uint(1)) }
func (r *reader) u16() uint16    { return uint16(r.uint(2)) }
func (r *reader) u32() uint32    { return uint32(r.uint(4)) }
func (r *reader) u64() uint64    { return r.uint(8) }
func (r *reader) fourCC() string { return string(binary.BigEndian.AppendUint32(nil, r.u32())) }

// full reads the version and the flags of a FullBox.
func (r *reader) full() (version uint8, flags uint32) {
	v := r.u32()
	return uint8(v >> 24), v & 0xffffff
}

// end returns errShort if more was read than there is.
func (r *reader) end() error {
	if r.bad {
		return errShort
	}
	return nil
}
