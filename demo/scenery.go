package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Size of a drawing, and its parts. What matters is in the middle, which all sizes of a photo show.
const (
	drawnWidth, drawnHeight    = 800, 600
	middle, mastTop, mastFoot  = 400, 120, 420
	horizon                    = 360
	plateTop, plateHeight      = 402, 102
	largeLetters, smallLetters = 6.5, 4 // a part of a letter, which is four wide and six high
)

// skies are colours of the upper and lower sky, of far and near hills, and of the ground.
var skies = [][5]string{
	{"#4a90d9", "#cfe6f7", "#8fb0a5", "#5f8f63", "#4d7a45"}, // noon
	{"#39508c", "#f5b98a", "#6d6a8c", "#4b4a63", "#37384a"}, // evening
	{"#8d99a6", "#dfe4e8", "#a5b0b3", "#7d8c80", "#66755f"}, // clouds
	{"#2f78c4", "#f2f7fb", "#c9d6e0", "#e8eef2", "#f4f6f7"}, // snow
}

// A scenery is a drawing of a support. Those of one seed have the same sky and land.
type scenery struct {
	support *support
	seed    uint64
	r       *rand.Rand
	out     strings.Builder
}

// draw returns the drawing as SVG, always the same for a support and a seed.
func (p *scenery) draw() string {
	p.r = rand.New(rand.NewPCG(2026, p.seed))
	sky := skies[p.r.IntN(len(skies))]
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d">`, drawnWidth, drawnHeight)
	p.add(`<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="%s"/>`+
		`<stop offset="1" stop-color="%s"/></linearGradient></defs>`, sky[0], sky[1])
	p.add(`<rect width="%d" height="%d" fill="url(#s)"/>`, drawnWidth, drawnHeight)
	p.add(`<circle cx="%d" cy="%d" r="30" fill="#fff3c4"/>`, 130+p.r.IntN(120), 120+p.r.IntN(60))
	p.add(`<path fill="#fff" fill-opacity="0.7" d="`) // one path for all clouds: each element costs time
	for range 4 {
		x, y := p.r.IntN(drawnWidth), 110+p.r.IntN(130)
		for i := range 3 {
			half := 34 + p.r.IntN(16)
			p.add("M%d %da%d 14 0 1 0 %d 0a%[3]d 14 0 1 0 -%[4]d 0", x+30*i-half, y-6*(i%2), half, 2*half)
		}
	}
	p.add(`"/>`)
	p.hills(sky[2], horizon-60, 70)
	p.hills(sky[3], horizon-15, 40)
	p.add(`<rect y="%d" width="%d" height="%d" fill="%s"/>`, horizon+20, drawnWidth, drawnHeight, sky[4])
	switch mastOf(p.support.nature) {
	case waterTower:
		p.add(`<path d="M370 %dL378 240H422L430 %[1]dZ" fill="#cfc8bb"/><path d="M330 175H470L440 245H360Z" fill="#ded8cc"/>`, mastFoot)
		p.antennas(175, 60)
	case building:
		p.building()
		p.add(`<path d="M396 %dV250H404V%[1]dZ" fill="#777"/>`, mastTop)
		p.antennas(mastTop+20, 14)
	case lattice:
		p.lattice()
		p.antennas(mastTop+14, 20)
	default:
		p.add(`<path d="M394 %dL386 %dH414L406 %[1]dZ" fill="#b9bec2"/>`, mastTop, mastFoot)
		p.antennas(mastTop+14, 18)
	}
	p.plate()
	p.add("</svg>")
	return p.out.String()
}

// Kinds of masts that are drawn.
const (
	tube = iota
	waterTower
	building
	lattice
)

// mastOf returns the kind of a nature of the authority's table.
func mastOf(nature int) int {
	return map[int]int{4: waterTower, 17: building, 38: building, 23: lattice, 25: lattice}[nature]
}

func (p *scenery) add(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// hills draws a row of hills.
func (p *scenery) hills(colour string, base, height int) {
	p.add(`<path fill="%s" d="M0 %d`, colour, drawnHeight)
	for x := 0; x <= drawnWidth; x += 100 {
		p.add("L%d %d", x, base-p.r.IntN(height)+height/2)
	}
	p.add(`V%dZ"/>`, drawnHeight)
}

// building draws a block of flats under a roof mast.
func (p *scenery) building() {
	p.add(`<rect x="290" y="245" width="220" height="%d" fill="#c9b8a3"/><rect x="282" y="238" width="236" height="10" fill="#8b7d6d"/>`,
		mastFoot-235)
	p.add(`<path fill="#5d6f80" d="`)
	for y := 262; y < mastFoot-30; y += 36 {
		for x := 306; x < 490; x += 36 {
			p.add("M%d %dh18v22h-18Z", x, y)
		}
	}
	p.add(`"/>`)
}

// lattice draws a tower of steel sections.
func (p *scenery) lattice() {
	const sections = 9
	half := func(i int) int { return 7 + 27*i/sections }
	at := func(i int) int { return mastTop + (mastFoot-mastTop)*i/sections }
	p.add(`<path fill="none" stroke="#8d9499" stroke-width="3" d="M%d %dL%d %dM%d %[2]dL%d %[4]d`, middle-half(0), mastTop,
		middle-half(sections), mastFoot, middle+half(0), middle+half(sections))
	for i := range sections {
		left, right, l, r := middle-half(i), middle+half(i), middle-half(i+1), middle+half(i+1)
		p.add("M%d %dL%d %dM%d %[2]dL%d %[4]dH%[3]d", left, at(i), r, at(i+1), right, l)
	}
	p.add(`"/>`)
}

// antennas draws a panel for each sector of each operator, and a dish, around the mast.
func (p *scenery) antennas(top, around int) {
	p.add(`<path fill="#f4f5f6" stroke="#70777c" stroke-width="1.5" d="`)
	for i := range p.support.stations {
		y := top + 44*i
		for sector := range sectors {
			p.add("M%d %dh10v38h-10Z", middle+(sector-1)*(around+10)-5, y)
		}
		p.add("M%d %dH%d", middle-around-10, y+30, middle+around+10)
	}
	p.add(`"/>`)
	for i, sta := range p.support.stations {
		if sta.dish {
			p.add(`<circle cx="%d" cy="%d" r="11" fill="#e3e6e8" stroke="#70777c"/>`, middle+26-52*(i%2), top+44*i+54)
		}
	}
}

// plate writes on the drawing what it is.
func (p *scenery) plate() {
	p.add(`<rect x="195" y="%d" width="410" height="%d" rx="6" fill="#111" fill-opacity="0.8"/>`, plateTop, plateHeight)
	p.write("SYNTHETIC", plateTop+11, largeLetters)
	p.write("DÉMONSTRATION", plateTop+11+8.5*largeLetters, smallLetters)
}

// letters are drawn as lines, each through points x, y from the upper left: a picture has no fonts. An
// accent is above, at the signs before 0.
var letters = map[rune]string{
	'A': "06 20 46/14 34", 'C': "40 00 06 46", 'D': "00 06 26 44 42 20 00", 'E': "40 00 06 46/03 33",
	'É': "40 00 06 46/03 33/1. 3-", 'H': "00 06/40 46/03 43", 'I': "20 26", 'M': "06 00 23 40 46", 'N': "06 00 46 40",
	'O': "00 40 46 06 00", 'R': "06 00 40 43 03/13 46", 'S': "40 00 03 43 46 06", 'T': "00 40/20 26", 'Y': "00 23 40/23 26",
}

// write writes a word in the middle.
func (p *scenery) write(word string, top, part float64) {
	const advance = 6
	p.add(`<path fill="none" stroke="#fff" stroke-width="%.1f" d="`, part/1.6)
	left := middle - part*float64(advance*len([]rune(word))-2)/2
	for _, letter := range word {
		for line := range strings.SplitSeq(letters[letter], "/") {
			command := "M"
			for point := range strings.FieldsSeq(line) {
				p.add("%s%.1f %.1f", command, left+part*float64(int(point[0])-'0'), top+part*float64(int(point[1])-'0'))
				command = "L"
			}
		}
		left += advance * part
	}
	p.add(`"/>`)
}
