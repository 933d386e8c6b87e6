package cluster

import (
	"bytes"
	"context"
	"crypto/md5"
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
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// An s3Store has the bytes of blobs as objects, each with its SHA-256, and of one PUT each.
type s3Store struct {
	at     *place
	client *minio.Core
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
	transport := newS3Transport(limits)
	keys := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: limits.header}},
	})
	if v, err := keys.GetWithContext(nil); err != nil || v.AccessKeyID == "" {
		return nil, errors.New("--cluster-blobs: there are no keys of the store: " + wantKeys)
	}
	client, err := minio.NewCore(at.endpoint, &minio.Options{
		Creds: keys, Secure: !at.plain, Transport: transport, Region: at.region, MaxRetries: 1})
	if err != nil {
		return nil, fmt.Errorf("--cluster-blobs: %w", err)
	}
	return &s3Store{at, client, limits}, nil
}

// twice calls do again if it fails for a reason that may pass.
func (s *s3Store) twice(ctx context.Context, name string, do func(ctx context.Context, key string) error) error {
	for try := 1; ; try++ {
		err := do(ctx, s.at.prefix+name)
		var answer minio.ErrorResponse
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return wrong(name, "%w", context.Cause(ctx))
		case errors.As(err, &answer) && answer.Code == minio.NoSuchKey:
			return &fs.PathError{Op: "blob", Path: name, Err: fs.ErrNotExist}
		case errors.Is(err, fs.ErrInvalid) || errors.Is(err, errTooLarge):
			return err
		case try == s3Tries:
			return wrong(name, "the store %s: %w", s.at.endpoint, err)
		}
	}
}

// put stores an object, and asks the store what it has.
func (s *s3Store) put(ctx context.Context, name string, body io.Reader, size int64) error {
	if size > mostObject {
		return &fs.PathError{Op: "blob", Path: name, Err: errTooLarge}
	}
	b, err := prepare(name, body, size)
	if err != nil {
		return err
	}
	defer b.close()
	err = s.twice(ctx, name, func(ctx context.Context, key string) error {
		ctx, cancel := context.WithTimeout(ctx, s.limits.total(size))
		defer cancel()
		again, err := b.again()
		if err != nil {
			return err
		}
		sum := hex.EncodeToString(b.sum[:])
		_, err = s.client.PutObject(ctx, s.at.bucket, key, again, size, base64.StdEncoding.EncodeToString(b.md5[:]), sum,
			minio.PutObjectOptions{UserMetadata: map[string]string{sumHeader: sum}, DisableContentSha256: true})
		if err != nil {
			return err
		}
		has, err := s.client.StatObject(ctx, s.at.bucket, key, minio.StatObjectOptions{})
		if err != nil {
			return err
		}
		if got := has.Metadata.Get(sumHeader); has.Size != size || got != sum {
			return fmt.Errorf("it has %d bytes with the SHA-256 %.64q after a PUT of %d with %s", has.Size, got, size, sum)
		}
		return nil
	})
	if isMissing(err) { // of HEAD, or there is no bucket
		return wrong(name, "the store %s does not have it after a PUT", s.at.endpoint)
	}
	return err
}

// get opens an object.
func (s *s3Store) get(ctx context.Context, name string) (r io.ReadCloser, err error) {
	err = s.twice(ctx, name, func(ctx context.Context, key string) error {
		ctx, cancel := context.WithCancel(ctx)
		late := time.AfterFunc(s.limits.total(0), cancel)
		body, has, header, err := s.client.GetObject(ctx, s.at.bucket, key, minio.GetObjectOptions{})
		if err != nil {
			cancel()
			return err
		}
		late.Stop()
		slow := &slowReader{ReadCloser: body, cancel: cancel, limits: s.limits}
		want, err := hex.DecodeString(header.Get(sumHeader))
		if err != nil || len(want) != sha256.Size || has.Size < 0 {
			slow.Close()
			return fmt.Errorf("it has %d bytes with the SHA-256 %.64q: no object of relais", has.Size, header.Get(sumHeader))
		}
		r = &checkedReader{from: slow, name: name, left: has.Size, sum: sha256.New(), want: want}
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
			return s.client.RemoveObject(ctx, s.at.bucket, key, minio.RemoveObjectOptions{})
		})
		if err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// check asks for an object that does not exist, which a store must say.
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

// again returns the body from its start. It cannot be closed, and minio-go does not seek in it.
func (p *prepared) again() (io.Reader, error) {
	if _, err := p.from.Seek(p.start, io.SeekStart); err != nil {
		return nil, err
	}
	return io.LimitReader(p.from, p.size), nil
}

func (p *prepared) close() {
	if p.file != nil {
		p.file.Close()
		os.Remove(p.file.Name()) // a temporary file of the system otherwise
	}
}

// A slowReader fails when the store, and not its caller, takes too long.
type slowReader struct {
	io.ReadCloser
	cancel context.CancelFunc // ends the request
	limits s3Limits
	n      int64
	spent  time.Duration
}

func (r *slowReader) Read(p []byte) (int, error) {
	start := time.Now()
	n, err := r.ReadCloser.Read(p)
	r.n += int64(n)
	if r.spent += time.Since(start); err == nil && r.spent > r.limits.total(r.n) {
		err = fmt.Errorf("the store took %s for %d bytes", r.spent.Round(time.Second), r.n)
	}
	return n, err
}

func (r *slowReader) Close() error {
	r.cancel()
	return r.ReadCloser.Close()
}
