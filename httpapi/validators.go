package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// An answerKey identifies an answer apart from its request id: the version of the data
// and the canonical form of the question.
type answerKey struct{ version, question string }

// etag returns a weak entity tag. It depends on the program, for which shapes stands, the
// data and the question, but not on the request id.
func etag(shapes string, a answerKey) string {
	text := make([]byte, 0, 256)
	text = append(append(text, shapes...), 0)
	text = append(append(text, a.version...), 0)
	sum := sha256.Sum256(append(text, a.question...))
	text = append(text[:0], `W/"`...)
	text = hex.AppendEncode(text, sum[:16])
	return string(append(text, '"'))
}

// etagMatches reports whether If-None-Match names the tag, which may be "*".
func etagMatches(header []string, tag string) bool {
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			if strings.TrimPrefix(strings.TrimSpace(part), "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
