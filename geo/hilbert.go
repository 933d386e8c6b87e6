package geo

// Hilbert returns the distance of p along a Hilbert curve over the whole Earth with
// 2^32 cells a side. Points with similar values are near each other.
func Hilbert(p Point) uint64 {
	x := uint32((p.Lng + 180) / 360 * (1<<32 - 1))
	y := uint32((p.Lat + 90) / 180 * (1<<32 - 1))
	var d uint64
	for s := uint32(1) << 31; s > 0; s >>= 1 {
		var rx, ry uint32
		if x&s != 0 {
			rx = 1
		}
		if y&s != 0 {
			ry = 1
		}
		d = d<<2 | uint64(3*rx^ry)
		if ry == 0 { // rotate the quadrant, so that the curve is continuous
			if rx == 1 {
				x, y = ^x, ^y
			}
			x, y = y, x
		}
	}
	return d
}
