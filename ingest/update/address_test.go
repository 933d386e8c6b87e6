package update

import (
	"context"
	"crypto/x509"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"relais/internal/folder"
)

func TestShown(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"https://h/a.csv", "https://h/a.csv"},
		{"https://h/a?service=WFS&typeName=us:x&api_key=S", "https://h/a?service=WFS&typeName=us:x&api_key=…"},
		{"https://h/a?%6Bey=S;token=S&X-Amz-Signature=S#S", "https://h/a?%6Bey=…;token=…&X-Amz-Signature=…"},
		{"https://u:S@h/a", "https://…@h/a"},
		{"http://u:S/S?S@h/", "http://…@h/"},
		{"http://u:S%zz@h/?access_token=S", "http://…@h/?access_token=…"},
		{"https://h/?KEY=", "https://h/?KEY=…"},
		{"https://h/?%zz=S", "https://h/?%zz=…"},
		{"", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := redacted(tt.text); got != tt.want ||
				strings.Contains(got, "S") && !strings.Contains(got, "WFS") &&
					!strings.Contains(got, "Signature") {
				t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	for _, text := range []string{"", "abc", strings.Repeat("é", 200), strings.Repeat("\xff", 200),
		"x" + strings.Repeat("😀", 100)} {
		if got := truncate(text, 50); len(got) > 50 || !utf8.ValidString(got) ||
			len(text) > 50 && !strings.HasSuffix(got, "…") {
			t.Errorf("text = %q, got %q; want len(got) <= 50, utf8.ValidString(got), len(text) <= 50 or got that "+
				`ends with "…"`, text, got)
		}
	}
}

// wantNoKey checks that no file has the key, and returns how many there are.
func wantNoKey(t *testing.T, dir folder.Dir) (seen int) {
	t.Helper()
	err := filepath.WalkDir(string(dir), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			seen++
			text, _ := os.ReadFile(path)
			if strings.Contains(string(text), "hunter2") {
				t.Errorf("%s has the key: %s", path, text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// A request contains the key. Reports and kept files must not.
func TestKeysAreNotKept(t *testing.T) {
	k := newKit(t)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.put(towns, demoFile(t, "communes"))
	k.put("/api", []byte(`{"resources":[{"url":"`+towns+`?sig=hunter2"}]}`))
	secret := ""
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if secret = r.URL.Query().Get("key"); nth == 1 {
			w.Header().Set("Content-Length", "5000000")
			w.Write([]byte("id"))
			panic(http.ErrAbortHandler)
		}
		return false
	})
	k.use(k.file("weekly", "url", weekly+"?v=1&key=hunter2", ""),
		k.file("towns", "data.gouv.fr", "/api?token=hunter2", "."))
	o := k.options()
	o.Limits.Tries = 1
	lock, err := k.dir.Lock("ingest", "a backup", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := k.runWith(o)
		wantNoKey(t, k.dir)
		if r.Status != Failed || strings.Contains(r.Problem(), "hunter2") {
			t.Errorf(`r.Problem() = %s; want r.Status = %v, r.Problem() without "hunter2"`, r.Problem(), Failed)
		}
	}
	lock.Unlock()
	r := k.run()
	k.want(r, Updated, "")
	seen := wantNoKey(t, k.dir)
	for i, want := range []string{k.URL + weekly + "?v=1&key=…", k.URL + towns + "?sig=…"} {
		if r.Files[i].URL != want {
			t.Errorf("%s, want %s", r.Files[i].URL, want)
		}
	}
	if secret != "hunter2" || seen < 5 {
		t.Errorf(`asked with %q, %d files; want secret = "hunter2", seen >= 5`, secret, seen)
	}
	k.want(k.run(), Unchanged, "")
	// Another key is another address.
	k.use(k.file("weekly", "url", weekly+"?v=1&key=other", ""),
		k.file("towns", "data.gouv.fr", "/api?token=hunter2", "."))
	k.asked()
	k.want(k.run(), Unchanged, "")
	if log := k.asked(); !strings.HasPrefix(log[0], weekly+" 200 ") {
		t.Errorf(`asked %q; want log[0] that begins with weekly+" 200 "`, log)
	}
}

func TestErrorsHaveNoKeys(t *testing.T) {
	// Nor do errors about the table, or about what a server says.
	for _, text := range []string{"http://me:hunter2@h/", "ftp://h/?key=hunter2", "http://me:hunter2%zz@h/"} {
		if _, err := parseAddress(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf(`err = %v; want an error, an error without "hunter2"`, err)
		}
	}
}

// Nothing leads from a server of https to one of http.
func TestRedirectAwayFromHTTPS(t *testing.T) {
	asked := false
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer plain.Close()
	safe := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/x?key=hunter2", http.StatusFound))
	defer safe.Close()
	u, err := url.Parse(safe.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient("relais/test", quick, localHost)
	defer c.close()
	c.http.Transport.(transport).TLSClientConfig = safe.Client().Transport.(*http.Transport).TLSClientConfig
	_, err = c.get(t.Context(), safe.URL+"/y", http.Header{}, http.StatusOK)
	if err == nil || !strings.Contains(err.Error(), bareURL(u)+"/y leads away from https") ||
		strings.Contains(err.Error(), "hunter2") || asked {
		t.Errorf(`%v, asked %v; want an error with bare(u)+"/y leads away from https", an error without `+
			`"hunter2", !asked`, err, asked)
	}
	c.http.Transport.(transport).TLSClientConfig.RootCAs = x509.NewCertPool()
	c.close()
	tries := 0
	err = c.retry(t.Context(), func(ctx context.Context) (int64, error) {
		tries++
		_, err := c.get(ctx, safe.URL, http.Header{}, http.StatusOK)
		return 0, err
	})
	if err == nil || !strings.Contains(err.Error(), "certificate") || tries != 1 {
		t.Errorf(`%v after %d tries; want an error with "certificate", tries = 1`, err, tries)
	}
}
