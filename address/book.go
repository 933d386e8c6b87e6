package address

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/cespare/xxhash/v2"

	"relais/internal/system"
)

// A Store has the streets of a file, which may be missing, and may be replaced at any time: each question looks. A nil
// Store has none.
type Store struct {
	path string

	mu    sync.Mutex
	table *table // of the file that was read last, nil before
	from  fs.FileInfo
	err   error // why that file cannot be used
}

// NewStore returns the store of the file at a path.
func NewStore(path string) *Store { return &Store{path: path} }

// open opens the file, with the table of its communes. Errors: fs.ErrNotExist, ErrDamaged, ErrVersion.
func (s *Store) open() (*book, error) {
	if s == nil {
		return nil, fs.ErrNotExist
	}
	f, err := system.OpenFile(s.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	t, err := s.tableOf(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &book{t, f}, nil
}

// tableOf returns the table of an open file, which it reads if it is another file than the last time.
func (s *Store) tableOf(f *os.File) (*table, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from != nil && os.SameFile(s.from, info) && s.from.Size() == info.Size() && s.from.ModTime().Equal(info.ModTime()) {
		return s.table, s.err
	}
	s.table, s.err = readTable(f, info.Size())
	s.from = info
	return s.table, s.err
}

// Info returns what the file has. Errors: those of reading it; fs.ErrNotExist if there is no file.
func (s *Store) Info() (Info, error) {
	b, err := s.open()
	if err != nil {
		return Info{}, err
	}
	defer b.file.Close()
	return b.info, nil
}

// A table is what is in memory: the communes, and where their streets are.
type table struct {
	info       Info
	entries    []entry
	byName     map[string][]int32 // by key of the name; see townKeys
	byPostcode map[string][]int32
}

// An entry is a commune of the table.
type entry struct {
	code, name string
	postcodes  []string
	center     point
	at         int64
	length     int32
	streets    int32
}

// A book is an open file.
type book struct {
	*table
	file *os.File
}

// readTable reads the table of a file. Errors: ErrDamaged, ErrVersion, those of reading.
func readTable(f io.ReaderAt, size int64) (*table, error) {
	head, footer := make([]byte, headBytes), make([]byte, footerBytes)
	if size < int64(headBytes+footerBytes) {
		return nil, ErrDamaged
	}
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if string(head[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	if binary.LittleEndian.Uint32(head[len(magic):]) != version {
		return nil, ErrVersion
	}
	if _, err := f.ReadAt(footer, size-footerBytes); err != nil {
		return nil, err
	}
	at, length := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint32(footer[8:])
	if at != uint64(size)-footerBytes-uint64(length) || length > mostUnpacked {
		return nil, ErrDamaged
	}
	b, err := readBlock(f, int64(at), int(length))
	if err != nil {
		return nil, err
	}
	t := &table{byName: map[string][]int32{}, byPostcode: map[string][]int32{}}
	if !t.parse(b, int64(at)) {
		return nil, ErrDamaged
	}
	t.info.Version = versionOf(t.info.Date, binary.LittleEndian.Uint64(footer[12:]))
	return t, nil
}

// readBlock reads and unpacks a block.
func readBlock(f io.ReaderAt, at int64, length int) ([]byte, error) {
	packed := make([]byte, length)
	if _, err := f.ReadAt(packed, at); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	b, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return b, nil
}

// parse reads the table, whose blocks end at end. It reports whether it is sound.
func (t *table) parse(b []byte, end int64) bool {
	r := &reader{rest: b}
	if json.Unmarshal([]byte(r.text()), &t.info) != nil {
		return false
	}
	at := int64(headBytes)
	for len(r.rest) > 0 {
		e := entry{code: r.text(), name: r.text(), at: at}
		e.postcodes = make([]string, r.count(1))
		for i := range e.postcodes {
			e.postcodes[i] = r.text()
		}
		e.center = point{int32(r.signed()), int32(r.signed())}
		e.length, e.streets = int32(r.number()), int32(r.number())
		if at += int64(e.length); r.bad || e.length < 0 || at > end || len(e.code) < 3 {
			return false
		}
		t.add(e)
	}
	return !r.bad && at == end
}

// add adds a commune to the table.
func (t *table) add(e entry) {
	n := int32(len(t.entries))
	t.entries = append(t.entries, e)
	for _, key := range townKeys(e.name) {
		t.byName[key] = append(t.byName[key], n)
	}
	for _, p := range e.postcodes {
		t.byPostcode[p] = append(t.byPostcode[p], n)
	}
}

// streets returns the streets of a commune.
func (b *book) streets(n int32) ([]Street, error) {
	e := &b.entries[n]
	text, err := readBlock(b.file, e.at, int(e.length))
	if err != nil {
		return nil, err
	}
	r := &reader{rest: text}
	var all []Street
	for len(r.rest) > 0 && len(all) < int(e.streets) {
		s := Street{Name: r.text(), Commune: e.name, Code: e.code}
		var postcode int
		if postcode, s.Hamlet = unflag(r.number()); postcode > 0 && postcode <= len(e.postcodes) {
			s.Postcode = e.postcodes[postcode-1]
		}
		s.Numbers = int(r.number())
		s.At = point{e.center.lat + int32(r.signed()), e.center.lng + int32(r.signed())}.degrees()
		all = append(all, s)
	}
	if r.bad || len(r.rest) > 0 || len(all) != int(e.streets) {
		return nil, fmt.Errorf("%w: the streets of %s", ErrDamaged, e.code)
	}
	return all, nil
}

// Verify reads all of a file. Errors: ErrDamaged, ErrVersion, those of reading.
func Verify(path string) (Info, error) {
	b, err := NewStore(path).open()
	if err != nil {
		return Info{}, err
	}
	defer b.file.Close()
	info, err := b.file.Stat()
	if err != nil {
		return Info{}, err
	}
	sum := xxhash.New()
	if _, err := io.Copy(sum, io.NewSectionReader(b.file, 0, info.Size()-footerBytes)); err != nil {
		return Info{}, err
	}
	if versionOf(b.info.Date, sum.Sum64()) != b.info.Version {
		return Info{}, ErrDamaged
	}
	for n := range b.entries {
		if _, err := b.streets(int32(n)); err != nil {
			return Info{}, err
		}
	}
	return b.info, nil
}

// Cut writes to w a file with the streets that keep accepts, and returns what it has. Errors: those of reading and writing.
func Cut(path string, w io.Writer, keep func(*Street) bool) (Info, error) {
	b, err := NewStore(path).open()
	if err != nil {
		return Info{}, err
	}
	defer b.file.Close()
	out, err := newWriter(w, Info{Date: b.info.Date, Synthetic: b.info.Synthetic})
	if err != nil {
		return Info{}, err
	}
	for n := range b.entries {
		all, err := b.streets(int32(n))
		if err != nil {
			return Info{}, err
		}
		var kept []Street
		for i := range all {
			if keep(&all[i]) {
				kept = append(kept, all[i])
			}
		}
		e := &b.entries[n]
		if len(kept) == 0 {
			continue
		}
		if err := out.addStreets(e.code, e.name, e.postcodes, kept); err != nil {
			return Info{}, err
		}
	}
	return out.close()
}
