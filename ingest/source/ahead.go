package source

import (
	"io"
	"sync"
)

// ahead reads in its own goroutine, so that unpacking and parsing run in parallel.
type ahead struct {
	in   io.ReadCloser
	full chan block
	free chan []byte
	stop chan struct{}
	now  block
	rest []byte
	once sync.Once
	done sync.WaitGroup
}

type block struct {
	data []byte
	err  error
}

const (
	aheadBlocks = 4
	blockBytes  = 256 << 10
)

func readAhead(in io.ReadCloser) io.ReadCloser {
	a := &ahead{in: in, full: make(chan block, aheadBlocks), free: make(chan []byte, aheadBlocks),
		stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- nil // a small file needs one of them
	}
	a.done.Go(a.run)
	return a
}

func (a *ahead) run() {
	defer close(a.full)
	for {
		var buf []byte
		select {
		case buf = <-a.free:
		case <-a.stop:
			return
		}
		if buf == nil {
			buf = make([]byte, blockBytes)
		}
		n, err := io.ReadFull(a.in, buf)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		select {
		case a.full <- block{buf[:n], err}:
		case <-a.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.data != nil {
			a.free <- a.now.data[:blockBytes]
		}
		b, ok := <-a.full
		if !ok {
			return 0, io.EOF
		}
		a.now, a.rest = b, b.data
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Close stops the reading and closes the input.
func (a *ahead) Close() error {
	a.once.Do(func() { close(a.stop) })
	a.done.Wait()
	return a.in.Close()
}
