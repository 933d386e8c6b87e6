package pmtiles

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"relais/geo"
)

// A Source is an archive that is read by ranges.
type Source interface {
	// Size is the length of the archive in bytes.
	Size() int64
	// Copy writes n bytes of the archive, from at on, to w in their order.
	Copy(ctx context.Context, w io.Writer, at, n int64) error
}

// A Plan says how an area is cut out of an archive: what the new archive begins with, and which ranges have its tiles.
type Plan struct {
	Header       // of the new archive
	Size   int64 // of the new archive, in bytes
	Ranges int   // that are read
	Read   int64 // bytes of the ranges
	begin  []byte
	ranges []fetch
}

// A fetch is a range of the source with contents of tiles, and unused bytes between them.
type fetch struct {
	at, n  int64
	pieces []piece // ascending
}

// A piece is contents that are next to each other in both archives.
type piece struct{ from, to, n int64 }

var (
	// ErrNoTiles says that an archive has no tiles of an area.
	ErrNoTiles = errors.New("it has no tiles of the area")
	// errTooMany is about areas, and about archives that are made to take memory.
	errTooMany = fmt.Errorf("it has over %d entries for the area: take a smaller one, or a lower --max-zoom", maxEntries)
)

// ReadHeader reads the header of an archive.
func ReadHeader(ctx context.Context, src Source) (*Header, error) {
	h, err := read(ctx, src, 0, min(headerSize, src.Size()))
	if err != nil {
		return nil, err
	}
	return ParseHeader(h, src.Size())
}

// NewPlan reads the directories of an archive, and plans to cut out the tiles that touch the area, which is the union of
// boxes, up to a zoom, at most MaxZoom. Errors: those of the source; ErrNoTiles; a damaged archive.
func NewPlan(ctx context.Context, src Source, area []geo.Box, maxZoom int) (*Plan, error) {
	h, err := ReadHeader(ctx, src)
	if err != nil {
		return nil, err
	}
	maxZoom = min(maxZoom, h.MaxZoom)
	entries, err := h.entriesOf(ctx, src, spansOf(area, h.MinZoom, maxZoom))
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, ErrNoTiles
	}
	metadata, err := h.metadata(ctx, src)
	if err != nil {
		return nil, err
	}
	p := &Plan{Header: *h}
	p.MaxZoom = maxZoom
	p.frame(area)
	pieces := p.place(entries)
	if err := p.build(entries, metadata); err != nil {
		return nil, err
	}
	return p, p.group(pieces, int64(h.sections[tileSection].at))
}

// Layout identifies what the new archive has in front of its tiles, which says where each of them goes. Two versions of
// relais may compress directories differently.
func (p *Plan) Layout() string { return fmt.Sprintf("%x", sha256.Sum256(p.begin)) }

// read reads a range, whose length the caller has bounded.
func read(ctx context.Context, src Source, at, n int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, n))
	err := src.Copy(ctx, b, at, n)
	return b.Bytes(), err
}

// metadata reads the metadata, which names the sources of the map and the layers of tiles.
func (p *Header) metadata(ctx context.Context, src Source) ([]byte, error) {
	s := p.sections[metadataSection]
	if s.length > maxPacked {
		return nil, fmt.Errorf("the PMTiles file has %d bytes of metadata, over %d", s.length, maxPacked)
	}
	packed, err := read(ctx, src, int64(s.at), int64(s.length))
	if err != nil {
		return nil, err
	}
	text, err := unpack(packed, p.internal)
	if err != nil || !json.Valid(text) {
		return nil, errors.New("the PMTiles file is damaged: its metadata cannot be read")
	}
	return text, nil
}

// entriesOf returns the entries of tiles in the spans, ascending.
func (p *Header) entriesOf(ctx context.Context, src Source, spans []span) ([]entry, error) {
	s := p.sections[rootSection]
	packed, err := read(ctx, src, int64(s.at), int64(s.length))
	if err != nil {
		return nil, err
	}
	list, err := parseDirectory(packed, p.internal)
	for depth := 0; err == nil; depth++ {
		var leaves []entry
		if list, leaves = choose(list, spans); len(list) > maxEntries {
			return nil, errTooMany
		}
		if len(leaves) == 0 {
			return list, p.checkContents(list)
		}
		if depth == maxDepth {
			return nil, errors.New("the PMTiles file is damaged: its directories are too deep")
		}
		if list, err = p.open(ctx, src, list, leaves); err == nil {
			slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
		}
	}
	return nil, err
}

// maxDepth is how many leaf directories are below each other. Writers make one.
const maxDepth = 3

// choose returns the parts of tiles' entries that are in the spans, and the leaves that may have such.
func choose(list []entry, spans []span) (chosen, leaves []entry) {
	for i, e := range list {
		if e.run > 0 {
			chosen, spans = within(chosen, e, spans)
			continue
		}
		for len(spans) > 0 && spans[0].to <= e.id {
			spans = spans[1:]
		}
		if len(spans) > 0 && (i+1 == len(list) || spans[0].from < list[i+1].id) {
			leaves = append(leaves, e)
		}
	}
	return chosen, leaves
}

// open appends the entries of leaf directories. It reads those that are next to each other at once.
func (p *Header) open(ctx context.Context, src Source, list, leaves []entry) ([]entry, error) {
	section, all := p.sections[leafSection], uint64(0)
	for _, leaf := range leaves {
		all += uint64(leaf.length)
	}
	if all > min(section.length, maxLeaves) {
		return nil, errTooMany
	}
	slices.SortFunc(leaves, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) })
	for len(leaves) > 0 {
		first, n := leaves[0].offset, 1
		end := first + uint64(leaves[0].length)
		for n < len(leaves) && leaves[n].offset == end && end-first < maxPacked {
			end += uint64(leaves[n].length)
			n++
		}
		if first > section.length || end > section.length || end < first {
			return nil, errDirectory
		}
		packed, err := read(ctx, src, int64(section.at+first), int64(end-first))
		if err != nil {
			return nil, err
		}
		for _, leaf := range leaves[:n] {
			more, err := parseDirectory(packed[leaf.offset-first:][:leaf.length], p.internal)
			if err != nil {
				return nil, err
			}
			if list = append(list, more...); len(list) > maxEntries {
				return nil, errTooMany
			}
		}
		leaves = leaves[n:]
	}
	return list, nil
}

// checkContents returns an error for tiles that are named twice, and for contents outside of their section.
func (p *Header) checkContents(list []entry) error {
	length := p.sections[tileSection].length
	for i, e := range list {
		if e.offset > length || uint64(e.length) > length-e.offset ||
			i > 0 && list[i-1].id+uint64(list[i-1].run) > e.id {
			return errDirectory
		}
	}
	return nil
}

// frame sets the bounds of the new archive, and where a map of it begins.
func (p *Plan) frame(area []geo.Box) {
	b := area[0]
	for _, other := range area[1:] {
		b = geo.Box{South: min(b.South, other.South), West: min(b.West, other.West), North: max(b.North, other.North),
			East: max(b.East, other.East)}
	}
	p.Bounds = b
	p.center = geo.Point{Lat: (b.South + b.North) / 2, Lng: (b.West + b.East) / 2}
	p.centerZoom = byte(max(p.MinZoom, min(int(p.centerZoom), p.MaxZoom)))
}

// A content is what tiles have, by its place in the source.
type content struct {
	offset uint64
	length uint32
}

// place gives the entries their offsets in the new archive, where each content is once, in the order of the tiles. It
// returns the contents in the order of the source, where from is an offset among its tiles.
func (p *Plan) place(entries []entry) []piece {
	var pieces []piece
	next := uint64(0)
	placed := make(map[content]uint64, len(entries))
	p.Tiles = 0
	for i, e := range entries {
		c := content{e.offset, e.length}
		at, known := placed[c]
		if !known {
			at = next
			placed[c] = at
			pieces = append(pieces, piece{int64(e.offset), int64(at), int64(e.length)})
			next += uint64(e.length)
		}
		entries[i].offset = at
		p.Tiles += uint64(e.run)
	}
	p.contents, p.clustered = uint64(len(placed)), true
	p.sections[tileSection].length = next
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	return pieces
}

// build makes everything that is in front of the tiles.
func (p *Plan) build(entries []entry, metadata []byte) error {
	entries = merged(entries)
	p.entries, p.internal = uint64(len(entries)), gzipped
	root, leaves, err := packDirectories(entries)
	if err != nil {
		return err
	}
	if metadata, err = pack(metadata); err != nil {
		return err
	}
	at := uint64(headerSize)
	for i, text := range [][]byte{rootSection: root, metadataSection: metadata, leafSection: leaves} {
		p.sections[i] = section{at, uint64(len(text))}
		at += uint64(len(text))
	}
	p.sections[tileSection].at = at
	p.begin = slices.Concat(p.Header.append(nil), root, metadata, leaves)
	p.Size = int64(p.sections[tileSection].end())
	return nil
}

// merged joins runs of the same content that follow each other.
func merged(list []entry) []entry {
	all := list[:0]
	for _, e := range list {
		if n := len(all); n > 0 && all[n-1].offset == e.offset && all[n-1].id+uint64(all[n-1].run) == e.id &&
			e.run <= math.MaxUint32-all[n-1].run {
			all[n-1].run += e.run
		} else {
			all = append(all, e)
		}
	}
	return all
}

// Check reads the header and all directories of an archive, and returns an error if they cannot be read or name what is
// not there.
func Check(ctx context.Context, src Source) (*Header, error) {
	h, err := ReadHeader(ctx, src)
	if err != nil {
		return nil, err
	}
	_, err = h.entriesOf(ctx, src, []span{{0, firstOf(lastZoom + 1)}})
	return h, err
}
