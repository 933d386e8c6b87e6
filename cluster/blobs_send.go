package cluster

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"io"
	"os"
	"sync"
)

// A prepared body can be read again, and its sums are known.
type prepared struct {
	from  io.ReadSeeker
	start int64
	size  int64
	sum   [sha256.Size]byte
	md5   [md5.Size]byte
	file  *os.File // a temporary one, or nil
}

// prepare reads a body. One that cannot be read again is copied, to a file if it is large.
func prepare(name string, body io.Reader, size int64) (_ *prepared, err error) {
	p := &prepared{size: size}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	var copied bytes.Buffer
	sum, sum5, to := sha256.New(), md5.New(), io.Writer(io.Discard)
	if seeker, ok := body.(io.ReadSeeker); ok {
		if p.start, err = seeker.Seek(0, io.SeekCurrent); err != nil {
			return nil, err
		}
		p.from = seeker
	} else if size <= partSize {
		to = &copied
	} else {
		if p.file, err = os.CreateTemp("", "relais-blob-*"); err != nil {
			return nil, err
		}
		p.from, to = p.file, p.file
	}
	n, err := io.Copy(io.MultiWriter(to, sum, sum5), io.LimitReader(body, size+1))
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, wrongSize(name, n, size)
	}
	if p.from == nil {
		p.from = bytes.NewReader(copied.Bytes())
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

func (p *prepared) close() {
	if p.file != nil {
		p.file.Close()
		os.Remove(p.file.Name()) // a temporary file of the system otherwise
	}
}
