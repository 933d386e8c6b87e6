package update

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// askAgain is how long what was gathered from many answers is young enough: the registers behind them change
// slowly, and asking takes their servers long.
const askAgain = 7 * 24 * time.Hour

// maxAnswer is the largest allowed size of one answer among many, in bytes.
const maxAnswer = 64 << 20

// A gatherer writes a file made from many answers. missing is how many items lack a page that the server does not have.
type gatherer func(ctx context.Context, w io.Writer) (missing int, err error)

// gather writes the file of a query service or a walk. Only a whole one has a checksum.
func (d *download) gather(ctx context.Context) error {
	d.path = filepath.Join(d.dir, d.name+".json")
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(d.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	came := &intake{dir: d.dir, received: &d.received, advance: func(int) {}}
	if d.progress != nil {
		came.advance = d.progress(-1)
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(&limited{io.MultiWriter(f, sum, came), d.limit}, 64<<10)
	if d.missing, err = d.write(ctx, w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	d.got = version{Asked: asked(d.remote, d.limit), Rank: d.remote.Rank, SHA256: hex.EncodeToString(sum.Sum(nil))}
	if d.missing == 0 { // else the next run asks for the others
		d.got.Gathered = time.Now().UTC()
	}
	return f.Close()
}

// A limited writer refuses more than left bytes.
type limited struct {
	io.Writer
	left int64
}

func (l *limited) Write(text []byte) (int, error) {
	if l.left -= int64(len(text)); l.left < 0 {
		return 0, unusable{errors.New("it has more bytes than it may have (maxMB)")}
	}
	return l.Writer.Write(text)
}

// digest identifies what a query service or a walk is asked; "" for others.
func (f *File) digest() string {
	if !f.gathered() {
		return ""
	}
	text, _ := json.Marshal(f.Place) // it was decoded from JSON
	h := sha256.New()
	h.Write(text)
	for _, q := range f.Queries {
		io.WriteString(h, q.text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// A pacer keeps the requests to a service apart.
type pacer struct {
	every time.Duration
	next  time.Time
}

// wait waits until the next request may begin.
func (p *pacer) wait(ctx context.Context) error {
	if d := time.Until(p.next); d > 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
		}
	}
	p.next = time.Now().Add(p.every)
	return ctx.Err()
}

// compacted returns a text of JSON in one line.
func compacted(text []byte) ([]byte, error) {
	if err := sniff(text); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	return b.Bytes(), nil
}
