package site

import "fmt"

// A Generation is a generation of mobile networks; 0 is unknown.
type Generation uint8

// The generations.
const (
	G2 Generation = 2
	G3 Generation = 3
	G4 Generation = 4
	G5 Generation = 5
)

// Generations is one more than the largest Generation.
const Generations = 6

// String returns "2G" to "5G", and "" for an unknown generation.
func (g Generation) String() string {
	if g < G2 || g > G5 {
		return ""
	}
	return [...]string{"2G", "3G", "4G", "5G"}[g-G2]
}

// UnmarshalText accepts 2G to 5G, in any case.
func (g *Generation) UnmarshalText(b []byte) error {
	if len(b) == 2 && b[0] >= '2' && b[0] <= '5' && b[1]|0x20 == 'g' {
		*g = Generation(b[0] - '0')
		return nil
	}
	return fmt.Errorf("one of 2G, 3G, 4G, 5G")
}

// Values lists the generations.
func (Generation) Values() []string { return []string{"2G", "3G", "4G", "5G"} }
