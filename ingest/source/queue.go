package source

import (
	"errors"
	"io"
	"sync"

	"relais/ingest/table"
)

// A queue passes rows from a goroutine that splits a table into records to the table's readers, and back
// to be filled again.
type queue struct {
	full, free chan *table.Rows
	next       *queue // of the second reader, which gets the rows that the first one had
	stop       chan struct{}
	stopped    bool // of a second reader: the first one stopped before the end
	closing    sync.Once
	running    sync.WaitGroup
	in         io.Closer
}

// There are queuedRows blocks of rows, each with blockText bytes or a little more.
const (
	queuedRows = 6
	blockText  = 64 << 10
)

func newQueue(t *table.Reader, in io.Closer) *queue {
	q := &queue{full: make(chan *table.Rows, queuedRows), free: make(chan *table.Rows, queuedRows),
		stop: make(chan struct{}), in: in}
	for range queuedRows {
		q.free <- &table.Rows{}
	}
	q.running.Go(func() { q.fill(t) })
	return q
}

// fill splits the table. The channels have room for all rows, so that only the wait for free ones needs
// to be stopped.
func (q *queue) fill(t *table.Reader) {
	defer close(q.full)
	for {
		select {
		case rows := <-q.free:
			more := rows.Fill(t, blockText)
			q.full <- rows
			if !more {
				return
			}
		case <-q.stop:
			return
		}
	}
}

// second returns the queue of a second reader.
func (q *queue) second() *queue {
	q.next = &queue{full: make(chan *table.Rows, queuedRows), free: q.free}
	return q.next
}

// exchange takes rows that were used, nil at first, and returns the next ones. It returns nil at the end.
func (q *queue) exchange(used *table.Rows) *table.Rows {
	if used != nil && q.next != nil {
		used.Rewind()
		q.next.full <- used
	} else if used != nil {
		q.free <- used
	}
	return <-q.full
}

// close ends the splitting and the second reader. whole reports whether the table was read to its end.
func (q *queue) close(whole bool) (err error) {
	q.closing.Do(func() {
		close(q.stop)
		for range q.full { // until the goroutine has ended
		}
		if q.next != nil {
			q.next.stopped = !whole
			close(q.next.full)
		}
		q.running.Wait()
		err = q.in.Close()
	})
	return err
}

// errStopped is the error of a second reader when the first one stopped before the end.
var errStopped = errors.New("the reading was stopped")
