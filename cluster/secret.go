package cluster

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
)

// SecretSum names a secret.key without showing it.
func SecretSum(key []byte) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte("relais cluster"))
	return sum.Sum(nil)
}

// errSecret says that a node cannot open what others sealed.
var errSecret = errors.New("secret.key is not that of the cluster: copy it from another node")

// CheckSecret refuses the key of another cluster.
func (e *Engine) CheckSecret(key []byte) error {
	if !bytes.Equal(SecretSum(key), e.secret) {
		return errSecret
	}
	return nil
}
