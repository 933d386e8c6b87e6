package access

import (
	"errors"
	"net/netip"
	"testing"
	"time"
)

// A visitor asks a gate as somebody at an address; the client is a BROWSER one.
func (k *kit) visitor(g *Gate, i *Issued) func(addr string) (Grant, error) {
	return func(addr string) (Grant, error) {
		return g.Check(&Request{Time: k.time, Address: netip.MustParseAddr(addr), APIKey: []string{i.APIKey},
			Origin: origins[:1], Scope: AntennasRead})
	}
}

// One visitor of a page has his own limit; what is over it costs the others nothing.
func TestVisitorLimits(t *testing.T) {
	k := newKit(t) // at second 30 of a minute, 13 hours 39 minutes before midnight
	i := k.create(Client{Mode: Browser, Origins: origins,
		Limits: Limits{Minute: 8, Day: 1000, VisitorMinute: 2, VisitorDay: 3}})
	ask := k.visitor(k.gate(), i)
	for n, step := range []struct {
		wait        time.Duration
		from        string
		ok          bool
		minute, day int // left, as the headers say
		client      int // left to all of the minute
		retry       time.Duration
	}{
		{0, "192.0.2.1", true, 1, 2, 7, 0},
		{0, "::ffff:192.0.2.1", true, 0, 1, 6, 30 * time.Second},
		{0, "192.0.2.1", false, 0, 1, 6, 30 * time.Second},
		{0, "192.0.2.2", true, 1, 2, 5, 0},
		{0, "2001:db8:1:2::1", true, 1, 2, 4, 0},
		{0, "2001:db8:1:2:ffff::9", true, 0, 1, 3, 30 * time.Second}, // the same /64
		{0, "2001:db8:1:2::7", false, 0, 1, 3, 30 * time.Second},
		{0, "2001:db8:1:3::1", true, 1, 2, 2, 0},
		// the next minute, the last of the day
		{30 * time.Second, "192.0.2.1", true, 1, 0, 7, 13*time.Hour + 39*time.Minute},
		{0, "192.0.2.1", false, 1, 0, 7, 13*time.Hour + 39*time.Minute},
		{13*time.Hour + 39*time.Minute, "192.0.2.1", true, 1, 2, 7, 0}, // the next day
	} {
		k.time = k.time.Add(step.wait)
		grant, err := ask(step.from)
		if (err == nil) != step.ok || err != nil && !errors.Is(err, ErrRateLimited) {
			t.Errorf("step %d: got %v, want no ErrRateLimited: %v", n, err, step.ok)
		}
		all, err := k.Usage(i.ID)
		if u := grant.Usage; err != nil || u.Minute.Remaining != step.minute || u.Day.Remaining != step.day ||
			u.RetryAfter(k.time) != step.retry || all.Minute.Remaining != step.client {
			t.Errorf("step %d: got %+v, %d left to all, %v, want %+v", n, u, all.Minute.Remaining, err, step)
		}
	}
}

// Where all the visitors have used the client's limit up, that is what the answer says, and
// none of them has used anything of his own.
func TestVisitorsOfASpentClient(t *testing.T) {
	k := newKit(t)
	i := k.create(Client{Mode: Browser, Origins: origins,
		Limits: Limits{Minute: 1, Day: 2, VisitorMinute: 2, VisitorDay: 1}})
	ask := k.visitor(k.gate(), i)
	if _, err := ask("192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		grant, err := ask("192.0.2.2")
		if w := grant.Usage.Minute; !errors.Is(err, ErrRateLimited) || w.Limit != 1 || w.Remaining != 0 ||
			grant.Usage.RetryAfter(k.time) != 30*time.Second {
			t.Fatalf("got %+v, %v, want ErrRateLimited, none left of 1, retry after 30s", grant.Usage, err)
		}
	}
	k.time = k.time.Add(time.Minute)
	if _, err := ask("192.0.2.2"); err != nil {
		t.Errorf("his only one of the day: %v", err)
	}
}

// What costs a twentieth costs a visitor a twentieth, and what ends in the next minute gives
// nothing back to it. A change of the client forgives nothing.
func TestVisitorCosts(t *testing.T) {
	k := newKit(t)
	i := k.create(Client{Mode: Browser, Origins: origins, Limits: Limits{Minute: 100, Day: 100, VisitorMinute: 2}})
	ask := k.visitor(k.gate(), i)
	for n := range 20 { // a twentieth each
		grant, err := ask("192.0.2.1")
		if err != nil {
			t.Fatalf("cheap request %d: %v", n+1, err)
		}
		if u := grant.Charge.Cost(Twentieth, k.time); u.Minute.Limit != 2 || u.Minute.Remaining != (40-n-1)/20 {
			t.Fatalf("cheap request %d: %+v, want Limit = 2 and Remaining = %v", n+1, u, (40-n-1)/20)
		}
	}
	if _, err := k.Rotate(i.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	late, err := ask("192.0.2.1") // a whole one
	must(t, err)
	if _, err := ask("192.0.2.1"); !errors.Is(err, ErrRateLimited) {
		t.Errorf("over the limit: %v, want ErrRateLimited", err)
	}
	k.time = k.time.Add(time.Minute)
	for range 2 {
		if _, err := ask("192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	late.Charge.Cost(0, k.time)
	if _, err := ask("192.0.2.1"); !errors.Is(err, ErrRateLimited) {
		t.Errorf("after one of the minute before was given back: %v, want ErrRateLimited", err)
	}
}

// An app signs with a body: a spent visitor is refused before the body is read.
func TestVisitorBodies(t *testing.T) {
	k := newKit(t)
	i := k.create(Client{Mode: Mobile, Limits: Limits{VisitorDay: 1}})
	g, bodies := k.gate(), 0
	ask := func(addr netip.Addr) error {
		_, err := g.Check(&Request{Time: k.time, Method: "POST", Path: "/", Address: addr,
			Authorization: []string{"Bearer " + i.APIKey},
			Signature:     []string{Sign(i.SigningSecret, k.time, "POST", "/", EmptyBody)}, Scope: AntennasRead,
			Body: func(*Client) ([32]byte, error) { bodies++; return EmptyBody, nil }})
		return err
	}
	must(t, ask(inside))
	if err := ask(inside); !errors.Is(err, ErrRateLimited) || bodies != 1 {
		t.Errorf("%v after reading %d bodies, want ErrRateLimited and 1", err, bodies)
	}
	if err := ask(outside); err != nil {
		t.Errorf("another visitor: %v", err)
	}
}

// The limits are kept with the client, of the modes that have visitors.
func TestVisitorLimitsOfModes(t *testing.T) {
	k := newKit(t)
	i := k.create(Client{Mode: Mobile, Limits: Limits{VisitorMinute: 5}})
	k.reopen()
	c, err := k.Find(i.ID)
	if want := (Limits{Minute: 60, Day: 10_000, VisitorMinute: 5}); err != nil || c.Limits != want {
		t.Errorf("got %+v, %v, want no error and Limits = %v", c, err, want)
	}
	for _, c := range []Client{
		{Mode: Server, CIDRs: cidrs, Limits: Limits{VisitorMinute: 1}},
		{Mode: Server, CIDRs: cidrs, Limits: Limits{VisitorDay: 1}},
		{Mode: Mobile, Limits: Limits{VisitorMinute: -1}},
		{Mode: Browser, Origins: origins, Limits: Limits{VisitorDay: maxLimit + 1}},
	} {
		c.Name, c.Scopes = "test", ReadScopes
		if _, err := k.Create(c); err == nil {
			t.Errorf("%s with %+v is made", c.Mode, c.Limits)
		}
	}
}
