package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestValuesAgainstAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	word := func(most int) string {
		text := make([]byte, r.IntN(most))
		for i := range text {
			text[i] = "ab "[r.IntN(3)]
		}
		return string(text)
	}
	for range 100 {
		has := make([][]string, r.IntN(60))
		for i := range has {
			for range r.IntN(3) {
				has[i] = append(has[i], word(5))
			}
		}
		table := newValueTable(len(has), func(i uint32, yield func([]byte)) {
			for _, value := range has[i] {
				yield([]byte(value))
			}
		})
		for range 50 {
			text := word(6)
			var whole, beginning []uint32
			for i, values := range has {
				for _, value := range values {
					if value != "" && value == text {
						whole = append(whole, uint32(i))
					}
					if value != "" && strings.HasPrefix(value, text) {
						beginning = append(beginning, uint32(i))
					}
				}
			}
			if got := table.withValue(text); !slices.Equal(got, whole) {
				t.Fatalf("values %q: sites %v have %q, want %v", has, got, text, whole)
			}
			got := slices.Sorted(slices.Values(table.withPrefix(text)))
			if !slices.Equal(got, beginning) {
				t.Fatalf("values %q: sites %v have the prefix %q, want %v", has, got, text, beginning)
			}
		}
	}
}
