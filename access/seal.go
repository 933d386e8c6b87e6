package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"relais/folder"
)

// A Sealer keeps signing secrets unreadable in the store: AES-256-GCM under a key
// that lies in a file of its own.
type Sealer struct{ aead cipher.AEAD }

const sealKeyBytes = 32

// OpenSealer reads the key at path, and makes it when it is missing and make says
// so: a new key cannot open what an old one sealed.
func OpenSealer(path string, make bool) (*Sealer, error) {
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) && make {
		key = newSealKey()
		err = folder.ReplacePrivate(path, func(w io.Writer) error {
			_, err := w.Write(key)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &Sealer{aead}, err
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

// seal hides a secret for the client with this id.
func (s *Sealer) seal(secret, id string) []byte {
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(secret)+s.aead.Overhead())
	rand.Read(nonce) // never fails
	return s.aead.Seal(nonce, nonce, []byte(secret), []byte(id))
}

// open returns what was sealed for the client with this id. A nil Sealer, of a
// folder without a key, opens nothing.
func (s *Sealer) open(sealed []byte, id string) (string, error) {
	if s == nil {
		return "", errors.New("there is no key that can be read")
	}
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return "", errors.New("the sealed secret is too short")
	}
	secret, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(id))
	return string(secret), err
}
