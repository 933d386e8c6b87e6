package source

import (
	"bufio"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// leastUnpacked is what a gzip file may unpack to, however small it is.
const leastUnpacked = 1 << 20

// gunzip returns r, or what it unpacks to if it begins like gzip. The bound of inputs in memory holds for both: a gzip
// file may unpack to nothing, for long.
func (in *Input) gunzip(r io.ReadCloser) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(counted{r, in.bound, r}, 64<<10)
	if head, err := b.Peek(2); err != nil || head[0] != 0x1f || head[1] != 0x8b { // shorter files are not gzip
		return readCloser{b, r}, nil
	}
	packed := &byteCount{r: b}
	z, err := gzip.NewReader(bufio.NewReader(packed))
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", in.Name(), err)
	}
	return counted{&unpacked{in: in, z: z, packed: packed}, in.bound, r}, nil
}

type byteCount struct {
	r io.Reader
	n int64
}

func (c *byteCount) Read(p []byte) (n int, err error) {
	n, err = c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacked reads a gzip file within the bounds of archives.
type unpacked struct {
	in     *Input
	z      *gzip.Reader
	packed *byteCount
	n      int64
}

func (u *unpacked) Read(p []byte) (n int, err error) {
	n, err = u.z.Read(p)
	if u.n += int64(n); u.n > max(leastUnpacked, maxRatio*u.packed.n) {
		return 0, fmt.Errorf("%s unpacks to over %d times its size", u.in.Name(), maxRatio)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", u.in.Name(), err)
	}
	return n, err
}
