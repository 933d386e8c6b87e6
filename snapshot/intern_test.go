package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"relais/market"
)

// Every text gets one number and gives itself back, whatever its hash and
// however often the table has grown.
func TestInternAgainstAMap(t *testing.T) {
	b := NewBuilder(market.Get(market.FR), statuses)
	r := rand.New(rand.NewPCG(1, 2))
	want := map[string]ref{"": 0}
	for range 40_000 {
		text := fmt.Sprint(r.IntN(15_000))
		if r.IntN(100) == 0 {
			text = ""
		}
		got := intern(b, text)
		if other := intern(b, []byte(text)); other != got {
			t.Fatalf("%q is %d as text and %d as bytes", text, got, other)
		}
		if had, ok := want[text]; ok && had != got {
			t.Fatalf("%q is %d, was %d", text, got, had)
		}
		want[text] = got
	}
	for text, r := range want {
		if b.str(r) != text {
			t.Fatalf("string %d is %q, want %q", r, b.str(r), text)
		}
	}
	if len(b.stringEnd) != len(want) || len(b.strings.slots) <= leastSlots {
		t.Errorf("%d strings, want %d; %d slots", len(b.stringEnd), len(want), len(b.strings.slots))
	}
	// Two texts of one hash are two: here the new one finds the hash taken.
	hash := hashOf("new")
	b.strings.slots[b.strings.first(hash)] = slot{hash, want["7"]}
	if r := intern(b, "new"); b.str(r) != "new" || intern(b, "new") != r {
		t.Errorf("a text of the same hash is %q", b.str(r))
	}
}
