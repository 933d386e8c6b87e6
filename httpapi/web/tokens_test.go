package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"relais/market"
	"relais/tiles"
)

// A tokenTable is the custom properties of tokens.css in a theme, without their dashes.
type tokenTable map[string]string

var (
	tokenLine = regexp.MustCompile(`--([\w-]+): ([^;]+);`)
	twoColors = regexp.MustCompile(`^light-dark\((.+), (.+)\)$`)
)

// themes returns the tables of the two themes.
func themes(t *testing.T) map[string]tokenTable {
	t.Helper()
	assets, _ := readAssets()
	packed, err := gzip.NewReader(bytes.NewReader(assets["tokens.css"].packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	light, dark := tokenTable{}, tokenTable{}
	for _, m := range tokenLine.FindAllStringSubmatch(string(text), -1) {
		light[m[1]], dark[m[1]] = m[2], m[2]
		if both := twoColors.FindStringSubmatch(m[2]); both != nil {
			light[m[1]], dark[m[1]] = both[1], both[2]
		}
	}
	return map[string]tokenTable{"light": light, "dark": dark}
}

// A linear color has its red, green and blue as amounts of light, from 0 to 1.
type linear [3]float64

func (table tokenTable) color(t *testing.T, name string) (c linear) {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(table[name], "#"), 16, 32)
	if err != nil || len(table[name]) != len("#rrggbb") {
		t.Fatalf("token %s: got %q, want #rrggbb", name, table[name])
	}
	for i := range c {
		v := float64(n>>(16-8*i)&0xff) / 255
		if v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// contrast is defined in section 1.4.3 of WCAG 2.2.
func contrast(a, b linear) float64 {
	luminance := func(c linear) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// visions are kinds of colour vision as matrices on amounts of light: Machado, Oliveira and Fernandes,
// "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.
var visions = map[string][3]linear{
	"usual": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
}

func times(m [3]linear, c linear) (out linear) {
	for i, row := range m {
		out[i] = row[0]*c[0] + row[1]*c[1] + row[2]*c[2]
	}
	return out
}

// oklab returns the coordinates of a color in Oklab (Ottosson, 2020), where distances are about what
// people see.
func oklab(c linear) linear {
	cones := times([3]linear{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566},
		{0.0883024619, 0.2817188376, 0.6299787005}}, c)
	for i := range cones {
		cones[i] = math.Cbrt(cones[i])
	}
	return times([3]linear{{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099},
		{0.0259040371, 0.7827717662, -0.8086757660}}, cones)
}

// seen returns a color as somebody sees it.
func seen(c linear, vision string) linear {
	c = times(visions[vision], c)
	for i := range c {
		c[i] = min(1, max(0, c[i]))
	}
	return oklab(c)
}

func apart(a, b linear) float64 { return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]) }

// Text has a contrast of at least 4.5 to what it stands on, and marks of at least 3.
func TestTokenContrast(t *testing.T) {
	for theme, table := range themes(t) {
		pairs := []struct {
			least    float64
			on, what string
		}{
			{4.5, "paper raised", "ink quiet accent warn"}, {4.5, "accent", "accent-ink"}, {4.5, "land water", "label town"},
			{4.5, "mark-paper", "mark-ink"}, {4.5, "outage", "outage-ink"},
			{3, "land water", "several sees served change-new change-active change-gone accent"},
			{3, "mark-paper", "mark-rim change-new change-active change-gone"},
		}
		for name := range table {
			if strings.HasPrefix(name, "operator-") {
				pairs = append(pairs, struct {
					least    float64
					on, what string
				}{3, "land paper mark-paper", name})
			}
		}
		for _, p := range pairs {
			for on := range strings.FieldsSeq(p.on) {
				for what := range strings.FieldsSeq(p.what) {
					if got := contrast(table.color(t, what), table.color(t, on)); got < p.least {
						t.Errorf("%s: --%s on --%s has a contrast of %.2f, want at least %.1f", theme, what, on, got, p.least)
					}
				}
			}
		}
	}
}

// leastApart is the least distance in Oklab between the colours of two operators of a market. Black
// and white are 1 apart.
const leastApart = 0.07

// Operators of a market differ in shape. Rings and wedges have colours only: these are apart for every
// kind of colour vision.
func TestOperatorsAreApart(t *testing.T) {
	for theme, table := range themes(t) {
		for _, m := range market.All {
			shapes := map[string]string{}
			for i, a := range m.Operators {
				shape := table["shape-"+a.Key]
				if other, taken := shapes[shape]; taken || shape == "" {
					t.Errorf("%s: the shape of %s is %q, that of %s too; want another", m.Code, a.Key, shape, other)
				}
				shapes[shape] = a.Key
				for _, b := range m.Operators[:i] {
					x, y := table.color(t, "operator-"+a.Key), table.color(t, "operator-"+b.Key)
					for vision := range visions {
						if got := apart(seen(x, vision), seen(y, vision)); got < leastApart {
							t.Errorf("%s %s: %s and %s are %.3f apart with %s, want at least %.2f", theme, m.Code, a.Key, b.Key,
								got, vision, leastApart)
						}
					}
				}
			}
		}
	}
}

// The brands of SFR and Free are both red: here they differ in lightness, which everybody sees.
func TestReds(t *testing.T) {
	for theme, table := range themes(t) {
		sfr, free := oklab(table.color(t, "operator-SFR"))[0], oklab(table.color(t, "operator-FREE"))[0]
		if got := math.Abs(sfr - free); got < 0.15 {
			t.Errorf("%s: lightness of SFR %.2f, of Free %.2f; want 0.15 between them", theme, sfr, free)
		}
	}
}

// The steps of the scale of signal strength get lighter one after the other for every kind of colour
// vision.
func TestSteps(t *testing.T) {
	light := themes(t)["light"]
	for vision := range visions {
		last := -1.0
		for i := 1; i <= 5; i++ {
			l := seen(light.color(t, fmt.Sprint("step-", i)), vision)[0]
			if l < last+0.08 {
				t.Errorf("%s: step %d has lightness %.2f after %.2f, want 0.08 more", vision, i, l, last)
			}
			last = l
		}
	}
}

// The tones of official coverage get darker by day and lighter by night, and that of no level is another one.
func TestCoverageTones(t *testing.T) {
	for theme, table := range themes(t) {
		way := map[string]float64{"light": -1, "dark": 1}[theme]
		for vision := range visions {
			last := seen(table.color(t, "land"), vision)
			unstated := seen(table.color(t, "cover-0"), vision)
			for i := 1; i <= 4; i++ {
				tone := seen(table.color(t, fmt.Sprint("cover-", i)), vision)
				if got := way * (tone[0] - last[0]); got < 0.08 {
					t.Errorf("%s, %s: tone %d differs by %.2f in lightness, want 0.08", theme, vision, i, got)
				}
				if got := apart(tone, unstated); got < leastApart {
					t.Errorf("%s, %s: tone %d is %.3f from that of no level, want %.2f", theme, vision, i, got, leastApart)
				}
				last = tone
			}
		}
	}
}

// The style for other maps has the colours of the map of this server.
func TestPalettes(t *testing.T) {
	for name, table := range themes(t) {
		p := tiles.Palettes[name]
		for token, got := range map[string]string{"land": p.Land, "water": p.Water, "border": p.Border, "area": p.Area,
			"label": p.Label, "town": p.Town, "several": p.Several} {
			if got != table[token] {
				t.Errorf("%s, %s: got %q, want %q", name, token, got, table[token])
			}
		}
	}
}
