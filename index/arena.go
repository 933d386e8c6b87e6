package index

// An arena holds one text for each site, in the order of the sites, so that the
// texts of consecutive sites are one slice. It is a list of shards, which are
// filled concurrently. A shard has at most 4 GiB, the arena has no such limit.
type arena []shard

// shardSites is the number of sites in a shard, a power of two.
const (
	shardBits  = 12
	shardSites = 1 << shardBits
)

type shard struct {
	text []byte
	end  [shardSites]uint32
}

func newArena(sites int) arena { return make(arena, (sites+shardSites-1)/shardSites) }

// at returns the text of site i.
func (a arena) text(i uint32) []byte { return a.run(i, i+1) }

// run returns the texts of sites from to to-1 as one slice. They must be in one shard.
func (a arena) run(from, to uint32) []byte {
	s := &a[from>>shardBits]
	k := from & (shardSites - 1)
	start := uint32(0)
	if k > 0 {
		start = s.end[k-1]
	}
	return s.text[start:s.end[(to-1)&(shardSites-1)]]
}

// bytes returns the memory of the texts.
func (a arena) bytes() (n int64) {
	for i := range a {
		n += int64(len(a[i].text))
	}
	return n
}
