package account

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

const (
	resource = "https://antennas.example/mcp"
	good     = "correct horse battery"
	callback = "https://app.example/cb"
)

var home = netip.MustParseAddr("203.0.113.9")

// A world is a Store with a clock that tests move.
type world struct {
	testing.TB
	*Store
	path string
	db   *store.DB
	mu   sync.Mutex
	at   time.Time
}

// must ends the test on an error of what it needs.
var must = errtest.Must

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, path: filepath.Join(t.TempDir(), "users.db"), at: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)}
	w.open()
	return w
}

func (w *world) open(log ...store.Log) {
	w.Helper()
	w.db = storetest.Open(w, w.path, Buckets...)
	for _, l := range log {
		must(w, w.db.Share(w.Context(), l))
	}
	var err error
	w.Store, err = Open(w.db, w.clock)
	must(w, err)
}

// reopen is a restart.
func (w *world) reopen() {
	w.Helper()
	must(w, w.db.Close())
	w.open()
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// file is what is on the disk.
func (w *world) file() []byte {
	w.Helper()
	text := filetest.Read(w, w.path)
	return text
}

func (w *world) person(name string) Person {
	w.Helper()
	a, err := w.Create(context.Background(), name, good)
	must(w, err)
	return a.Person
}

func (w *world) login(name, password string) error {
	_, err := w.Login(context.Background(), name, password, home)
	return err
}

func (w *world) program() *Client {
	w.Helper()
	c, err := w.Register("An app", []string{callback, "http://127.0.0.1/cb"})
	must(w, err)
	return c
}

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // of RFC 7636, appendix B
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

// signedIn is what Login returns, without its work.
func (w *world) signedIn(p Person) SignedIn { return SignedIn{p, w.state.accounts.Get(p.ID)} }

func (w *world) code(p Person, c *Client) string {
	w.Helper()
	code, err := w.Authorize(w.signedIn(p), Authorization{c.ID, callback, challenge, resource, Scopes})
	must(w, err)
	return code
}

func (w *world) tokens(p Person, c *Client) *Tokens {
	w.Helper()
	t, err := w.Redeem(Redemption{w.code(p, c), c.ID, callback, verifier, resource})
	must(w, err)
	return t
}

func (w *world) valid(access string) bool {
	_, _, err := w.Verify(access, resource, w.clock())
	return err == nil
}

// want fails unless an error is the one that is wanted.
func (w *world) want(what string, err, want error) {
	w.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		w.Errorf("%s: %v, want %v", what, err, want)
	}
}

func TestAccounts(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	p := w.person("Élodie-Anne")
	for _, tt := range []struct {
		name string
		want error
	}{
		{"elodie anne", nil},
		{"ÉLODIE ANNE", nil},
		{"elodie", ErrLogin},
		{"", ErrLogin},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.want("login as "+tt.name, w.login(tt.name, good), tt.want)
		})
	}
	w.want("another password", w.login("elodie anne", good+"x"), ErrLogin)
	_, err := w.Create(ctx, "Elodie Anne", good)
	w.want("the same name", err, ErrNameTaken)
	for _, name := range []string{"", " a", "-", "a@b.example", "a\u202eb", "a\nb",
		string(bytes.Repeat([]byte("a"), 65)), "a\xff"} {
		if _, err := w.Create(ctx, name, good); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
	for _, password := range []string{"", "ninechars", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		string(make([]byte, 1025))} {
		if _, err := w.Create(ctx, "somebody", password); err == nil {
			t.Errorf("the password %.20q is taken", password)
		}
	}
	if _, err := w.SetPassword(ctx, p.ID, "cafe\u0301 cre\u0300me"); err != nil {
		t.Fatal(err)
	}
	w.want("the old password", w.login("elodie anne", good), ErrLogin)
	w.want("letters composed otherwise", w.login("elodie anne", "café crème"), nil)
	w.reopen()
	w.want("after a restart", w.login("elodie anne", "café crème"), nil)
	if _, err := w.Disable(p.ID, true, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	w.want("disabled", w.login("elodie anne", "café crème"), ErrLogin)
	if a, err := w.Find("elodie anne"); err != nil || !a.Disabled || a.ID != p.ID || !a.Created.Equal(w.clock()) {
		t.Errorf("got %+v, %v, want %s, disabled, made now", a, err, p.ID)
	}
	if _, err := w.Disable(p.ID, false, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	w.want("enabled", w.login("elodie anne", "café crème"), nil)
	if _, err := w.Find("nobody"); !errors.Is(err, ErrNoAccount) {
		t.Errorf("nobody: %v, want ErrNoAccount", err)
	}
}

// Nothing of a person is left after deletion and compaction, and no password, code or
// token is ever in the file.
func TestDelete(t *testing.T) {
	w := newWorld(t)
	p, other, c := w.person("Planted Name"), w.person("other"), w.program()
	code := w.code(p, c)
	tokens, err := w.Redeem(Redemption{code, c.ID, callback, verifier, ""})
	must(t, err)
	next, err := w.Refresh(tokens.Refresh, c.ID, "", nil)
	must(t, err)
	must(t, w.Note(p.ID, Fact{Kind: Outage, Ref: "community:planted-ref"}))
	if _, _, err := w.Once(p.ID, "planted-idempotency", Bug,
		func() ([]byte, []Fact, error) { return []byte("planted-answer"), nil, nil }); err != nil {
		t.Fatal(err)
	}
	must(t, w.Note(other.ID, Fact{Kind: Outage, Ref: "community:another-ref"}))
	kept := w.tokens(other, c)
	for _, secret := range []string{good, code, code[3:], tokens.Access[3:], tokens.Refresh[3:46], tokens.Refresh[46:],
		next.Access[3:], next.Refresh[46:], verifier, "planted-idempotency"} {
		if bytes.Contains(w.file(), []byte(secret)) {
			t.Errorf("users.db has %q", secret)
		}
	}
	for _, known := range []string{"Planted Name", p.ID, "planted-ref", "planted-answer"} {
		if !bytes.Contains(w.file(), []byte(known)) {
			t.Errorf("users.db has not %q: the test proves nothing", known)
		}
	}
	must(t, w.Delete(p.ID))
	w.want("its token", errOf(w.Verify(next.Access, resource, w.clock())), ErrGrant)
	if marked, err := w.db.HasDeleted(); !marked || err != nil {
		t.Errorf("the file is not marked: %v, marked %v, want no error and marked = true", err, marked)
	}
	if _, _, err := w.db.Compact(); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"Planted Name", p.ID, "planted-ref", "planted-answer"} {
		if bytes.Contains(w.file(), []byte(gone)) {
			t.Errorf("users.db still has %q", gone)
		}
	}
	w.reopen()
	w.want("delete again", w.Delete(p.ID), ErrNoAccount)
	w.want("login", w.login("planted name", good), ErrLogin)
	if facts, err := w.Facts(other.ID, Outage); err != nil || len(facts) != 1 || !w.valid(kept.Access) {
		t.Errorf("another's: got %v, %v, want one fact and a good token", facts, err)
	}
	if accounts, facts, err := Check(w.db); accounts != 1 || facts != 1 || err != nil {
		t.Errorf("check: %d accounts, %d facts, %v, want 1, 1 and no error", accounts, facts, err)
	}
}

func errOf(_ Person, _ []Scope, err error) error { return err }

// A folder that cannot be written to lets nobody in; tokens that are there are good.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	tokens := w.tokens(p, c)
	must(t, w.Note(p.ID, Fact{Kind: Bug, Ref: "1"}))
	w.db.Close()
	db, err := store.OpenReadOnly(w.path)
	must(t, err)
	defer db.Close()
	s, err := Open(db, w.clock)
	must(t, err)
	empty, err := Open(nil, w.clock)
	must(t, err)
	ctx := context.Background()
	for _, s := range []*Store{s, empty} {
		_, err1 := s.Login(ctx, "alice", good, home)
		_, err2 := s.Create(ctx, "bob", good)
		_, err3 := s.Register("x", []string{callback})
		_, err4 := s.Refresh(tokens.Refresh, c.ID, "", nil)
		_, err5 := s.OfClient("client", "name")
		_, _, err6 := s.Once(p.ID, "t", Bug,
			func() ([]byte, []Fact, error) { t.Error("it is done"); return nil, nil, nil })
		for i, err := range []error{err1, err2, err3, err4, err5, err6, s.Delete(p.ID), s.Note(p.ID),
			s.Revoke(tokens.Access, c.ID)} {
			if !errors.Is(err, ErrReadOnly) || !errors.Is(err, fs.ErrPermission) {
				t.Errorf("change %d: %v, want ErrReadOnly and fs.ErrPermission", i, err)
			}
		}
		if err := s.Sweep(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := s.Verify(tokens.Access, resource, w.clock()); err != nil {
		t.Errorf("a token: %v", err)
	}
	if facts, err := s.Facts(p.ID, Bug); err != nil || len(facts) != 1 {
		t.Errorf("got %v, %v, want no error and len(facts) = 1", facts, err)
	}
	if facts, err := empty.Facts(p.ID, Bug); err != nil || len(facts) != 0 {
		t.Errorf("got %v, %v, want none and no error", facts, err)
	}
}

// An API client acts as an account of its own, which is made when it is first asked for.
func TestOfClient(t *testing.T) {
	w := newWorld(t)
	alice := w.person("Assistant")
	var wg sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		wg.Go(func() {
			p, err := w.OfClient("0198-client", "Assistant")
			if err != nil || p.Name != "Assistant" || p.Client != "0198-client" {
				t.Errorf("got %+v, %v, want no error, Name = Assistant and Client = 0198-client", p, err)
			}
			ids[i] = p.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || id == alice.ID {
			t.Errorf("%v, alice %s, id %v, want id = %v and id other than %v", ids, alice.ID, id, ids[0], alice.ID)
		}
	}
	w.reopen()
	if p, err := w.OfClient("0198-client", "Assistant"); err != nil || p.ID != ids[0] ||
		w.ActsFor("0198-client") != p.ID {
		t.Errorf("after a restart: got %+v, %v, want %s, which acts for the client", p, err, ids[0])
	}
	w.want("the person of that name", w.login("assistant", good), nil)
	if _, err := w.Find("assistant"); !errors.Is(err, errAmbiguous) {
		t.Errorf("find: %v, want ErrAmbiguous", err)
	}
	_, err := w.SetPassword(context.Background(), ids[0], good)
	w.want("a password", err, errNoLogin)
	if _, err := w.Disable(ids[0], true, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	_, err = w.OfClient("0198-client", "Assistant")
	w.want("disabled", err, ErrDisabled)
	must(t, w.Delete(ids[0]))
	if p, err := w.OfClient("0198-client", "Assistant"); err != nil || p.ID == ids[0] {
		t.Errorf("after deletion: %+v, %v, want no error and ID other than %v", p, err, ids[0])
	}
	w.want("the person of that name, still", w.login("assistant", good), nil)
}

// The challenge that tests use is the verifier's.
func TestVectors(t *testing.T) {
	sum := sha256.Sum256([]byte(verifier))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != challenge {
		t.Error("the vector of RFC 7636 is mistyped")
	}
}

// A program's name can be seen, and hides nothing that stands near it.
func TestClientNames(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		name string
		good bool
	}{
		{"An app", true}, {"Élodie’s app", true}, {"Cafe\u0301", true}, {"Tiếng Việt", true},
		{"Tie\u0302\u0301ng", true}, {"עִבְרִית", true}, {"4chan", true}, {"日本語", true},
		{"\u3164", false}, {"\u115f\u1160", false}, {"\uffa0", false}, {"App\u3164", false},
		{"a" + strings.Repeat("\u0301", 4), false}, {"a" + strings.Repeat("\u0335", 89), false}, {"\u0301a", false},
		{"...", false}, {"—", false}, {"\u202eevil", false}, {"a\u200bb", false},
	} {
		_, err := w.Register(tt.name, []string{callback})
		if tt.good && err != nil || !tt.good && !errors.Is(err, ErrMetadata) {
			t.Errorf("%+q: %v, want it taken: %t", tt.name, err, tt.good)
		}
	}
}
