package admit

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// A Queue lets a bounded number of jobs run at a time and a bounded number wait. Holders take turns: the next
// job is of the holder that had the fewest turns. When too many wait, the newest job is refused of the holder
// that had and waits for the most turns. So a flood delays only itself.
type Queue struct {
	places, room int

	mu      sync.Mutex
	running int
	waiting []*waiter
	came    int // jobs until now
	members map[string]*member
	level   int // turns of the widest holder whose job began last
	refused uint64
}

// A waiter is a job that waits for its turn.
type waiter struct {
	holders []Holder
	number  int       // of the job
	turn    chan bool // gets true when it may run, false when it is refused
}

// A member is a holder that has jobs, or had some of late.
type member struct {
	turns, running, waiting int
	level                   int // turns of its narrower holder whose job began last
}

// NewQueue returns an empty queue: so many jobs may run at a time, and so many more may wait.
func NewQueue(places, room int) *Queue {
	return &Queue{places: places, room: room, members: map[string]*member{}}
}

// Begin waits until a job may run, which end ends. Its holders are named from the widest to the narrowest,
// such as a provider and one of its networks: the widest take turns first. At most Most.Places jobs of a
// holder run at a time. Errors: ErrBusy when too many wait, and the cause of the end of ctx.
func (q *Queue) Begin(ctx context.Context, holders ...Holder) (end func(), err error) {
	w := &waiter{holders: holders, turn: make(chan bool, 1)}
	q.add(w)
	select {
	case ok := <-w.turn:
		if !ok {
			return nil, ErrBusy
		}
		return func() { q.end(w) }, nil
	case <-ctx.Done():
		q.leave(w)
		return nil, context.Cause(ctx)
	}
}

// Held returns how many jobs run, how many wait, and how often one was refused.
func (q *Queue) Held() (running, waiting int, refused uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, len(q.waiting), q.refused
}

func (q *Queue) add(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	level := q.level
	for _, h := range w.holders {
		m := q.members[h.Name]
		if m == nil {
			m = &member{}
			q.members[h.Name] = m
		}
		if m.running+m.waiting == 0 { // new or back: no better than those who take turns
			m.turns = max(m.turns, level)
		}
		m.waiting++
		level = m.level
	}
	q.came++
	w.number = q.came
	q.waiting = append(q.waiting, w)
	q.next()
	if len(q.waiting) > q.room {
		last := slices.MaxFunc(q.waiting, q.order(func(m *member) int { return m.turns + m.waiting }))
		q.drop(last)
		q.refused++
		last.turn <- false
	}
}

// leave removes a job whose caller gives up.
func (q *Queue) leave(w *waiter) {
	q.mu.Lock()
	waits := slices.Contains(q.waiting, w)
	if waits {
		q.drop(w)
	}
	q.mu.Unlock()
	if !waits && <-w.turn { // its turn came just then
		q.end(w)
	}
}

func (q *Queue) end(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	for _, h := range w.holders {
		q.members[h.Name].running--
	}
	q.next()
	if q.running == 0 || len(q.members) > fewHolders { // those who took turns and went
		for name, m := range q.members {
			if m.running+m.waiting == 0 {
				delete(q.members, name)
			}
		}
	}
}

// next lets jobs run while there are places.
func (q *Queue) next() {
	for q.running < q.places {
		may := slices.DeleteFunc(slices.Clone(q.waiting), func(w *waiter) bool {
			return slices.ContainsFunc(w.holders, func(h Holder) bool {
				return h.Most.Places > 0 && q.members[h.Name].running >= h.Most.Places
			})
		})
		if len(may) == 0 {
			return
		}
		w := slices.MinFunc(may, q.order(func(m *member) int { return m.turns }))
		q.drop(w)
		q.running++
		level := &q.level
		for _, h := range w.holders {
			m := q.members[h.Name]
			*level = max(*level, m.turns) // who could take no turns for a time does not make up for them
			m.turns = *level + 1
			m.running++
			level = &m.level
		}
		w.turn <- true
	}
}

// drop removes a job from those that wait.
func (q *Queue) drop(w *waiter) {
	q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == w })
	for _, h := range w.holders {
		q.members[h.Name].waiting--
	}
}

// order compares jobs by the loads of their holders, then by when they came.
func (q *Queue) order(load func(*member) int) func(a, b *waiter) int {
	return func(a, b *waiter) int {
		for i := range min(len(a.holders), len(b.holders)) {
			of, than := q.members[a.holders[i].Name], q.members[b.holders[i].Name]
			if c := cmp.Compare(load(of), load(than)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.number, b.number)
	}
}
