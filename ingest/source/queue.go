package source

import (
	"io"
	"sync"

	"relais/ingest/table"
)

// A queue passes rows from a goroutine that splits a table into records to the table's reader, and back
// to be filled again.
type queue struct {
	full, free chan *table.Rows
	stop       chan struct{}
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

// exchange takes rows that were used, nil at first, and returns the next ones. It returns nil at the end.
func (q *queue) exchange(used *table.Rows) *table.Rows {
	if used != nil {
		q.free <- used
	}
	return <-q.full
}

// close ends the splitting.
func (q *queue) close() (err error) {
	q.closing.Do(func() {
		close(q.stop)
		for range q.full { // until the goroutine has ended
		}
		q.running.Wait()
		err = q.in.Close()
	})
	return err
}
