// Package admit decides who may do how much at once, and how often. A Pool bounds what is held, such as the
// memory of answers. A Queue bounds how many jobs run and wait, and Turns bound who computes. A Rate bounds how
// often something is done in a window of time. All count for holders: a client, a visitor, a visitor's network.
// The package knows no requests and keeps nothing on disk.
package admit

import "sync"

// A Cost is what something takes up while it is under way.
type Cost struct {
	Places int
	Bytes  int64
}

func (c Cost) plus(o Cost) Cost  { return Cost{c.Places + o.Places, c.Bytes + o.Bytes} }
func (c Cost) minus(o Cost) Cost { return Cost{c.Places - o.Places, c.Bytes - o.Bytes} }

// within reports whether c may be added to what is held. A zero field of most sets no bound. One cost alone
// may have more bytes than the bound.
func (c Cost) within(held, most Cost) bool {
	sum := held.plus(c)
	return (c.Places == 0 || most.Places == 0 || sum.Places <= most.Places) &&
		(c.Bytes == 0 || most.Bytes == 0 || held.Bytes == 0 || sum.Bytes <= most.Bytes)
}

// leavesRoom reports whether a member that holds so much may hold more of what c needs: who holds nothing
// may, and who holds at most half of what its group has left.
func (c Cost) leavesRoom(holds, grouped, most Cost) bool {
	return (c.Places == 0 || most.Places == 0 || holds.Places == 0 || 2*holds.Places <= most.Places-grouped.Places) &&
		(c.Bytes == 0 || most.Bytes == 0 || holds.Bytes == 0 || 2*holds.Bytes <= most.Bytes-grouped.Bytes)
}

// A Holder is somebody whose costs are counted.
type Holder struct {
	Name string // unique in a pool
	Most Cost   // that it may hold; a zero field sets no bound
}

// A Pool bounds what is held at a time.
//
// Costs count for a group, such as a client, and for its members, such as a visitor and the visitor's
// network. A member who holds something gets more only while that is at most half of what the group has
// left. So a few members never hold everything, however much they ask for, and others find room.
type Pool struct {
	most Cost

	mu      sync.Mutex
	held    Cost
	holders map[string]Cost // those who hold something
	refused uint64
}

// NewPool returns a pool in which nothing is held. A zero field of most sets no bound.
func NewPool(most Cost) *Pool { return &Pool{most: most, holders: map[string]Cost{}} }

// Claim returns a claim of a group and of its members, which holds nothing yet. The members of a group
// without a bound share nothing.
func (p *Pool) Claim(group Holder, members ...Holder) *Claim {
	return &Claim{pool: p, group: group, members: members}
}

// Held returns what is held, by how many holders, and how often costs were refused.
func (p *Pool) Held() (held Cost, holders int, refused uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, len(p.holders), p.refused
}

// A Claim is what one request holds of a pool.
type Claim struct {
	pool    *Pool
	group   Holder
	members []Holder
	cost    Cost
}

// Cost returns what is held. That of nil is zero.
func (c *Claim) Cost() Cost {
	if c == nil {
		return Cost{}
	}
	return c.cost
}

// Hold makes cost what the claim holds, and reports whether there is room for it. If not, it holds what it
// held before. A smaller cost always has room.
func (c *Claim) Hold(cost Cost) bool {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	before := c.cost
	c.set(Cost{}) // without its own old cost
	more := cost.Places > before.Places || cost.Bytes > before.Bytes
	if more && !c.fits(cost) {
		c.pool.refused++
		c.set(before)
		return false
	}
	c.set(cost)
	return true
}

// Room reports whether the claim could hold so much more now.
func (c *Claim) Room(cost Cost) bool {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	return c.fits(cost)
}

func (c *Claim) fits(cost Cost) bool {
	p := c.pool
	grouped := p.holders[c.group.Name]
	if !cost.within(p.held, p.most) || !cost.within(grouped, c.group.Most) {
		return false
	}
	for _, m := range c.members {
		holds := p.holders[m.Name]
		if !cost.within(holds, m.Most) || !cost.leavesRoom(holds, grouped, c.group.Most) {
			return false
		}
	}
	return true
}

func (c *Claim) set(cost Cost) {
	more := cost.minus(c.cost)
	c.cost, c.pool.held = cost, c.pool.held.plus(more)
	c.add(c.group.Name, more)
	for _, m := range c.members {
		c.add(m.Name, more)
	}
}

func (c *Claim) add(name string, more Cost) {
	if now := c.pool.holders[name].plus(more); now != (Cost{}) {
		c.pool.holders[name] = now
	} else {
		delete(c.pool.holders, name)
	}
}

// Move makes what the claim holds count for another group and its members from now on, whatever they hold.
func (c *Claim) Move(group Holder, members ...Holder) {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	cost := c.cost
	c.set(Cost{})
	c.group, c.members = group, members
	c.set(cost)
}

// Release ends what the claim holds. It may be called on nil, and more than once.
func (c *Claim) Release() {
	if c != nil {
		c.Hold(Cost{})
	}
}
