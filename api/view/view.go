// Package view has the public JSON shapes of the API: what is not a field here is not
// shown. It turns normalised sites into these shapes and does not query the data.
package view

import (
	"bytes"
	"sync"
	"time"

	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Body is the answer of an operation; the request id is added in transport.
type Body[D, M any] struct {
	Data D `json:"data"`
	Meta M `json:"meta"`
}

// An Area is an administrative area.
type Area struct {
	Type  string `json:"type" doc:"What the area is: department, province; empty when the source names no areas."`
	Code  string `json:"code" doc:"Code of the area, such as 03, 2A, 971 or QC."`
	Label string `json:"label" doc:"Name of the area."`
}

// Coordinates are a position.
type Coordinates struct {
	Lat float64 `json:"lat" doc:"Latitude, WGS84 degrees, at most 7 decimals."`
	Lng float64 `json:"lng" doc:"Longitude, WGS84 degrees, at most 7 decimals."`
}

// A register is what all sites of a snapshot have in common.
type register struct {
	*market.Market
	snap        *snapshot.Snapshot
	attribution market.Register
	key         string // what siteKeys begin with
}

func RegisterOf(s *snapshot.Snapshot) register {
	m := market.Get(s.Market)
	return register{m, s, SourceOf(m, s), index.Key(m.Code, "")}
}

// SourceOf returns the source of a snapshot. The source of demonstration data says so in
// its name. Without a snapshot it is the market's register.
func SourceOf(m *market.Market, s *snapshot.Snapshot) market.Register {
	if s == nil {
		return m.Register
	}
	a := m.Attribution(s.Registers)
	if s.Synthetic {
		return Demonstration(a)
	}
	return a
}

// Demonstration returns the source of synthetic data in the form of a register.
func Demonstration(a market.Register) market.Register {
	a.Source = "SYNTHETIC demonstration data, not a register"
	return a
}

func (r register) area(i int) Area {
	if i < 0 {
		return Area{Type: r.AreaType}
	}
	return Area{Type: r.AreaType, Code: r.Areas[i].Code, Label: r.Areas[i].Label}
}

// operators lists the keys of the site's operators, in table order.
func (r register) operators(s *site.Site) []string {
	keys := make([]string, 0, len(r.Operators))
	for i, o := range r.Operators {
		for _, t := range s.Stations {
			if t.Operator == i {
				keys = append(keys, o.Key)
				break
			}
		}
	}
	return keys
}

// OrNull returns s, or nil if the string is empty.
func OrNull(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}

// day returns a date, or nil if it is unknown.
func day(d site.Date) *string {
	text := d.String()
	return OrNull(&text)
}

// nullUnknown returns x, or nil if it is unknown.
func nullUnknown(x float64) *float64 {
	if !site.Known(x) {
		return nil
	}
	return &x
}

// timeFormat is the format of times.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Moment formats a time as in answers: ISO 8601, UTC, with milliseconds.
func Moment(t time.Time) string { return t.UTC().Format(timeFormat) }

// JSON encodes v as in answers: without escaping HTML and without a line feed.
func JSON(v any) ([]byte, error) {
	encode := encoders.Get().(func(any) ([]byte, error))
	defer encoders.Put(encode)
	text, err := encode(v)
	return bytes.Clone(text), err
}

var encoders = sync.Pool{New: func() any { return newEncoder() }}
