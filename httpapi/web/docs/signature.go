package docs

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"relais/auth/access"
)

// A Vector is a request with its signature, for programs that sign.
type Vector struct {
	Secret       string
	At           time.Time
	Method, Path string
	Body         string
}

// Vectors are the test vectors: a GET and a POST.
var Vectors = [2]Vector{
	{Secret: vectorSecret, At: vectorTime, Method: "GET", Path: mount + "/antennas"},
	{Secret: vectorSecret, At: vectorTime, Method: "POST", Path: mount + "/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7/report",
		Body: `{"reason":"quality"}`},
}

const vectorSecret = "xUvTq0w2Zr8m5yB1NfLh7sKdP3cJ9aEoGiVtR6uQ4MA"

var vectorTime = time.Unix(1790000000, 0)

func (v Vector) seconds() string { return strconv.FormatInt(v.At.Unix(), 10) }

// Text returns the text that is signed.
func (v Vector) Text() string {
	sum := sha256.Sum256([]byte(v.Body))
	return strings.Join([]string{v.seconds(), v.Method, v.Path, hex.EncodeToString(sum[:])}, "\n")
}

// Header returns the header X-Sq-Signature, as the server makes it to compare.
func (v Vector) Header() string {
	return access.Sign(v.Secret, v.At, v.Method, v.Path, sha256.Sum256([]byte(v.Body)))
}
