// Package endpoint declares the operations of the API once. The struct of an operation's
// parameters is also their validation and documentation, and the type of its result is
// its schema, so that they cannot drift apart. It knows neither HTTP nor the data.
package endpoint

import (
	"context"
	"fmt"
	"reflect"
	"strings"
)

// A Decl describes an operation, except for its types.
type Decl struct {
	Name   string // "antennas.list"
	Method string // "" is GET
	Path   string // below the mount, with {name} for a parameter
	Scope  string // that a key must have; "" needs no key
	// ScopeBy, which may be nil, has another scope for some values of a parameter.
	ScopeBy     *ScopeBy
	FailureName string // NAME of EXTERNAL_<NAME>_FAILED
	// FailureCode is the error code of an internal failure; "" is EXTERNAL_<FAILURENAME>_FAILED.
	FailureCode string
	// DependsOn names the datasets of its answers; empty means the registers alone.
	DependsOn []string
	// Title is the name of a tool for people.
	Title   string
	Summary string
	Doc     string
	// Example is a request that the documentation shows and tests send. It needs the data of the demonstration.
	Example    Request
	MaxAge     int      // seconds for which a client may keep the answer
	ErrorCodes []string // that it may answer, in addition to those of every operation
	Status     int      // of a success; 0 is 200
	Body       *Body    // nil if it takes none
	// Shapes are what an Answer looks like in JSON, by media type. They also stand for another result whose
	// type does not say it.
	Shapes map[string]reflect.Type
	// Files are the media types that answers may have instead, and Columns names the values in them.
	Files, Columns []string
	// Produces is the media type of answers in a format of others, "" for a shape of this API in JSON.
	Produces string
	// Location, which may be nil, returns the address of what a call made, its result.
	Location func(result any) string
	// MakesFile, which may be nil, reports for a pointer to parameters whether the answer is a compressed file, which
	// takes memory and time to make, so that it is worth keeping.
	MakesFile func(params any) bool
	// Cheap means that an answer costs a twentieth of a request.
	Cheap bool
	// Asks means that a POST only reads: its body is a question that is too long for an address.
	Asks bool
	// Requests, which may be nil, returns for a pointer to parameters how many requests the call counts as.
	Requests func(params any) int
	// Large means that answers may be too large for memory; Kept means that many clients
	// ask for the same answer, so that it is worth keeping whatever its size.
	Large, Kept bool
	// Writes means that a tool changes something; SignedIn means that it needs a person.
	Writes, SignedIn bool
}

// A Request is an example of a request.
type Request struct {
	Target string // below the mount, with the query
	JSON   string // body
	Upload string // name of a file to send in a form
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

// An Op is an operation. E is the environment that it works on, such as the data.
type Op[E any] struct {
	Decl
	Params []Param
	Result reflect.Type

	template reflect.Value // the parameters with their defaults
	run      func(ctx context.Context, env E, params any) (any, error)
}

// New declares an operation. P is a struct whose fields have the tags of Param, or are
// embedded structs of such fields. *P may implement Checked and Dated, and R may be *Answer.
// New panics for a declaration that cannot be used: operations are declared when the
// program starts.
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
	if reflect.TypeFor[R]() == reflect.TypeFor[*Answer]() && d.Shapes == nil && d.Columns == nil {
		panic("endpoint: " + d.Name + " does not declare what its answers have in them")
	}
	mustPromote(reflect.TypeFor[P](), "Check", reflect.TypeFor[Checked]())
	mustPromote(reflect.TypeFor[P](), "Refine", reflect.TypeFor[Dated[E]]())
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

// Do runs the operation.
func (c *Call[E]) Do(ctx context.Context, env E) (any, error) { return c.Op.run(ctx, env, c.params) }

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
