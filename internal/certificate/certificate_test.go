package certificate

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// made are PEM files of a self-signed certificate that begins at a time.
func made(t *testing.T, at time.Time) (cert, key []byte) {
	t.Helper()
	c, err := SelfSigned(nil, at)
	must(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// A kit is a pair of files, and what was logged about them.
type kit struct {
	*Files
	t    *testing.T
	dir  string
	text *bytes.Buffer
}

func newKit(t *testing.T, at time.Time) *kit {
	t.Helper()
	k := &kit{t: t, dir: t.TempDir(), text: &bytes.Buffer{}}
	cert, key := made(t, at)
	k.write("cert.pem", cert)
	k.write("key.pem", key)
	var err error
	k.Files, err = k.open()
	must(t, err)
	return k
}

func (k *kit) open() (*Files, error) {
	return Open(filepath.Join(k.dir, "cert.pem"), filepath.Join(k.dir, "key.pem"), slog.New(slog.NewTextHandler(k.text, nil)))
}

// write replaces a file by rename.
func (k *kit) write(name string, text []byte) {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	filetest.Write(k.t, path+".new", text)
	must(k.t, os.Rename(path+".new", path))
}

func (k *kit) remove(name string) {
	k.t.Helper()
	must(k.t, os.Remove(filepath.Join(k.dir, name)))
}

// serves reports whether a certificate is the one that is used.
func (k *kit) serves(cert []byte) bool {
	block, _ := pem.Decode(cert)
	c, err := k.Get(nil)
	return err == nil && bytes.Equal(c.Certificate[0], block.Bytes)
}

// looks looks often, as Follow does, and returns the lines that were logged.
func (k *kit) looks(at time.Time) string {
	for range 5 {
		k.look(at)
	}
	defer k.text.Reset()
	return k.text.String()
}

func wantLines(t *testing.T, what, got string, want ...string) {
	t.Helper()
	if strings.Count(got, "\n") != len(want) {
		t.Errorf("%s: got %d lines, want %d: %s", what, strings.Count(got, "\n"), len(want), got)
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: got %s, want %s", what, got, w)
		}
	}
}

func TestReload(t *testing.T) {
	now := time.Now()
	k := newKit(t, now)
	wantLines(t, "unchanged", k.looks(now))
	first, err := k.Get(nil)
	must(t, err)
	cert, key := made(t, now.AddDate(0, 1, 0))
	k.write("cert.pem", cert) // the key follows within a moment
	k.look(now)
	k.write("key.pem", key)
	wantLines(t, "replaced", k.looks(now.AddDate(0, 1, 1)), "certificate loaded")
	if !k.serves(cert) {
		t.Error("got the certificate from before, want the new one")
	}
	if leaf := k.Expires(); !leaf.After(first.Leaf.NotAfter) {
		t.Errorf("ends: got %s, want a month later than %s", leaf, first.Leaf.NotAfter)
	}
}

// What cannot be loaded changes nothing, is logged once, and is forgotten when it is mended.
func TestProblems(t *testing.T) {
	now := time.Now()
	k := newKit(t, now)
	cert := filetest.Read(t, filepath.Join(k.dir, "cert.pem"))
	key := filetest.Read(t, filepath.Join(k.dir, "key.pem"))
	_, foreign := made(t, now)
	for _, tt := range []struct {
		name  string
		spoil func()
		want  string
	}{
		{"the key of another certificate", func() { k.write("key.pem", foreign) }, "does not match"},
		{"no certificate", func() { k.remove("cert.pem") }, "no such file"},
		{"no key", func() { k.remove("key.pem") }, "no such file"},
		{"half a certificate", func() { k.write("cert.pem", cert[:len(cert)/2]) }, "cert.pem"},
		{"an empty file", func() { k.write("cert.pem", nil) }, "cert.pem"},
		{"much too large", func() { k.write("cert.pem", make([]byte, maxFile+1)) }, "more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spoil()
			wantLines(t, "log", k.looks(now), tt.want)
			wantLines(t, "log later", k.looks(now.Add(time.Hour)))
			if w := k.Warnings(now); len(w) != 1 || !strings.Contains(w[0], tt.want) {
				t.Errorf("warnings: got %q, want %s", w, tt.want)
			}
			if !k.serves(cert) {
				t.Error("got another certificate, want the one from before")
			}
			k.write("cert.pem", cert)
			k.write("key.pem", key)
			k.looks(now)
			if w := k.Warnings(now); len(w) != 0 {
				t.Errorf("mended: got %q, want no warnings", w)
			}
		})
	}
}

// The end is warned of two weeks before, once a day.
func TestExpiry(t *testing.T) {
	now := time.Now()
	k := newKit(t, now)
	end := k.Expires()
	for _, tt := range []struct {
		name string
		at   time.Time
		want []string
	}{
		{"15 days before", end.AddDate(0, 0, -15), nil},
		{"13 days before", end.AddDate(0, 0, -13), []string{"ends on"}},
		{"an hour later", end.AddDate(0, 0, -13).Add(time.Hour), nil},
		{"a day later", end.AddDate(0, 0, -12), []string{"ends on"}},
		{"after", end.AddDate(0, 0, 1), []string{"ended on"}},
		{"before its time", now.AddDate(0, 0, -3), nil}, // the clock was set back: warned of less than a day ago
	} {
		t.Run(tt.name, func(t *testing.T) { wantLines(t, "log", k.looks(tt.at), tt.want...) })
	}
	if w := k.Warnings(now.AddDate(0, 0, -3)); len(w) != 1 || !strings.Contains(w[0], "clock") {
		t.Errorf("before its time: got %q, want a word about the clock", w)
	}
}

func TestOpenRefuses(t *testing.T) {
	k := newKit(t, time.Now())
	_, foreign := made(t, time.Now())
	k.write("key.pem", foreign)
	if _, err := k.open(); err == nil || !strings.Contains(err.Error(), "key.pem") {
		t.Errorf("another's key: got %v, want an error that names it", err)
	}
	k.remove("key.pem")
	if _, err := k.open(); err == nil || !strings.Contains(err.Error(), "key.pem") {
		t.Errorf("no key: got %v, want an error that names it", err)
	}
}

// A self-signed certificate is one that a client takes who trusts it.
func TestSelfSigned(t *testing.T) {
	phone := net.ParseIP("192.168.1.5")
	c, err := SelfSigned([]net.IP{phone}, time.Now())
	must(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(c.Leaf)
	for _, name := range []string{"localhost", "127.0.0.1", "::1", "192.168.1.5"} {
		if _, err := c.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: pool}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Leaf.Verify(x509.VerifyOptions{DNSName: "www.example", Roots: pool}); err == nil {
		t.Error("www.example: got no error, want one")
	}
	if c.Leaf.NotAfter.Sub(c.Leaf.NotBefore) > 398*24*time.Hour {
		t.Errorf("got %s to %s, want at most 398 days", c.Leaf.NotBefore, c.Leaf.NotAfter)
	}
}
