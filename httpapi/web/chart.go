package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A chartSeries is a line of a chart: a value for each date.
type chartSeries struct {
	Key    string // of the colour and the mark
	Label  string
	Values []int
}

// A lineChart is a chart of lines over dates, and the table of the same numbers.
type lineChart struct {
	Title         string
	Width, Height float64
	Left, Right   float64 // of the plot
	Bottom        float64
	YTicks        []chartTick
	XTicks        []chartTick
	Lines         []chartLine
	FromZero      bool
	Dates         []string // newest first
	Series        []chartSeries
}

type chartTick struct {
	At    float64
	Label string
}

// A chartLine is a drawn line: its path, the path of its marks, and its label at its end.
type chartLine struct {
	Key, Label     string
	Dash           int // number of the style of the line
	Path, Marks    string
	EndX, EndY     float64
	LabelX, LabelY float64
}

// Sizes of a chart, in units of its view box. It is as wide as a phone, so that texts stay readable.
const (
	chartWidth, chartHeight         = 412.0, 220.0
	chartLeft, chartRight           = 52.0, 144.0 // margins
	chartTop, chartBottom           = 14.0, 30.0
	labelLine                       = 14.0 // least distance of labels
	mostMarks                       = 12
	chartDashes                     = 8
	mostSeries                      = 24 // of a chart
	plotWidth, plotHeight           = chartWidth - chartLeft - chartRight, chartHeight - chartTop - chartBottom
	labelFrom, labelTo      float64 = chartTop + 4, chartHeight - chartBottom + 4
)

// newLineChart draws series over dates, oldest first. There are at least two dates and one series.
func newLineChart(w words, title string, dates []string, series []chartSeries) *lineChart {
	series = series[:min(len(series), mostSeries)]
	least, most := math.MaxInt, 0
	for _, s := range series {
		least, most = min(least, slices.Min(s.Values)), max(most, slices.Max(s.Values))
	}
	low, high, step := niceRange(least, most)
	c := &lineChart{Title: title, Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartLeft + plotWidth,
		Bottom: chartHeight - chartBottom, FromZero: low == 0, Series: series, Dates: slices.Clone(dates)}
	slices.Reverse(c.Dates)
	y := func(n int) float64 { return tenth(chartTop + plotHeight*float64(high-n)/float64(high-low)) }
	for n := low; n <= high; n += step {
		c.YTicks = append(c.YTicks, chartTick{y(n), w.Number(n)})
	}
	xs := datePositions(dates)
	c.XTicks = []chartTick{{xs[0], w.Date(dates[0])}, {xs[len(xs)-1], w.Date(dates[len(dates)-1])}}
	for k, s := range series {
		c.Lines = append(c.Lines, drawLine(k, s, xs, y))
	}
	spreadLabels(c.Lines)
	return c
}

// Value returns the value of a series at a date, counted from the newest.
func (c *lineChart) Value(s chartSeries, at int) int { return s.Values[len(s.Values)-1-at] }

// datePositions returns where dates stand on the axis of time.
func datePositions(dates []string) []float64 {
	xs, days := make([]float64, len(dates)), make([]float64, len(dates))
	for i, d := range dates {
		if t, err := time.Parse(time.DateOnly, d); err == nil { // archives have no other dates
			days[i] = float64(t.Unix())
		}
	}
	span := max(1, days[len(days)-1]-days[0])
	for i := range xs {
		xs[i] = tenth(chartLeft + plotWidth*(days[i]-days[0])/span)
	}
	return xs
}

func drawLine(k int, s chartSeries, xs []float64, y func(int) float64) chartLine {
	var path, marks strings.Builder
	every := (len(xs) + mostMarks - 1) / mostMarks
	for i, x := range xs {
		command := 'L'
		if i == 0 {
			command = 'M'
		}
		fmt.Fprintf(&path, "%c%g %g", command, x, y(s.Values[i]))
		if (len(xs)-1-i)%every == 0 {
			marks.WriteString(markPath(k, x, y(s.Values[i])))
		}
	}
	last := len(xs) - 1
	end := y(s.Values[last])
	return chartLine{Key: s.Key, Label: s.Label, Dash: k % chartDashes, Path: path.String(), Marks: marks.String(),
		EndX: xs[last] + 5, EndY: end, LabelX: xs[last] + 12, LabelY: end + 4}
}

// markShapes are paths of the marks of points.
var markShapes = []func(x, y float64) string{
	func(x, y float64) string {
		return fmt.Sprintf("M%g %ga3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z", tenth(x-3.2), y)
	},
	func(x, y float64) string { return fmt.Sprintf("M%g %gh6v6h-6z", tenth(x-3), tenth(y-3)) },
	func(x, y float64) string { return fmt.Sprintf("M%g %gl4 7h-8z", x, tenth(y-4)) },
	func(x, y float64) string { return fmt.Sprintf("M%g %gl4 4l-4 4l-4 -4z", x, tenth(y-4)) },
	func(x, y float64) string { return fmt.Sprintf("M%g %gl4 -7h-8z", x, tenth(y+4)) },
	func(x, y float64) string {
		return fmt.Sprintf("M%g %gh2v2.2h2.2v2h-2.2v2.2h-2v-2.2h-2.2v-2h2.2z", tenth(x-1), tenth(y-3.2))
	},
	func(x, y float64) string {
		return fmt.Sprintf("M%g %gl3.8 2.8l-1.4 4.4h-4.8l-1.4 -4.4z", x, tenth(y-4))
	},
	func(x, y float64) string { return fmt.Sprintf("M%g %gh8v3h-8z", tenth(x-4), tenth(y-1.5)) },
}

func markPath(k int, x, y float64) string { return markShapes[k%len(markShapes)](x, y) }

// spreadLabels moves labels apart, in the order of the ends of their lines.
func spreadLabels(lines []chartLine) {
	order := make([]*chartLine, len(lines))
	for i := range lines {
		order[i] = &lines[i]
	}
	slices.SortStableFunc(order, func(a, b *chartLine) int { return cmp.Compare(a.LabelY, b.LabelY) })
	room := min(labelLine, (labelTo-labelFrom)/float64(max(1, len(order)-1)))
	for i, l := range order {
		l.LabelY = max(l.LabelY, labelFrom)
		if i > 0 {
			l.LabelY = max(l.LabelY, order[i-1].LabelY+room)
		}
	}
	for i, l := range slices.Backward(order) {
		limit := labelTo
		if i+1 < len(order) {
			limit = order[i+1].LabelY - room
		}
		l.LabelY = tenth(min(l.LabelY, limit))
	}
}

// niceRange returns round ends of an axis and the distance of its ticks. It begins with 0 unless the
// lines would be flat.
func niceRange(least, most int) (low, high, step int) {
	if 2*(most-least) > most {
		least = 0
	}
	span := max(2, most-least)
	for step = 1; step*4 < span; {
		for _, factor := range []int{2, 5, 10} {
			if next := leadingOne(step) * factor; next > step {
				step = next
				break
			}
		}
	}
	low = least / step * step
	high = (most + step - 1) / step * step
	if high-low < 2*step {
		high = low + 2*step
	}
	return low, high, step
}

// leadingOne returns the power of ten at or below n.
func leadingOne(n int) int {
	one := 1
	for one*10 <= n {
		one *= 10
	}
	return one
}

func tenth(x float64) float64 { return math.Round(x*10) / 10 }
