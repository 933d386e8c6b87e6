package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/httpapi/web/docs"
)

// Every operation has an example, and every example is what its schema allows: of answers and of parameters. TestDemo
// of package e2e compares the answers with those of the demonstration.
func TestExamples(t *testing.T) {
	doc := document(t)
	answers := 0
	for path, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			op := op.(object)
			where := strings.ToUpper(method) + " " + path
			for _, p := range op["parameters"].([]any) {
				p := p.(object)
				if p["example"] == nil {
					continue
				}
				for _, problem := range mismatch(doc, p["schema"].(object), p["example"], fmt.Sprint(p["name"])) {
					t.Errorf("%s: %s", where, problem)
				}
			}
			for status, answer := range op["responses"].(object) {
				content, _ := answer.(object)["content"].(object)
				for mediaType, c := range content {
					if c := c.(object); c["example"] != nil {
						answers++
						for _, problem := range mismatch(doc, c["schema"].(object), c["example"], mediaType) {
							t.Errorf("%s %s: %s", where, status, problem)
						}
					}
				}
			}
		}
	}
	var names []string
	for _, op := range api.Operations() {
		if op.Example.Target == "" {
			t.Errorf("%s: its declaration has no example", op.Name)
		}
		if op.Produces == "" {
			names = append(names, op.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, docs.ExampleNames()) || answers != len(names) {
		t.Errorf("%d examples of %q, want %q", answers, docs.ExampleNames(), names)
	}
}

// Every operation says what it does, and its group does too.
func TestOperationsAreDescribed(t *testing.T) {
	doc := document(t)
	used, described := map[any]bool{}, map[any]bool{}
	for path, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			op := op.(object)
			if op["summary"] == "" || op["description"] == nil {
				t.Errorf("%s %s: summary %v, description %v, want both", method, path, op["summary"], op["description"])
			}
			for _, tag := range op["tags"].([]any) {
				used[tag] = true
			}
		}
	}
	for _, tag := range doc["tags"].([]any) {
		described[tag.(object)["name"]] = tag.(object)["description"] != ""
	}
	if d := cmp.Diff(used, described); d != "" {
		t.Errorf("tags of operations (-), described (+):\n%s", d)
	}
}
