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
// those of the buckets that hold a rank.
type ranker struct {
	counts [1 << bucketBits]uint16
	among  [3][]int32
}

const bucketBits = 9

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
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	shift := max(bits.Len32(uint32(high-low))-bucketBits, 0)
	counts := r.counts[:uint32(high-low)>>shift+1]
	clear(counts)
	for _, v := range values {
		counts[uint32(v-low)>>shift]++
	}
	var buckets [3]uint32
	bucket, before := uint32(0), 0
	for i, rank := range ranks {
		for before+int(counts[bucket]) < rank {
			before += int(counts[bucket])
			bucket++
		}
		buckets[i], ranks[i] = bucket, rank-before
	}
	if shift == 0 {
		for i, b := range buckets {
			at[i] = low + int32(b)
		}
		return at
	}
	for i := range r.among {
		r.among[i] = r.among[i][:0]
	}
	for _, v := range values {
		switch uint32(v-low) >> shift {
		case buckets[0]:
			r.among[0] = append(r.among[0], v)
		case buckets[1]:
			r.among[1] = append(r.among[1], v)
		case buckets[2]:
			r.among[2] = append(r.among[2], v)
		}
	}
	for i := range ranks {
		same := r.among[slices.Index(buckets[:], buckets[i])]
		slices.Sort(same)
		at[i] = same[ranks[i]-1]
	}
	return at
}
