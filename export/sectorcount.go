package export

import (
	"context"
	"sync"

	"relais/index"
	"relais/market"
)

// SectorCounts keeps how many sectors markets have. Counting reads all sites of a market, so it is done once for a
// version of its data. The zero value is ready to use, by several goroutines at once.
type SectorCounts struct {
	mu       sync.Mutex
	byMarket map[market.Code]sectorCount
}

type sectorCount struct {
	version string
	sectors int
}

// Of returns how many sectors a market has. Its error is the context's.
func (c *SectorCounts) Of(ctx context.Context, m *index.Market) (n int, err error) {
	code, version := m.Table.Code, m.Snap.Version
	c.mu.Lock()
	known := c.byMarket[code]
	c.mu.Unlock()
	if known.version == version {
		return known.sectors, nil
	}
	for range (&Register{Market: m, Whole: true}).SectorTable().Rows {
		if n++; n%10000 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byMarket == nil {
		c.byMarket = map[market.Code]sectorCount{}
	}
	c.byMarket[code] = sectorCount{version, n}
	return n, nil
}
