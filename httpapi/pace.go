package httpapi

import "time"

// A pace is how fast a client must move the bytes of an answer or a body: each piece within a time of its
// own and, once a grace is over, all of them at a rate.
type pace struct {
	piece time.Duration // the longest for a piece
	grace time.Duration
	rate  int64         // bytes a second, 0 for any
	whole time.Duration // the longest for all pieces, 0 for any

	moved int64         // bytes
	took  time.Duration // that the client took for them
}

const (
	chunkBytes = 256 << 10 // a piece of an answer
	chunkTime  = 30 * time.Second
)

// Paces of clients.
var (
	anyPace  = pace{piece: chunkTime}
	readPace = pace{piece: chunkTime, grace: 30 * time.Second, rate: 64 << 10} // of answers that hold an encoder
	sendPace = pace{piece: 10 * time.Second, grace: 30 * time.Second, rate: 2000, whole: 5 * time.Minute}
)

// next returns the time for the next n bytes.
func (p *pace) next(n int) time.Duration {
	time := p.piece
	if p.rate > 0 {
		time = min(time, p.due(p.moved+int64(n))-p.took)
	}
	if p.whole > 0 {
		time = min(time, p.whole-p.took)
	}
	return time
}

// due returns the time for all bytes.
func (p *pace) due(bytes int64) time.Duration {
	return p.grace + time.Duration(float64(bytes)/float64(p.rate)*float64(time.Second))
}

// add notes n bytes that moved since.
func (p *pace) add(n int, since time.Time) {
	p.moved, p.took = p.moved+int64(n), p.took+time.Since(since)
}
