package web

import (
	"net/url"

	"relais/archive"
	"relais/catalog"
	"relais/internal/cache"
)

// sums are what the pages of figures add up and what is painted, by names that have the data's version.
type sums struct {
	news     *cache.Cache[string, *newsSum]
	nets     *cache.Cache[string, []netRow]
	trends   *cache.Cache[string, *archive.Census]
	past     *cache.Cache[string, *catalog.OutageHistoryFound]
	pictures *cache.Cache[string, []byte]
}

func newSums() *sums {
	return &sums{figures[*newsSum](), figures[[]netRow](), figures[*archive.Census](), figures[*catalog.OutageHistoryFound](),
		figures[[]byte]()}
}

// figures returns an empty cache of sums, which are made one at a time.
func figures[V any]() *cache.Cache[string, V] {
	return cache.New(cache.Options[string, V]{Max: 24, Serial: true})
}

// A choice is a link in a list; at most one is chosen.
type choice struct {
	Label, Link string
	Chosen      bool
}

// figureLink returns an address with parameters, given as names and values; empty ones are left out.
func figureLink(path string, params ...string) string {
	q := url.Values{}
	for i := 0; i < len(params); i += 2 {
		if params[i+1] != "" {
			q.Set(params[i], params[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
