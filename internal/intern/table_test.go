package intern

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Each text has one number, which leads back to it, also after the table has grown and when two
// texts have the same hash.
func TestTableAgainstAMap(t *testing.T) {
	var table Table
	r := rand.New(rand.NewPCG(1, 2))
	want, size := map[string]uint32{"": 0}, 0
	for range 40_000 {
		text := fmt.Sprint(r.IntN(15_000))
		if r.IntN(100) == 0 {
			text = ""
		}
		had, known := want[text]
		if i, ok := Find(&table, text); ok != known || ok && i != had {
			t.Fatalf("Find(%q) = %d, %t, want %d, %t", text, i, ok, had, known)
		}
		got := Add(&table, text)
		if other := Add(&table, []byte(text)); other != got {
			t.Fatalf("number of %q = %d as a string, %d as bytes, want the same", text, got, other)
		}
		if known && had != got {
			t.Fatalf("number of %q = %d, want %d as before", text, got, had)
		}
		if !known {
			size += len(text)
		}
		want[text] = got
	}
	for text, i := range want {
		if table.Text(i) != text {
			t.Fatalf("text %d = %q, want %q", i, table.Text(i), text)
		}
	}
	if table.Len() != len(want) || table.Size() != size || len(table.slots) <= minSlots {
		t.Errorf("%d texts of %d bytes in %d slots, want %d of %d in more than %d", table.Len(), table.Size(),
			len(table.slots), len(want), size, minSlots)
	}
	// The new text finds a slot with its hash taken by another text.
	hash := hashOf("new")
	table.slots[table.firstSlot(hash)] = slot{hash, want["7"]}
	if i := Add(&table, "new"); table.Text(i) != "new" || Add(&table, "new") != i {
		t.Errorf("text of a hash that is taken = %q, want %q", table.Text(i), "new")
	}
}

// The columns have the texts one after the other.
func TestColumns(t *testing.T) {
	var table Table
	if text, ends := table.Columns(); len(text) != 0 || fmt.Sprint(ends) != "[0]" || table.Len() != 1 {
		t.Errorf("an empty table: %q, %v, %d texts; want one empty text", text, ends, table.Len())
	}
	for _, s := range []string{"un", "", "deux", "un"} {
		Add(&table, s)
	}
	if text, ends := table.Columns(); string(text) != "undeux" || fmt.Sprint(ends) != "[0 2 6]" {
		t.Errorf("got %q, %v; want undeux, [0 2 6]", text, ends)
	}
	for text, want := range map[string]uint32{"": 0, "un": 3} {
		if i := Append(&table, text); i != want || table.Text(i) != text {
			t.Errorf("Append(%q) = %d, want %d", text, i, want)
		}
	}
	if i := Add(&table, "un"); i != 1 {
		t.Errorf("Add(un) after Append = %d, want 1", i)
	}
}
