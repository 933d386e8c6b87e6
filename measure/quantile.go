package measure

import (
	"math"
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
// those of the buckets that hold a rank, where a bucket is of more than one value.
type ranker struct {
	values []int32
	counts [1 << bucketBits]uint16
	coarse [1 << (bucketBits - coarseBits)]uint16 // of 1<<coarseBits buckets each
	among  [3][]int32
}

const bucketBits, coarseBits = 13, 6 // levels within 80 dB take a bucket each

// quantiles returns those of a column of rows, of fewer than 2^16, but for the values that are
// none: whole numbers of steps, of which there are unit to one.
func (r *ranker) quantiles(rows [][3]int32, column int, none int32, unit float64) Quantiles {
	r.values = slices.Grow(r.values[:0], len(rows))[:len(rows)]
	n, low, high := 0, int32(math.MaxInt32), int32(math.MinInt32)
	for i := range rows {
		if v := rows[i][column]; v != none {
			r.values[n], low, high = v, min(low, v), max(high, v)
			n++
		}
	}
	if n == 0 {
		return Quantiles{}
	}
	at := r.find(r.values[:n], low, high, [...]int{(n + 9) / 10, (n + 1) / 2, (9*n + 9) / 10})
	return Quantiles{n, float64(at[0]) / unit, float64(at[1]) / unit, float64(at[2]) / unit}
}

// find returns the values at ranks that do not fall, of which 1 is that of the least. All
// values are from low to high.
func (r *ranker) find(values []int32, low, high int32, ranks [3]int) (at [3]int32) {
	shift := max(bits.Len32(uint32(high-low))-bucketBits, 0)
	counts, coarse := &r.counts, &r.coarse
	last := uint32(high-low) >> shift
	clear(counts[:last+1])
	clear(coarse[:last>>coarseBits+1])
	for _, v := range values {
		b := uint32(v-low) >> shift % (1 << bucketBits)
		counts[b]++
		coarse[b>>coarseBits]++
	}
	var buckets [3]uint32
	for i, rank := range ranks {
		many, before := uint32(0), 0
		for ; before+int(coarse[many]) < rank; many++ {
			before += int(coarse[many])
		}
		bucket := many << coarseBits
		for ; before+int(counts[bucket]) < rank; bucket++ {
			before += int(counts[bucket])
		}
		buckets[i], ranks[i], at[i] = bucket, rank-before, low+int32(bucket)
	}
	if shift == 0 {
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
