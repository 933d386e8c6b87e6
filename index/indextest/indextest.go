// Package indextest makes the indexes that the tests of other packages ask.
package indextest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relais/api/view"
	"relais/demo"
	"relais/index"
	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
	"relais/site"
	"relais/snapshot"
	"relais/snapshot/snapshottest"
)

// Country makes FR and DROM of a synthetic country with so many supports.
func Country(supports int) (set *index.Set, err error) {
	dir, err := os.MkdirTemp("", "relais-country-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files, err := demo.Write(filepath.Join(dir, "files"), supports)
	if err != nil {
		return nil, err
	}
	data := folder.Dir(filepath.Join(dir, "data"))
	if _, err := ingest.Run(context.Background(),
		ingest.Options{Dir: data, Markets: demo.Sets[0].Markets, Paths: files,
			Now: time.Now()}); err != nil {
		return nil, err
	}
	index.NewLive(data, view.Summaries, slog.New(slog.DiscardHandler), func(s *index.Set) { set = s }).Refresh()
	return set, nil
}

// Market indexes sites of a market, of whose heights nothing is known, with the statuses
// of FR.
func Market(t testing.TB, code market.Code, sites ...site.Site) *index.Market {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(code), []string{"Projet approuvé", "Techniquement opérationnel", "En service"})
	b.SourceDate = "2026-08-27"
	for _, s := range sites {
		s.Height, s.AntennaHeight = site.Unknown, site.Unknown
		if err := b.Add(&s); err != nil {
			t.Fatal(err)
		}
	}
	snap := snapshottest.Reread(t, b)
	m, err := index.Load(snap, view.Summaries, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return m
}
