package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"relais/internal/folder"
)

// A Sealer encrypts the signing secrets in the store: AES-256-GCM with a key in a file of its own.
// A Sealer without a key opens nothing.
type Sealer struct {
	path string
	aead cipher.AEAD
	root []byte // of the keys that Derive returns
	err  error  // why the key is missing
}

const sealKeyBytes = 32

// OpenSealer reads the key at path, if there is one.
func OpenSealer(path string) *Sealer {
	key, err := readKey(path)
	s := &Sealer{path: path, err: err}
	if err == nil {
		s.use(key)
	}
	return s
}

// Err returns why the key is missing: fs.ErrNotExist if none has been made yet.
func (s *Sealer) Err() error { return s.err }

func (s *Sealer) use(key []byte) {
	block, err := aes.NewCipher(key)
	if err == nil {
		s.aead, err = cipher.NewGCM(block)
	}
	s.root, s.err = key, err
}

// Derive returns a key for a purpose. Servers with the same key file derive the same one. It returns
// nil if there is no key file.
func (s *Sealer) Derive(purpose string) []byte {
	if s.err != nil || s.root == nil {
		return nil
	}
	mac := hmac.New(sha256.New, s.root)
	mac.Write([]byte("relais " + purpose))
	return mac.Sum(nil)
}

// Make makes a key if none exists. A second key could not open what the first one sealed.
func (s *Sealer) Make() error {
	if !errors.Is(s.err, fs.ErrNotExist) {
		return s.err
	}
	key := newSealKey()
	err := folder.ReplacePrivate(s.path, func(w io.Writer) error {
		_, err := w.Write(key)
		return err
	})
	if err != nil {
		return err
	}
	s.use(key)
	return s.err
}

func newSealKey() []byte {
	key := make([]byte, sealKeyBytes)
	rand.Read(key) // never fails
	return key
}

func readKey(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, sealKeyBytes+1))
	if err != nil {
		return nil, err
	}
	if len(key) != sealKeyBytes {
		return nil, fmt.Errorf("%s does not have the %d bytes of a key: restore it from a backup", path, sealKeyBytes)
	}
	return key, nil
}

// Seal encrypts a secret. context is what Open must be given too: the same secret is of no use
// elsewhere. Errors: those of Err.
func (s *Sealer) Seal(secret, context string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.seal(secret, context), nil
}

// Open decrypts what Seal returned. Errors: those of Err, and of a secret that was changed or sealed
// by another key or for another context.
func (s *Sealer) Open(sealed []byte, context string) (string, error) { return s.open(sealed, context) }

// seal encrypts a secret of the client with this id.
func (s *Sealer) seal(secret, id string) []byte {
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(secret)+s.aead.Overhead())
	rand.Read(nonce) // never fails
	return s.aead.Seal(nonce, nonce, []byte(secret), []byte(id))
}

// open decrypts a secret of the client with this id.
func (s *Sealer) open(sealed []byte, id string) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return "", errors.New("the sealed secret is too short")
	}
	secret, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(id))
	return string(secret), err
}
