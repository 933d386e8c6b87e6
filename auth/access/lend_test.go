package access

import (
	"errors"
	"net/netip"
	"path/filepath"
	"testing"
	"time"
)

// Clients of a demonstration work on a folder that cannot be written to, in every mode,
// and leave nothing behind.
func TestDemonstrationKeys(t *testing.T) {
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	c, err := OpenClients(nil, OpenSealer(filepath.Join(t.TempDir(), "none", "secret.key")), time.Now)
	must(t, err)
	for _, spec := range []Client{
		{Name: "server", Mode: Server, CIDRs: local, Scopes: ReadScopes},
		{Name: "page", Mode: Browser, Origins: []string{"http://localhost:3000"}, Scopes: ReadScopes},
		{Name: "app", Mode: Mobile, Scopes: ReadScopes},
	} {
		if _, err := c.Create(spec); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s is stored: %v, want ErrReadOnly", spec.Name, err)
		}
		issued, err := c.Lend(spec)
		must(t, err)
		key := c.table.Load().find(issued.APIKey, time.Now())
		if key == nil || key.Name != spec.Name || key.secret != issued.SigningSecret || key.locked != nil {
			t.Fatalf("%s: the key finds %+v, want a value, Name = %v, secret = %v and no locked", spec.Name, key,
				spec.Name, issued.SigningSecret)
		}
		if (issued.SigningSecret != "") != (spec.Mode == Mobile) {
			t.Errorf("%s: got signing secret %q, want one for mobile only", spec.Name, issued.SigningSecret)
		}
		key.touch(time.Now())
	}
	if got := len(c.List()); got != 3 {
		t.Errorf("%d clients, want 3", got)
	}
	if !c.AnyOrigin("http://localhost:3000") {
		t.Error("the page's origin is not known")
	}
	if err := c.SaveLastUsed(); err != nil {
		t.Errorf("last use: %v", err)
	}
	if _, err := c.Lend(Client{Name: "nothing"}); err == nil {
		t.Error("a client without a mode is lent")
	}
}
