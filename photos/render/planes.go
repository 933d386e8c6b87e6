package render

import (
	"image"
	"image/color"
	"math"
	"runtime"
	"sync"
)

// resizeYCbCr resizes each plane separately, which takes a third of the library's time: it has
// fewer samples, and resizing interpolates subsampled chroma at once.

func resizeYCbCr(src *image.YCbCr, width, height int) *image.NRGBA {
	size := src.Rect.Size()
	chroma := chromaSize(src)
	luma := plane{src.Y, src.YStride, size.X, size.Y}.resize(width, height)
	cb := plane{src.Cb, src.CStride, chroma.X, chroma.Y}.resize(width, height)
	cr := plane{src.Cr, src.CStride, chroma.X, chroma.Y}.resize(width, height)
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	inParallel(height, func(from, to int) {
		for i := from * width; i < to*width; i++ {
			p := out.Pix[4*i : 4*i+4 : 4*i+4]
			p[0], p[1], p[2] = color.YCbCrToRGB(luma.pix[i], cb.pix[i], cr.pix[i])
			p[3] = 255
		}
	})
	return out
}

// chromaSize returns the size of the chroma planes, in samples.
func chromaSize(m *image.YCbCr) image.Point {
	last := m.Rect.Max.Sub(image.Pt(1, 1))
	first := m.COffset(m.Rect.Min.X, m.Rect.Min.Y)
	return image.Pt(m.COffset(last.X, m.Rect.Min.Y)-first+1, (m.COffset(m.Rect.Min.X, last.Y)-first)/m.CStride+1)
}

// A plane is width × height samples.
type plane struct {
	pix           []uint8
	stride        int
	width, height int
}

func (p plane) resize(width, height int) plane {
	return p.resizeWidth(width).resizeHeight(height)
}

// resizeWidth resizes the width.
func (p plane) resizeWidth(width int) plane {
	if width == p.width {
		return p
	}
	out := plane{make([]uint8, width*p.height), width, width, p.height}
	taps := newTaps(p.width, width)
	inParallel(p.height, func(from, to int) {
		for y := from; y < to; y++ {
			row, dst := p.pix[y*p.stride:][:p.width], out.pix[y*width:][:width]
			for x := range dst {
				weights := taps[x].weights
				sum := int32(fixedHalf)
				for i, v := range row[taps[x].first:][:len(weights)] {
					sum += int32(v) * weights[i]
				}
				dst[x] = clamped(sum)
			}
		}
	})
	return out
}

// resizeHeight resizes the height. The rows of the result are contiguous.
func (p plane) resizeHeight(height int) plane {
	if height == p.height && p.stride == p.width {
		return p
	}
	out := plane{make([]uint8, p.width*height), p.width, p.width, height}
	taps := newTaps(p.height, height)
	inParallel(height, func(from, to int) {
		sums := make([]int32, p.width)
		for y := from; y < to; y++ {
			for x := range sums {
				sums[x] = fixedHalf
			}
			for i, weight := range taps[y].weights {
				row := p.pix[(taps[y].first+i)*p.stride:][:len(sums)]
				for x, v := range row {
					sums[x] += int32(v) * weight
				}
			}
			dst := out.pix[y*p.width:][:len(sums)]
			for x, sum := range sums {
				dst[x] = clamped(sum)
			}
		}
	})
	return out
}

// Weights are fixed-point numbers.
const (
	fixedOne  = 1 << 14
	fixedHalf = fixedOne / 2
)

func clamped(sum int32) uint8 { return uint8(min(max(sum>>14, 0), 255)) }

// taps are the old samples of one new sample, with their weights.
type taps struct {
	first   int
	weights []int32 // their sum is one
}

// newTaps places the kernel over each new sample. The kernel is widened for a reduction.

func newTaps(old, n int) []taps {
	step := float64(old) / float64(n)
	width := max(step, 1)
	all := make([]taps, n)
	for i := range all {
		centre := (float64(i)+0.5)*step - 0.5
		first, last := max(0, int(math.Ceil(centre-2*width))), min(old-1, int(math.Floor(centre+2*width)))
		weights, sum := make([]float64, last-first+1), 0.
		for j := range weights {
			weights[j] = catmullRom(math.Abs(float64(first+j)-centre) / width)
			sum += weights[j]
		}
		all[i] = taps{first, make([]int32, len(weights))}
		left, heaviest := int32(fixedOne), 0
		for j, w := range weights {
			all[i].weights[j] = int32(math.Round(w / sum * fixedOne))
			left -= all[i].weights[j]
			if w > weights[heaviest] {
				heaviest = j
			}
		}
		all[i].weights[heaviest] += left // the rest of rounding
	}
	return all
}

// catmullRom is the cubic of Catmull and Rom (B = 0, C = 1/2) for x from 0.
func catmullRom(x float64) float64 {
	switch {
	case x < 1:
		return (3*x*x*x - 5*x*x + 2) / 2
	case x < 2:
		return (-x*x*x + 5*x*x - 8*x + 4) / 2
	}
	return 0
}

// inParallel splits the work on n rows among the cores.
func inParallel(n int, work func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() { work(i*n/parts, (i+1)*n/parts) })
	}
	wait.Wait()
}
