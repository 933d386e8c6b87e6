// Package json stands in for the package of that name in the module
// github.com/segmentio/encoding, by which the MCP SDK decodes what clients send, and of which
// it uses no more than is here: to read a text to its end and decode the one value that it
// is. That one takes a buffer of 32 KiB for each value, and the SDK decodes six for a call: a
// quarter of what a small call costs, and garbage of hundreds of megabytes a second, whose
// collection is what the slowest answers wait for.
//
// Values are decoded by github.com/go-json-experiment/json as encoding/json would, but that
// names must be spelled exactly where the SDK asks for it. What follows a value is an error.
package json

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

var (
	anyCase = jsonv1.DefaultOptionsV1()
	exact   = json.JoinOptions(anyCase, json.MatchCaseInsensitiveNames(false))
)

// A Decoder decodes a value.
type Decoder struct {
	in      io.Reader
	options json.Options
}

// NewDecoder returns a decoder of the value that r has.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r, anyCase} }

// DontMatchCaseInsensitiveStructFields has names match fields only as they are spelled.
func (d *Decoder) DontMatchCaseInsensitiveStructFields() { d.options = exact }

// Decode reads the value into v, which must be a pointer. Its error is io.EOF where there is
// none.
func (d *Decoder) Decode(v any) error {
	var text bytes.Buffer
	if sized, ok := d.in.(interface{ Len() int }); ok {
		text.Grow(sized.Len() + bytes.MinRead)
	}
	if _, err := text.ReadFrom(d.in); err != nil {
		return err
	}
	if text.Len() == 0 {
		return io.EOF
	}
	return json.Unmarshal(text.Bytes(), v, d.options)
}
