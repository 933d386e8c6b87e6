// Package endpoint declares the operations of the API once. The struct that
// holds an operation's parameters is also their validation and documentation,
// and the types of its result are its schema, so that none of them can drift
// apart. It knows neither HTTP nor the data.
package endpoint

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// A Decl is what is said of an operation besides its types.
type Decl struct {
	Name        string // "antennas.list"
	Method      string // "" is GET
	Path        string // below the version, with {name} for parameters in it
	Scope       string // that a key needs
	FailureName string // NAME of EXTERNAL_<NAME>_FAILED
	// FailureCode is the error code of an internal failure; "" is EXTERNAL_<FAILURENAME>_FAILED.
	FailureCode string
	// Data names what its answers are made of; none: the registers alone.
	DependsOn []string
	// Title names a tool to people.
	Title      string
	Summary    string
	Doc        string
	MaxAge     int      // seconds for which a client may keep the answer
	ErrorCodes []string // codes that it may answer beside those of every operation
	Status     int      // of a success; 0 is 200
	Body       *Body    // that it takes; nil is none
	// Large says that an answer may be far too large to be held in memory, Kept that it is
	// asked for by many and best made once.
	Large, Kept bool
	// Writes says that a tool changes something, SignedIn that it needs a person.
	Writes, SignedIn bool
}

// A Body says which body an operation takes.
type Body struct {
	Type     string // media type, without parameters
	MaxBytes int64
	TooLarge string // code for a larger one; "" is PAYLOAD_TOO_LARGE
	// File is the part of a form that is a file, "" for none; it has at most
	// MaxFileBytes.
	File         string
	FileDoc      string
	MaxFileBytes int64
}

// Media types of bodies whose members are parameters.
const (
	JSON = "application/json"
	Form = "multipart/form-data"
)

// A Located result has an address of its own.
type Located interface {
	Location() string // URL
}

// An Op is an operation. E is what operations work on: one consistent reading of
// the data.
type Op[E any] struct {
	Decl
	Params []Param
	Result reflect.Type

	template reflect.Value // of the parameters, defaults filled in
	run      func(ctx context.Context, env E, params any) (any, error)
}

// New declares an operation. P is a struct whose fields have a param tag, or are
// embedded structs of such fields; where *P has a method Check() error, it holds
// the rules over several fields. New panics when that cannot be bound: operations
// are declared when the program starts.
func New[E, P, R any](d Decl, f func(E, context.Context, *P) (R, error)) *Op[E] {
	if d.Method == "" {
		d.Method = "GET"
	}
	if d.Status == 0 {
		d.Status = 200
	}
	if d.FailureCode == "" {
		d.FailureCode = "EXTERNAL_" + d.FailureName + "_FAILED"
	}
	template := reflect.New(reflect.TypeFor[P]()).Elem()
	return &Op[E]{
		Decl: d, Params: describe(d, template, nil), Result: reflect.TypeFor[R](), template: template,
		run: func(ctx context.Context, env E, params any) (any, error) { return f(env, ctx, params.(*P)) },
	}
}

// A Call is an operation with its parameters bound.
type Call[E any] struct {
	Op *Op[E]
	// Key is the operation with its parameters in canonical form: questions with
	// equal keys have equal answers. Texts stay as they came, so that two
	// spellings of one question may have two keys.
	Key    string
	params any
}

// Do runs the operation.
func (c *Call[E]) Do(ctx context.Context, env E) (any, error) { return c.Op.run(ctx, env, c.params) }

// A Stream is a result that writes itself: a JSON object up to, but without, the
// comma before its last member, the request id.
type Stream interface {
	ContentType() string
	Size() int64 // of what WriteTo writes, in bytes; -1 when not known beforehand
	io.WriterTo
}

// Bytes is a Stream that is encoded already.
type Bytes []byte

// ContentType implements Stream.
func (Bytes) ContentType() string { return JSONType }

// Size implements Stream.
func (b Bytes) Size() int64 { return int64(len(b)) }

// WriteTo implements Stream.
func (b Bytes) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

// JSONType is the content type of answers.
const JSONType = "application/json; charset=utf-8"

// A Shaped is a result whose answer has the shape of other types, by content
// type.
type Shaped interface {
	Shapes() map[string]reflect.Type
}

// A ParamError reports a parameter whose value cannot be used.
type ParamError struct {
	Param string
	Value string // as given
	Want  string // what is allowed
	Code  string // "" is INVALID_PARAMETER
	// Allowed are all values that it may have, or all names of parameters; nil where
	// no list has them.
	Allowed []string
}

// maxShown is how much of a value an error repeats.
const maxShown = 64

func (e *ParamError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s", e.Param, e.Want)
	}
	return fmt.Sprintf("%s: %s is not allowed; %s", e.Param, quote(e.Value), e.Want)
}

// Name returns the parameter that is wrong, the first one of several, and "" where it is
// not the name of one, such as the body.
func (e *ParamError) Name() string {
	name, _, _ := strings.Cut(e.Param, ",")
	if !isPlain(name) {
		return ""
	}
	return name
}

// isPlain reports whether a name can be shown without quotes.
func isPlain(name string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return name != "" && len(name) <= maxShown
}

// quote shows the beginning of a value so that it cannot break a log line or a
// terminal.
func quote(s string) string {
	if r := []rune(s[:min(len(s), 4*maxShown+4)]); len(r) > maxShown {
		return fmt.Sprintf("%q…", string(r[:maxShown]))
	}
	return fmt.Sprintf("%q", s)
}
