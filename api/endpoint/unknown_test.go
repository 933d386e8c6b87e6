package endpoint

import (
	"slices"
	"testing"
)

// The error names what was sent only if that is a plain name.
func TestUnknownParam(t *testing.T) {
	two := &Op[int]{Params: []Param{{Name: "limit", In: "query"}, {Name: "id", In: "path"}, {Name: "q", In: "query"}}}
	for _, tt := range []struct {
		name    string
		op      *Op[int]
		sent    string
		param   string
		want    string
		allowed []string
	}{
		{"misspelt", two, "limits", "limit" + "s", "unknown parameter; the nearest is limit", []string{"limit", "q"}},
		{"a variable of the path", two, "id", "id", "unknown parameter; allowed lists the parameters of this route", []string{"limit", "q"}},
		{"markup", two, "<b>", `"<b>"`, "", []string{"limit", "q"}},
		{"no parameters", &Op[int]{}, "limit", "limit", "unknown parameter; this route takes no parameters", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := tt.op.UnknownParam(tt.sent)
			if e.Param != tt.param || !slices.Equal(e.Allowed, tt.allowed) || tt.want != "" && e.Want != tt.want {
				t.Errorf("UnknownParam(%q) = %+v, want %q, %v, %q", tt.sent, e, tt.param, tt.allowed, tt.want)
			}
			if tt.op.Accepts(tt.sent) {
				t.Errorf("Accepts(%q) = true, want false", tt.sent)
			}
		})
	}
	if !two.Accepts("q") {
		t.Error("Accepts(q) = false, want true")
	}
}
