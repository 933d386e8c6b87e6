package snapshot

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"relais/internal/system"
	"relais/market"
)

// ReadFile reads the snapshot of a market at path. Its errors name the file and
// wrap errForeign, ErrVersion, errDamaged or an error of the system. The snapshot of
// another market is errForeign.
func ReadFile(path string, code market.Code) (*Snapshot, error) {
	s, err := readFile(path)
	if err == nil && s.Market != code {
		err = fmt.Errorf("%w of %s: it holds the market %s", errForeign, code, s.Market)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return s, nil
}

// maxBytes is more than any register needs: five million sites take 2 GB.
const maxBytes = 8 << 30

func readFile(path string) (*Snapshot, error) {
	f, err := system.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// The header is checked before memory is allocated for the rest.
	head := make([]byte, headerBytes)
	if err := readFull(f, head, errForeign); err != nil {
		return nil, err
	}
	if err := checkHeader(head, uint64(info.Size())); err != nil {
		return nil, err
	}
	if info.Size() > maxBytes {
		return nil, fmt.Errorf("%w: %d bytes, over %d", errDamaged, info.Size(), int64(maxBytes))
	}
	data := aligned(int(info.Size()))
	copy(data, head)
	if err := readFull(f, data[headerBytes:], errDamaged); err != nil {
		return nil, err
	}
	return read(data)
}

// readFull fills p. It returns short for a file that ends before.
func readFull(f *os.File, p []byte, short error) error {
	_, err := io.ReadFull(f, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return short
	}
	return err
}

// Refused reports whether an error of ReadFile is about the content of the file, and
// not about reading it.
func Refused(err error) bool {
	return errors.Is(err, errForeign) || errors.Is(err, ErrVersion) || errors.Is(err, errDamaged)
}

// Read returns the snapshot that data holds. It keeps data, which must not be changed.
// Errors: errForeign, ErrVersion, errDamaged.
func Read(data []byte) (*Snapshot, error) {
	if len(data) < headerBytes {
		return nil, errForeign
	}
	if err := checkHeader(data, uint64(len(data))); err != nil {
		return nil, err
	}
	if uintptr(unsafe.Pointer(&data[0]))%align != 0 {
		data = append(aligned(len(data))[:0], data...)
	}
	return read(data)
}

// aligned allocates n bytes that begin at a multiple of eight.
func aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}

func checkHeader(head []byte, size uint64) error {
	if !bytes.Equal(head[:8], []byte(magic)) {
		return errForeign
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v != Version {
		return fmt.Errorf("format %d, this program reads %d: %w", v, Version, ErrVersion)
	}
	if want := binary.LittleEndian.Uint64(head[16:]); want != size {
		return fmt.Errorf("%w: it has %d bytes instead of %d", errDamaged, size, want)
	}
	return nil
}

func read(data []byte) (*Snapshot, error) {
	d := xxhash.New()
	d.Write(data[:checksumAt])
	d.Write(data[checksumAt+8:])
	sum := d.Sum64()
	if sum != binary.LittleEndian.Uint64(data[checksumAt:]) {
		return nil, fmt.Errorf("%w: the checksum does not match", errDamaged)
	}
	s := &Snapshot{Bytes: int64(len(data))}
	if err := s.load(data); err != nil {
		return nil, fmt.Errorf("%w: %v", errDamaged, err)
	}
	if err := s.checkMarket(); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%w: %v", errDamaged, err)
	}
	s.Version = versionName(s.SourceDate, sum)
	return s, nil
}

func (s *Snapshot) load(data []byte) error {
	cols := s.all()
	n := int(binary.LittleEndian.Uint32(data[12:]))
	if n != len(cols)+1 || len(data) < headerBytes+n*sectionBytes {
		return fmt.Errorf("%d sections, want %d", n, len(cols)+1)
	}
	for i := range n {
		entry := data[headerBytes+i*sectionBytes:]
		at, size := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if at%align != 0 || at > uint64(len(data)) || size > uint64(len(data))-at {
			return fmt.Errorf("section %d lies outside the file", i)
		}
		section := data[at : at+size : at+size]
		if i == 0 {
			if err := json.Unmarshal(section, &s.Meta); err != nil {
				return fmt.Errorf("meta: %v", err)
			}
			continue
		}
		if err := cols[i-1].load(section); err != nil {
			return err
		}
	}
	return nil
}
