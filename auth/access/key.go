package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// A key is rk_, twelve public hexadecimal digits that identify it, _, and 32 random bytes in
// base64url.
const (
	keyStart     = "rk_"
	prefixLength = 12
	secretBytes  = 32
)

var (
	base64url    = base64.RawURLEncoding
	secretLength = base64url.EncodedLen(secretBytes)
	keyLength    = len(keyStart) + prefixLength + 1 + secretLength
)

// A keyPrefix is the public part of a key.
type keyPrefix [prefixLength]byte

// newKey makes a key. Only its hash is stored.
func newKey() (key string, prefix keyPrefix, hash [sha256.Size]byte) {
	var public [prefixLength / 2]byte
	rand.Read(public[:]) // never fails
	hex.Encode(prefix[:], public[:])
	secret := newSecret()
	return keyStart + string(prefix[:]) + "_" + secret, prefix, sha256.Sum256([]byte(secret))
}

// newSecret returns 32 random bytes as text. It never begins with a hyphen, which a command line
// would take for a flag.
func newSecret() string {
	var b [secretBytes]byte
	for {
		rand.Read(b[:]) // never fails
		if text := base64url.EncodeToString(b[:]); text[0] != '-' {
			return text
		}
	}
}

// Prefix returns the public prefix of a key. A text that is a prefix already is returned as it is.
func Prefix(text string) string {
	text = strings.TrimPrefix(text, keyStart)
	if len(text) > prefixLength && text[prefixLength] == '_' {
		return text[:prefixLength]
	}
	return text
}

// splitKey splits a key. ok is false for a text of another form.
func splitKey(key string) (prefix keyPrefix, hash [sha256.Size]byte, ok bool) {
	if len(key) != keyLength || !strings.HasPrefix(key, keyStart) || key[len(keyStart)+prefixLength] != '_' {
		return prefix, hash, false
	}
	copy(prefix[:], key[len(keyStart):])
	var secret [64]byte
	return prefix, sha256.Sum256(append(secret[:0], key[len(key)-secretLength:]...)), true
}

// LikeKey reports whether a text begins as API keys do.
func LikeKey(text string) bool { return strings.HasPrefix(text, keyStart) }
