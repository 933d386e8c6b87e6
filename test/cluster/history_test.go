//go:build linux

package cluster

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// A history is what callers saw of things that must behave as if one machine had them.
type history struct {
	mu    sync.Mutex
	began time.Time
	ops   map[string][]porcupine.Operation // by thing
}

func newHistory() *history {
	return &history{began: time.Now(), ops: map[string][]porcupine.Operation{}}
}

// do does a step of a thing's history at a node, unless it is known not to have been done. A step whose
// outcome is unknown may take effect at any time later.
func (h *history) do(thing string, at *node, input any, step func() (output any, o outcome)) {
	start := time.Since(h.began)
	output, o := step()
	end := time.Since(h.began)
	if o == notDone {
		return
	}
	op := porcupine.Operation{Input: input, Output: output, Call: int64(start), Return: int64(end)}
	if at != nil {
		op.Metadata = at.name
	}
	if o == unknown {
		op.Output, op.Return = nil, math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	op.ClientId = len(h.ops[thing]) // no two steps are known to follow each other
	h.ops[thing] = append(h.ops[thing], op)
}

// check compares the history of every thing with a model. Steps whose Output is nil are unknown.
func (h *history) check(t *testing.T, kind string, m porcupine.NondeterministicModel) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	model, steps, unknowns := m.ToModel(), 0, 0
	for thing, ops := range h.ops {
		steps += len(ops)
		for _, op := range ops {
			if op.Output == nil {
				unknowns++
			}
		}
		switch porcupine.CheckOperationsTimeout(model, ops, time.Minute) {
		case porcupine.Illegal:
			t.Errorf("%s %s: its history is impossible on one machine:%s", kind, thing, written(ops))
		case porcupine.Unknown:
			t.Errorf("%s %s: porcupine did not end in a minute with %d steps", kind, thing, len(ops))
		}
	}
	t.Logf("porcupine: %d %ss with %d steps, %d of unknown outcome", len(h.ops), kind, steps, unknowns)
}

// impossible returns the things with a history that a model refuses.
func (h *history) impossible(m porcupine.NondeterministicModel) (things []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	model := m.ToModel()
	for thing, ops := range h.ops {
		if porcupine.CheckOperationsTimeout(model, ops, time.Minute) == porcupine.Illegal {
			things = append(things, thing)
		}
	}
	return things
}

// written writes a history down, a step a line.
func written(ops []porcupine.Operation) string {
	var b strings.Builder
	at := func(n int64) string {
		if n == math.MaxInt64 {
			return "…"
		}
		return time.Duration(n).Round(time.Microsecond).String()
	}
	for _, op := range slices.SortedFunc(slices.Values(ops), func(a, b porcupine.Operation) int {
		return cmp.Compare(a.Call, b.Call)
	}) {
		fmt.Fprintf(&b, "\n\t%s to %s: %v", at(op.Call), at(op.Return), op.Input)
		if op.Output != nil {
			fmt.Fprintf(&b, " → %v", op.Output)
		}
		if op.Metadata != nil {
			fmt.Fprintf(&b, " (%v)", op.Metadata)
		}
	}
	return b.String()
}

func same(a, b any) bool { return a == b }

// steps of a client's history. Outputs are booleans.
const (
	createKey = "create" // true
	revokeKey = "revoke" // true
	useKey    = "use"    // with the key; whether it was let in
	showKey   = "show"   // whether the command that lists keys says that it lives
)

// clientModel is a client with one key. A node may let a key in that was revoked a moment ago on
// another one; that is looked at elsewhere.
var clientModel = porcupine.NondeterministicModel{
	Init:  func() []any { return []any{"absent"} },
	Equal: same,
	Step: func(state, input, output any) []any {
		switch input {
		case createKey:
			return []any{"live"}
		case revokeKey:
			if output == nil {
				return []any{state, "revoked"}
			}
			return []any{"revoked"}
		case useKey:
			if output == true && state == "absent" || output == false && state == "live" {
				return nil
			}
		case showKey:
			if output != (state == "live") {
				return nil
			}
		}
		return []any{state}
	},
}

// A family of refresh tokens comes from one code. The last token gives the next one. The one before it
// may give the same one for some time. Any other ends the family.
type family struct {
	generation int
	ended      bool
}

// familyModel is a family whose tokens have generations: the input is that of the token, the output
// whether it was taken. It has no clock: the token before the last may be taken or may end the family.
var familyModel = porcupine.NondeterministicModel{
	Init:  func() []any { return []any{family{}} },
	Equal: same,
	Step: func(state, input, output any) []any {
		f := state.(family)
		good, again := !f.ended && input == f.generation, !f.ended && input == f.generation-1
		next := family{f.generation, !again || output == false}
		if good {
			next = family{f.generation + 1, false}
		}
		switch {
		case output == nil && again:
			return []any{state, family{f.generation, true}}
		case output == nil:
			return []any{state, next}
		case output != good && !again:
			return nil
		}
		return []any{next}
	},
}

// reportModel is a report that users confirm, whose numbers are the inputs. The output is how many
// have by then.
var reportModel = porcupine.NondeterministicModel{
	Init:  func() []any { return []any{uint64(0)} },
	Equal: same,
	Step: func(state, input, output any) []any {
		next := state.(uint64) | 1<<input.(int)
		switch {
		case output == nil:
			return []any{state, next}
		case output != bits.OnesCount64(next):
			return nil
		}
		return []any{next}
	},
}

// The models refuse what one machine cannot do.
func TestModels(t *testing.T) {
	type op struct{ input, output any }
	for _, tt := range []struct {
		name  string
		model porcupine.NondeterministicModel
		ops   []op
		want  porcupine.CheckResult
	}{
		{"a key lives", clientModel, []op{{createKey, true}, {useKey, true}, {showKey, true}}, porcupine.Ok},
		{"a key is missing", clientModel, []op{{createKey, true}, {useKey, false}}, porcupine.Illegal},
		{"a key before it is made", clientModel, []op{{useKey, true}, {createKey, true}}, porcupine.Illegal},
		{"revoked", clientModel, []op{{createKey, true}, {revokeKey, true}, {showKey, false}}, porcupine.Ok},
		{"a revocation is lost", clientModel, []op{{createKey, true}, {revokeKey, true}, {showKey, true}}, porcupine.Illegal},
		{"perhaps revoked", clientModel, []op{{createKey, true}, {revokeKey, nil}, {showKey, true}}, porcupine.Ok},
		{"tokens in order", familyModel, []op{{0, true}, {1, true}, {2, true}}, porcupine.Ok},
		{"a token twice", familyModel, []op{{0, true}, {0, true}, {1, true}}, porcupine.Ok},
		{"a token after the next", familyModel, []op{{0, true}, {1, true}, {0, true}}, porcupine.Illegal},
		{"reuse ends the family", familyModel, []op{{0, true}, {0, false}, {1, false}, {0, false}}, porcupine.Ok},
		{"late reuse ends the family", familyModel, []op{{0, true}, {1, true}, {0, false}, {2, false}}, porcupine.Ok},
		{"reuse does not", familyModel, []op{{0, true}, {0, false}, {1, true}}, porcupine.Illegal},
		{"reuse when it has ended", familyModel, []op{{0, true}, {0, false}, {0, true}}, porcupine.Illegal},
		{"perhaps reused", familyModel, []op{{0, true}, {0, nil}, {1, true}}, porcupine.Ok},
		{"a good token refused", familyModel, []op{{0, true}, {1, false}}, porcupine.Illegal},
		{"perhaps refreshed", familyModel, []op{{0, nil}, {0, false}, {0, false}}, porcupine.Ok},
		{"confirmed by three", reportModel, []op{{3, 1}, {4, 2}, {3, 2}, {9, 3}}, porcupine.Ok},
		{"a confirmation is lost", reportModel, []op{{3, 1}, {4, 1}}, porcupine.Illegal},
		{"one counts twice", reportModel, []op{{3, 1}, {3, 2}}, porcupine.Illegal},
		{"perhaps confirmed", reportModel, []op{{3, nil}, {4, 2}, {5, 3}}, porcupine.Ok},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ops []porcupine.Operation
			for i, o := range tt.ops {
				at := int64(10 * i)
				ops = append(ops, porcupine.Operation{ClientId: i, Input: o.input, Output: o.output, Call: at, Return: at + 5})
			}
			if got := porcupine.CheckOperationsTimeout(tt.model.ToModel(), ops, time.Minute); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
