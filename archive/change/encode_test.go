package change

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// Bytes that are not a list or a state are an error; what is read is as it was written.
func FuzzRead(f *testing.F) {
	models := weeks(rand.New(rand.NewPCG(1, 2)), 2)
	l, err := Compare(models[0].state(f), models[1].state(f))
	must(f, err)
	f.Add(l.Append(nil))
	f.Add(models[0].state(f).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := ReadList(b); err == nil {
			n := 0
			for range l.Records(nil) {
				n++
			}
			if n != l.Len() {
				t.Errorf("got %d records, want %d", n, l.Len())
			}
			if _, err := Net([]*List{l, l}); err != nil {
				t.Error(err)
			}
			Undo(&State{texts: newTexts()}, l)
		}
		if s, err := ReadState(b); err == nil {
			if l, err := Compare(s, s); err != nil || l.Len() != 0 {
				t.Errorf("a state differs from itself: %v", err)
			}
		}
	})
}

func TestDamagedLists(t *testing.T) {
	models := weeks(rand.New(rand.NewPCG(1, 2)), 2)
	l, err := Compare(models[0].state(t), models[1].state(t))
	must(t, err)
	whole := l.Append(nil)
	for n := range whole {
		if _, err := ReadList(whole[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d bytes of %d: %v, want ErrDamaged", n, len(whole), err)
		}
	}
	if _, err := ReadList(append(slices.Clone(whole), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte more: %v, want ErrDamaged", err)
	}
}
