package oauth

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"relais/auth/account"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// In a folder that cannot be written to nobody signs in or registers, and is told so.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	accounts, err := account.Open(nil, w.clock)
	must(t, err)
	v := request(client, callback)
	fields, cookie := w.page(v)
	without := w.handler(accounts)
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("POST", registerPath, strings.NewReader(`{"redirect_uris":["`+callback+`"]}`))
	r.Header.Set("Content-Type", "application/json")
	without.ServeHTTP(rec, r)
	if rec.Code != http.StatusServiceUnavailable || !strings.Contains(rec.Body.String(), "temporarily_unavailable") {
		t.Errorf("got %d %s, want %d and temporarily_unavailable in it", rec.Code, rec.Body,
			http.StatusServiceUnavailable)
	}
	db := filetest.Read(t, w.path)
	copied := filetest.New(t, "users.db", db)
	read, err := store.OpenReadOnly(copied)
	must(t, err)
	defer read.Close()
	accounts, err = account.Open(read, w.clock)
	must(t, err)
	key := w.Handler.key
	w.Handler = w.handler(accounts)
	w.Handler.key = key
	a := w.post(authorizePath, fields, "Cookie", cookie)
	if a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(a.text, "cannot be written to") ||
		a.sentTo() != "" {
		t.Errorf("got %d %s, Location %v, want %d, cannot be written to in it and Location empty", a.StatusCode,
			a.text, a.sentTo(), http.StatusServiceUnavailable)
	}
}

// On a full disk the answers say so, and when to try again, without the name of a file.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	rec := httptest.NewRecorder()
	w.Handler.fail(rec, &fs.PathError{Op: "write", Path: w.path, Err: syscall.ENOSPC})
	text := rec.Body.String()
	if rec.Code != http.StatusServiceUnavailable || !strings.Contains(text, "no space left on device") ||
		strings.Contains(text, w.path) || rec.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %s, Retry-After %q; want 503, the reason without the path, and some", rec.Code, text,
			rec.Header().Get("Retry-After"))
	}
}

// While the record of an account is damaged, a failed sign-in says that the record may be
// the cause: its name is unknown.
func TestLostAccount(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	const may = "one of the accounts that this server cannot read"
	if a := w.decided(request(client, callback), "name", "nobody"); a.StatusCode != http.StatusForbidden ||
		strings.Contains(a.text, may) {
		t.Errorf("before: %d %s, want %d and no %q in it", a.StatusCode, a.text, http.StatusForbidden, may)
	}
	storetest.Set(t, w.db, account.Buckets[0], w.alice.ID, []byte("{"))
	accounts, err := account.Open(w.db, w.clock)
	must(t, err)
	w.Handler = w.handler(accounts)
	for _, name := range []string{"alice", "nobody"} {
		if a := w.decided(request(client, callback), "name", name); a.StatusCode != http.StatusForbidden ||
			!strings.Contains(a.text, may) {
			t.Errorf("%s: %d %s, want %d and %q in it", name, a.StatusCode, a.text, http.StatusForbidden, may)
		}
	}
}
