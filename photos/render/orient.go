package render

import (
	"image"

	"github.com/disintegration/imaging"

	"relais/photos/heif"
)

// An orientation is Exif's: how to turn the stored picture upright.
// 0 and 1 are upright.
type orientation int

const upright orientation = 1

func (o orientation) apply(m *image.NRGBA) *image.NRGBA {
	switch o { // imaging turns counterclockwise
	case 2:
		return imaging.FlipH(m)
	case 3:
		return imaging.Rotate180(m)
	case 4:
		return imaging.FlipV(m)
	case 5:
		return imaging.Transpose(m)
	case 6:
		return imaging.Rotate270(m)
	case 7:
		return imaging.Transverse(m)
	case 8:
		return imaging.Rotate90(m)
	}
	return m
}

// degrees returns the clockwise turn that remains after a mirrored picture is flipped left to
// right.
func (o orientation) degrees() int {
	return [...]int{1: 0, 2: 0, 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270}[o]
}

// sideways reports whether the turn swaps width and height.
func (o orientation) sideways() bool { return o >= 5 }

// rotationHEIF sums the turns that the file states, in degrees clockwise.

func rotationHEIF(data []byte) int {
	f, err := heif.Parse(data)
	if err != nil {
		return 0
	}
	quarters := 0 // counterclockwise
	for _, t := range f.Primary().Transforms {
		if turn, ok := t.(heif.Rotation); ok {
			quarters += int(turn)
		}
	}
	return (4 - quarters%4) % 4 * 90
}
