package measure

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/cespare/xxhash/v2"

	"relais/market"
)

// A segment's file begins with a header of headerBytes:
//
//	0   8  magic
//	8   4  version: 1, or 2 where rows have a column of origins
//	12  4  rows
//	16  8  bytes of the whole file
//	24  4  bytes of meta
//	28  4  0
//
// and goes on with the meta as JSON and the columns of the kind, in the order of
// columns.of, each at a multiple of eight bytes. Its last eight bytes are the xxHash64
// of all before them. All numbers are little-endian. Rows are in the order of a Hilbert
// curve, those of one place by time, then by their id.
const (
	magic          = "RELAISMS"
	version        = 1
	originsVersion = 2 // the version with origins
	headerBytes    = 32
	sumBytes       = 8
	align          = 8
)

// maxRows is the most rows of a segment, which bounds the memory of an import. A larger file makes
// several segments.
const maxRows = 1 << 21

// errDamaged is wrapped by errors about damaged files of measurements. Their content must be
// imported again.
var errDamaged = errors.New("damaged file of measures")

// A meta describes a segment in its file.
type meta struct {
	Market   market.Code `json:"market"`
	Kind     Kind        `json:"kind"`
	Imported int64       `json:"imported"` // Unix seconds
	Networks []network   `json:"networks"`
	// Synthetic reports that the measurements were made up for a demonstration.
	Synthetic bool `json:"synthetic,omitempty"`
	// Campaign is the edition that all rows are of, if an authority published them.
	Campaign Campaign `json:"campaign,omitzero"`
	// Added reports that the rows were added one by one, not imported.
	Added bool `json:"added,omitempty"`
	// Replaces are the files whose rows this one has. If Repair finds these files too, they do not
	// count.
	Replaces []string `json:"replaces,omitempty"`
	// Origins are the imports of a merged segment, to which its rows refer. A segment of one
	// import has none.
	Origins []origin `json:"origins,omitempty"`
}

// An origin is an import.
type origin struct {
	Name     string `json:"name"`     // of the session
	Order    uint64 `json:"order"`    // among the imports
	Imported int64  `json:"imported"` // Unix seconds
}

// A segment is a loaded file.
type segment struct {
	meta
	columns
	file      string // its name
	order     uint64 // among the rows, once it has one
	rows      int
	checksum  uint64
	bytes     int64 // of the file
	table     *market.Market
	operators []int // of each network, in the market's table; -1: none
	blocks    []block
	counts    Counts
	spans     []span                      // of the origins
	byCell    func() map[cellKey][]uint32 // rowsByCell, made by the first call
}

func padded(n int) int { return (n + align - 1) / align * align }

// writeSegment writes a segment with the rows of the entries, in their order. It returns the
// size in bytes and the checksum.
func writeSegment(w io.Writer, m *meta, c *columns, rows []entry) (size int64, sum uint64, err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return 0, 0, err
	}
	size = int64(headerBytes + padded(len(text)) + sumBytes)
	for _, col := range c.forSegment(m) {
		size += int64(padded(len(rows) * col.width))
	}
	head := make([]byte, headerBytes+padded(len(text)))
	copy(head, magic)
	binary.LittleEndian.PutUint32(head[8:], m.version())
	binary.LittleEndian.PutUint32(head[12:], uint32(len(rows)))
	binary.LittleEndian.PutUint64(head[16:], uint64(size))
	binary.LittleEndian.PutUint32(head[24:], uint32(len(text)))
	copy(head[headerBytes:], text)
	hash := xxhash.New()
	out := io.MultiWriter(w, hash)
	if _, err := out.Write(head); err != nil {
		return 0, 0, err
	}
	buf := make([]byte, 0, 1<<17)
	for _, col := range c.forSegment(m) {
		for at := 0; at < len(rows); at += 1 << 14 { // a multiple of align
			part := rows[at:min(at+1<<14, len(rows))]
			buf = col.pick(buf[:0], part)
			buf = append(buf, make([]byte, padded(len(buf))-len(buf))...)
			if _, err := out.Write(buf); err != nil {
				return 0, 0, err
			}
		}
	}
	sum = hash.Sum64()
	_, err = w.Write(binary.LittleEndian.AppendUint64(nil, sum))
	return size, sum, err
}

// readSegment loads the file at path. Its errors name the file, and wrap errDamaged or an error of
// the system.
func readSegment(path string) (s *segment, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < headerBytes+sumBytes || info.Size() > maxRows*100 { // before memory is taken for it
		return nil, fmt.Errorf("%w: %d bytes", errDamaged, info.Size())
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	if s, err = decode(data); err != nil {
		return nil, err
	}
	s.file = filepath.Base(path)
	return s, nil
}

// decode makes a segment of a file's bytes, which it keeps. They must begin at a multiple of eight,
// as every allocation of at least a header does.
func decode(data []byte) (*segment, error) {
	if len(data) < headerBytes+sumBytes || string(data[:8]) != magic {
		return nil, fmt.Errorf("%w: it does not begin as one", errDamaged)
	}
	// First the version: in a newer format, everything below may be different, and nothing of it damaged.
	if v := binary.LittleEndian.Uint32(data[8:]); v > originsVersion {
		return nil, fmt.Errorf("%w (format %d, this program reads %d)", ErrNewer, v, originsVersion)
	} else if v < version {
		return nil, fmt.Errorf("%w: format %d", errDamaged, v)
	}
	if size := binary.LittleEndian.Uint64(data[16:]); size != uint64(len(data)) {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", errDamaged, len(data), size)
	}
	body := data[:len(data)-sumBytes]
	s := &segment{bytes: int64(len(data)), rows: int(binary.LittleEndian.Uint32(data[12:])),
		checksum: xxhash.Sum64(body)}
	if s.checksum != binary.LittleEndian.Uint64(data[len(body):]) {
		return nil, fmt.Errorf("%w: the checksum does not match", errDamaged)
	}
	if err := s.load(body); err != nil {
		return nil, fmt.Errorf("%w: %v", errDamaged, err)
	}
	s.operators = make([]int, len(s.Networks))
	for i := range s.Networks {
		s.operators[i] = s.Networks[i].operator(s.table)
	}
	s.blocks, s.counts, s.spans, s.byCell = s.newBlocks(), s.newCounts(), s.newSpans(), sync.OnceValue(s.rowsByCell)
	return s, nil
}

// version returns the version of the file format.
func (m *meta) version() uint32 {
	if len(m.Origins) > 0 {
		return originsVersion
	}
	return version
}

// id returns the hash of a row's content.
func (s *segment) id(i uint32) uint64 {
	r := s.columns.row(s.Kind, i)
	return r.id(s.Kind, &s.Networks[r.network])
}

func (s *segment) load(body []byte) error {
	n := uint64(binary.LittleEndian.Uint32(body[24:]))
	if n > uint64(len(body)-headerBytes) || s.rows > maxRows {
		return fmt.Errorf("%d bytes of meta, %d rows", n, s.rows)
	}
	if err := json.Unmarshal(body[headerBytes:headerBytes+n], &s.meta); err != nil {
		return err
	}
	if s.table = market.Get(s.Market); s.table == nil || s.Kind != Speedtest && s.Kind != Coverage {
		return fmt.Errorf("measures of the kind %q of the market %q", s.Kind, s.Market)
	}
	if len(s.Networks) > maxNetworks {
		return fmt.Errorf("%d networks", len(s.Networks))
	}
	at := headerBytes + padded(int(n))
	for _, col := range s.columns.forSegment(&s.meta) {
		end := at + s.rows*col.width
		if end > len(body) {
			return fmt.Errorf("no place for the column %s", col.name)
		}
		col.load(body[at:end:end])
		at = end + padded(end) - end
	}
	if at != len(body) {
		return fmt.Errorf("%d bytes where %d belong", len(body), at)
	}
	// Queries index tables by these numbers without a check.
	for i, o := range s.columns.origin {
		if int(o) >= len(s.Origins) {
			return fmt.Errorf("row %d is of no import", i)
		}
	}
	return s.columns.check(len(s.Networks))
}

func sumText(sum uint64) string { return strconv.FormatUint(sum, 16) }
