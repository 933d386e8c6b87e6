package jsontext

import (
	"encoding/json"
	"math"
	"testing"
)

// What is appended is what encoding/json reads back.
func TestAppendString(t *testing.T) {
	for _, s := range []string{"", "plain", "é", `"\`, "a\nb\x00", "<&>", "\u2028", "日本"} {
		t.Run(s, func(t *testing.T) {
			var got string
			if err := json.Unmarshal(AppendString(nil, s), &got); err != nil || got != s {
				t.Errorf("got %q, %v, want %q", got, err, s)
			}
		})
	}
	if got, want := string(AppendString([]byte("x"), "<\xff>")), `x"<\ufffd>"`; got != want {
		t.Errorf("bytes that are not UTF-8: got %s, want %s", got, want)
	}
}

func TestAppendNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 48.8566: "48.8566", -0.0000001: "-0.0000001", 1e9: "1000000000",
		-5.25: "-5.25", 46.177499999999995: "46.1775", math.NaN(): "null"} {
		t.Run(want, func(t *testing.T) {
			if got := string(AppendNumber(nil, x)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
