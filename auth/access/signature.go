package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A signature is a header X-Sq-Signature in the right form.
type signature struct {
	at string // seconds since 1970, as written: what was signed
	v1 [][sha256.Size]byte
}

// Bounds of signatures.
const (
	signatureWindow = 5 * time.Minute // that t may differ from our clock
	maxTime         = 12              // digits
	maxV1           = 8               // signatures in one header, for a change of secrets
)

// parseSignature reads the header: t=<unix-seconds>,v1=<hex>[,v1=<hex>…].
func parseSignature(lines []string) (s signature, err error) {
	if len(lines) != 1 {
		return s, fmt.Errorf("%d headers X-Sq-Signature instead of one", len(lines))
	}
	number := 0
	for part := range strings.SplitSeq(lines[0], ",") {
		number++
		name, value, _ := strings.Cut(part, "=")
		switch {
		case name == "t" && s.at == "" && isTime(value):
			s.at = value
		case name == "v1" && len(s.v1) < maxV1 && len(value) == 2*sha256.Size && isLowerHex(value):
			var sum [sha256.Size]byte
			hex.Decode(sum[:], []byte(value)) // its form was just checked
			s.v1 = append(s.v1, sum)
		default:
			// The error does not quote the part: somebody may have sent the secret itself.
			return s, fmt.Errorf("part %d is not t=<unix-seconds>, once, or v1=<64 lower-case hexadecimal digits>",
				number)
		}
	}
	if s.at == "" || len(s.v1) == 0 {
		return s, fmt.Errorf("t or v1 is missing")
	}
	return s, nil
}

func isTime(s string) bool {
	return s != "" && len(s) <= maxTime && strings.Trim(s, "0123456789") == ""
}

func isLowerHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// fresh fails if the signature's time is too far from now.
func (s signature) fresh(now time.Time) error {
	at, err := strconv.ParseInt(s.at, 10, 64)
	if err != nil {
		return err
	}
	if d := now.Unix() - at; d > int64(signatureWindow/time.Second) || -d > int64(signatureWindow/time.Second) {
		way := "behind"
		if d < 0 {
			d, way = -d, "ahead of"
		}
		const most = signatureWindow / time.Second
		return &Hint{fmt.Sprintf("the signature's t is %d seconds %s the server's clock, at most %d are allowed: "+
			"set the clock, and sign each request when it is sent", d, way, most), ErrSignature}
	}
	return nil
}

// matching returns the request's signature if it is one of s, else "".
func (s signature) matching(secret, method, path string, body [sha256.Size]byte) string {
	want := mac(secret, s.at, method, path, body)
	ok := false
	for _, v := range s.v1 {
		ok = hmac.Equal(v[:], want) || ok
	}
	if !ok {
		return ""
	}
	return hex.EncodeToString(want)
}

// Sign returns the header X-Sq-Signature of a request. path is the escaped path as it is sent,
// without the query; body is the SHA-256 of the body.
func Sign(secret string, at time.Time, method, path string, body [sha256.Size]byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac(secret, t, method, path, body))
}

// SentPath returns the path of a URL as it is sent and signed. Characters that should be escaped
// and are not stay as they are.
func SentPath(u *url.URL) string {
	if u.RawPath != "" { // EscapedPath would escape those
		return u.RawPath
	}
	return u.EscapedPath()
}

// mac is the HMAC of api.md: four lines, with the secret as it is shown.
func mac(secret, at, method, path string, body [sha256.Size]byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(at + "\n" + strings.ToUpper(method) + "\n" + path + "\n" + hex.EncodeToString(body[:])))
	return h.Sum(nil)
}

// EmptyBody is the SHA-256 of a request without a body.
var EmptyBody = sha256.Sum256(nil)
