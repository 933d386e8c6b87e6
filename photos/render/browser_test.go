package render

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"mime"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// browsed returns what Chromium shows of each file, as PNG; those that it does not show are empty. The test is
// skipped if Chromium is not installed.
func browsed(t *testing.T, files ...string) [][]byte {
	t.Helper()
	if len(files) == 0 {
		return nil
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	var page bytes.Buffer
	page.WriteString(`<!DOCTYPE html><pre id="out">`)
	for _, name := range files {
		kind := mime.TypeByExtension(filepath.Ext(name))
		fmt.Fprintf(&page, `<img src="data:%s;base64,%s">`, kind,
			base64.StdEncoding.EncodeToString(filetest.Read(t, name)))
	}
	page.WriteString(`</pre><script>
addEventListener("load", () => {
	const shown = [...document.images].map(img => {
		const c = document.createElement("canvas");
		[c.width, c.height] = [img.naturalWidth, img.naturalHeight];
		if (!c.width) return "";
		c.getContext("2d").drawImage(img, 0, 0);
		return c.toDataURL("image/png").split(",")[1];
	});
	document.getElementById("out").textContent = JSON.stringify(shown);
});
</script>`)
	dir := t.TempDir()
	address := filepath.Join(dir, "page.html")
	filetest.Write(t, address, page.Bytes())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
		"--force-color-profile=srgb", "--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom",
		"file://"+address).Output()
	if err != nil {
		t.Fatalf("chromium: %v, want no error", err)
	}
	_, text, _ := strings.Cut(string(out), `<pre id="out">`)
	text, _, _ = strings.Cut(text, "</pre>")
	var shown [][]byte // JSON has them in base64
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &shown); err != nil || len(shown) != len(files) {
		t.Fatalf("chromium answered %.200q, %v; want %d pictures", text, err, len(files))
	}
	return shown
}
