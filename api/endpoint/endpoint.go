// Package endpoint declares the operations of the API once. The struct of an operation's
// parameters is also their validation and documentation, and the type of its result is
// its schema, so that they cannot drift apart. It knows neither HTTP nor the data.
package endpoint

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// A Decl describes an operation, except for its types.
type Decl struct {
	Name   string // "antennas.list"
	Method string // "" is GET
	Path   string // below the mount, with {name} for a parameter
	Scope  string // that a key must have
	// ScopeBy, which may be nil, has another scope for some values of a parameter.
	ScopeBy     *ScopeBy
	FailureName string // NAME of EXTERNAL_<NAME>_FAILED
	// FailureCode is the error code of an internal failure; "" is EXTERNAL_<FAILURENAME>_FAILED.
	FailureCode string
	// DependsOn names the datasets of its answers; empty means the registers alone.
	DependsOn []string
	// Title is the name of a tool for people.
	Title      string
	Summary    string
	Doc        string
	MaxAge     int      // seconds for which a client may keep the answer
	ErrorCodes []string // that it may answer, in addition to those of every operation
	Status     int      // of a success; 0 is 200
	Body       *Body    // nil if it takes none
	// Produces is the media type of answers that are a Content; "" is JSON.
	Produces string
	// Cheap means that an answer costs a twentieth of a request.
	Cheap bool
	// Asks means that a POST only reads: its body is a question that is too long for an address. Its
	// parameters may have a method Requests() int with the number of requests that it counts as.
	Asks bool
	// Large means that answers may be too large for memory; Kept means that many clients
	// ask for the same answer, so that it is worth keeping whatever its size.
	Large, Kept bool
	// Writes means that a tool changes something; SignedIn means that it needs a person.
	Writes, SignedIn bool
}

// A Body describes the body that an operation takes.
type Body struct {
	Type     string // media type, without parameters
	MaxBytes int64
	TooLarge string // error code of a larger body; "" is PAYLOAD_TOO_LARGE
	// File is the name of the form's file, "" if it has none. The file may have at most
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

// A Located is a result with an address of its own.
type Located interface {
	Location() string // URL
}

// An Op is an operation. E is the environment that it works on, such as the data.
type Op[E any] struct {
	Decl
	Params []Param
	Result reflect.Type

	template reflect.Value // the parameters with their defaults
	run      func(ctx context.Context, env E, params any) (any, error)
}

// New declares an operation. P is a struct whose fields have the tags of Param, or are
// embedded structs of such fields. If *P has a method Check() error, Bind calls it to check
// rules over several fields. New panics for a declaration that cannot be bound: operations
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
	// Key is the operation with its parameters in canonical form: calls with equal keys
	// have equal answers. Texts are kept as they were sent, so two spellings of one
	// question may have two keys.
	Key    string
	params any
}

// Params returns the parameters, a pointer to the struct of the operation.
func (c *Call[E]) Params() any { return c.params }

// MakesFile reports whether the answer is a compressed File, which takes memory and time to make, so that it is
// worth keeping. The parameters say so by a method of this name.
func (c *Call[E]) MakesFile() bool {
	p, ok := c.params.(interface{ MakesFile() bool })
	return ok && p.MakesFile()
}

// Do runs the operation.
func (c *Call[E]) Do(ctx context.Context, env E) (any, error) { return c.Op.run(ctx, env, c.params) }

// A Stream is a result that writes itself: a JSON object without its end, which is the
// request id.
type Stream interface {
	ContentType() string
	Size() int64 // of what WriteTo writes, in bytes; -1 if unknown
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

// Stoppable returns a stream that fails with the error of ctx once that ends.
func Stoppable(ctx context.Context, s Stream) Stream { return stoppable{s, ctx} }

type stoppable struct {
	Stream
	ctx context.Context
}

// WriteTo implements Stream.
func (s stoppable) WriteTo(w io.Writer) (int64, error) {
	return s.Stream.WriteTo(stoppableWriter{w, s.ctx})
}

type stoppableWriter struct {
	io.Writer
	ctx context.Context
}

// Write implements io.Writer.
func (w stoppableWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// A Content is a Stream that is not a JSON object, such as a tile: it is the whole answer, without a
// request id. An empty one is an answer without a body.
type Content interface {
	Stream
	Members() []string // names of the values in it
}

// A File is a Content that browsers keep under a name.
type File interface {
	Content
	FileName() string
	Compressed() bool // compressing it again would be of no use
}

// A Paged is a Stream of unknown size that may be one page of several.
type Paged interface {
	Stream
	NextOffset() int // of the next page, 0 for none
}

// A Wrapped is a result that has its Stream in it, which may be a File. It is a type of its own for its shapes.
type Wrapped interface {
	Unwrap() Stream
	FileMembers() []string // names of the values in its files
}

// JSONType is the content type of answers.
const JSONType = "application/json; charset=utf-8"

// A Shaped is a result that is encoded in the shapes of other types, by content type.
type Shaped interface {
	Shapes() map[string]reflect.Type
}

// Formats is the type of a parameter that chooses the form of the answer. ContentTypes returns those of the answers to
// its values.
type Formats interface{ ContentTypes() []string }

// A ParamError reports a parameter whose value cannot be used.
type ParamError struct {
	Param string
	Value string // as given
	Want  string // what is allowed
	Code  string // "" is INVALID_PARAMETER
	// Allowed lists the allowed values or, for an unknown name, the names of parameters. It
	// is nil if they are not listed.
	Allowed []string
}

// maxShown is the number of characters of a value that an error repeats.
const maxShown = 64

func (e *ParamError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s", e.Param, e.Want)
	}
	return fmt.Sprintf("%s: %s is not allowed; %s", e.Param, quote(e.Value), e.Want)
}

// Name returns the name of the first wrong parameter, "" if the error is about something
// else, such as the body.
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

// quote quotes the beginning of a value, so that it cannot break a log line or a terminal.
func quote(s string) string {
	if r := []rune(s[:min(len(s), 4*maxShown+4)]); len(r) > maxShown {
		return fmt.Sprintf("%q…", string(r[:maxShown]))
	}
	return fmt.Sprintf("%q", s)
}
