package avif

// A chroma enlarges a plane of chroma to the size of the picture: each sample is in
// the middle of its pixels, and values between two samples are three
// quarters of the nearer and one quarter of the farther.
type chroma struct {
	frame *frame
	plane int
	near  []int32 // rows of the plane
	far   []int32
	out   []int32
}

func newChroma(f *frame, plane int) *chroma {
	w, _ := f.planeSize(plane)
	return &chroma{f, plane, make([]int32, w), make([]int32, w), make([]int32, f.width)}
}

// row returns 16 times the samples for row y of the picture. It is overwritten by the
// next call.
func (c *chroma) row(y int) []int32 {
	c.vertical(y)
	if c.frame.layout == yuv444 {
		for i, s := range c.near {
			c.out[i] = 4 * s
		}
		return c.out
	}
	last := len(c.near) - 1
	for i, s := range c.near {
		before, after := c.near[max(0, i-1)], c.near[min(last, i+1)]
		c.out[2*i] = 3*s + before
		if 2*i+1 < len(c.out) {
			c.out[2*i+1] = 3*s + after
		}
	}
	return c.out
}

// vertical sets near to 4 times the samples for row y.
func (c *chroma) vertical(y int) {
	if c.frame.layout != yuv420 {
		c.frame.row(c.near, c.plane, y)
		for i := range c.near {
			c.near[i] *= 4
		}
		return
	}
	other := y/2 - 1 // rows beyond the first and the last are those
	if y%2 == 1 {
		other = y/2 + 1
	}
	c.frame.row(c.near, c.plane, y/2)
	c.frame.row(c.far, c.plane, other)
	for i, s := range c.far {
		c.near[i] = 3*c.near[i] + s
	}
}
