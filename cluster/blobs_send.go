package cluster

import (
	"crypto/md5"
	"crypto/sha256"
	"io"
	"sync"
)

// A prepared body has its sums: the headers of a request need them before its bytes.
type prepared struct {
	from  io.ReadSeeker
	start int64
	size  int64
	sum   [sha256.Size]byte
	md5   [md5.Size]byte
}

// prepare reads a body for the first time.
func prepare(name string, body io.ReadSeeker, size int64) (*prepared, error) {
	start, err := body.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	p, sum, sum5 := &prepared{from: body, start: start, size: size}, sha256.New(), md5.New()
	n, err := io.Copy(io.MultiWriter(sum, sum5), io.LimitReader(body, size+1))
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, wrongSize(name, n, size)
	}
	sum.Sum(p.sum[:0])
	sum5.Sum(p.md5[:0])
	return p, nil
}

// again returns the body from its start.
func (p *prepared) again() (*sentBody, error) {
	if _, err := p.from.Seek(p.start, io.SeekStart); err != nil {
		return nil, err
	}
	return &sentBody{Reader: io.LimitReader(p.from, p.size)}, nil
}

// A sentBody is read while a request is sent, which may go on after its answer.
type sentBody struct {
	io.Reader
	closed chan struct{} // nil until it is part of a request
	once   sync.Once
}

// sent makes the body part of a request, whose transport closes it in the end.
func (b *sentBody) sent() *sentBody {
	b.closed = make(chan struct{})
	return b
}

func (b *sentBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// wait returns when nobody reads the body any more.
func (b *sentBody) wait() {
	if b.closed != nil {
		<-b.closed
	}
}
