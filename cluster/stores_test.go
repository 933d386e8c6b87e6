//go:build linux

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/market"
	"relais/measure"
	"relais/photos"
)

// A storing is a node with photos and measurements.
type storing struct {
	dbs      []*store.DB
	blobs    Blobs
	photos   *photos.Store
	measures *measure.Store
}

func storingNode(t *testing.T, url, name string) *storing {
	t.Helper()
	log, dir := slog.New(slog.DiscardHandler), folder.Dir(t.TempDir())
	e, db1 := connected(t, url, name), storetest.Open(t, filepath.Join(string(dir), "photos.db"), photos.Buckets...)
	db2, err1 := measure.OpenDatabase(dir, false)
	blobs, err2 := e.OpenBlobs(t.Context(), "")
	must(t, errors.Join(err1, err2))
	cache, err := NewCache(blobs, filepath.Join(string(dir), "cache"), 1<<20, log)
	must(t, err)
	r := e.Replicas()
	must(t, errors.Join(r.Add(t.Context(), "photos", db1), r.Add(t.Context(), "measures", db2)))
	s := &storing{dbs: []*store.DB{db1, db2}, blobs: blobs, photos: photos.Open(db1, dir, time.Now)}
	must(t, s.photos.UseBlobs(cache))
	s.measures, err = measure.NewShared(t.Context(), dir, db2, time.Now, blobs)
	must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(s.photos.Close(), db1.Close(), db2.Close()); err != nil {
			t.Error(err)
		}
	})
	inBackground(t, r.Run)
	return s
}

// work adds speedtests that other nodes add too and merges them, and adds, reads and deletes photos.
func (s *storing) work(node int) (err error) {
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Hour)
	for i := range 20 {
		_, _, err1 := s.measures.Add(market.FR, map[string]string{"lat": "45.75", "lng": "4.85", "ping_ms": "30",
			"timestamp": at.Format(time.RFC3339), "download_mbps": fmt.Sprint(1 + (i+node*7)%20)})
		p, err2 := s.photos.Add(context.Background(), photos.New{SiteKey: "fr-1", ClientID: "c", AuthorName: "n",
			Caption: fmt.Sprint(node, " ", i), Images: imagesOf(node, i)})
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if i%2 == 0 {
			_, err1 = s.photos.Delete(p.ID, audit.Decision{})
		}
		if i%6 == 5 {
			err2 = s.measures.MergeAll()
		}
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
	}
	return s.measures.MergeAll()
}

func imagesOf(node, i int) map[photos.Size][]byte {
	all := map[photos.Size][]byte{}
	for _, size := range photos.Sizes {
		all[size] = bytes.Repeat(fmt.Appendf(nil, "%s %d %d ", size, node, i), 100)
	}
	return all
}

// Photos and measurements of nodes that write at once are the same on all, each once, and nothing
// else is left in the blobs.
func TestStoresAtOnce(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	nodes := []*storing{storingNode(t, url, "a"), storingNode(t, url, "b"), storingNode(t, url, "c")}
	var running sync.WaitGroup
	for i, n := range nodes {
		running.Go(func() {
			if err := n.work(i); err != nil {
				t.Errorf("node %d: %v", i, err)
			}
		})
	}
	running.Wait()
	nodes = append(nodes, storingNode(t, url, "later"))
	var want []string
	for i, n := range nodes {
		for _, db := range n.dbs {
			must(t, db.Fresh(t.Context()))
		}
		if got := n.measures.Count(market.FR, measure.Speedtest); got != 20 || len(n.measures.Problems()) > 0 {
			t.Errorf("node %d: speedtests = %d, problems %q; want 20 and none", i, got, n.measures.Problems())
		}
		var got []string
		list, total, err := n.photos.List("fr-1", nil, 100, 0)
		for _, p := range list {
			image, err := n.photos.Image(p.ID, photos.Thumb)
			if own := "thumb " + p.Caption + " "; err != nil || string(image) != strings.Repeat(own, 100) {
				t.Errorf("node %d: image of %q: %d bytes, %v", i, p.Caption, len(image), err)
			}
			got = append(got, p.ID)
		}
		if i == 0 {
			want = got
		}
		if err != nil || total != 30 || !slices.Equal(got, want) {
			t.Errorf("node %d: photos = %d, %v; want 30, the same on all", i, total, err)
		}
	}
	for range 2 {
		_, err := nodes[1].blobs.Sweep(t.Context(), 0, func(ctx context.Context, name string) (bool, error) {
			unused, err1 := nodes[1].photos.Unused(ctx, []string{name})
			more, err2 := nodes[1].measures.Unused(ctx, []string{name})
			return len(unused)+len(more) == 0, errors.Join(err1, err2)
		})
		must(t, err)
	}
	blobs := nodes[0].blobs.(*blobs)
	var names, pending int
	err := blobs.pool.QueryRow(t.Context(), `SELECT count(DISTINCT name), (SELECT count(*) FROM relais.pending)
		FROM relais.blob`).Scan(&names, &pending)
	if want := 30*3 + len(nodes[0].measures.Segments()); err != nil || names != want || pending != 0 {
		t.Errorf("blobs = %d, pending = %d, %v; want %d and none", names, pending, err, want)
	}
}
