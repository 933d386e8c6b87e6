//go:build linux

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

// What makes clients from an OpenAPI document, and compiles them.
const (
	openapiTypescript = "openapi-typescript/bin/cli.js"
	heyAPI            = "@hey-api/openapi-ts/bin/run.js"
	tsc               = "typescript/bin/tsc"
)

// Clients that are generated from the document of the server compile without a cast, and
// sign, attest and revalidate. The programs in testdata/clients call them.
func TestGeneratedClients(t *testing.T) {
	node(t, tsc)
	c := makeCountry(t, 100)
	public, private := attestationKey(t)
	s := serve(t, c.dir, "--attestation-key", public)
	photo := mustSendPhoto(t, s, photographer(t, c.dir).APIKey, picture(64, 48), nil)
	app := createClient(t, c.dir, "--name", "app", "--mode", "mobile", "--require-attestation", "--partner",
		"--scopes", "antennas:read,photos:write")
	settings := append(os.Environ(), "BASE="+s.base+"/external/v1", "KEY="+app.APIKey, "SECRET="+app.SigningSecret,
		"ATTESTATION="+attestation(t, private, app.ID), "PHOTO="+photo.Data.ID)

	dir := generatedClients(t, s)
	for _, name := range []string{"openapi-fetch", "hey-api"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "out", name+".js"))
			cmd.Env, cmd.Stderr = settings, os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("node: got %v, want success: %s", err, out)
			}
			var got object
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("node: got %s, want JSON: %v", out, err)
			}
			want := object{"read": 200.0, "sites": 2.0, "again": 304.0, "report": 202.0, "requestId": name,
				"cells":    []any{0.0, "INVALID_PARAMETER"},
				"unsigned": "SIGNATURE_REQUIRED", "unattested": "FIRST_PARTY_TOKEN_REQUIRED"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// generatedClients generates the clients of the server's document and compiles the programs
// that use them, into the folder out of the one that it returns.
func generatedClients(t *testing.T, s *server) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/clients")))
	must(t, os.Symlink(os.Getenv("RELAIS_NPM"), filepath.Join(dir, "node_modules")))
	filetest.Write(t, filepath.Join(dir, "openapi.json"), s.get("/openapi.json").body)
	for _, args := range [][]string{
		{openapiTypescript, "openapi.json", "--output", "generated/api.d.ts"},
		{heyAPI, "--input", "openapi.json", "--output", "generated/hey", "--no-log-file"},
		{tsc, "--strict", "--project", "."},
	} {
		cmd := node(t, args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	return dir
}

// attestationKey makes a key that signs attestations, and the file of its public part.
func attestationKey(t *testing.T) (path string, key *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	must(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	return filetest.New(t, "attestation.pem", string(text)), key
}

// attestation is what the backend of an app signs for a device.
func attestation(t *testing.T, key *ecdsa.PrivateKey, client string) string {
	t.Helper()
	now := time.Now()
	claims := jwt.MapClaims{"aud": client, "iat": now.Unix(), "exp": now.Add(30 * time.Minute).Unix()}
	token, err := jwt.NewWithClaims(jwt.SigningMethodES256, claims).SignedString(key)
	must(t, err)
	return token
}
