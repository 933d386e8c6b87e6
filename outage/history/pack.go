package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"relais/internal/intern"
)

// packVersion is the first byte of a packed month.
const packVersion = 1

// errDamaged says that a month is not as it was written.
var errDamaged = errors.New("it is damaged: restore outages.db from a backup")

// maxPlain bounds an unpacked month.
const maxPlain = 256 << 20

var coders = sync.OnceValue(func() (c struct {
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}) {
	var err error
	if c.pack, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)); err != nil {
		panic(fmt.Sprintf("zstd options: %v", err))
	}
	if c.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain)); err != nil {
		panic(fmt.Sprintf("zstd options: %v", err))
	}
	return c
})

// pack returns the month as it is stored: the days on which operators were read, and behind them, compressed, the
// texts and the columns of the rows. Equal months are equal bytes.
func (m *month) pack() []byte {
	m = m.sorted()
	head := binary.AppendUvarint([]byte{packVersion}, uint64(m.synthetic))
	head = binary.AppendUvarint(head, uint64(len(m.operators)))
	for _, o := range m.operators {
		head = binary.AppendUvarint(appendText(head, o.key), uint64(o.read))
	}
	plain := binary.AppendUvarint(nil, uint64(m.texts.Len()-1))
	for i := 1; i < m.texts.Len(); i++ {
		plain = appendText(plain, m.texts.Text(uint32(i)))
	}
	plain = binary.AppendUvarint(plain, uint64(len(m.rows)))
	for _, c := range columns {
		last := int64(0)
		for i := range m.rows {
			n := c.get(&m.rows[i])
			plain = binary.AppendVarint(plain, n-last)
			last = n
		}
	}
	return coders().pack.EncodeAll(plain, head)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// A column is a number of each row, which is stored as the difference to that of the row before. set reports whether
// the number can be one of the column.
type column struct {
	get func(r *row) int64
	set func(m *month, r *row, n int64) bool
}

var columns = []column{
	{func(r *row) int64 { return int64(r.operator) }, func(m *month, r *row, n int64) bool {
		r.operator = uint32(n)
		return n >= 0 && n < int64(len(m.operators))
	}},
	textColumn(func(r *row) *uint32 { return &r.code }), textColumn(func(r *row) *uint32 { return &r.area }),
	textColumn(func(r *row) *uint32 { return &r.commune }), textColumn(func(r *row) *uint32 { return &r.insee }),
	textColumn(func(r *row) *uint32 { return &r.reason }), textColumn(func(r *row) *uint32 { return &r.detail }),
	degreesColumn(func(r *row) *int32 { return &r.lat }), degreesColumn(func(r *row) *int32 { return &r.lng }),
	{func(r *row) int64 { return int64(r.services) }, func(_ *month, r *row, n int64) bool {
		r.services = uint64(n)
		return n >= 0
	}},
	timeColumn(func(r *row) *uint32 { return &r.start }), timeColumn(func(r *row) *uint32 { return &r.end }),
	{func(r *row) int64 { return int64(r.days) }, func(_ *month, r *row, n int64) bool {
		r.days = dayBits(n)
		return n > 0 && n < 1<<31
	}},
}

func textColumn(at func(r *row) *uint32) column {
	return column{func(r *row) int64 { return int64(*at(r)) }, func(m *month, r *row, n int64) bool {
		*at(r) = uint32(n)
		return n >= 0 && n < int64(m.texts.Len())
	}}
}

func timeColumn(at func(r *row) *uint32) column {
	return column{func(r *row) int64 { return int64(*at(r)) }, func(_ *month, r *row, n int64) bool {
		*at(r) = uint32(n)
		return n >= 0 && n <= math.MaxUint32
	}}
}

func degreesColumn(at func(r *row) *int32) column {
	return column{func(r *row) int64 { return int64(*at(r)) }, func(_ *month, r *row, n int64) bool {
		*at(r) = int32(n)
		return n >= math.MinInt32 && n <= math.MaxInt32
	}}
}

// unpackRead reads the days on which operators were read, into a month without rows, and returns the rest.
func unpackRead(packed []byte) (m *month, rest []byte, err error) {
	if len(packed) == 0 || packed[0] != packVersion {
		return nil, nil, errDamaged
	}
	r := reader{b: packed[1:]}
	m = &month{synthetic: dayBits(r.number())}
	for range r.count() {
		m.operators = append(m.operators, operatorDays{key: string(r.text()), read: dayBits(r.number())})
	}
	if r.bad {
		return nil, nil, errDamaged
	}
	return m, r.b, nil
}

// unpack is the reverse of pack. Error: errDamaged.
func unpack(packed []byte) (*month, error) {
	m, rest, err := unpackRead(packed)
	if err != nil {
		return nil, err
	}
	plain, err := coders().unpack.DecodeAll(rest, nil)
	if err != nil {
		return nil, errDamaged
	}
	r := reader{b: plain}
	for range r.count() {
		intern.Add(&m.texts, r.text())
	}
	m.rows = make([]row, r.count())
	for _, c := range columns {
		n := int64(0)
		for i := range m.rows {
			n += r.difference()
			r.bad = r.bad || !c.set(m, &m.rows[i], n)
		}
	}
	if r.bad || len(r.b) > 0 {
		return nil, errDamaged
	}
	return m, nil
}

// A reader reads what was packed. After the first value that is missing it is bad, and returns zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.b)
	return uint64(r.advance(int64(n), size))
}

func (r *reader) difference() int64 { return r.advance(binary.Varint(r.b)) }

func (r *reader) advance(n int64, size int) int64 {
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

// count reads the number of elements that follow, each of at least one byte.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.b)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) text() []byte {
	n := r.count()
	text := r.b[:n]
	r.b = r.b[n:]
	return text
}
