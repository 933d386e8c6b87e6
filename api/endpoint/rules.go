package endpoint

import (
	"fmt"
	"reflect"
)

// Checked is implemented by parameters with rules over several of them. Bind calls Check.
type Checked interface{ Check() error }

// A Freshness says how long an answer is right.
type Freshness struct {
	// Version is that of the data: while it is the same, so is the answer. It is "" while some of the
	// data is still loading.
	Version string
	MaxAge  int // seconds for which a client may keep the answer
	// Immutable means that the address of the answer changes with the answer.
	Immutable bool
}

// Dated is implemented by parameters on which the freshness of the answer depends. Refine gets what is right
// for the operation.
type Dated[E any] interface{ Refine(env E, f *Freshness) }

// Freshness returns how long the answer is right, from the version of the data.
func (c *Call[E]) Freshness(env E, version string) Freshness {
	f := Freshness{Version: version, MaxAge: c.Op.MaxAge}
	if p, ok := c.params.(Dated[E]); ok && version != "" {
		p.Refine(env, &f)
	}
	return f
}

// mustPromote panics if parameters of type t have a method, or embed a struct with it, that would silently not be
// called: because it has another signature, or because several embedded structs have it.
func mustPromote(t reflect.Type, method string, as reflect.Type) {
	if reflect.PointerTo(t).Implements(as) {
		return
	}
	_, has := reflect.PointerTo(t).MethodByName(method)
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			_, embedded := reflect.PointerTo(f.Type).MethodByName(method)
			has = has || embedded
		}
	}
	if has {
		panic(fmt.Sprintf("endpoint: %s has a method %s that does not make it a %s", t, method, as))
	}
}
