package endpoint

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Member is a member of an answer, or of an object in it.
type Member struct {
	Path     string // such as data[].siteKey
	Schema   Schema // of its value; of a list, that of an item
	List     bool
	Nullable bool
	Optional bool // it may be absent
	Doc      string
}

// Members lists the members of a success in their order, except for the request id. It is nil for
// an answer that is not JSON.
func (o *Op[E]) Members() []Member {
	if o.Produces != "" {
		return nil
	}
	w := memberWalk{}
	if t := o.shapes()[JSON]; t != nil {
		w.object("", t)
	}
	return w.list
}

// A memberWalk collects members.
type memberWalk struct {
	list []Member
	open []reflect.Type // the objects around the present one
}

// object adds the members of a struct, or of what contains structs.
func (w *memberWalk) object(path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(w.open, t) {
		return
	}
	w.open = append(w.open, t)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		optional := strings.Contains(options, "omitempty")
		w.member(Member{Path: path + name, Doc: f.Tag.Get("doc"), Optional: optional,
			Nullable: f.Type.Kind() == reflect.Pointer && !optional}, f.Type)
	}
	if p, ok := reflect.Zero(t).Interface().(patterned); ok {
		patterns := p.Patterns()
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			w.member(Member{Path: path + "*"}, patterns[pattern])
		}
	}
}

// member adds a member with a value of type t, and the members of the value.
func (w *memberWalk) member(m Member, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		m.List, m.Path, t = true, m.Path+"[]", t.Elem()
	case reflect.Map:
		w.list = append(w.list, m)
		w.member(Member{Path: m.Path + ".*"}, t.Elem())
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if kind := t.Kind(); kind != reflect.Struct && kind != reflect.Map && kind != reflect.Slice {
		m.Schema = newSchemas().schemaOf(t)
	}
	w.list = append(w.list, m)
	w.object(m.Path+".", t)
}
