package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"relais/api/view"
	"relais/market"
)

// Fill returns the text of a name with its %s replaced by values.
func (w words) Fill(name string, values ...any) string { return fmt.Sprintf(w[name], values...) }

// Count returns the text of a name, which has forms for one and for several, with a number.
func (w words) Count(name string, n int) string {
	one, several, _ := strings.Cut(w[name], "|")
	if n == 1 || n == 0 && w.Language().NoneIsOne {
		several = one
	}
	return fmt.Sprintf(several, w.Number(n))
}

// Number writes a whole number, in groups of three digits.
func (w words) Number(n int) string { return w.Language().Number(n) }

// Decimal writes a number with at most so many decimals.
func (w words) Decimal(x float64, decimals int) string {
	power := math.Pow10(decimals)
	text := strconv.FormatFloat(math.Round(x*power)/power, 'f', -1, 64)
	return strings.Replace(text, ".", w.Language().Decimal, 1)
}

// Metres writes a height.
func (w words) Metres(m float64) string { return w.Decimal(m, 1) + "\u00a0m" }

// Distance writes a distance, from a kilometre on in kilometres.
func (w words) Distance(metres int) string {
	if metres < 1000 {
		return strconv.Itoa(metres) + "\u00a0m"
	}
	return w.Decimal(float64(metres)/1000, 1) + "\u00a0km"
}

// Direction writes a bearing as degrees and a point of the compass.
func (w words) Direction(degrees float64) string {
	points := strings.Fields(w["compass"])
	whole := int(math.Round(degrees)) % 360
	at := int(math.Round(float64(whole)*float64(len(points))/360)) % len(points)
	return fmt.Sprintf("%d°\u00a0%s", whole, points[at])
}

// Date writes a day that is given as YYYY-MM-DD, or a moment that begins so. Another text stays as
// it is.
func (w words) Date(iso string) string {
	day, err := time.Parse(time.DateOnly, iso[:min(len(iso), len(time.DateOnly))])
	if err != nil {
		return iso
	}
	number := w.Language().Day
	if day.Day() == 1 {
		number = w.Language().FirstDay
	}
	return fmt.Sprintf(number, day.Day()) + "\u00a0" + strings.Fields(w["months"])[day.Month()-1] + " " + strconv.Itoa(day.Year())
}

// Moment writes a moment that is given in RFC 3339, in UTC to the minute. Another text stays as it
// is.
func (w words) Moment(iso string) string {
	t, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return iso
	}
	utc := t.UTC()
	return w.Fill("momentOf", w.Date(utc.Format(time.DateOnly)), utc.Format("15:04")+"\u00a0UTC")
}

// OGLocale writes the language as Open Graph does: fr_FR.
func (w words) OGLocale() string { return strings.Replace(w["locale"], "-", "_", 1) }

// Market writes the name of a market.
func (w words) Market(c market.Code) string { return w["market."+string(c)] }

// Status returns the meaning of a published status in the reader's language, "" if the status says
// it itself or its meaning is unknown.
func (w words) Status(published string) string {
	if meaning := w["status."+published]; meaning != published {
		return meaning
	}
	return ""
}

// Nature returns the meaning of ANFR's code of a support in the reader's language, "" if the label
// says it itself or its meaning is unknown.
func (w words) Nature(code, published string) string {
	if meaning := w["nature."+code]; meaning != published {
		return meaning
	}
	return ""
}

// formatDegrees writes degrees with at most six decimals, a tenth of a metre.
func formatDegrees(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64)
}

// cleanText removes from a text of a stranger what a browser does not show as it is: control
// characters, marks that change the direction of what follows, and bytes that are not UTF-8. Blanks
// become single.
func cleanText(s string) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == utf8.RuneError, unicode.IsControl(c), unicode.Is(unicode.Bidi_Control, c), c == '\ufeff':
			return -1
		}
		return c
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// firstRunes returns the first n characters of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Position writes a position in the form that the search takes.
func (w words) Position(c view.Coordinates) string {
	return formatDegrees(c.Lat) + ", " + formatDegrees(c.Lng)
}

// A statusText is a status as published, and its meaning in the reader's language if that says more.
type statusText struct{ Status, Meaning string }

// StatusOf returns a published status with its meaning.
func (w words) StatusOf(published string) statusText {
	return statusText{published, w.Status(published)}
}

// Azimuths writes directions, each as degrees and a point of the compass.
func (w words) Azimuths(degrees []uint16) []string {
	list := make([]string, len(degrees))
	for i, d := range degrees {
		list[i] = w.Direction(float64(d))
	}
	return list
}

// Severity says how bad an outage is, and what it affects.
func (w words) Severity(o view.Outage) string {
	text := w["severity."+string(o.Severity)]
	var affected []string
	for _, service := range o.AffectedServices {
		affected = append(affected, w["service."+service])
	}
	for _, technology := range o.AffectedTechnologies {
		affected = append(affected, strings.ToUpper(technology))
	}
	if len(affected) > 0 {
		text += w["colon"] + " " + strings.Join(affected, ", ")
	}
	return text
}

// Reporter says who reports an outage.
func (w words) Reporter(o view.Outage) string {
	switch {
	case o.ConfirmCount == nil:
		return w["fromOperator"]
	case *o.ConfirmCount == 0:
		return w["fromPeopleAlone"]
	}
	return w.Count("fromPeople", *o.ConfirmCount)
}
