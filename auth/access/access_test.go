package access

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// A kit is the clients of a folder, with a clock.
type kit struct {
	t    testing.TB
	dir  string
	time time.Time
	db   *store.DB
	*Clients
}

// must ends the test on an error of what it needs.
var must = errtest.Must

func newKit(t testing.TB) *kit {
	t.Helper()
	k := &kit{t: t, dir: t.TempDir(), time: time.Date(2026, 11, 21, 10, 20, 30, 0, time.UTC)}
	k.open()
	return k
}

// open opens the folder, as a new process would.
func (k *kit) open() {
	k.t.Helper()
	var err error
	k.db = storetest.Open(k.t, filepath.Join(k.dir, "clients.db"), Bucket)
	k.Clients, err = OpenClients(k.db, OpenSealer(filepath.Join(k.dir, "secret.key")),
		func() time.Time { return k.time })
	must(k.t, err)
}

// reopen closes the folder and opens it again.
func (k *kit) reopen() {
	k.t.Helper()
	must(k.t, k.db.Close())
	k.open()
}

func (k *kit) create(c Client) *Issued {
	k.t.Helper()
	if c.Name == "" {
		c.Name = fmt.Sprintf("test %d", len(k.List()))
	}
	if c.Scopes == nil {
		c.Scopes = ReadScopes
	}
	i, err := k.Create(c)
	must(k.t, err)
	return i
}

var (
	inside  = netip.MustParseAddr("192.0.2.7")
	outside = netip.MustParseAddr("198.51.100.7")
	cidrs   = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	origins = []string{"https://allowed.example", "http://localhost:5173"}
)

func server(k *kit) *Issued  { return k.create(Client{Mode: Server, CIDRs: cidrs}) }
func browser(k *kit) *Issued { return k.create(Client{Mode: Browser, Origins: origins}) }
func mobile(k *kit) *Issued  { return k.create(Client{Mode: Mobile}) }

func (k *kit) gate() *Gate { return &Gate{Clients: k.Clients, Failures: NewFailures()} }
