package hook

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// example returns the block of code in docs/webhooks.md whose first line begins so.
func example(t *testing.T, first string) string {
	t.Helper()
	page := filetest.Read(t, "../docs/webhooks.md")
	_, rest, ok := strings.Cut(string(page), "\n    "+first)
	if !ok {
		t.Fatalf("no example begins with %q", first)
	}
	block, _, _ := strings.Cut(first+rest, "\n\n")
	for line := range strings.Lines(rest[len(block)-len(first):]) { // blank lines within the block
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		block += line
	}
	return strings.ReplaceAll(block, "\n    ", "\n")
}

// What the page says about verifying verifies, and refuses what was changed.
func TestExamplesVerify(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	secret, id, at := secretPrefix+base64.StdEncoding.EncodeToString(key), "msg_1", strconv.FormatInt(time.Now().Unix(), 10)
	body := `{"type":"test","timestamp":"2026-11-23T18:40:41Z","data":{"hook":"é"}}`
	signature := sign(key, id, at, body)

	t.Run("python", func(t *testing.T) {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("python3 is not installed")
		}
		in, err := json.Marshal(map[string]any{"secret": secret, "body": body, "headers": map[string]string{
			"webhook-id": id, "webhook-timestamp": at, "webhook-signature": "v1,bm8= " + signature}})
		must(t, err)
		c := exec.Command(python, "-c", example(t, "import base64")+`
import json, sys
m = json.load(sys.stdin)
print(verify(m["secret"], m["headers"], m["body"].encode()), verify(m["secret"], m["headers"], m["body"].encode() + b" "))
`)
		c.Stdin = strings.NewReader(string(in))
		out, err := c.CombinedOutput()
		if got := strings.TrimSpace(string(out)); got != "True False" || err != nil {
			t.Errorf("got %s, %v, want True False", got, err)
		}
	})
	t.Run("openssl", func(t *testing.T) {
		if _, err := exec.LookPath("openssl"); err != nil {
			t.Skip("openssl is not installed")
		}
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, "body"), body)
		c := exec.Command("sh", "-c", example(t, "KEY="))
		c.Dir, c.Env = dir, append(os.Environ(), "SECRET="+secret, "ID="+id, "TIMESTAMP="+at)
		out, err := c.CombinedOutput()
		if got := "v1," + strings.TrimSpace(string(out)); got != signature || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, signature)
		}
	})
}
