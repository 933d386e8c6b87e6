package access

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNameTaken(t *testing.T) {
	k := newKit(t)
	a := k.create(Client{Name: "a", Mode: Mobile})
	b := k.create(Client{Name: "b", Mode: Mobile})
	_, err := k.Create(Client{Name: "a", Mode: Mobile, Scopes: ReadScopes})
	if !errors.Is(err, errNameTaken) || !strings.Contains(err.Error(), a.ID) {
		t.Errorf("create: error = %v, want errNameTaken with %s", err, a.ID)
	}
	name := "a"
	if _, _, err := k.Set(b.ID, Change{Name: &name}); !errors.Is(err, errNameTaken) {
		t.Errorf("rename: error = %v, want errNameTaken", err)
	}
	if _, _, err := k.Set(a.ID, Change{Name: &name}); err != nil {
		t.Errorf("its own name: error = %v, want none", err)
	}
	if len(k.List()) != 2 {
		t.Errorf("there are %d clients, want 2", len(k.List()))
	}
}

func TestSet(t *testing.T) {
	some := func(n int) *int { return &n }
	prefixes := func(texts ...string) (list []netip.Prefix) {
		for _, text := range texts {
			list = append(list, netip.MustParsePrefix(text))
		}
		return list
	}
	name, yes := "New name", true
	end, never := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), time.Time{}
	browser := Client{Mode: Browser, Origins: []string{"https://a.example", "https://b.example"}}
	backend := Client{Mode: Server, CIDRs: prefixes("192.0.2.0/24")}
	for _, tt := range []struct {
		name   string
		spec   Client
		change Change
		want   string // the members that differ, as JSON
		err    string
	}{
		{"nothing", browser, Change{}, `[]`, ""},
		{"name", browser, Change{Name: &name}, `[{"member":"name","from":"test 0","to":"New name"}]`, ""},
		{"an origin more", browser, Change{Origins: Edit[string]{Add: []string{"https://c.example", "https://a.example"}}},
			`[{"member":"origins","from":["https://a.example","https://b.example"],` +
				`"to":["https://a.example","https://b.example","https://c.example"]}]`, ""},
		{"an origin less", browser, Change{Origins: Edit[string]{Remove: []string{"https://a.example"}}},
			`[{"member":"origins","from":["https://a.example","https://b.example"],"to":["https://b.example"]}]`, ""},
		{"other origins", browser, Change{Origins: Edit[string]{Set: []string{"https://d.example"}}},
			`[{"member":"origins","from":["https://a.example","https://b.example"],"to":["https://d.example"]}]`, ""},
		{"no origin left", browser, Change{Origins: Edit[string]{Set: []string{}}}, "", "at least one origin"},
		{"an origin that is not there", browser, Change{Origins: Edit[string]{Remove: []string{"https://x.example"}}},
			"", "no origin https://x.example"},
		{"a CIDR of a page", browser, Change{CIDRs: Edit[netip.Prefix]{Add: prefixes("192.0.2.0/24")}}, "", "no CIDRs"},
		{"CIDRs", backend, Change{CIDRs: Edit[netip.Prefix]{Add: prefixes("2001:db8::/48"), Remove: prefixes("192.0.2.0/24")}},
			`[{"member":"cidrs","from":["192.0.2.0/24"],"to":["2001:db8::/48"]}]`, ""},
		{"limits", backend, Change{Minute: some(6), Day: some(700)}, `[{"member":"limits.minute","from":60,"to":6},` +
			`{"member":"limits.day","from":10000,"to":700}]`, ""},
		{"limits of visitors", browser, Change{VisitorMinute: some(6), VisitorDay: some(70)},
			`[{"member":"limits.visitorMinute","from":0,"to":6},{"member":"limits.visitorDay","from":0,"to":70}]`, ""},
		{"no limit", backend, Change{Minute: some(0)}, "", "limits are from 1"},
		{"limits of visitors of a server", backend, Change{VisitorDay: some(5)}, "", "SERVER"},
		{"scopes", backend, Change{Scopes: Edit[Scope]{Set: []Scope{StatsRead}, Add: []Scope{ANFRRead}}},
			`[{"member":"scopes","from":` + asJSON(t, ReadScopes) + `,"to":["stats:read","anfr:read"]}]`, ""},
		{"no scopes", backend, Change{Scopes: Edit[Scope]{Set: []Scope{}}}, "", "needs scopes"},
		{"a scope that pages cannot have", browser, Change{Scopes: Edit[Scope]{Add: []Scope{InternalAI}}}, "", "BROWSER"},
		{"an end and a partner", backend, Change{Expires: &end, Partner: &yes},
			`[{"member":"expires","from":null,"to":"2027-01-02T03:04:05Z"},{"member":"partner","from":false,"to":true}]`, ""},
		{"no end", Client{Mode: Mobile, Expires: &end}, Change{Expires: &never},
			`[{"member":"expires","from":"2027-01-02T03:04:05Z","to":null}]`, ""},
		{"no name", backend, Change{Name: new(string)}, "", "needs a name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			i := k.create(tt.spec)
			after, changed, err := k.Set(i.ID, tt.change)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error = %v, want %q in it", err, tt.err)
				}
				after, changed = &i.Client, nil
			} else if err != nil || asJSON(t, changed) != tt.want {
				t.Errorf("changed %s, %v; want %s", asJSON(t, changed), err, tt.want)
			}
			found, err := k.Find(i.ID)
			if err != nil || cmp.Diff(asJSON(t, after), asJSON(t, found)) != "" {
				t.Errorf("stored: %v, %s", err, cmp.Diff(asJSON(t, after), asJSON(t, found)))
			}
			if tt.change.IsEmpty() != (tt.want == "[]") {
				t.Errorf("IsEmpty = %v", tt.change.IsEmpty())
			}
			if k.table.Load().find(i.APIKey, k.time) == nil {
				t.Error("the key is not known any more")
			}
		})
	}
	k := newKit(t)
	if _, _, err := k.Set("nobody", Change{}); !errors.Is(err, ErrNoClient) {
		t.Errorf("nobody: error = %v, want ErrNoClient", err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}

// What one server changes, another sees; a name that is taken there is taken here.
func TestSetOnAnotherServer(t *testing.T) {
	_, here, there := newServers(t)
	i := server(here)
	must(t, there.db.Fresh(t.Context()))
	day := 7
	if _, changed, err := there.Set(i.ID, Change{Day: &day}); err != nil || len(changed) != 1 {
		t.Fatalf("set: %v, %v, want one change", changed, err)
	}
	must(t, here.db.Fresh(t.Context()))
	if c, err := here.Find(i.ID); err != nil || c.Limits.Day != day {
		t.Errorf("the other server has %+v, %v; want %d a day", c, err, day)
	}
	fresh := here.create(Client{Name: "taken", Mode: Mobile})
	_, err := there.Create(Client{Name: "taken", Mode: Mobile, Scopes: ReadScopes}) // which has not heard of it
	if !errors.Is(err, errNameTaken) || !strings.Contains(err.Error(), fresh.ID) {
		t.Errorf("create: error = %v, want errNameTaken with %s", err, fresh.ID)
	}
}
