package question

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/market"
)

// maxPosition is the length in bytes up to which a text is read as a position.
const maxPosition = 100

var (
	signs      = strings.NewReplacer("−", "-", "–", "-")
	separators = regexp.MustCompile(`[°ºd'’′"”″,;:\s]+`)
	tokens     = regexp.MustCompile(`[nsewo]|[-+]?\d+(?:\.\d+)?|\S`)
	bothCommas = regexp.MustCompile(`\d,\d.*\d,\d`)
	aComma     = regexp.MustCompile(`(\d),(\d)`)
	aPoint     = regexp.MustCompile(`\d\.\d`)
	// within is a position in a longer text: both of its numbers have two decimals or more.
	within = regexp.MustCompile(`(?:^|\s)(-?\d{1,2}[.,]\d{2,12})\s*°?\s*[;,\s]\s*(-?\d{1,3}[.,]\d{2,12})\s*°?(?:$|\s)`)
)

// Position reads a position as people write it: 48.85, 2.35; 48,85 2,35; 48°51.5'N 2°21'E; N 48 51 30 E 2 21 0;
// geo:48.85,2.35. Letters are N, S, E, W and O, which is the French west,
// or the German and Dutch east where only that is in a market. Two whole numbers without a separator may be a house
// and a postal code.
func Position(text string) (geo.Point, bool) {
	if len(text) > maxPosition || !strings.ContainsAny(text, "0123456789") {
		return geo.Point{}, false
	}
	text = strings.ToLower(signs.Replace(strings.TrimSpace(text)))
	plain := strings.TrimPrefix(text, "geo:")
	if !aPoint.MatchString(plain) && bothCommas.MatchString(plain) {
		plain = aComma.ReplaceAllString(plain, "$1.$2") // the only comma of a text separates its numbers
	}
	groups, ok := angles(strings.TrimSpace(separators.ReplaceAllString(plain, " ")))
	switch {
	case !ok:
	case len(groups) == 1 && groups[0].letter == "":
		numbers := groups[0].numbers
		half := len(numbers) / 2
		if len(numbers) == 2*half && half >= 1 && half <= 3 && (half > 1 || strings.ContainsAny(text, ".,;")) {
			return validPoint(degrees(numbers[:half]), degrees(numbers[half:]))
		}
	case len(groups) == 2:
		p := geo.Point{Lat: lettered(groups, "ns"), Lng: lettered(groups, "ewo")}
		if east := (geo.Point{Lat: p.Lat, Lng: -p.Lng}); strings.Contains(plain, "o") && !inMarket(p) && inMarket(east) {
			p = east // Ost, Oost
		}
		return p, p.Valid()
	}
	return geo.Point{}, false
}

// An angle is numbers with the letter that stands before or after them.
type angle struct {
	letter  string
	numbers []float64
}

// angles splits a text into numbers with their letters. It fails for a text that has anything else.
func angles(text string) (list []angle, ok bool) {
	before := text != "" && text[0] >= 'a' // the letter stands before its numbers
	open := false
	for _, token := range tokens.FindAllString(text, -1) {
		letter := strings.Contains("nsewo", token)
		number, err := strconv.ParseFloat(token, 64)
		if !letter && (err != nil || math.IsInf(number, 0) || math.IsNaN(number)) {
			return nil, false
		}
		if !open || letter && before {
			list = append(list, angle{})
		}
		open = !letter || before
		if last := &list[len(list)-1]; letter {
			last.letter = token
		} else {
			if number == 0 && token[0] == '-' {
				number = math.Copysign(0, -1)
			}
			last.numbers = append(last.numbers, number)
		}
	}
	return list, true
}

// lettered returns the angle that has one of the letters, NaN for none.
func lettered(list []angle, letters string) float64 {
	for _, a := range list {
		if a.letter == "" || !strings.Contains(letters, a.letter) {
			continue
		}
		if strings.Contains("swo", a.letter) {
			return -degrees(a.numbers)
		}
		return degrees(a.numbers)
	}
	return math.NaN()
}

// degrees returns an angle of degrees, minutes and seconds, NaN for anything else.
func degrees(parts []float64) float64 {
	if len(parts) == 0 || len(parts) > 3 {
		return math.NaN()
	}
	sum, unit := math.Abs(parts[0]), 60.0
	for i, x := range parts[1:] {
		if x < 0 || x >= 60 || parts[i] != math.Trunc(parts[i]) {
			return math.NaN()
		}
		sum, unit = sum+x/unit, unit*60
	}
	return math.Copysign(sum, parts[0])
}

func inMarket(p geo.Point) bool {
	return slices.ContainsFunc(market.All, func(m *market.Market) bool { return m.Contains(p) })
}

func validPoint(lat, lng float64) (geo.Point, bool) {
	p := geo.Point{Lat: lat, Lng: lng}
	return p, p.Valid()
}

// cutPosition takes a position out of a text.
func cutPosition(text string) (p geo.Point, rest string, ok bool) {
	if p, ok = Position(text); ok {
		return p, "", true
	}
	at := within.FindStringSubmatchIndex(text)
	if at == nil {
		return p, text, false
	}
	number := func(i int) float64 {
		x, err := strconv.ParseFloat(strings.Replace(text[at[i]:at[i+1]], ",", ".", 1), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	if p, ok = validPoint(number(2), number(4)); !ok {
		return p, text, false
	}
	return p, text[:at[0]] + " " + text[at[1]:], true
}
