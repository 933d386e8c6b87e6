package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// A key is rk_, twelve hexadecimal digits that are public and name it, _, and 32
// random bytes in base64url.
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

// newKey makes a key. Only hash is to be kept.
func newKey() (key string, prefix keyPrefix, hash [sha256.Size]byte) {
	var public [prefixLength / 2]byte
	rand.Read(public[:]) // never fails
	hex.Encode(prefix[:], public[:])
	secret := newSecret()
	return keyStart + string(prefix[:]) + "_" + secret, prefix, sha256.Sum256([]byte(secret))
}

// newSecret returns 32 random bytes as text. None begins with a hyphen, which a
// command line would take for a flag.
func newSecret() string {
	var b [secretBytes]byte
	for {
		rand.Read(b[:]) // never fails
		if text := base64url.EncodeToString(b[:]); text[0] != '-' {
			return text
		}
	}
}

// Prefix is the public prefix of a text that is one, or a key.
func Prefix(text string) string {
	text = strings.TrimPrefix(text, keyStart)
	if len(text) > prefixLength && text[prefixLength] == '_' {
		return text[:prefixLength]
	}
	return text
}

// splitKey takes a key apart. A text in another form has no prefix.
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
