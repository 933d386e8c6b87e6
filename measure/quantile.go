package measure

import (
	"math/bits"
	"slices"
)

// Quantiles are those of the values that are stated. A quantile p of n values is the one
// at rank ⌈p·n⌉ of the sorted ones (nearest rank): one of the values, never between two.
type Quantiles struct {
	Of               int     // values; without any, the others are 0
	P10, Median, P90 float64 // p = 0.1, 0.5, 0.9
}

// A ranker finds values by their rank: it counts them in buckets of equal width, and sorts
// those of the bucket that holds a rank.
type ranker struct {
	counts [1 << bucketBits]uint16
	among  []int32
}

const bucketBits = 11

// quantiles returns those of fewer than 2^16 whole numbers of steps, of which there are
// unit to one.
func (r *ranker) quantiles(values []int32, unit float64) Quantiles {
	n := len(values)
	if n == 0 {
		return Quantiles{}
	}
	at := r.find(values, [...]int{(n + 9) / 10, (n + 1) / 2, (9*n + 9) / 10})
	return Quantiles{n, float64(at[0]) / unit, float64(at[1]) / unit, float64(at[2]) / unit}
}

// find returns the values at ranks that do not fall, of which 1 is that of the least.
func (r *ranker) find(values []int32, ranks [3]int) (at [3]int32) {
	low, high := slices.Min(values), slices.Max(values)
	shift := max(bits.Len32(uint32(high-low))-bucketBits, 0)
	counts := r.counts[:uint32(high-low)>>shift+1]
	clear(counts)
	for _, v := range values {
		counts[uint32(v-low)>>shift]++
	}
	bucket, before := uint32(0), 0
	for i, rank := range ranks {
		for before+int(counts[bucket]) < rank {
			before += int(counts[bucket])
			bucket++
		}
		if shift == 0 {
			at[i] = low + int32(bucket)
			continue
		}
		r.among = r.among[:0]
		for _, v := range values {
			if uint32(v-low)>>shift == bucket {
				r.among = append(r.among, v)
			}
		}
		slices.Sort(r.among)
		at[i] = r.among[rank-before-1]
	}
	return at
}
