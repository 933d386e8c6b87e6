package photos

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"relais/internal/folder"
	"relais/internal/store"
)

// phoneImages returns images of the usual sizes of phones' photos.
func phoneImages() map[Size][]byte {
	return map[Size][]byte{Main: bytes.Repeat([]byte("m"), 400_000), Thumb: bytes.Repeat([]byte("t"), 15_000),
		OG: bytes.Repeat([]byte("o"), 90_000)}
}

func BenchmarkAdd(b *testing.B) {
	s, _ := fresh(b)
	for b.Loop() {
		n := newOf("fr-1", "", 1)
		n.Images = phoneImages()
		add(b, s, n)
	}
}

func BenchmarkAddSideBySide(b *testing.B) {
	s, _ := fresh(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := newOf("fr-1", "", 1)
			n.Images = phoneImages()
			if _, err := s.Add(context.Background(), n); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkImage(b *testing.B) {
	s, _ := fresh(b)
	n := newOf("fr-1", "", 1)
	n.Images = phoneImages()
	id := add(b, s, n).ID
	for _, size := range Sizes {
		b.Run(string(size), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Image(id, size); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A million records, 10,000 of them of one site.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("it takes a while")
	}
	dir := folder.Dir(b.TempDir())
	s, stop := opened(b, dir, time.Now)
	for from := 0; from < 1e6; from += 20_000 {
		err := s.update(func(tx *store.Tx) error {
			for i := from; i < from+20_000; i++ {
				n := newOf(fmt.Sprintf("fr-%d", i), "ORANGE", 1)
				if i%100 == 0 {
					n.SiteKey = "fr-x"
				}
				u, err := uuid.NewV7()
				if err != nil {
					return err
				}
				p := &Photo{ID: u.String(), SiteKey: n.SiteKey, Operator: n.Operator, Month: "2026-11",
					Images: map[Size]Image{}}
				for size, image := range n.Images {
					p.Images[size] = Image{len(image), u[:]}
				}
				if err := p.put(tx); err != nil {
					return err
				}
			}
			return nil
		})
		must(b, err)
	}
	stop()
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			db, err := store.Open(filepath.Join(string(dir), "photos.db"), Buckets...)
			must(b, err)
			Open(db, dir, time.Now)
			db.Close()
		}
	})
	s, _ = opened(b, dir, time.Now)
	for _, tt := range []struct {
		name string
		ask  func() (int, error)
	}{
		{"list a site", func() (int, error) { _, n, err := s.List("fr-77", nil, 20, 0); return n, err }},
		{"list 10,000", func() (int, error) { _, n, err := s.List("fr-x", nil, 100, 0); return n, err }},
		{"all", func() (int, error) { _, n, err := s.All(Filter{}, 20, 0); return n, err }},
	} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				if n, err := tt.ask(); n == 0 || err != nil {
					b.Fatalf("got %v, %v, want not 0 and no error", n, err)
				}
			}
		})
	}
}
