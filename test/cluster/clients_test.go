//go:build linux

package cluster

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"relais/admin"
	"relais/auth/access"
	"relais/community"
	"relais/geo"
)

// A keyOf is a client with one key.
type keyOf struct {
	id, key  string
	revoking atomic.Bool
}

// createClient makes a client on a node.
func (l *load) createClient() {
	name, start := fmt.Sprint("client ", l.numbers()), time.Now()
	var made issued
	n := l.node()
	l.clients.do(name, n, createKey, func() (any, outcome) {
		o, err := n.command(admin.CreateClient{Client: access.Client{Name: name, Mode: access.Server,
			Scopes: []access.Scope{access.AntennasRead}, CIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			Limits: access.Limits{Minute: 1e9, Day: 1e9}}}, &made)
		if !l.wrote("client", start, o, err) {
			return nil, notDone // nobody has its key
		}
		return true, o
	})
	if made.APIKey == "" {
		return
	}
	l.ledger.add("client", name, made.APIKey)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = append(l.keys, &keyOf{id: name, key: made.APIKey})
	if len(l.keys) > 50 {
		l.keys = l.keys[1:]
	}
}

// client chooses one of the latest clients, often the last.
func (l *load) client() *keyOf {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(l.keys) == 0:
		return nil
	case rand.N(2) == 0:
		return l.keys[len(l.keys)-1]
	}
	return l.keys[rand.N(len(l.keys))]
}

// useClient asks any node with a client's key, or for its keys.
func (l *load) useClient() {
	c, n := l.client(), l.node()
	if c == nil {
		return
	}
	if rand.N(4) == 0 {
		l.clients.do(c.id, n, showKey, func() (any, outcome) {
			var list []access.Client
			o, err := n.command(admin.ListClients{}, &list)
			if o != answered || err != nil || l.mayBeOld() {
				return nil, notDone // nothing was written
			}
			for i := range list {
				if list[i].Name == c.id {
					return list[i].LiveKeys(time.Now()) > 0, answered
				}
			}
			return false, answered
		})
		return
	}
	l.clients.do(c.id, n, useKey, func() (any, outcome) {
		a, err := l.callWith(n, c.key)
		if err != nil || a.status != http.StatusOK && a.status != http.StatusUnauthorized {
			return nil, notDone
		}
		return a.status == http.StatusOK, answered
	})
}

// revokeClient ends the keys of a client.
func (l *load) revokeClient() {
	c, start := l.client(), time.Now()
	if c == nil || rand.N(3) > 0 || c.revoking.Swap(true) {
		return
	}
	l.ledger.remove("client", c.id)
	n := l.node()
	l.clients.do(c.id, n, revokeKey, func() (any, outcome) {
		o, err := n.command(admin.RevokeClient{Client: c.id}, &struct{}{})
		if o == answered && err != nil {
			o = unknown
		}
		if o == answered {
			l.ledger.add("revocation", c.id, c.key)
		}
		l.wrote("revocation", start, o, err)
		return true, o
	})
}

// A hotReport is a report that users confirm at the moment.
type hotReport struct {
	id   string
	next int // the number of the next user
}

const maxConfirmations = 30

// newReport makes the report with a number, and returns its id.
func (l *load) newReport(n *node, number int64) (id string, o outcome, err error) {
	lat, lon := place(number)
	var made admin.OutageReport
	o, err = n.command(admin.ReportOutage{NewReport: community.NewReport{Market: ofReports, Operator: "SFR",
		At: geo.Point{Lat: lat, Lng: lon}, User: fmt.Sprint("reporter ", number)}}, &made)
	if err != nil {
		return "", o, err
	}
	return made.ID, o, nil
}

// confirm has another user confirm the report of the moment, or the same one once more.
func (l *load) confirm() {
	l.mu.Lock()
	h := l.hot
	if h == nil {
		l.mu.Unlock()
		return
	}
	user, again := h.next, h.next > 0 && rand.N(5) == 0
	if again {
		user = rand.N(h.next)
	} else if user == maxConfirmations {
		l.mu.Unlock()
		return
	} else {
		h.next++
	}
	l.mu.Unlock()
	n, start := l.node(), time.Now()
	l.reports.do(h.id, n, user, func() (any, outcome) {
		var r admin.OutageReport
		o, err := n.command(admin.Decide{ID: h.id, Act: "outage.confirm",
			User: fmt.Sprint("user ", user)}, &r)
		if o == answered && err != nil && l.mayBeOld() {
			return nil, notDone // the node cannot ask whether there is such a report
		}
		if o == answered && err != nil {
			l.wrong("%s: confirming %s, which was acknowledged: %v", n.name, h.id, err)
			o = unknown
		}
		if l.wrote("confirmation", start, o, err) {
			l.ledger.add("confirmation", h.id, "")
			return r.Confirms, answered
		}
		return nil, o
	})
}
