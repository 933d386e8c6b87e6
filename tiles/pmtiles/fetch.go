package pmtiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// spare is how much of what is read may be unused, as a part of what is used: a request takes longer than some
	// bytes that nobody needs.
	spare = 20
	// maxGap is the most unused bytes between two contents of a range.
	maxGap = 1 << 20
	// maxRanges is how many ranges are read. France up to zoom 14 has some thousand before they are grouped.
	maxRanges = 20_000
)

// group sets the ranges that have the pieces. The smallest gaps between pieces are read too, as long as they are a
// twentieth of what is used.
func (p *Plan) group(pieces []piece, tiles int64) error {
	used := int64(0)
	var gaps []int64
	for i, c := range pieces {
		used += c.n
		if i == 0 {
			continue
		}
		gap := c.from - pieces[i-1].from - pieces[i-1].n
		if gap < 0 {
			return errors.New("the PMTiles file is damaged: contents of its tiles overlap")
		}
		gaps = append(gaps, gap)
	}
	slices.Sort(gaps)
	widest, wasted := int64(0), int64(0)
	for _, gap := range gaps {
		if wasted += gap; gap > maxGap || wasted > used/spare {
			break
		}
		widest = gap
	}
	at := int64(p.sections[tileSection].at)
	for i, c := range pieces {
		begins := i == 0 || c.from-pieces[i-1].from-pieces[i-1].n > widest
		c.from, c.to = c.from+tiles, c.to+at
		if begins {
			p.ranges = append(p.ranges, fetch{at: c.from})
		}
		p.ranges[len(p.ranges)-1].add(c)
	}
	if p.Ranges = len(p.ranges); p.Ranges > maxRanges {
		return fmt.Errorf("the tiles of the area are in %d places of the archive, over %d: want a clustered archive, "+
			"or a smaller area", p.Ranges, maxRanges)
	}
	for _, f := range p.ranges {
		p.Read += f.n
	}
	return nil
}

// add adds the next piece to a range.
func (f *fetch) add(c piece) {
	f.n = c.from + c.n - f.at
	if n := len(f.pieces); n > 0 {
		last := &f.pieces[n-1]
		if last.from+last.n == c.from && last.to+last.n == c.to {
			last.n += c.n
			return
		}
	}
	f.pieces = append(f.pieces, c)
}

// Write writes the new archive to w. The first done bytes of all ranges are in it already, from an earlier call of the
// same plan. After each write it calls wrote with how many bytes are done.
func (p *Plan) Write(ctx context.Context, src Source, w io.WriterAt, done int64, wrote func(done int64) error) error {
	if _, err := w.WriteAt(p.begin, 0); err != nil {
		return err
	}
	passed := int64(0)
	for _, f := range p.ranges {
		if skip := done - passed; skip < f.n {
			skip = max(skip, 0)
			s := &scatter{fetch: f, at: f.at + skip, to: w, passed: passed - f.at, wrote: wrote}
			if err := src.Copy(ctx, s, s.at, f.n-skip); err != nil {
				return err
			}
		}
		passed += f.n
	}
	return nil
}

// A scatter writes the bytes of a range to where their pieces are in the new archive.
type scatter struct {
	fetch
	at     int64 // in the source, of the next byte
	to     io.WriterAt
	passed int64 // added to at: the bytes of all ranges that are done
	wrote  func(done int64) error
}

// Write implements io.Writer.
func (s *scatter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		for len(s.pieces) > 0 && s.pieces[0].from+s.pieces[0].n <= s.at {
			s.pieces = s.pieces[1:]
		}
		if len(s.pieces) == 0 {
			return n, io.ErrShortWrite // more bytes than were asked for
		}
		c := s.pieces[0]
		part := b[n:]
		if gap := c.from - s.at; gap > 0 {
			part = part[:min(gap, int64(len(part)))]
		} else {
			part = part[:min(c.from+c.n-s.at, int64(len(part)))]
			if _, err := s.to.WriteAt(part, c.to+s.at-c.from); err != nil {
				return n, err
			}
		}
		n += len(part)
		s.at += int64(len(part))
	}
	return n, s.wrote(s.at + s.passed)
}
