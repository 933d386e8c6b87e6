package geo_test

import (
	"fmt"

	"relais/geo"
)

func Example() {
	tower := geo.Point{Lat: 48.8584, Lng: 2.2945}
	louvre := geo.Point{Lat: 48.8606, Lng: 2.3376}
	fmt.Printf("%.0f m\n", geo.Distance(tower, louvre))
	fmt.Printf("%.1f°\n", geo.Bearing(tower, louvre))
	around := geo.Disc{Center: tower, Radius: 4000}
	fmt.Println(around.Box().Contains(louvre))
	// Output:
	// 3163 m
	// 85.5°
	// true
}
