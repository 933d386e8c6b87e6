package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// An s3Store has the bytes of blobs as objects, each with its SHA-256, and of one PUT each: every store has PUT, and
// no parts stay when one fails.
type s3Store struct {
	at     *place
	client *s3Client
	limits s3Limits
}

const (
	mostObject = 5 << 30 // of one PUT
	sumHeader  = "X-Amz-Meta-Relais-Sha256"
	s3Tries    = 2 // a connection that was kept may be dead
	wantKeys   = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials, or give the machine a role"
)

var errTooLarge = errors.New("it is larger than 5 GiB, the most that a store of S3 takes at once")

// openS3 makes a client. It opens no connection, except to ask the machine for the keys of its role.
func openS3(at *place, log *slog.Logger) (*s3Store, error) {
	if host, _, err := net.SplitHostPort(at.endpoint); at.plain && !loopback(at.endpoint) && (err != nil || !loopback(host)) {
		log.Warn("the connection to the cluster's store of blobs is not encrypted: use https", "endpoint", at.endpoint)
	}
	return newS3(at, usualLimits)
}

func newS3(at *place, limits s3Limits) (*s3Store, error) {
	client, err := newS3Client(at, limits)
	if err != nil {
		return nil, fmt.Errorf("--cluster-blobs: %w", err)
	}
	return &s3Store{at, client, limits}, nil
}

// twice calls do again if it fails for a reason that may pass.
func (s *s3Store) twice(ctx context.Context, name string, do func(ctx context.Context, key string) error) error {
	for try := 1; ; try++ {
		err := do(ctx, s.at.prefix+name)
		var answer *refusal
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return wrong(name, "%w", context.Cause(ctx))
		case errors.As(err, &answer) && answer.missing():
			return &fs.PathError{Op: "blob", Path: name, Err: fs.ErrNotExist}
		case errors.Is(err, fs.ErrInvalid) || errors.Is(err, errTooLarge):
			return err
		case try == s3Tries:
			return wrong(name, "the store %s: %w", s.at.endpoint, err)
		}
	}
}

// put stores an object, and then asks the store for it: an empty answer with status 200 may be that of a proxy.
func (s *s3Store) put(ctx context.Context, name string, body io.ReadSeeker, size int64) error {
	if size > mostObject {
		return &fs.PathError{Op: "blob", Path: name, Err: errTooLarge}
	}
	b, err := prepare(name, body, size)
	if err != nil {
		return err
	}
	err = s.twice(ctx, name, func(ctx context.Context, key string) error {
		ctx, cancel := context.WithTimeout(ctx, s.limits.total(size))
		defer cancel()
		if err := s.send(ctx, key, b); err != nil {
			return err
		}
		resp, err := s.client.call(ctx, http.MethodHead, key, nil)
		if err != nil {
			return err
		}
		defer end(resp)
		if got, want := resp.Header.Get(sumHeader), hex.EncodeToString(b.sum[:]); resp.ContentLength != size || got != want {
			return fmt.Errorf("it has %d bytes with the SHA-256 %.64q after a PUT of %d with %s", resp.ContentLength, got, size, want)
		}
		return nil
	})
	if isMissing(err) { // an answer to HEAD has no words: the bucket may be missing as well
		return wrong(name, "the store %s does not have it after a PUT", s.at.endpoint)
	}
	return err
}

// send makes a PUT. It returns when the transport no longer reads the body: the next try reads the same file from
// its start, and both would get mixed bytes.
func (s *s3Store) send(ctx context.Context, key string, b *prepared) error {
	body, err := b.again()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer body.wait() // a store may answer while it is still sent
	defer cancel()    // runs first, and ends the sending
	resp, err := s.client.call(ctx, http.MethodPut, key, func(r *http.Request) {
		if b.size > 0 {
			r.Body, r.ContentLength = body.sent(), b.size
		}
		sum := hex.EncodeToString(b.sum[:])
		r.Header.Set("Content-Type", "application/octet-stream")
		r.Header.Set("Content-Md5", base64.StdEncoding.EncodeToString(b.md5[:]))
		r.Header.Set(payloadHeader, sum)
		r.Header.Set(sumHeader, sum)
	})
	if err == nil {
		end(resp)
	}
	return err
}

// get opens an object. A timer bounds the wait for the answer; the context must outlive it, because the caller
// reads the body later, for as long as the caller likes.
func (s *s3Store) get(ctx context.Context, name string) (r io.ReadCloser, err error) {
	err = s.twice(ctx, name, func(ctx context.Context, key string) error {
		ctx, cancel := context.WithCancel(ctx)
		timeout := time.AfterFunc(s.limits.total(0), cancel)
		resp, err := s.client.call(ctx, http.MethodGet, key, nil)
		if err != nil {
			cancel()
			return err
		}
		timeout.Stop()
		slow := &slowReader{ReadCloser: resp.Body, cancel: cancel, limits: s.limits}
		sum := resp.Header.Get(sumHeader)
		want, err := hex.DecodeString(sum)
		if err != nil || len(want) != sha256.Size || resp.ContentLength < 0 {
			slow.Close()
			return fmt.Errorf("it has %d bytes with the SHA-256 %.64q: no object of relais", resp.ContentLength, sum)
		}
		r = &checkedReader{from: slow, name: name, remaining: resp.ContentLength, sum: sha256.New(), want: want}
		return nil
	})
	return r, err
}

// remove removes objects, which may be missing.
func (s *s3Store) remove(ctx context.Context, names []string) error {
	for _, name := range names {
		err := s.twice(ctx, name, func(ctx context.Context, key string) error {
			ctx, cancel := context.WithTimeout(ctx, s.limits.total(0))
			defer cancel()
			resp, err := s.client.call(ctx, http.MethodDelete, key, nil)
			if err == nil {
				end(resp)
			}
			return err
		})
		if err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// check asks for an object that does not exist, which a store must say: a proxy or a wrong key answers otherwise.
func (s *s3Store) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.limits.header)
	defer cancel()
	r, err := s.get(ctx, "none")
	if err == nil {
		return r.Close()
	}
	if isMissing(err) {
		return nil
	}
	return err
}

// A slowReader fails when the store, and not its caller, takes too long.
type slowReader struct {
	io.ReadCloser
	cancel  context.CancelFunc // ends the request
	limits  s3Limits
	n       int64
	waiting time.Duration // time in Read: the pace of the caller does not count
}

func (r *slowReader) Read(p []byte) (int, error) {
	start := time.Now()
	n, err := r.ReadCloser.Read(p)
	r.n += int64(n)
	if r.waiting += time.Since(start); err == nil && r.waiting > r.limits.total(r.n) {
		err = fmt.Errorf("the store took %s for %d bytes", r.waiting.Round(time.Second), r.n)
	}
	return n, err
}

func (r *slowReader) Close() error {
	r.cancel()
	return r.ReadCloser.Close()
}
