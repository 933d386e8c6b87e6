package endpoint

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"relais/internal/fold"
)

// A Param is a parameter of an operation. It is declared by the tags of a field:
//
//	param:"name"      its name
//	doc:"…"           its description
//	default:"…"       its value if it is absent
//	min:"0" max:"9"   range of a number; for a text, max is its length in characters
//	above:"0"         exclusive minimum of a number
//	example:"…"       for the documentation
//	code:"…"          error code instead of INVALID_PARAMETER
//	required:"true"   it must be given
//	in:"body"         it is a member of the body; else it is in the path or the query
//	private:"true"    errors do not repeat its value
//	lines:"true"      a text that may have line breaks and tabs
//	empty:"true"      an empty text is a value, if Lookup tells it from an absent one
//	want:"…"          what an error says is allowed, instead of the range
//	unkeyed:"true"    the answer's content does not depend on it: Call.Key does not have it
//
// A field is a string, int, bool, float64, a string type with the method Values (any case
// is accepted), a type with UnmarshalText, a pointer to one of these, which stays nil if
// the parameter is absent, or a slice of them: values with commas in between, at most max
// of them.
type Param struct {
	Name     string
	In       string // "query", "path" or "body"
	Doc      string
	Default  string
	Example  string
	Min, Max string
	Above    string
	Code     string
	Required bool
	Type     reflect.Type // without the pointer

	index      []int
	jsonKind   string   // what it is in JSON
	wantText   string   // what an error says, instead of what follows from type and range
	unmarshals bool     // has UnmarshalText
	lines      bool     // may have line breaks
	private    bool     // is not repeated
	empty      bool     // may be an empty text
	unkeyed    bool     // is not in Call.Key
	values     []string // all that a string type has, nil for any
	item       *Param   // of a list: what its values are bound as
}

// maxText is the maximum length of texts, unless they state another.
const maxText = 200

func describe(d Decl, v reflect.Value, index []int) (params []Param) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		fieldIndex := append(slices.Clone(index), i)
		if f.Anonymous {
			params = append(params, describe(d, v.Field(i), fieldIndex)...)
			continue
		}
		p := Param{Name: f.Tag.Get("param"), In: "query", Doc: f.Tag.Get("doc"), Default: f.Tag.Get("default"),
			Example: f.Tag.Get("example"),
			Min:     f.Tag.Get("min"), Max: f.Tag.Get("max"), Above: f.Tag.Get("above"), Code: f.Tag.Get("code"),
			Type: f.Type, index: fieldIndex, Required: f.Tag.Get("required") != "", lines: f.Tag.Get("lines") != "",
			private: f.Tag.Get("private") != "", wantText: f.Tag.Get("want"), empty: f.Tag.Get("empty") != "",
			unkeyed: f.Tag.Get("unkeyed") != ""}
		if p.Name == "" || !f.IsExported() {
			panic(fmt.Sprintf("endpoint: %s.%s has no param tag or is not exported", t, f.Name))
		}
		if f.Type.Kind() == reflect.Pointer {
			p.Type = f.Type.Elem()
		}
		p.describeType()
		p.item = itemOf(p)
		if strings.Contains(d.Path, "{"+p.Name+"}") {
			p.In = "path"
		} else if in := f.Tag.Get("in"); in != "" {
			p.In = in
		}
		if p.Default != "" {
			if err := p.set(v.Field(i), p.Default); err != nil {
				panic(fmt.Sprintf("endpoint: default of %s.%s: %v", t, f.Name, err))
			}
		}
		params = append(params, p)
	}
	return params
}

// describeType notes how values of the type are bound.
func (p *Param) describeType() {
	p.jsonKind = kindOf(p.Type)
	_, p.unmarshals = reflect.New(p.Type).Interface().(encoding.TextUnmarshaler)
	if e, ok := reflect.Zero(p.Type).Interface().(enumerated); ok && !p.unmarshals {
		p.values = e.Values()
	}
}

// A Lookup returns the value of a parameter, "" if it is absent or empty. Its error says
// what is allowed.
type Lookup func(p *Param) (string, error)

// ErrRepeated is the error of a Lookup for a parameter that is given twice.
var ErrRepeated = errors.New("give it once, not several times")

// ErrEmpty is the error of a Lookup for a parameter that is given and empty. It counts as
// absent unless the parameter has the tag empty.
var ErrEmpty = errors.New("a text that is not empty")

// Bind returns a call of the operation with the parameters that get returns. Its error is a
// *ParamError, or that of the method Check.
func (o *Op[E]) Bind(get Lookup) (*Call[E], error) {
	ptr := reflect.New(o.template.Type())
	v := ptr.Elem()
	v.Set(o.template)
	key := make([]byte, 0, 96)
	key = append(key, o.Name...)
	for i := range o.Params {
		p := &o.Params[i]
		raw, err := get(p)
		isEmpty := errors.Is(err, ErrEmpty)
		if err != nil && !isEmpty {
			return nil, p.paramError(raw, err)
		}
		if raw == "" && p.Required {
			return nil, &ParamError{Param: p.Name, Want: "it must be given", Code: p.Code}
		}
		if raw == "" && !(isEmpty && p.empty) {
			continue
		}
		f := v.FieldByIndex(p.index)
		if err := p.set(f, raw); err != nil {
			return nil, p.paramError(raw, err)
		}
		if !p.unkeyed && (f.Kind() == reflect.Pointer || !sameValue(f, o.template.FieldByIndex(p.index))) {
			key = p.appendKey(key, f)
		}
	}
	if c, ok := ptr.Interface().(Checked); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	return &Call[E]{Op: o, Key: string(key), params: ptr.Interface()}, nil
}

func (p *Param) paramError(raw string, err error) error {
	if p.private {
		raw = ""
	}
	e := &ParamError{Param: p.Name, Value: raw, Want: err.Error(), Code: p.Code}
	if errors.Is(err, ErrRepeated) { // has the same code for all parameters
		e.Code = ""
	}
	one := p.Type
	if p.item != nil {
		one = p.item.Type
	}
	if v, ok := reflect.Zero(one).Interface().(enumerated); ok {
		e.Allowed = v.Values()
	} else if p.jsonKind == aBool {
		e.Allowed = []string{"true", "false"}
	}
	return e
}

// set sets the field to raw. Its error says what is allowed.
func (p *Param) set(f reflect.Value, raw string) error {
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(p.Type))
		f = f.Elem()
	}
	if p.lines {
		raw = strings.ReplaceAll(raw, "\r\n", "\n") // as forms send them
	}
	if err := plainText(raw, p.lines); err != nil {
		return err
	}
	if p.unmarshals {
		return f.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(raw))
	}
	if p.item != nil {
		return p.setList(f, raw)
	}
	if p.values != nil {
		i := slices.IndexFunc(p.values, func(v string) bool { return fold.EqualASCII(v, raw) })
		if i < 0 {
			return fmt.Errorf("one of %s", strings.Join(p.values, ", "))
		}
		f.SetString(p.values[i])
		return nil
	}
	switch f.Kind() {
	case reflect.String:
		if longest := p.maxLength(); len(raw) > longest && utf8.RuneCountInString(raw) > longest {
			return fmt.Errorf("at most %d characters", longest)
		}
		f.SetString(raw)
	case reflect.Int:
		n, ok := wholeNumber(raw)
		if !ok || !p.inRange(float64(n)) {
			return p.numberError("a whole number")
		}
		f.SetInt(int64(n))
	case reflect.Float64:
		x, ok := decimalNumber(raw)
		if !ok || !p.inRange(x) {
			return p.numberError("a number")
		}
		f.SetFloat(x)
	case reflect.Bool:
		switch raw {
		case "true", "1":
			f.SetBool(true)
		case "false", "0":
			f.SetBool(false)
		default:
			return fmt.Errorf("true, false, 1 or 0")
		}
	default:
		panic("endpoint: cannot bind " + f.Type().String())
	}
	return nil
}

// numberError returns the error of a number that is malformed or out of range.
func (p *Param) numberError(what string) error {
	if p.wantText != "" {
		return errors.New(p.wantText)
	}
	return errors.New(what + p.rangeText())
}

func (p *Param) maxLength() int {
	if n, err := strconv.Atoi(p.Max); err == nil {
		return n
	}
	return maxText
}

// plainText fails for a text that is not valid UTF-8 or has control characters.
func plainText(s string, lines bool) error {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return fmt.Errorf("text in UTF-8")
			}
		}
		if unicode.IsControl(r) && !(lines && (r == '\n' || r == '\t')) {
			return fmt.Errorf("text without control characters")
		}
	}
	return nil
}

// wholeNumber parses ASCII digits with an optional minus.
func wholeNumber(s string) (int, bool) {
	if strings.Trim(s, "0123456789") != "" && strings.Trim(s, "0123456789") != "-" || len(s) > 18 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Decimal parses a decimal number as parameters have it.
func Decimal(text string) (float64, bool) { return decimalNumber(text) }

// decimalNumber parses a decimal number. Unlike strconv it accepts no hexadecimal form, Inf
// or NaN.
func decimalNumber(s string) (float64, bool) {
	if strings.Trim(s, "0123456789.-+eE") != "" || len(s) > 40 {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !math.IsInf(x, 0)
}

func (p *Param) inRange(x float64) bool {
	if lo, err := strconv.ParseFloat(p.Min, 64); err == nil && x < lo {
		return false
	}
	if lo, err := strconv.ParseFloat(p.Above, 64); err == nil && x <= lo {
		return false
	}
	hi, err := strconv.ParseFloat(p.Max, 64)
	return err != nil || x <= hi
}

func (p *Param) rangeText() string {
	switch {
	case p.Min != "" && p.Max != "":
		return " from " + p.Min + " to " + p.Max
	case p.Above != "" && p.Max != "":
		return " above " + p.Above + ", at most " + p.Max
	case p.Min != "":
		return " from " + p.Min + " on"
	}
	return ""
}

// appendKey appends the bound value in canonical form. Texts follow their length, so that
// different parameters cannot have equal keys.
func (p *Param) appendKey(key []byte, f reflect.Value) []byte {
	if f.Kind() == reflect.Pointer {
		f = f.Elem()
	}
	key = append(append(append(key, '&'), p.Name...), '=')
	switch f.Kind() {
	case reflect.String, reflect.Slice:
		text := textOf(f)
		key = strconv.AppendInt(key, int64(len(text)), 10)
		return append(append(key, ':'), text...)
	case reflect.Float64:
		return strconv.AppendFloat(key, f.Float(), 'g', -1, 64)
	case reflect.Bool:
		return strconv.AppendBool(key, f.Bool())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return strconv.AppendUint(key, f.Uint(), 10)
	default:
		return strconv.AppendInt(key, f.Int(), 10)
	}
}

// Values returns the parameters that are not their defaults as text, by name, except those of the path. params
// is a pointer to a struct of parameters.
func Values(path string, params any) url.Values {
	v := reflect.ValueOf(params).Elem()
	defaults := reflect.New(v.Type()).Elem()
	values := url.Values{}
	for _, p := range describe(Decl{Path: path}, defaults, nil) {
		f := v.FieldByIndex(p.index)
		switch {
		case p.In == "path" || f.Kind() == reflect.Pointer && f.IsNil():
		case f.Kind() == reflect.Pointer:
			values.Set(p.Name, textOf(f.Elem()))
		case !sameValue(f, defaults.FieldByIndex(p.index)):
			values.Set(p.Name, textOf(f))
		}
	}
	return values
}
