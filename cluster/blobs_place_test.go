//go:build linux

package cluster

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"relais/internal/filetest"
)

func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ where, want string }{
		{"pg", "pg"},
		{"s3://b-1", "s3://b-1/?endpoint=https://s3.amazonaws.com"},
		{"s3://bucket?endpoint=https://h:9000", "s3://bucket/?endpoint=https://h:9000"},
		{"s3://bucket/a/b/?region=eu&endpoint=http%3A%2F%2F127.0.0.1%3A9", "s3://bucket/a/b?endpoint=http://127.0.0.1:9&region=eu"},
		{"s3://bucket?endpoint=https://[::1]:9000/", "s3://bucket/?endpoint=https://[::1]:9000"},
	} {
		p, err := parsePlace(tt.where)
		if err != nil || p.String() != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.where, p, err, tt.want)
			continue
		}
		if again, err := parsePlace(p.String()); err != nil || again.String() != tt.want {
			t.Errorf("%s: got %s, %v again", tt.where, again, err)
		}
	}
	for _, where := range []string{
		"", "s3", "s3://", "/srv/hush", "file:///hush", "postgres://u:hush@h/d", "s3://u:hush@bucket", "s3://hush@bucket",
		"s3://bucket/hush?%", "s3://bucket?secret=hush", "s3://bucket?endpoint=https://u:hush@h", "s3://bucket?endpoint=hush",
		"s3://bucket?endpoint=ftp://hush", "s3://bucket?endpoint=https://h/hush", "s3://bucket?endpoint=https://h?hush",
		"s3://bucket?endpoint=https://h&endpoint=https://hush", "s3://bucket?region=hush%20&endpoint=https://h",
		"s3://bucket/../hush?endpoint=https://h", "s3://bucket/hush%00?endpoint=https://h", "s3://BUCKET_hush",
		"s3://bucket?endpoint=https://", "s3://bucket?endpoint=https://h:hush", "s3://%zzhush",
	} {
		if _, err := parsePlace(where); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: got %v, want an error that does not show it", where, err)
		}
	}
}

func TestKeysAndWarnings(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	for _, tt := range []struct {
		endpoint string
		warned   bool
	}{
		{"http://127.0.0.1:9000", false}, {"http://localhost", false}, {"http://[::1]:9000", false},
		{"https://store.example", false}, {"http://store.example", true}, {"http://10.0.0.1:80", true},
	} {
		var log bytes.Buffer
		at, err := parsePlace("s3://bucket?endpoint=" + tt.endpoint)
		must(t, err)
		if _, err := openS3(at, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "not encrypted"); got != tt.warned {
			t.Errorf("%s: got warned %t, want %t: %s", tt.endpoint, got, tt.warned, &log)
		}
	}
	// Neither variables, nor a file, nor a role.
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL)
	at, _ := parsePlace("s3://bucket?endpoint=https://store.example")
	if _, err := openS3(at, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("got %v, want what to do", err)
	}
	// A file.
	file := t.TempDir() + "/credentials"
	text := "[default]\naws_access_key_id = someone\naws_secret_access_key = hush\n"
	filetest.Write(t, file, text)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	if _, err := openS3(at, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}

// Where buckets are: those of Amazon and Google have a host of their own, of others a path.
func TestBucketURLs(t *testing.T) {
	for _, tt := range []struct{ where, env, url, region string }{
		{"s3://bucket", "", "https://bucket.s3.dualstack.us-east-1.amazonaws.com/", "us-east-1"},
		{"s3://bucket", "eu-west-3", "https://bucket.s3.dualstack.eu-west-3.amazonaws.com/", "eu-west-3"},
		{"s3://bucket?region=eu-west-1", "eu-west-3", "https://bucket.s3.dualstack.eu-west-1.amazonaws.com/", "eu-west-1"},
		{"s3://bucket?region=cn-north-1", "", "https://bucket.s3.dualstack.cn-north-1.amazonaws.com.cn/", "cn-north-1"},
		{"s3://a.bucket?region=eu-west-1", "", "https://s3.dualstack.eu-west-1.amazonaws.com/a.bucket/", "eu-west-1"},
		{"s3://bucket?endpoint=https://s3.eu-west-2.amazonaws.com:443", "eu-west-3",
			"https://bucket.s3.eu-west-2.amazonaws.com/", "eu-west-2"},
		{"s3://bucket?endpoint=https://storage.googleapis.com", "", "https://bucket.storage.googleapis.com/", "us-east-1"},
		{"s3://bucket?endpoint=https://minio.example:8443", "", "https://minio.example:8443/bucket/", "us-east-1"},
		{"s3://bucket/prefix?endpoint=http://[::1]:80", "fr-par", "http://[::1]/bucket/", "fr-par"},
		{"s3://bucket?endpoint=http://127.0.0.1:9000&region=garage", "", "http://127.0.0.1:9000/bucket/", "garage"},
	} {
		t.Setenv("AWS_REGION", tt.env)
		at, err := parsePlace(tt.where)
		must(t, err)
		if u, region, err := at.url(); err != nil || u.String() != tt.url || region != tt.region {
			t.Errorf("%s with %q: got %s, %s, %v, want %s, %s", tt.where, tt.env, &u, region, err, tt.url, tt.region)
		}
	}
	t.Setenv("AWS_REGION", "eu/../hush")
	at, _ := parsePlace("s3://bucket")
	if _, _, err := at.url(); err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v, want an error that does not show the region", err)
	}
}
