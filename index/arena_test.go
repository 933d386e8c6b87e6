package index

import (
	"bytes"
	"fmt"
	"testing"
)

// An arena of eleven gigabytes: its places share one shard, so that it takes a few
// megabytes of memory, and each site has another piece of it.
func TestArenaBeyond4GiB(t *testing.T) {
	const shards, step = 5600, 2000 // bytes a site
	text := make([]byte, shardSites*step)
	for i := range shardSites {
		copy(text[i*step:], fmt.Sprintf("<%04d", i))
		text[(i+1)*step-1] = '>'
	}
	one := &shard{text: text}
	for i := range shardSites {
		one.end[i] = (i + 1) * step
	}
	a := &arena{shards: make([]arenaShard, shards)}
	for k := range a.shards {
		a.shards[k].written.Store(one)
	}
	if got, want := a.bytes(), int64(shards)*shardSites*step; got != want || want < 2<<32 {
		t.Errorf("%d bytes, want %d, over 8 GiB", got, want)
	}
	m := &Market{indexes: &indexes{fragments: a}}
	for _, i := range []uint32{0, 1, shardSites - 1, shardSites, 1 << 21, 2147483, 2147484, shards*shardSites/2 + 17,
		shards*shardSites - 1} {
		want := fmt.Sprintf("<%04d", i%shardSites)
		got := m.Fragment(i)
		if len(got) != step || !bytes.HasPrefix(got, []byte(want)) || got[step-1] != '>' {
			t.Errorf("site %d: %d bytes that begin with %q, want %d and %q", i, len(got), got[:5], step, want)
		}
	}
	total, runs := int64(0), 0
	for at, end := uint32(0), uint32(shards*shardSites); at < end; runs++ {
		var run []byte
		run, at = m.FragmentRun(at, end)
		total += int64(len(run))
	}
	if total != a.bytes() || runs != shards {
		t.Errorf("%d bytes in %d runs, want %d in %d", total, runs, a.bytes(), shards)
	}
}
