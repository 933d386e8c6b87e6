package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"relais/market"
)

// Each text has one ref, which leads back to it, also after the table has grown and when two
// texts have the same hash.
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
			t.Fatalf("ref of %q = %d as a string, %d as bytes, want the same", text, got, other)
		}
		if had, ok := want[text]; ok && had != got {
			t.Fatalf("ref of %q = %d, want %d as before", text, got, had)
		}
		want[text] = got
	}
	for text, r := range want {
		if b.str(r) != text {
			t.Fatalf("string %d = %q, want %q", r, b.str(r), text)
		}
	}
	if len(b.stringEnd) != len(want) || len(b.strings.slots) <= minSlots {
		t.Errorf("%d strings in %d slots, want %d in more than %d",
			len(b.stringEnd), len(b.strings.slots), len(want), minSlots)
	}
	// The new text finds a slot with its hash taken by another text.
	hash := hashOf("new")
	b.strings.slots[b.strings.firstSlot(hash)] = slot{hash, want["7"]}
	if r := intern(b, "new"); b.str(r) != "new" || intern(b, "new") != r {
		t.Errorf("text of a hash that is taken = %q, want %q", b.str(r), "new")
	}
}
