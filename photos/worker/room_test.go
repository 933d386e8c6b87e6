package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"log/slog"
	"os"
	"strings"
	"testing"

	"relais/internal/tier"
	"relais/photos/render"
)

// The workers and the server fit into the control group.
func TestRoom(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		limit         int64
		wanted        int
		room          int64
		workers, each int64
	}{
		{0, 4, 0, 4, 1088 * mib}, // no limit
		{64 << 30, 4, 48 << 30, 4, 1088 * mib},
		{4096 * mib, 2, 3072 * mib, 2, 1088 * mib},
		{4096 * mib, 8, 3072 * mib, 4, 768 * mib},
		{2048 * mib, 4, 1536 * mib, 2, 768 * mib},
		{1024 * mib, 2, 768 * mib, 1, 768 * mib},
		{512 * mib, 2, 384 * mib, 1, 384 * mib},
		{300 * mib, 2, 204 * mib, 1, 204 * mib},
		{100 * mib, 2, 160 * mib, 1, 160 * mib}, // too little for anything: the kernel decides
	} {
		room := int64(0)
		if tt.limit > 0 {
			room = Room(tt.limit)
		}
		workers, each := divide(room, tt.wanted)
		if room != tt.room || int64(workers) != tt.workers || each != tt.each {
			t.Errorf("of %d MiB for %d workers: got room of %d, %d workers with %d each, want %d, %d and %d",
				tt.limit/mib, tt.wanted, room, workers, each, tt.room, tt.workers, tt.each)
		}
		if tt.limit >= 300*mib && int64(workers)*each > tt.limit-96*mib {
			t.Errorf("of %d MiB the server has only %d MiB, want 96", tt.limit/mib,
				(tt.limit-int64(workers)*each)/mib)
		}
	}
}

// pngHeader returns the beginning of a PNG.
func pngHeader(width, height uint32) []byte {
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height)
	ihdr = append(ihdr, 8, 2, 0, 0, 0) // true colour
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(ihdr))
}

// With little memory one worker runs, which reads what fits and refuses the rest by
// its header.
func TestRenderLittleMemory(t *testing.T) {
	tier.Slow(t)
	if raceDetector {
		t.Skip("the race detector takes more memory than a worker may have")
	}
	p := newRenderer(t, Options{Memory: Room(300 << 20)})
	if p.Workers != 1 {
		t.Errorf("workers = %d, want 1", p.Workers)
	}
	large := pngHeader(7000, 7000)
	if _, err := p.Render(context.Background(), "a", bytes.NewReader(large), int64(len(large))); !errors.Is(err,
		render.ErrTooLarge) || !strings.Contains(err.Error(), "memory") && !strings.Contains(err.Error(), "MB") {
		t.Errorf("49 megapixels: error = %v, want ErrTooLarge that names the memory", err)
	}
	var small bytes.Buffer
	must(t, png.Encode(&small, image.NewGray(image.Rect(0, 0, 2000, 1000))))
	for range 3 {
		if _, err := p.Render(context.Background(), "a", bytes.NewReader(small.Bytes()),
			int64(small.Len())); err != nil {
			t.Errorf("2 megapixels: %v", err)
		}
	}
	if len(p.idle) != 1 {
		t.Errorf("%d workers are idle, want 1", len(p.idle))
	}
}

// A real worker reports that it runs out of memory.
func TestWorkerRunsOutOfMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes more memory than a worker may have")
	}
	for _, bound := range []string{"eats", "watched"} { // of the system, and of macOS
		t.Run(bound, func(t *testing.T) {
			p := New(Options{Program: []string{os.Args[0], command, bound}, Log: slog.New(slog.DiscardHandler)})
			defer p.Close()
			if _, err := p.Render(context.Background(), "a", strings.NewReader("image"), 5); !errors.Is(err,
				render.ErrTooLarge) || !errors.Is(err, errFault) {
				t.Errorf("wrong error %v, want render.ErrTooLarge and ErrFault", err)
			}
		})
	}
}
