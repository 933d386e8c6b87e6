package geo

// FromLV95 converts Swiss LV95 (EPSG:2056), east and north in metres, to WGS84 by
// swisstopo's approximation. The result is within 3 metres inside Switzerland;
// outside it is useless.
func FromLV95(east, north float64) Point {
	y, x := (east-2600000)/1e6, (north-1200000)/1e6
	lng := 2.6779094 + 4.728982*y + 0.791484*y*x + 0.1306*y*x*x - 0.0436*y*y*y
	lat := 16.9023892 + 3.238272*x - 0.270978*y*y - 0.002528*x*x - 0.0447*y*y*x - 0.0140*x*x*x
	return Point{Lat: lat * 100 / 36, Lng: lng * 100 / 36}
}

// ToLV95 is the inverse of FromLV95, to less than a millimetre in Switzerland.
func ToLV95(p Point) (east, north float64) { return invert(FromLV95, 2600000, 1200000, p) }
