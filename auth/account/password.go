package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/netip"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"relais/internal/admit"
)

// Bounds of passwords.
const (
	MinPassword = 10   // characters
	maxPassword = 1024 // bytes
)

// CheckPassword validates a new password. Error: ErrPassword.
func CheckPassword(text string) error {
	if !utf8.ValidString(text) || utf8.RuneCountInString(norm.NFC.String(text)) < MinPassword ||
		len(text) > maxPassword {
		return fmt.Errorf("%w %d characters or more and at most %d bytes", ErrPassword, MinPassword, maxPassword)
	}
	return nil
}

// A password is a stored password: its Argon2id tag (RFC 9106) and the parameters.
type password struct {
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory"` // KiB
	Threads uint8  `json:"threads"`
	Salt    []byte `json:"salt"`
	Tag     []byte `json:"argon2id"`
}

// The cost of hashing a password: 19 MiB and two passes, as OWASP advises for Argon2id (Password
// Storage Cheat Sheet). It takes about 30 ms. The number of hashes at one time bounds the memory
// and leaves cores for others; the number that may wait bounds the time.
const (
	hashTime     = 2
	hashMemory   = 19 << 10 // KiB
	hashThreads  = 1
	saltBytes    = 16
	tagBytes     = 32
	hashesAtOnce = 2
	mostWaiting  = 32
	longestWait  = 10 * time.Second
)

// check refuses parameters that this package never uses: a broken record must not use up the
// memory.
func (p *password) check() error {
	if p.Time < 1 || p.Time > 100 || p.Memory < 8 || p.Memory > 1<<20 || p.Threads < 1 || p.Threads > 16 ||
		len(p.Salt) < 8 || len(p.Salt) > 64 || len(p.Tag) < 16 || len(p.Tag) > 64 {
		return errors.New("the password's record is damaged")
	}
	return nil
}

// matches reports whether the text is the password. Composed and decomposed letters are equal.
func (p *password) matches(text string) bool {
	tag := argon2.IDKey(norm.NFC.Bytes([]byte(text)), p.Salt, p.Time, p.Memory, p.Threads, uint32(len(p.Tag)))
	return subtle.ConstantTimeCompare(tag, p.Tag) == 1
}

func newPassword(text string) *password {
	p := &password{Time: hashTime, Memory: hashMemory, Threads: hashThreads, Salt: make([]byte, saltBytes)}
	rand.Read(p.Salt) // never fails
	p.Tag = argon2.IDKey(norm.NFC.Bytes([]byte(text)), p.Salt, p.Time, p.Memory, p.Threads, tagBytes)
	return p
}

// unknownPassword is compared if the account is unknown, so that the answer takes as long as for a
// wrong password.
var unknownPassword = &password{Time: hashTime, Memory: hashMemory, Threads: hashThreads, Salt: make([]byte, saltBytes),
	Tag: make([]byte, tagBytes)}

// hash makes the record of a new password, for somebody at an address. The zero address is the
// operator's. Errors: ErrReadOnly, ErrBusy.
func (s *Store) hash(ctx context.Context, text string, addr netip.Addr) (*password, error) {
	if s.readOnly() {
		return nil, ErrReadOnly
	}
	end, err := s.hashTurn(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer end()
	return newPassword(text), nil
}

// Hashes returns the queue of those whose passwords are hashed.
func (s *Store) Hashes() *admit.Queue { return s.hashes }

// hashTurn waits until a password of somebody at an address may be hashed, which end ends. Providers take
// turns, and their networks. Error: ErrBusy.
func (s *Store) hashTurn(ctx context.Context, addr netip.Addr) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	network := admit.Network(admit.Line(addr))
	end, err = s.hashes.Begin(ctx, admit.Holder{Name: "provider " + admit.Provider(network).String()},
		admit.Holder{Name: network.String()})
	if err != nil {
		return nil, ErrBusy
	}
	return end, nil
}
