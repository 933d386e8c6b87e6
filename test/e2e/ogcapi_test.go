//go:build linux

package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An ogcAPI is a description of an API in OpenAPI 3.0.
type ogcAPI struct{ doc object }

// resolve follows a reference.
func (a ogcAPI) resolve(v any) object {
	o, _ := v.(object)
	ref, ok := o["$ref"].(string)
	if !ok {
		return o
	}
	at := a.doc
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[name].(object)
	}
	return at
}

// parameters are those of a path and of its GET.
func (a ogcAPI) parameters(path string) (list []object) {
	item := a.doc["paths"].(object)[path].(object)
	for _, of := range []any{item["parameters"], item["get"].(object)["parameters"]} {
		all, _ := of.([]any)
		for _, p := range all {
			list = append(list, a.resolve(p))
		}
	}
	return list
}

// parameter is the parameter with a name, nil if the path has none.
func (a ogcAPI) parameter(path, name string) object {
	for _, p := range a.parameters(path) {
		if p["name"] == name {
			return p
		}
	}
	return nil
}

// validate checks what the suite's parser does: KaiZen OpenAPI Parser (com.reprezen.kaizen.oasparser.val3).
func (a ogcAPI) validate(t *testing.T) {
	info, _ := a.doc["info"].(object)
	if v, _ := a.doc["openapi"].(string); !strings.HasPrefix(v, "3.0.") || info["title"] == nil || info["version"] == nil {
		t.Errorf("openapi %v, info %v, want 3.0, a title and a version", v, info)
	}
	if len(a.doc["servers"].([]any)) != 1 {
		t.Errorf("servers %v, want one", a.doc["servers"])
	}
	ids := map[any]bool{}
	for path, item := range a.doc["paths"].(object) {
		get := item.(object)["get"].(object)
		if !strings.HasPrefix(path, "/") || get["operationId"] == nil || ids[get["operationId"]] || get["summary"] == nil {
			t.Errorf("%s: operationId %v, summary %v, want one id each", path, get["operationId"], get["summary"])
		}
		ids[get["operationId"]] = true
		for _, p := range a.parameters(path) {
			a.validateParameter(t, path, p)
		}
		a.validateAnswers(t, path, get)
		a.validateSecurity(t, path, get["security"])
	}
	a.validateSecurity(t, "the document", a.doc["security"])
	for name, schema := range schemasIn(a.doc) {
		kind, stated := schema["type"].(string)
		if stated && !slices.Contains(strings.Fields("boolean object array number integer string"), kind) {
			t.Errorf("%s: type %q", name, kind)
		}
	}
}

func (a ogcAPI) validateParameter(t *testing.T, path string, p object) {
	name, _ := p["name"].(string)
	in, _ := p["in"].(string)
	if name == "" || !regexp.MustCompile("^(path|query|header|cookie)$").MatchString(in) || p["schema"] == nil {
		t.Errorf("%s: parameter %v, want a name, in and a schema", path, p)
	}
	if in == "path" && (p["required"] != true || !strings.Contains(path+"/", "/{"+name+"}/")) {
		t.Errorf("%s: parameter %v, want it required and in the path", path, p)
	}
}

func (a ogcAPI) validateAnswers(t *testing.T, path string, get object) {
	answers, _ := get["responses"].(object)
	if len(answers) == 0 {
		t.Errorf("%s has no responses", path)
	}
	for status, answer := range answers {
		if !regexp.MustCompile(`^(default|\d\d\d)$`).MatchString(status) || a.resolve(answer)["description"] == nil {
			t.Errorf("%s: response %s is %v, want a description", path, status, answer)
		}
	}
}

func (a ogcAPI) validateSecurity(t *testing.T, where string, v any) {
	schemes := a.doc["components"].(object)["securitySchemes"].(object)
	list, _ := v.([]any)
	for _, requirement := range list {
		for name, scopes := range requirement.(object) {
			if schemes[name] == nil || len(scopes.([]any)) != 0 {
				t.Errorf("%s: security %s %v, want a scheme of the document without scopes", where, name, scopes)
			}
		}
	}
}

// schemasIn are the schemas anywhere in a document, by where they are.
func schemasIn(v any) map[string]object {
	found := map[string]object{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case object:
			for name, member := range v {
				if s, ok := member.(object); ok && (name == "schema" || name == "items") {
					found[at+"/"+name] = s
				}
				walk(at+"/"+name, member)
			}
		case []any:
			for _, item := range v {
				walk(at, item)
			}
		}
	}
	walk("", v)
	return found
}

// linksOf are the links of a document by their relation.
func linksOf(o object) map[string]object {
	links := map[string]object{}
	list, _ := o["links"].([]any)
	for _, l := range list {
		rel, _ := l.(object)["rel"].(string)
		links[rel] = l.(object)
	}
	return links
}

// selfAndAlternate checks the link of a document to itself. The classes that are claimed have one media type, so that
// the source wants no alternates.
func selfAndAlternate(t *testing.T, where string, o object, mediaType string) {
	t.Helper()
	if l := linksOf(o)["self"]; l == nil || l["type"] != mediaType || l["href"] == nil {
		t.Errorf("%s: the link to itself is %v, want one of the type %s", where, l, mediaType)
	}
}
