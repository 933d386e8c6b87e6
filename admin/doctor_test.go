package admin

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/admin/backup"
	"relais/admin/inventory"
	"relais/auth/access"
	"relais/geo"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// dated writes a market's snapshot of a day.
func dated(t *testing.T, dir folder.Dir, code market.Code, day time.Time) {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(code), statusesOf(code))
	b.SourceDate = day.Format(time.DateOnly)
	must(t, b.Add(&site.Site{ID: "1", Position: geo.Point{Lat: 48.1, Lng: -1.7}, Area: -1, Height: site.Unknown,
		AntennaHeight: site.Unknown, Stations: []site.Station{{Code: "x"}},
		Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}}}))
	_, err := b.Write(dir.Snapshot(string(code)))
	must(t, err)
}

func statusesOf(code market.Code) (names []string) {
	for _, s := range market.Get(code).Statuses {
		names = append(names, s.Name)
	}
	if len(names) == 0 { // the source has its own
		return []string{"active"}
	}
	return names
}

// healthy makes a folder with nothing to mend, and its doctor.
func healthy(t *testing.T) *doctor {
	t.Helper()
	dir := folder.Dir(filepath.Join(t.TempDir(), "data"))
	must(t, os.Mkdir(string(dir), 0o700))
	app := CreateClient{access.Client{Name: "app", Mode: access.Mobile, Scopes: access.ReadScopes}}
	must(t, Call(context.Background(), dir, app, new(access.Issued), quiet))
	d := &doctor{dir: dir, now: time.Now(), euid: os.Geteuid(),
		room: func(string) (uint64, uint64, error) { return 9 << 30, 1 << 20, nil }}
	dated(t, dir, market.FR, d.now.AddDate(0, 0, -7))
	return d
}

// finding is what a test wants the doctor to say; every other finding must be fine.
type finding struct {
	check      string
	severity   Severity
	says, mend string
}

func (want finding) compare(t *testing.T, d *Diagnosis) {
	t.Helper()
	found := false
	for _, f := range d.Findings {
		switch {
		case f.Check == want.check && f.Severity == want.severity && strings.Contains(f.Text, want.says) &&
			strings.Contains(f.Mend, want.mend):
			found = true
		case f.Severity == Warning || f.Severity == Wrong:
			t.Errorf("also found: %+v", f)
		}
	}
	if !found {
		t.Errorf("findings %+v, want %+v", d.Findings, want)
	}
	bad := want.severity == Warning || want.severity == Wrong
	if d.OK == bad || (d.ToMend() > 0) != bad {
		t.Errorf("OK = %v with %d to mend, want the opposite", d.OK, d.ToMend())
	}
	if list := d.Sorted(); bad && list[0].Severity != want.severity {
		t.Errorf("first comes %+v, want the worst", list[0])
	}
}

func TestDoctorFolder(t *testing.T) {
	in := func(d *doctor, name string) string { return filepath.Join(string(d.dir), name) }
	feed := func(text string) func(t *testing.T, d *doctor) {
		return func(t *testing.T, d *doctor) {
			good := filetest.New(t, "sites_hs.csv", sitesHS)
			must(t, Call(context.Background(), d.dir, ImportOutages{market.FR, "orange", []string{good}}, new(OutageImport), quiet))
			if text != "" {
				bad := filetest.New(t, "sites_hs.csv", text)
				if err := Call(context.Background(), d.dir, ImportOutages{market.FR, "orange", []string{bad}}, new(OutageImport),
					quiet); err == nil {
					t.Fatal("a bad file was imported")
				}
			}
		}
	}
	for _, tt := range []struct {
		name  string
		root  bool // only root can arrange it
		spoil func(t *testing.T, d *doctor)
		want  finding
	}{
		{"nothing", false, func(*testing.T, *doctor) {}, finding{"modes", Fine, "nobody else", ""}},
		{"no folder", false, func(_ *testing.T, d *doctor) { d.dir += "/none" },
			finding{"folder", Wrong, "does not exist", "relais update --data"}},
		{"a file", false, func(_ *testing.T, d *doctor) { d.dir = folder.Dir(in(d, "clients.db")) },
			finding{"folder", Wrong, "is a file", ""}},
		{"half a restore", false, func(t *testing.T, d *doctor) {
			filetest.Write(t, in(d, backup.Name), `{"format":1,"complete":false,"files":[]}`)
		}, finding{"folder", Wrong, "was not finished", "restore again"}},
		{"of a newer version", false, func(t *testing.T, d *doctor) {
			filetest.Write(t, in(d, inventory.Name), `{"format":2,"stores":{}}`)
		}, finding{"stores.json", Wrong, "newer relais", "use that version"}},
		{"a damaged list of stores", false, func(t *testing.T, d *doctor) {
			must(t, os.Truncate(in(d, inventory.Name), 9))
		}, finding{"stores.json", Wrong, "damaged", "relais check --data"}},
		{"an empty store", false, func(t *testing.T, d *doctor) { must(t, os.Truncate(in(d, "users.db"), 0)) },
			finding{"users.db", Wrong, "the file is damaged (it is empty)", "relais check --data"}},
		{"a missing store", false, func(t *testing.T, d *doctor) { must(t, os.Remove(in(d, "users.db"))) },
			finding{"users.db", Wrong, "it is missing, and the folder had it", "relais check --data"}},
		{"a file of another", true, func(t *testing.T, d *doctor) { must(t, os.Lchown(in(d, "users.db"), 65534, -1)) },
			finding{"owner", Wrong, "users.db belongs to nobody", "sudo chown -R root: "}},
		{"a mount", true, func(t *testing.T, d *doctor) {
			must(t, errors.Join(os.Mkdir(in(d, "lost+found"), 0o700), os.Lchown(in(d, "lost+found"), 65534, -1)))
		}, finding{"modes", Fine, "nobody else", ""}},
		{"all of another", true, func(t *testing.T, d *doctor) {
			must(t, filepath.WalkDir(string(d.dir), func(path string, _ os.DirEntry, err error) error {
				return errors.Join(err, os.Lchown(path, 65534, -1))
			}))
			d.euid = 1000
		}, finding{"owner", Wrong, "belongs to nobody", "sudo -u nobody relais doctor"}},
		{"written by others", false, func(t *testing.T, d *doctor) { must(t, os.Chmod(in(d, "snapshots"), 0o777)) },
			finding{"modes", Wrong, "others may write", "chmod go-w"}},
		{"a store that others read", false, func(t *testing.T, d *doctor) { must(t, os.Chmod(in(d, "users.db"), 0o644)) },
			finding{"modes", Warning, "others may read", "chmod 600 '"}},
		{"a key that others read", false, func(t *testing.T, d *doctor) { must(t, os.Chmod(in(d, "secret.key"), 0o640)) },
			finding{"secret.key", Wrong, "others may use it (mode 0640)", "chmod 600 '"}},
		{"a key that its owner cannot read", true, func(t *testing.T, d *doctor) { must(t, os.Chmod(in(d, "secret.key"), 0)) },
			finding{"modes", Wrong, "its owner may not", "chmod -R u+rwX"}},
		{"a file that its owner cannot write", false,
			func(t *testing.T, d *doctor) { must(t, os.Chmod(in(d, "hooks.lock"), 0o400)) },
			finding{"modes", Wrong, "its owner may not", "chmod -R u+rwX"}},
		{"a full disk", false, func(_ *testing.T, d *doctor) {
			d.room = func(string) (uint64, uint64, error) { return 50 << 20, 1 << 20, nil }
		}, finding{"space", Wrong, "50 MB", "free some space"}},
		{"no more files", false, func(_ *testing.T, d *doctor) {
			d.room = func(string) (uint64, uint64, error) { return 50 << 30, 9, nil }
		}, finding{"space", Wrong, "9 files", "free some space"}},
		{"little space", false, func(_ *testing.T, d *doctor) {
			d.room = func(string) (uint64, uint64, error) { return 500 << 20, 1 << 20, nil }
		}, finding{"space", Warning, "500 MB are free", "free some space"}},
		{"a clock that went back", false, func(t *testing.T, d *doctor) {
			dated(t, d.dir, market.FR, d.now.AddDate(0, 0, -9))
			d.now = d.now.AddDate(0, 0, -8)
		}, finding{"clock", Wrong, "and ", "timedatectl"}},
		{"no key", false, func(t *testing.T, d *doctor) { must(t, os.Remove(in(d, "secret.key"))) },
			finding{"secret.key", Wrong, "is missing", "backup"}},
		{"a damaged key", false, func(t *testing.T, d *doctor) { must(t, os.Truncate(in(d, "secret.key"), 7)) },
			finding{"secret.key", Wrong, "32 bytes", "backup"}},
		{"no register", false, func(t *testing.T, d *doctor) { must(t, os.Remove(in(d, "snapshots/FR.snap"))) },
			finding{"data", Wrong, "no register", "relais update"}},
		{"a damaged register", false, func(t *testing.T, d *doctor) { must(t, os.Truncate(in(d, "snapshots/FR.snap"), 90)) },
			finding{"data FR", Wrong, "", "relais update"}},
		{"an old register", false, func(t *testing.T, d *doctor) { dated(t, d.dir, market.FR, d.now.AddDate(0, 0, -30)) },
			finding{"data FR", Warning, "30 days old", "--update-every"}},
		{"an old stick", false, func(t *testing.T, d *doctor) {
			dated(t, d.dir, market.FR, d.now.AddDate(-1, 0, 0))
			filetest.Write(t, in(d, folder.PackName), "{}")
		}, finding{"data FR", Fine, "1 site", ""}},
		{"a month of Belgium is fresh", false, func(t *testing.T, d *doctor) {
			dated(t, d.dir, market.BE, d.now.AddDate(0, 0, -30))
		}, finding{"data BE", Fine, "1 site", ""}},
		{"a register of next week", false, func(t *testing.T, d *doctor) {
			dated(t, d.dir, market.FR, d.now.AddDate(0, 0, 7))
		}, finding{"data FR", Wrong, "future", "clock"}},
		{"a fresh feed", false, feed(""), finding{"outages FR ORANGE", Fine, "read ", ""}},
		{"an old feed", false, func(t *testing.T, d *doctor) {
			feed("")(t, d)
			d.now = d.now.AddDate(0, 0, 3)
		}, finding{"outages FR ORANGE", Warning, "not shown as known", "relais update"}},
		{"a failed feed", false, feed("no;such;columns\n1;2;3\n"),
			finding{"outages FR ORANGE", Warning, "since then", "relais update"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.root && os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			d := healthy(t)
			filetest.Write(t, in(d, "hooks.lock"), "")
			must(t, os.Chmod(in(d, "hooks.lock"), 0o600))
			tt.spoil(t, d)
			got, err := d.examine(context.Background())
			must(t, err)
			tt.want.compare(t, got)
		})
	}
}

func TestDoctorServer(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	through := access.SeenHops{WithHeader: 5}
	for _, tt := range []struct {
		name  string
		state ServerState
		ask   error // of the base URL
		want  finding
	}{
		{"on this machine", ServerState{Settings: Settings{Listen: "127.0.0.1:8080"}}, nil,
			finding{"base URL", Fine, "only this machine", ""}},
		{"as it should be", ServerState{Settings: Settings{Listen: "127.0.0.1:8080", BaseURL: "https://a.example",
			Proxies: proxies}, Seen: through}, nil, finding{"base URL", Fine, "https://a.example leads here", ""}},
		{"for others", ServerState{Settings: Settings{Listen: "[::]:8080"}}, nil,
			finding{"base URL", Warning, "others reach", "--base-url"}},
		{"a proxy without a base URL", ServerState{Settings: Settings{Listen: "127.0.0.1:8080", Proxies: proxies},
			Seen: through}, nil, finding{"base URL", Wrong, "--trusted-proxy is given", "--base-url"}},
		{"no base URL behind another proxy", ServerState{Settings: Settings{Listen: "127.0.0.1:8080"},
			Seen: access.SeenHops{FromUnknown: 2, Unknown: "203.0.113.0/24"}}, nil,
			finding{"base URL", Wrong, "come through a proxy", "--base-url"}},
		{"not encrypted", ServerState{Settings: Settings{Listen: "127.0.0.1:8080", BaseURL: "http://a.example",
			Proxies: proxies}, Seen: through}, nil, finding{"base URL", Warning, "not encrypted", "https"}},
		{"a base URL of this machine", ServerState{Settings: Settings{Listen: "127.0.0.1:8080",
			BaseURL: "http://localhost:8080", Proxies: proxies}, Seen: through}, nil,
			finding{"base URL", Warning, "this machine", "--base-url"}},
		{"leads elsewhere", ServerState{Settings: Settings{Listen: "127.0.0.1:8080", BaseURL: "https://a.example"}},
			errors.New("502 Bad Gateway"), finding{"base URL", Warning, "502 Bad Gateway", "curl https://a.example/openapi.json"}},
		{"a proxy that is not trusted", ServerState{Settings: Settings{Listen: "127.0.0.1:8080", BaseURL: "https://a.example"},
			Seen: access.SeenHops{FromUnknown: 7, Unknown: "172.17.0.2"}}, nil,
			finding{"proxy", Wrong, "7 requests with X-Forwarded-For came from 172.17.0.2", "--trusted-proxy 172.17.0.2"}},
		{"a header that somebody made up", ServerState{Settings: Settings{Listen: "127.0.0.1:8080",
			BaseURL: "https://a.example", Proxies: proxies},
			Seen: access.SeenHops{FromUnknown: 7, WithHeader: 1, Unknown: "203.0.113.0/24"}}, nil,
			finding{"proxy", Fine, "1 request came through", ""}},
		{"a proxy without the header", ServerState{Settings: Settings{Listen: "127.0.0.1:8080",
			BaseURL: "https://a.example", Proxies: proxies}, Seen: access.SeenHops{NoHeader: 40}}, nil,
			finding{"proxy", Warning, "none had X-Forwarded-For", "docs/reverse-proxies.md"}},
		{"looks of the operator", ServerState{Settings: Settings{Listen: "127.0.0.1:8080",
			BaseURL: "https://a.example", Proxies: proxies}, Seen: access.SeenHops{NoHeader: 3}}, nil,
			finding{"proxy", Note, "no request came", ""}},
		{"few files", ServerState{Settings: Settings{Listen: "127.0.0.1:8080"}, Files: 1024}, nil,
			finding{"open files", Warning, "1024", "LimitNOFILE"}},
		{"little memory", ServerState{Settings: Settings{Listen: "127.0.0.1:8080"}, Memory: 300 << 20, Uses: 290 << 20}, nil,
			finding{"memory", Warning, "290 MB of the 300 MB", "MemoryMax"}},
		{"a warning of the server", ServerState{Settings: Settings{Listen: "127.0.0.1:8080"}, Warnings: []string{"a hook fails"}},
			nil, finding{"server", Warning, "a hook fails", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &doctor{Diagnosis: &Diagnosis{OK: true, Server: &tt.state},
				ask: func(context.Context, string) error { return tt.ask }}
			d.server(context.Background())
			tt.want.compare(t, d.Diagnosis)
		})
	}
}

// A running server is asked; the folder is looked at in the same way.
func TestDoctorBesideAServer(t *testing.T) {
	tier.Slow(t)
	d := healthy(t)
	s, _ := serve(t, d.dir)
	var hops access.Hops
	hops.Note(nil, "172.17.0.2:1", []string{"192.0.2.1"})
	s.Settings = Settings{Version: "v1", Listen: "127.0.0.1:1", BaseURL: "https://a.example", Hops: hops.Seen}
	got, err := d.examine(context.Background())
	must(t, err)
	if got.Server == nil || got.Server.PID != os.Getpid() || got.Server.Version != "v1" || got.Server.Files == 0 {
		t.Fatalf("server = %+v, want this process", got.Server)
	}
	finding{"proxy", Wrong, "172.17.0.2", "--trusted-proxy 172.17.0.2"}.compare(t, got)
}
