package snapshot

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"relais/internal/folder"
)

// The file begins with a header of headerBytes:
//
//	0   8  magic
//	8   4  Version
//	12  4  number of sections
//	16  8  bytes of the whole file
//	24  8  checksum: xxHash64 of everything but these eight bytes
//
// and goes on with the table of sections, sectionBytes each (offset and length
// in bytes), and the sections, each at a multiple of eight bytes. Section 0 is
// Meta as JSON; section n is column n-1 of columns.all. All numbers are
// little-endian.
const (
	magic        = "RELAISSN"
	headerBytes  = 32
	checksumAt   = 24
	sectionBytes = 16
	align        = 8
)

// Info describes a file that was written.
type Info struct {
	Path    string
	Bytes   int64
	Version string
}

// Write writes the snapshot to path. It replaces an existing file once the new one is
// complete and on disk.
func (b *Builder) Write(path string) (Info, error) {
	staged, info, err := b.Stage(path)
	if err != nil {
		return Info{}, err
	}
	return info, staged.Commit()
}

// Bytes returns the content of the file that Write writes.
func (b *Builder) Bytes() ([]byte, error) {
	sections, err := b.sections()
	if err != nil {
		return nil, err
	}
	head := header(sections)
	binary.LittleEndian.PutUint64(head[checksumAt:], checksum(head, sections))
	text := bytes.NewBuffer(head)
	err = writeSections(text, sections)
	return text.Bytes(), err
}

// Stage writes the snapshot to a temporary file next to path. Commit of the result
// renames it to path.
func (b *Builder) Stage(path string) (*folder.Staged, Info, error) {
	if b.SourceDate == "" {
		return nil, Info{}, fmt.Errorf("snapshot %s: no source date", b.Market)
	}
	sections, err := b.sections()
	if err != nil {
		return nil, Info{}, err
	}
	head := header(sections)
	sum := checksum(head, sections)
	binary.LittleEndian.PutUint64(head[checksumAt:], sum)
	size := binary.LittleEndian.Uint64(head[16:])
	info := Info{Path: path, Bytes: int64(size), Version: versionName(b.SourceDate, sum)}
	staged, err := folder.Stage(path, func(w io.Writer) error {
		if _, err := w.Write(head); err != nil {
			return err
		}
		return writeSections(w, sections)
	})
	return staged, info, err
}

func (b *Builder) sections() ([][]byte, error) {
	m := b.Meta
	var place []uint16
	m.Systems, place = b.sortSystems()
	meta, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	sections := [][]byte{meta}
	for _, col := range b.sorted(place).all() {
		sections = append(sections, col.raw())
	}
	return sections, nil
}

// header returns the header with a checksum of 0, and the table of sections.
func header(sections [][]byte) []byte {
	head := make([]byte, headerBytes+len(sections)*sectionBytes)
	copy(head, magic)
	binary.LittleEndian.PutUint32(head[8:], Version)
	binary.LittleEndian.PutUint32(head[12:], uint32(len(sections)))
	at := uint64(len(head))
	for i, s := range sections {
		entry := head[headerBytes+i*sectionBytes:]
		binary.LittleEndian.PutUint64(entry, at)
		binary.LittleEndian.PutUint64(entry[8:], uint64(len(s)))
		at += uint64(len(s)+align-1) / align * align
	}
	binary.LittleEndian.PutUint64(head[16:], at)
	return head
}

func checksum(head []byte, sections [][]byte) uint64 {
	d := xxhash.New()
	d.Write(head[:checksumAt]) // a hash's Write never fails
	d.Write(head[checksumAt+8:])
	writeSections(d, sections)
	return d.Sum64()
}

// writeSections writes the sections, each padded with zeros to a multiple of align.
func writeSections(w io.Writer, sections [][]byte) error {
	var zeros [align]byte
	for _, s := range sections {
		if _, err := w.Write(s); err != nil {
			return err
		}
		if _, err := w.Write(zeros[:-len(s)&(align-1)]); err != nil {
			return err
		}
	}
	return nil
}

func versionName(sourceDate string, sum uint64) string {
	return fmt.Sprintf("%s-%016x", sourceDate, sum)
}
