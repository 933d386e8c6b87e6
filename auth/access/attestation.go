package access

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// An Attestor checks the device attestations of X-Device-Attestation, JWTs that a
// trusted service has signed. A nil Attestor refuses every one.
type Attestor struct {
	key    crypto.PublicKey
	method string // the only alg it accepts
}

// Bounds of attestations.
const (
	maxKeyFile        = 64 << 10 // bytes
	maxAttestation    = 8 << 10  // bytes
	minRSA            = 2048     // bits
	attestationLife   = time.Hour
	attestationLeeway = time.Minute // that the clock of the signer may be ahead
)

// ReadAttestor reads the public key that checks attestations: a file of at most 64 KiB with one PEM
// block, a PUBLIC KEY (PKIX) or a CERTIFICATE. The dates of a certificate are not used. The type of
// key decides the algorithm: EC P-256 means ES256, RSA of at least 2048 bits means RS256, Ed25519
// means EdDSA. The error names the file and its actual content.
func ReadAttestor(path string) (*Attestor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxKeyFile {
		return nil, fmt.Errorf("%s: larger than %d bytes: not a public key", path, maxKeyFile)
	}
	a, err := parseAttestor(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

func parseAttestor(text []byte) (*Attestor, error) {
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no PEM block; openssl pkey -pubout writes one")
	}
	if second, _ := pem.Decode(rest); second != nil {
		return nil, errors.New("more than one PEM block: attestations have one key")
	}
	key, err := publicKey(block)
	if err != nil {
		return nil, err
	}
	method, err := methodOf(key)
	return &Attestor{key, method}, err
}

func publicKey(block *pem.Block) (crypto.PublicKey, error) {
	switch block.Type {
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "CERTIFICATE":
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return cert.PublicKey, nil
	}
	return nil, fmt.Errorf("a %s instead of a PUBLIC KEY: extract it from a private key with openssl pkey -pubout; "+
		"do not put a private key here", block.Type)
}

func methodOf(key crypto.PublicKey) (string, error) {
	const good = "use EC P-256, RSA of at least 2048 bits or Ed25519"
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return jwt.SigningMethodES256.Alg(), nil
		}
		return "", fmt.Errorf("a key of the curve %s; %s", key.Curve.Params().Name, good)
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSA {
			return "", fmt.Errorf("an RSA key of %d bits; %s", bits, good)
		}
		return jwt.SigningMethodRS256.Alg(), nil
	case ed25519.PublicKey:
		return jwt.SigningMethodEdDSA.Alg(), nil
	}
	return "", fmt.Errorf("a key of the kind %T; %s", key, good)
}

// check accepts a token of at most 8 KiB that the key has signed with its own algorithm. Its aud
// must have the client's id. It must have iat, at most a minute ahead, and exp, not reached and at
// most an hour after iat. The error is for the log.
func (a *Attestor) check(token, clientID string, now time.Time) error {
	switch {
	case a == nil:
		return errors.New("no key for attestations: start with --attestation-key FILE")
	case clientID == "":
		return errors.New("an attestation needs a client") // "" would be in some aud
	case len(token) > maxAttestation:
		return fmt.Errorf("an attestation of %d bytes, more than %d", len(token), maxAttestation)
	}
	var claims jwt.RegisteredClaims
	_, err := jwt.NewParser(
		jwt.WithValidMethods([]string{a.method}),
		jwt.WithStrictDecoding(),
		jwt.WithAudience(clientID),
		jwt.WithTimeFunc(func() time.Time { return now }),
		jwt.WithIssuedAt(),
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(attestationLeeway),
	).ParseWithClaims(token, &claims, a.keyOf)
	switch {
	case err != nil:
		return err
	case claims.IssuedAt == nil:
		return errors.New("an attestation without iat")
	case !now.Before(claims.ExpiresAt.Time): // the leeway is for iat and nbf only
		return jwt.ErrTokenExpired
	case claims.ExpiresAt.After(claims.IssuedAt.Add(attestationLife)):
		return fmt.Errorf("an attestation for %v, more than %v", claims.ExpiresAt.Sub(claims.IssuedAt.Time),
			attestationLife)
	}
	return nil
}

// keyOf refuses a token that needs an extension (RFC 7515, section 4.1.11): none is supported.
func (a *Attestor) keyOf(token *jwt.Token) (any, error) {
	if _, ok := token.Header["crit"]; ok {
		return nil, errors.New("the header crit names extensions that are not supported")
	}
	return a.key, nil
}
