package worker

import (
	"slices"
	"sync"
)

// A queue decides which job runs next. Clients take turns, so that one with many jobs does not
// delay the others. The last free worker is not given to a client that has all others.
type queue struct {
	workers int // jobs that run at once
	places  int // jobs that may wait

	mu      sync.Mutex
	running map[string]int // by client
	busy    int            // jobs that run
	alone   bool           // one of them must be alone
	lines   []*line        // not empty; the first is that of the next client
}

// A line is the waiting jobs of a client, the oldest first.
type line struct {
	who   string
	turns []*turn
}

// A turn is a job's place in the queue.
type turn struct {
	who   string
	alone bool
	told  chan error // receives once: nil if the job may run, else the reason
	runs  bool
}

func newQueue(workers, places int) *queue {
	return &queue{workers: workers, places: places, running: map[string]int{}}
}

// add takes a place for a job of a client. Jobs that must run alone are slow, and get half of the
// places.
func (q *queue) add(who string, alone bool) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &turn{who: who, alone: alone, told: make(chan error, 1)}
	at := slices.IndexFunc(q.lines, func(l *line) bool { return l.who == who })
	if at < 0 {
		at = len(q.lines)
		q.lines = append(q.lines, &line{who: who})
	}
	q.lines[at].turns = append(q.lines[at].turns, t)
	q.run()
	if q.waiting(true) > q.places/2 {
		q.refuseOne(true, who)
	}
	if q.waiting(false) > q.places {
		q.refuseOne(false, who)
	}
	return t
}

// remove gives back the place of a waiting or running job.
func (q *queue) remove(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !t.runs {
		q.drop(t)
		return
	}
	t.runs = false
	q.busy--
	if q.running[t.who]--; q.running[t.who] == 0 {
		delete(q.running, t.who)
	}
	if t.alone {
		q.alone = false
	}
	q.run()
}

// run starts the jobs that may run.
func (q *queue) run() {
	for q.busy < q.workers {
		t := q.next()
		if t == nil {
			return
		}
		q.drop(t)
		if at := slices.IndexFunc(q.lines, func(l *line) bool { return l.who == t.who }); at >= 0 { // after all others
			l := q.lines[at]
			q.lines = append(slices.Delete(q.lines, at, at+1), l)
		}
		t.runs, q.alone = true, q.alone || t.alone
		q.busy++
		q.running[t.who]++
		t.told <- nil
	}
}

// next returns the first job that may run, or nil.
func (q *queue) next() *turn {
	for _, l := range q.lines {
		if q.running[l.who] >= max(1, q.workers-1) {
			continue
		}
		for _, t := range l.turns {
			if !t.alone || !q.alone {
				return t
			}
		}
	}
	return nil
}

func (q *queue) drop(t *turn) {
	for i, l := range q.lines {
		if l.who != t.who {
			continue
		}
		l.turns = slices.DeleteFunc(l.turns, func(other *turn) bool { return other == t })
		if len(l.turns) == 0 {
			q.lines = slices.Delete(q.lines, i, i+1)
		}
		return
	}
}

func (q *queue) waiting(alone bool) (n int) {
	for _, l := range q.lines {
		n += l.waiting(alone)
	}
	return n
}

// waiting counts the jobs, or only those that must run alone.
func (l *line) waiting(alone bool) (n int) {
	for _, t := range l.turns {
		if t.alone || !alone {
			n++
		}
	}
	return n
}

// refuseOne makes room: it refuses the newest waiting job of the client with the most waiting jobs.
// If several clients have the most, it chooses who if it is one of them.
func (q *queue) refuseOne(alone bool, who string) {
	most := 0
	for _, l := range q.lines {
		most = max(most, l.waiting(alone))
	}
	at := slices.IndexFunc(q.lines, func(l *line) bool { return l.who == who && l.waiting(alone) == most })
	if at < 0 {
		at = slices.IndexFunc(q.lines, func(l *line) bool { return l.waiting(alone) == most })
	}
	for _, t := range slices.Backward(q.lines[at].turns) {
		if t.alone || !alone {
			q.drop(t)
			t.told <- ErrBusy
			return
		}
	}
}
