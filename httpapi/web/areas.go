package web

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"sync"

	"relais/market"
)

//go:embed basemap/areas.json.gz
var areaFile []byte

// An areaMap is the drawing of a market's areas; see basemap/areas.mjs.
type areaMap struct {
	Size   [2]int               `json:"size"` // of the view box
	Areas  map[string]areaShape `json:"areas"`
	Insets []areaInset          `json:"insets"`
}

// An areaShape is an area: a path, and a place for a number.
type areaShape struct {
	Path string     `json:"d"`
	X    float64    `json:"x"`
	Y    float64    `json:"y"`
	R    float64    `json:"r"`
	Box  [4]float64 `json:"box"` // west, south, east, north, in degrees
}

// An areaInset has small areas, drawn larger. Its name is that of a text, or the code of its area.
type areaInset struct {
	Name  string               `json:"name"`
	Box   [4]float64           `json:"box"` // x, y, width, height
	Areas map[string]areaShape `json:"areas"`
}

// areaMaps returns the drawings.
var areaMaps = sync.OnceValue(func() (maps map[market.Code]*areaMap) {
	plain, err := gzip.NewReader(bytes.NewReader(areaFile))
	if err == nil {
		err = json.NewDecoder(plain).Decode(&maps)
	}
	if err != nil {
		panic("web: areas.json.gz: " + err.Error()) // the file is in the program
	}
	return maps
})

// A drawnMap is a map of areas that are shaded by a number.
type drawnMap struct {
	Size   [2]int
	Areas  []drawnArea
	Insets []drawnInset
	Steps  []drawnStep
}

type drawnInset struct {
	Title               string
	X, Y, Width, Height float64
	TitleX, TitleY      float64
	Areas               []drawnArea
}

// A drawnArea is an area with its number. Text is "" where the number has no room.
type drawnArea struct {
	Path, Name, Count, Text string
	Step                    int
	X, Y                    float64
}

// A drawnStep is an entry of the legend.
type drawnStep struct {
	Step     int
	From, To string
}

// drawAreas shades the areas of a market, which are in the order of its table.
func drawAreas(w words, m *market.Market, counts []int) *drawnMap {
	shapes := areaMaps()[m.Code]
	if shapes == nil {
		return nil
	}
	limits := stepLimits(counts)
	d := &drawnMap{Size: shapes.Size, Steps: drawnSteps(w, counts, limits)}
	draw := func(areas map[string]areaShape, enlarged map[string]bool) (list []drawnArea) {
		for i, a := range m.Areas {
			shape, ok := areas[a.Code]
			if !ok {
				continue
			}
			one := drawnArea{Path: shape.Path, Name: a.Label + " (" + a.Code + ")", Count: w.Number(counts[i]),
				X: shape.X, Y: shape.Y, Step: stepOf(counts[i], limits)}
			if !enlarged[a.Code] && labelWidth(one.Count) <= 2.3*shape.R {
				one.Text = one.Count
			}
			list = append(list, one)
		}
		return list
	}
	enlarged := map[string]bool{}
	for _, inset := range shapes.Insets {
		title, b := w[inset.Name], inset.Box
		if at, ok := m.Area(inset.Name); ok {
			title = m.Areas[at].Label
		}
		d.Insets = append(d.Insets, drawnInset{Title: title, X: b[0], Y: b[1], Width: b[2], Height: b[3], TitleX: b[0] + 6,
			TitleY: b[1] + 14, Areas: draw(inset.Areas, nil)})
		for code := range inset.Areas {
			enlarged[code] = true
		}
	}
	d.Areas = draw(shapes.Areas, enlarged)
	return d
}

// labelWidth returns about the width of a number on the map.
func labelWidth(text string) (width float64) {
	for _, c := range text {
		if width += 5.6; c < '0' || c > '9' {
			width -= 3
		}
	}
	return width
}
