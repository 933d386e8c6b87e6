package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MessageID returns the webhook-id of what some texts name: the same for the same texts.
func MessageID(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return "msg_" + hex.EncodeToString(sum[:16])
}
