// Package certificate keeps the certificate of a server that speaks TLS. It loads the files again when
// they change, and makes a self-signed one. It does not ask for certificates (ACME).
package certificate

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// EndsSoon is how long before its end a certificate is warned of.
const EndsSoon = 14 * 24 * time.Hour

// maxFile bounds the bytes that are read of a file.
const maxFile = 1 << 20

// Files are a certificate with its chain and a key, in two PEM files. They may be replaced while the
// certificate is used. What cannot be loaded changes nothing: the certificate from before is used on.
type Files struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	loaded  state // of current
	seen    state // at the last look
	problem string
	told    time.Time // when the end was last warned of
}

// A state is what a look at the files found: their checksum, or why they cannot be read.
type state struct {
	sum     [sha256.Size]byte
	problem string
}

// Open loads the files. Errors: those of reading, of a file of another form, and of a key that is not
// the certificate's.
func Open(cert, key string, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, log: log}
	now, certText, keyText, err := f.read()
	if err != nil {
		return nil, err
	}
	if f.current, err = f.pair(certText, keyText); err != nil {
		return nil, err
	}
	f.loaded = now
	return f, nil
}

// read reads both files.
func (f *Files) read() (now state, cert, key []byte, err error) {
	if cert, err = readFile(f.cert); err == nil {
		key, err = readFile(f.key)
	}
	if err != nil {
		return state{problem: err.Error()}, nil, nil, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d ", len(cert))
	h.Write(cert)
	h.Write(key)
	return state{sum: [sha256.Size]byte(h.Sum(nil))}, cert, key, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return text, err
}

func (f *Files) pair(cert, key []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s and the key %s: %w", f.cert, f.key, err)
	}
	if pair.Leaf == nil {
		return nil, errors.New("the certificate was not read")
	}
	return &pair, nil
}

// Get returns the certificate, as tls.Config.GetCertificate.
func (f *Files) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current, nil
}

// Expires returns when the certificate ends.
func (f *Files) Expires() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current.Leaf.NotAfter
}

// Warnings returns what an operator should know at a time.
func (f *Files) Warnings(now time.Time) (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.problem != "" {
		list = append(list, "the certificate from before is used: "+f.problem)
	}
	if text := f.validity(now); text != "" {
		list = append(list, text)
	}
	return list
}

// validity says what is wrong with the time of the certificate, "" for nothing.
func (f *Files) validity(now time.Time) string {
	leaf := f.current.Leaf
	switch {
	case now.After(leaf.NotAfter):
		return "the certificate ended on " + leaf.NotAfter.UTC().Format(time.RFC3339) + ": browsers refuse it"
	case now.Before(leaf.NotBefore):
		return "the certificate begins on " + leaf.NotBefore.UTC().Format(time.RFC3339) + ": is the clock right?"
	case leaf.NotAfter.Sub(now) < EndsSoon:
		return "the certificate ends on " + leaf.NotAfter.UTC().Format(time.RFC3339)
	}
	return ""
}

// Follow looks at the files that often, until ctx ends.
func (f *Files) Follow(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		f.look(time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look loads the files if they have changed, and warns once of what is wrong. What is found must be
// the same at two looks: of a certificate and its key, one is replaced after the other.
func (f *Files) look(at time.Time) {
	now, cert, key, err := f.read()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch settled := now == f.seen; {
	case now == f.loaded:
		f.problem = ""
	case !settled:
	case err != nil:
		f.warn(err.Error())
	default:
		if pair, err := f.pair(cert, key); err != nil {
			f.warn(err.Error())
		} else {
			f.current, f.loaded, f.problem, f.told = pair, now, "", time.Time{}
			f.log.Info("certificate loaded", "file", f.cert, "ends", pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
		}
	}
	f.seen = now
	if text := f.validity(at); text != "" && at.Sub(f.told) >= 24*time.Hour {
		f.told = at
		f.log.Warn(text, "file", f.cert)
	}
}

// warn logs a problem once.
func (f *Files) warn(problem string) {
	if f.problem != problem {
		f.problem = problem
		f.log.Warn("the certificate from before is used: " + problem)
	}
}
