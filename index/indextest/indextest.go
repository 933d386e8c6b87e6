// Package indextest makes the indexes that the tests of other packages ask.
package indextest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"relais/demo"
	"relais/folder"
	"relais/index"
	"relais/ingest"
	"relais/market"
	"relais/view"
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
	if _, err := ingest.Run(context.Background(), ingest.Options{Dir: data, Markets: []market.Code{market.FR, market.DROM}, Paths: files, Now: time.Now()}); err != nil {
		return nil, err
	}
	index.NewLive(data, view.Summaries, slog.New(slog.DiscardHandler), func(s *index.Set) { set = s }).Refresh()
	return set, nil
}
