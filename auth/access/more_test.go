package access

import (
	"errors"
	"net/netip"
	"testing"
	"time"
)

// A request that counts as several takes all of them or, if fewer are left, none.
func TestMore(t *testing.T) {
	k := newKit(t)
	issued := k.create(Client{Mode: Browser, Origins: origins, Limits: Limits{Minute: 60, Day: 100, VisitorMinute: 20}})
	client := k.table.Load().clients[issued.ID]
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1")
	for i, step := range []struct {
		from       netip.Addr
		more       int
		err        error
		left, mine int // of the client's minute, and what the visitor can still ask for
	}{
		{one, 9, nil, 50, 10},
		{one, 9, nil, 40, 0},
		{other, 20, errVisitor, 39, 19}, // one stays counted
		{other, 18, nil, 20, 0},
		{netip.MustParseAddr("203.0.113.1"), 19, nil, 0, 0},
	} {
		charge, err := client.charge(step.from, k.time)
		must(t, err)
		u, err := charge.More(step.more, k.time)
		left := client.counter.peek(client.Limits, k.time).Minute.Remaining
		if !errors.Is(err, step.err) || left != step.left || u.Minute.Remaining != step.mine {
			t.Errorf("step %d: got %v, %d left, %d for the visitor; want %v, %d and %d", i, err, left, u.Minute.Remaining,
				step.err, step.left, step.mine)
		}
	}
	k.time = k.time.Add(time.Minute)
	charge, err := client.charge(one, k.time)
	must(t, err)
	_, err = charge.More(9, k.time)
	must(t, err)
	if u := charge.Cost(0, k.time); u.Minute.Remaining != 20 {
		t.Errorf("of no cost: %d left for the visitor, want all 20", u.Minute.Remaining)
	}
}
