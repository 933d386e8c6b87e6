package main

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
)

const rootOfDebian = "/usr/share/ca-certificates/mozilla/ISRG_Root_X1.crt"

// A machine without a file of roots trusts the linked ones: certificates of Debian's package verify.
func TestRootsAreLinked(t *testing.T) {
	if os.Getenv("SSL_CERT_FILE") == "/nonexistent" {
		verifyRoot(t)
		return
	}
	if _, err := os.Stat(rootOfDebian); err != nil {
		t.Skip("the package ca-certificates is not installed")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestRootsAreLinked$", "-test.v")
	c.Env = append(os.Environ(), "SSL_CERT_FILE=/nonexistent", "SSL_CERT_DIR=/nonexistent")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestRootsAreLinked") {
		t.Errorf("got %v, want the root verified:\n%s", err, out)
	}
}

func verifyRoot(t *testing.T) {
	text := filetest.Read(t, rootOfDebian)
	block, _ := pem.Decode(text)
	root, err := x509.ParseCertificate(block.Bytes)
	errtest.Must(t, err)
	// The system's verifier, with the time at which the certificate surely was valid.
	_, err = root.Verify(x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		CurrentTime: root.NotBefore.Add(time.Hour)})
	if err != nil {
		t.Error(err)
	}
}
