package render

import (
	"image"

	"github.com/disintegration/imaging"

	"relais/photos/heif"
)

// An orientation is Exif's: how the stored picture has to be turned to be upright.
// 0 and 1 say that it is.
type orientation int

const upright orientation = 1

func (o orientation) apply(m *image.NRGBA) *image.NRGBA {
	switch o { // imaging turns against the clock
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

// degrees is the turn with the clock that is left when left and right are swapped first
// where the picture is mirrored.
func (o orientation) degrees() int {
	return [...]int{1: 0, 2: 0, 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270}[o]
}

// sideways tells whether width and height change places.
func (o orientation) sideways() bool { return o >= 5 }

// rotationHEIF is the sum of the turns that the file itself states, degrees with the
// clock.
func rotationHEIF(data []byte) int {
	f, err := heif.Parse(data)
	if err != nil {
		return 0
	}
	quarters := 0 // against the clock
	for _, t := range f.Primary().Transforms {
		if turn, ok := t.(heif.Rotation); ok {
			quarters += int(turn)
		}
	}
	return (4 - quarters%4) % 4 * 90
}
