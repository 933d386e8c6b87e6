package access

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

var errBody = errors.New("the body is too large")

// wantSpent checks that a spent quota refuses before the body is read, and a bad signature before the quota.
func wantSpent(t *testing.T, k *kit, counter *counter, g *Gate, r *Request, bodies *int) {
	t.Helper()
	spent := counter.minute.word.Load()
	counter.minute.word.Store(join(uint32(k.time.Unix()/60), 1000*Whole))
	*bodies = 0
	_, err := g.Check(r)
	if !errors.Is(err, ErrRateLimited) || *bodies != 0 {
		t.Errorf("quota: %v after reading %d bodies, want ErrRateLimited and 0", err, *bodies)
	}
	r.Body = nil // then the signature can be looked at first
	if _, err := g.Check(r); !errors.Is(err, ErrSignature) {
		t.Errorf("quota, and a signature of something else: %v, want ErrSignature", err)
	}
	counter.minute.word.Store(spent)
}

// A request is good; what a row changes is wrong. The rows stand in the order of
// the checks: whatever else is wrong, the first of them is the answer.
func TestOrderOfChecks(t *testing.T) {
	k := newKit(t)
	i := k.create(Client{Mode: Mobile, CIDRs: cidrs, RequireAttestation: true,
		Scopes: []Scope{AntennasRead, PhotosRead}, Limits: Limits{Minute: 1000, Day: 1000}})
	a, sign := testAttestor(t)
	g := k.gate()
	g.Attestor = a
	body := sha256.Sum256([]byte("body"))
	good := func() *Request {
		return &Request{
			Time: k.time, Method: "POST", Path: "/external/v1/antennas", Address: inside,
			Authorization: []string{"Bearer " + i.APIKey}, Attestation: []string{sign(i.ID, k.time)},
			Signature: []string{Sign(i.SigningSecret, k.time, "POST", "/external/v1/antennas", body)},
			Body:      func(*Client) ([sha256.Size]byte, error) { return body, nil }, Scope: AntennasRead,
		}
	}
	if grant, err := g.Check(good()); err != nil || grant.Client.ID != i.ID || grant.Usage.Minute.Remaining != 999 ||
		grant.Usage.Day.Remaining != 999 {
		t.Fatalf("got %+v, %v, want client %s with 999 left of the minute and the day", grant, err, i.ID)
	}
	bodies := 0
	rows := []struct {
		name string
		want error
		make func(r *Request)
	}{
		{"no key", ErrKeyRequired, func(r *Request) { r.Authorization = nil }},
		{"wrong key", ErrInvalidKey,
			func(r *Request) { r.Authorization = []string{"Bearer " + i.APIKey[:len(i.APIKey)-1] + "!"} }},
		{"address", ErrAddress, func(r *Request) { r.Address = outside }},
		{"attestation", ErrAttestation, func(r *Request) { r.Attestation = nil }},
		{"signature's form", ErrSignature, func(r *Request) { r.Signature = nil }},
		{"signature's time", ErrSignature, func(r *Request) {
			r.Signature = []string{Sign(i.SigningSecret, k.time.Add(-301*time.Second), r.Method, r.Path, body)}
		}},
		{"quota", ErrRateLimited, func(r *Request) { r.Time = k.time.Add(time.Second) }}, // spent below
		{"body", errBody, func(r *Request) {
			r.Body = func(*Client) ([sha256.Size]byte, error) { bodies++; return body, errBody }
		}},
		{"signature", ErrSignature, func(r *Request) { r.Path += "/7" }},
		{"scope", ErrScope, func(r *Request) { r.Scope = StatsRead }},
	}
	counter := k.table.Load().clients[i.ID].counter
	for n, row := range rows {
		before := counter.peek(i.Limits, k.time).Minute.Remaining
		r := good()
		for _, later := range slices.Backward(rows[n:]) { // so that its own change comes last
			later.make(r)
		}
		if row.name == "quota" {
			wantSpent(t, k, counter, g, r, &bodies)
			continue
		}
		grant, err := g.Check(r)
		if !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", row.name, err, row.want)
		}
		// Only what passes key, mode and signature uses the quota up.
		want := before
		if row.name == "scope" {
			want--
		}
		if got := counter.peek(i.Limits, k.time).Minute.Remaining; got != want {
			t.Errorf("%s: %d left, want %d", row.name, got, want)
		}
		if (grant.Client != nil) != (n >= 2) {
			t.Errorf("%s: got client %v, want one: %v", row.name, grant.Client, n >= 2)
		}
	}
}

func TestKeyHeaders(t *testing.T) {
	k := newKit(t)
	s, m, other := server(k), mobile(k), server(k)
	g := k.gate()
	for _, tt := range []struct {
		name         string
		bearer, xkey []string
		want         error
	}{
		{"X-API-Key", nil, []string{s.APIKey}, nil},
		{"Bearer", []string{"Bearer " + s.APIKey}, nil, nil},
		{"bearer", []string{"bearer  " + s.APIKey + " "}, nil, nil},
		{"both the same", []string{"Bearer " + s.APIKey}, []string{s.APIKey}, nil},
		{"both, different", []string{"Bearer " + s.APIKey}, []string{other.APIKey}, ErrInvalidKey},
		{"none", nil, nil, ErrKeyRequired},
		{"empty", []string{""}, []string{""}, ErrKeyRequired},
		{"Basic", []string{"Basic dTpw"}, nil, ErrKeyRequired},
		{"Basic of a proxy and X-API-Key", []string{"Basic dTpw"}, []string{s.APIKey}, nil},
		{"Authorization twice", []string{"Bearer " + s.APIKey, "Bearer " + s.APIKey}, nil, ErrInvalidKey},
		{"X-API-Key twice", nil, []string{s.APIKey, s.APIKey}, ErrInvalidKey},
		{"a megabyte", nil, []string{strings.Repeat("a", 1<<20)}, ErrInvalidKey},
		{"wrong start", nil, []string{"sk" + s.APIKey[2:]}, ErrInvalidKey},
		{"wrong prefix", nil, []string{"rk_000000000000" + s.APIKey[15:]}, ErrInvalidKey},
		{"wrong secret", nil, []string{s.APIKey[:16] + newSecret()}, ErrInvalidKey},
		{"another's secret", nil, []string{s.APIKey[:16] + other.APIKey[16:]}, ErrInvalidKey},
		{"cut", nil, []string{s.APIKey[:len(s.APIKey)-1]}, ErrInvalidKey},
		{"MOBILE by X-API-Key", nil, []string{m.APIKey}, ErrKeyRequired},
		{"MOBILE without a signature", []string{"Bearer " + m.APIKey}, nil, ErrSignature},
	} {
		g.Failures = NewFailures()
		if _, err := g.Check(&Request{Time: k.time, Address: inside, Authorization: tt.bearer, APIKey: tt.xkey,
			Scope: AntennasRead}); !errors.Is(err, tt.want) || err != nil && tt.want == nil {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestOrigins(t *testing.T) {
	k := newKit(t)
	b := browser(k)
	g := k.gate()
	g.Origin = "https://allowed.example"
	for _, tt := range []struct {
		origin, site []string
		ok           bool
	}{
		{[]string{"https://allowed.example"}, nil, true},
		{[]string{"http://localhost:5173"}, []string{"cross-site"}, true},
		{nil, nil, false},
		{[]string{"null"}, nil, false},
		{[]string{""}, nil, false},
		{[]string{"https://evil-allowed.example"}, nil, false},
		{[]string{"https://allowed.example.evil.example"}, nil, false},
		{[]string{"http://allowed.example"}, nil, false},
		{[]string{"https://allowed.example:8443"}, nil, false},
		{[]string{"https://ALLOWED.example"}, nil, false},
		{[]string{"HTTPS://allowed.example"}, nil, false},
		{[]string{"https://allowed.example/"}, nil, false},
		{[]string{"https://allowed.example:443"}, nil, false}, // no browser writes it
		{[]string{"https://evil.allowed.example"}, nil, false},
		{[]string{"https://allowed.example@evil.example"}, nil, false},
		{[]string{"https://allowed.example https://evil.example"}, nil, false},
		{[]string{"https://allowed.example", "https://allowed.example"}, nil, false},
		{nil, []string{"same-origin"}, true},
		{nil, []string{"same-site"}, false},
		{nil, []string{"none"}, false},
		{[]string{"https://evil.example"}, []string{"same-origin"}, false},
	} {
		_, err := g.Check(&Request{Time: k.time, Address: outside, APIKey: []string{b.APIKey}, Origin: tt.origin,
			FetchSite: tt.site, Scope: AntennasRead})
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrOrigin) {
			t.Errorf("%q, %q: got %v, want no ErrOrigin: %v", tt.origin, tt.site, err, tt.ok)
		}
	}
	// Our own origin counts only where it is allowed.
	g.Origin = "https://relais.example"
	if _, err := g.Check(&Request{Time: k.time, APIKey: []string{b.APIKey}, FetchSite: []string{"same-origin"},
		Scope: AntennasRead}); !errors.Is(err, ErrOrigin) {
		t.Errorf("our own origin: %v, want ErrOrigin", err)
	}
}

// Every scope lets through what it names and nothing else; writing is for
// partners.
func TestScopes(t *testing.T) {
	k := newKit(t)
	g := k.gate()
	for _, has := range Scope("").Values() {
		i := k.create(Client{Mode: Server, CIDRs: cidrs, Partner: true, Scopes: []Scope{Scope(has)}})
		for _, asks := range Scope("").Values() {
			_, err := g.Check(&Request{Time: k.time, Address: inside, APIKey: []string{i.APIKey}, Scope: Scope(asks)})
			if (err == nil) != (has == asks) || err != nil && !errors.Is(err, ErrScope) {
				t.Errorf("%s with %s: got %v, want ErrScope only without the scope", asks, has, err)
			}
		}
	}
}

// After too many failures an address hears nothing but 429; a valid key from it
// is answered even so.
func TestFailuresAreLimited(t *testing.T) {
	k := newKit(t)
	s := server(k)
	g := k.gate()
	bad := &Request{Time: k.time, Address: inside, APIKey: []string{"rk_wrong"}, Scope: AntennasRead}
	for n := 1; n <= MaxFailures+3; n++ {
		grant, err := g.Check(bad)
		want := ErrInvalidKey
		if n > MaxFailures {
			want = ErrRateLimited
		}
		if !errors.Is(err, want) || grant.Usage.Minute.Limit != MaxFailures ||
			grant.Usage.Minute.Remaining != max(0, MaxFailures-n) {
			t.Errorf("failure %d: %v, %+v, want %v, Limit = %v and Remaining = %v", n, err, grant.Usage, want,
				MaxFailures, max(0, MaxFailures-n))
		}
	}
	if _, err := g.Check(&Request{Time: k.time, Address: inside, APIKey: []string{s.APIKey},
		Scope: AntennasRead}); err != nil {
		t.Errorf("a valid key: %v", err)
	}
	bad.Address = outside
	if _, err := g.Check(bad); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("another address: %v, want ErrInvalidKey", err)
	}
	bad.Address, bad.Time = inside, k.time.Add(time.Minute)
	if _, err := g.Check(bad); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("a minute later: %v, want ErrInvalidKey", err)
	}
}

// A revoked key ends with the answer to the revocation.
func TestRevokedAtOnce(t *testing.T) {
	k := newKit(t)
	s := server(k)
	g := k.gate()
	r := &Request{Time: k.time, Address: inside, APIKey: []string{s.APIKey}, Scope: AntennasRead}
	if _, err := g.Check(r); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Revoke(s.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Check(r); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("got %v, want ErrInvalidKey", err)
	}
}
