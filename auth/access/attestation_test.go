package access

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"relais/internal/filetest"
)

var (
	attestedAt = time.Date(2026, 11, 3, 10, 20, 0, 0, time.UTC)
	attested   = jwt.MapClaims{
		"aud": "client-1", "iat": attestedAt.Unix(), "exp": attestedAt.Add(time.Hour).Unix(),
	}
)

// claimsWith returns the claims of a good token with changes; a nil value removes
// its claim.
func claimsWith(changes jwt.MapClaims) jwt.MapClaims {
	claims := jwt.MapClaims{}
	for _, part := range []jwt.MapClaims{attested, changes} {
		for name, value := range part {
			claims[name] = value
			if value == nil {
				delete(claims, name)
			}
		}
	}
	return claims
}

func attest(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	must(t, err)
	return token
}

// made returns the key that was made.
func made[K any](key K, err error) K {
	if err != nil {
		panic(err)
	}
	return key
}

func publicPEM(t *testing.T, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func writeKey(t *testing.T, text []byte) (path string) {
	t.Helper()
	path = filetest.New(t, "attestation.pem", text)
	return path
}

func attestor(t *testing.T, key crypto.PublicKey) *Attestor {
	t.Helper()
	a, err := ReadAttestor(writeKey(t, publicPEM(t, key)))
	must(t, err)
	return a
}

// testAttestor returns an Attestor and what makes a good token for a client, valid
// from now on.
func testAttestor(t *testing.T) (a *Attestor, sign func(clientID string, now time.Time) string) {
	t.Helper()
	key := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	return attestor(t, key.Public()), func(clientID string, now time.Time) string {
		return attest(t, jwt.SigningMethodES256, key, jwt.MapClaims{
			"aud": clientID, "iat": now.Unix(), "exp": now.Add(attestationLife).Unix(),
		})
	}
}

func TestAttestorClaims(t *testing.T) {
	key := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	a := attestor(t, key.Public())
	at := func(d time.Duration) int64 { return attestedAt.Add(d).Unix() }
	for _, tt := range []struct {
		name   string
		change jwt.MapClaims
		now    time.Duration // after attestedAt
		ok     bool
	}{
		{"good", nil, 0, true},
		{"the last moment", nil, time.Hour - 1, true},
		{"expired", nil, time.Hour, false},
		{"expired within the leeway of iat", nil, time.Hour + 30*time.Second, false},
		{"a clock a minute ahead", nil, -time.Minute, true},
		{"from the future", nil, -time.Minute - 1, false},
		{"nbf of a clock a minute ahead", jwt.MapClaims{"nbf": at(0)}, -time.Minute, true},
		{"not yet", jwt.MapClaims{"nbf": at(10 * time.Minute)}, 0, false},
		{"for more than an hour", jwt.MapClaims{"exp": at(time.Hour + time.Second)}, 0, false},
		{"for ever", jwt.MapClaims{"exp": 1e300}, 0, false},
		{"for ever, in integers", jwt.MapClaims{"exp": int64(1<<63 - 1)}, 0, false},
		{"ended before it began", jwt.MapClaims{"exp": at(-time.Second)}, 0, false},
		{"no exp", jwt.MapClaims{"exp": nil}, 0, false},
		{"no iat", jwt.MapClaims{"iat": nil}, 0, false},
		{"exp is text", jwt.MapClaims{"exp": "tomorrow"}, 0, false},
		{"no aud", jwt.MapClaims{"aud": nil}, 0, false},
		{"another client", jwt.MapClaims{"aud": "client-2"}, 0, false},
		{"the client in another case", jwt.MapClaims{"aud": "Client-1"}, 0, false},
		{"a longer client", jwt.MapClaims{"aud": "client-11"}, 0, false},
		{"several clients", jwt.MapClaims{"aud": []string{"client-2", "client-1"}}, 0, true},
		{"several others", jwt.MapClaims{"aud": []string{"client-2", "client-3"}}, 0, false},
		{"no aud in a list", jwt.MapClaims{"aud": []string{}}, 0, false},
		{"aud is a number", jwt.MapClaims{"aud": 1}, 0, false},
		{"claims that mean nothing here", jwt.MapClaims{"sub": "device", "iss": "us", "x": []int{1}}, 0, true},
		{"too long", jwt.MapClaims{"x": strings.Repeat("x", maxAttestation)}, 0, false},
	} {
		token := attest(t, jwt.SigningMethodES256, key, claimsWith(tt.change))
		if err := a.check(token, "client-1", attestedAt.Add(tt.now)); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want no error: %v", tt.name, err, tt.ok)
		}
	}
	if err := a.check(attest(t, jwt.SigningMethodES256, key, claimsWith(jwt.MapClaims{"aud": []string{"", "x"}})), "",
		attestedAt); err == nil {
		t.Error("good for no client")
	}
}

func TestAttestorAlgorithms(t *testing.T) {
	ec := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	other := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	ec384 := made(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	rsaKey := made(rsa.GenerateKey(rand.Reader, minRSA))
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	for _, tt := range []struct {
		name   string
		check  crypto.Signer
		method jwt.SigningMethod
		key    any
		ok     bool
	}{
		{"ES256", ec, jwt.SigningMethodES256, ec, true},
		{"RS256", rsaKey, jwt.SigningMethodRS256, rsaKey, true},
		{"EdDSA", ed, jwt.SigningMethodEdDSA, ed, true},
		{"another key", ec, jwt.SigningMethodES256, other, false},
		{"none", ec, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, false},
		{"none for RSA", rsaKey, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, false},
		{"public key as a secret", rsaKey, jwt.SigningMethodHS256, publicPEM(t, rsaKey.Public()), false},
		{"public key as a secret, EC", ec, jwt.SigningMethodHS256, publicPEM(t, ec.Public()), false},
		{"public key as a secret, Ed25519", ed, jwt.SigningMethodHS256, []byte(ed.Public().(ed25519.PublicKey)), false},
		{"another hash", rsaKey, jwt.SigningMethodRS512, rsaKey, false},
		{"another padding", rsaKey, jwt.SigningMethodPS256, rsaKey, false},
		{"another curve", ec, jwt.SigningMethodES384, ec384, false},
		{"another kind", ec, jwt.SigningMethodEdDSA, ed, false},
	} {
		token := attest(t, tt.method, tt.key, attested)
		if err := attestor(t, tt.check.Public()).check(token, "client-1", attestedAt); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want no error: %v", tt.name, err, tt.ok)
		}
		if err := (*Attestor)(nil).check(token, "client-1", attestedAt); err == nil {
			t.Errorf("%s: no Attestor accepts it", tt.name)
		}
	}
}

// TestAttestorForms changes a good token.
func TestAttestorForms(t *testing.T) {
	key := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	a := attestor(t, key.Public())
	token := attest(t, jwt.SigningMethodES256, key, attested)
	check := func(token string) error { return a.check(token, "client-1", attestedAt) }
	must(t, check(token))
	for i, c := range []byte(token) {
		for _, other := range []byte("AB.=\n") {
			changed := token[:i] + string(other) + token[i+1:]
			if c != other && check(changed) == nil {
				t.Errorf("accepted with %q at %d", other, i)
			}
		}
	}
	last := token[len(token)-1]
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
		if c != last && check(token[:len(token)-1]+string(c)) == nil {
			t.Errorf("accepted with %q at the end", c)
		}
	}
	for _, tt := range []struct{ name, token string }{
		{"nothing", ""},
		{"dots", ".."},
		{"two parts", token[:strings.LastIndexByte(token, '.')]},
		{"no signature", token[:strings.LastIndexByte(token, '.')+1]},
		{"four parts", token + ".x"},
		{"a blank", " " + token},
		{"a word", "Bearer " + token},
		{"a megabyte", strings.Repeat("x", 1<<20)},
		{"dots without end", strings.Repeat(".", maxAttestation)},
		{"null claims", signParts(t, key, `{"alg":"ES256"}`, `null`)},
		{"claims are a list", signParts(t, key, `{"alg":"ES256"}`, `[]`)},
		{"null header", signParts(t, key, `null`, goodClaims())},
		{"no alg", signParts(t, key, `{}`, goodClaims())},
		{"unknown alg", signParts(t, key, `{"alg":"es256"}`, goodClaims())},
		{"alg is a number", signParts(t, key, `{"alg":1}`, goodClaims())},
		{"an extension", signParts(t, key, `{"alg":"ES256","crit":["b64"],"b64":false}`, goodClaims())},
	} {
		if err := check(tt.token); err == nil {
			t.Errorf("%s: accepted", tt.name)
		} else if len(err.Error()) > 500 {
			t.Errorf("%s: an error of %d bytes, want at most 500", tt.name, len(err.Error()))
		}
	}
	if err := check(signParts(t, key, `{"alg":"ES256"}`, goodClaims())); err != nil {
		t.Errorf("a token of parts: %v", err)
	}
}

func goodClaims() string {
	return fmt.Sprintf(`{"aud":"client-1","iat":%d,"exp":%d}`, attestedAt.Unix(), attestedAt.Add(time.Hour).Unix())
}

// signParts makes a token whose header may be anything.
func signParts(t *testing.T, key *ecdsa.PrivateKey, header, claims string) string {
	t.Helper()
	text := base64url.EncodeToString([]byte(header)) + "." + base64url.EncodeToString([]byte(claims))
	signature, err := jwt.SigningMethodES256.Sign(text, key)
	must(t, err)
	return text + "." + base64url.EncodeToString(signature)
}

func TestReadAttestor(t *testing.T) {
	ec := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	good := publicPEM(t, ec.Public())
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: made(x509.MarshalPKCS8PrivateKey(ec))})
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: attestedAt.AddDate(-1, 0, 0)}
	certificate := made(x509.CreateCertificate(rand.Reader, template, template, ec.Public(), ec))
	for _, tt := range []struct {
		name, says string // "" when it is good
		text       []byte
	}{
		{"key", "", good},
		{"text around it", "", append([]byte("our key\n\n"), append(good, "\n\n"...)...)},
		{"CRLF", "", bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n"))},
		{"certificate, expired", "", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})},
		{"empty", "PEM", nil},
		{"DER", "PEM", made(x509.MarshalPKIXPublicKey(ec.Public()))},
		{"garbage in PEM", "asn1", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})},
		{"garbage in a certificate", "x509", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})},
		{"two keys", "more than one", append(good[:len(good):len(good)], good...)},
		{"private key after it", "more than one", append(good[:len(good):len(good)], private...)},
		{"private key", "PRIVATE KEY", private},
		{"too long", "65536", append(bytes.Repeat([]byte("\n"), maxKeyFile), good...)},
		{"P-384", "P-384", publicPEM(t, made(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)).Public())},
		{"short RSA", "1024 bits", publicPEM(t, made(rsa.GenerateKey(rand.Reader, 1024)).Public())},
		{"X25519", "ecdh", publicPEM(t, made(ecdh.X25519().GenerateKey(rand.Reader)).Public())},
	} {
		path := writeKey(t, tt.text)
		a, err := ReadAttestor(path)
		if tt.says == "" {
			if err != nil || a.check(attest(t, jwt.SigningMethodES256, ec, attested), "client-1", attestedAt) != nil {
				t.Errorf("%s: got %v, want a key that accepts its attestations", tt.name, err)
			}
			continue
		}
		if a != nil || err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, a %v, want an error, %q in it, %q in it and no a", tt.name, err, a, tt.says, path)
		}
	}
	if a, err := ReadAttestor(filepath.Join(t.TempDir(), "missing.pem")); a != nil || !os.IsNotExist(err) {
		t.Errorf("missing: got %v, %v, want none and an error that it does not exist", a, err)
	}
}

// TestAttestorOpenssl checks tokens that a second tool made.
func TestAttestorOpenssl(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is missing")
	}
	for _, tt := range []struct {
		alg  string
		make []string // arguments of genpkey
		sign []string
	}{
		{"ES256", []string{"-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"},
			[]string{"dgst", "-sha256", "-sign", "key.pem", "text"}},
		{"RS256", []string{"-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"},
			[]string{"dgst", "-sha256", "-sign", "key.pem", "text"}},
		{"EdDSA", []string{"-algorithm", "ED25519"},
			[]string{"pkeyutl", "-sign", "-rawin", "-inkey", "key.pem", "-in", "text"}},
	} {
		t.Run(tt.alg, func(t *testing.T) {
			dir := t.TempDir()
			openssl(t, dir, append([]string{"genpkey", "-out", "key.pem"}, tt.make...)...)
			openssl(t, dir, "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
			openssl(t, dir, "req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=test", "-out", "certificate.pem")
			text := base64url.EncodeToString(fmt.Appendf(nil, `{"typ":"JWT","alg":%q}`, tt.alg)) + "." +
				base64url.EncodeToString([]byte(goodClaims()))
			filetest.Write(t, filepath.Join(dir, "text"), text)
			signature := openssl(t, dir, tt.sign...)
			if tt.alg == "ES256" {
				signature = rawECDSA(t, signature)
			}
			token := text + "." + base64url.EncodeToString(signature)
			for _, name := range []string{"public.pem", "certificate.pem"} {
				a, err := ReadAttestor(filepath.Join(dir, name))
				must(t, err)
				if err := a.check(token, "client-1", attestedAt); err != nil {
					t.Errorf("%s: %v, want no error", name, err)
				}
				if err := a.check(token, "client-2", attestedAt); err == nil {
					t.Errorf("%s: accepted for another client", name)
				}
			}
		})
	}
}

func openssl(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	command := exec.Command("openssl", args...)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		t.Fatalf("openssl %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// rawECDSA is the form of RFC 7518, section 3.4, of a signature in DER.
func rawECDSA(t *testing.T, der []byte) []byte {
	t.Helper()
	var s struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &s); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 64)
	s.R.FillBytes(raw[:32])
	s.S.FillBytes(raw[32:])
	return raw
}
