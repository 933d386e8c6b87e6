//go:build linux

package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// A hookMessage is what a receiver got.
type hookMessage struct {
	header http.Header
	body   string
	Type   string
	Data   object
}

// A hookReceiver keeps what it gets, unless it refuses.
type hookReceiver struct {
	*httptest.Server
	t      *testing.T
	mu     sync.Mutex
	got    []hookMessage
	status int // of answers; 0: 204
}

func newHookReceiver(t *testing.T) *hookReceiver {
	r := &hookReceiver{t: t}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *hookReceiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	m := hookMessage{header: q.Header, body: string(body)}
	if err := json.Unmarshal(body, &m); err != nil {
		r.t.Errorf("got %s: %v", body, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status != 0 {
		w.WriteHeader(r.status)
		return
	}
	r.got = append(r.got, m)
	w.WriteHeader(204)
}

// messages returns what came so far.
func (r *hookReceiver) messages() []hookMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *hookReceiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

type issuedHook struct{ ID, Secret, URL string }

func createHook(t *testing.T, dir, url, events string, flags ...string) (h issuedHook) {
	t.Helper()
	command(t, &h, append([]string{"hook", "create", "--data", dir, "--url", url, "--events", events}, flags...)...)
	return h
}

// verify checks the signature of a message as the specification has it.
func (m *hookMessage) verify(t *testing.T, secret string) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	must(t, err)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", m.header.Get("webhook-id"), m.header.Get("webhook-timestamp"), m.body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if got := m.header.Get("webhook-signature"); got != want {
		t.Errorf("got the signature %s, want %s", got, want)
	}
}

// fileOutage reports an outage at a place of its own, and returns its id; "" if it is not known
// whether that was done.
func fileOutage(t *testing.T, dir string, n int) string {
	out, errs, code := relais(t, "outage", "report", "--data", dir, "--market", "FR", "--operator", "SFR",
		fmt.Sprintf("--lat=%f", 44+float64(n/50)*0.05), fmt.Sprintf("--lon=%f", 1+float64(n%50)*0.05), "--json")
	if code != 0 {
		if !strings.Contains(errs, "the server ended before it answered") {
			t.Errorf("outage report: exit %d: %s", code, errs)
		}
		return ""
	}
	var r struct{ ID string }
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.ID == "" {
		t.Errorf("outage report: got %s, %v", out, err)
	}
	return r.ID
}

// A server that is killed at any moment, also between an event and its delivery, loses no message
// about what was acknowledged. Events that happen while no server runs are delivered by the next.
func TestHooksOfKilledServers(t *testing.T) {
	t.Parallel()
	dir, r := newFolder(t), newHookReceiver(t)
	s := start(t, nil, "serve", "--data", dir, "--hook-private")
	h := createHook(t, dir, r.URL+"/in", "outage")
	rounds := 12
	if !tier.Full() {
		rounds = 4
	}
	acknowledged := map[string]bool{}
	for round := range rounds {
		r.answer([]int{0, 503}[round%2]) // what was refused is tried again
		var filing sync.WaitGroup
		var mu sync.Mutex
		for i := range 6 {
			filing.Go(func() {
				id := fileOutage(t, dir, round*6+i)
				mu.Lock()
				defer mu.Unlock()
				if id != "" {
					acknowledged[id] = true
				}
			})
		}
		time.Sleep(rand.N(300 * time.Millisecond))
		s.kill()
		filing.Wait()
		s = start(t, nil, "serve", "--data", dir, "--hook-private")
	}
	r.answer(0)
	missing := func() (list []string) {
		have := map[string]bool{}
		for _, m := range r.messages() {
			have[fmt.Sprint(m.Data["id"])] = true
		}
		for id := range acknowledged {
			if !have[id] {
				list = append(list, id)
			}
		}
		return list
	}
	if !waitFor(func() bool { return len(missing()) == 0 }) {
		t.Errorf("of %d acknowledged, %d did not come: %q\n%s", len(acknowledged), len(missing()), missing(),
			run(t, "hook", "show", "--data", dir, h.ID))
	}
	named := map[string]string{}
	for _, m := range r.messages() {
		m.verify(t, h.Secret)
		id := m.header.Get("webhook-id")
		if m.Type != "outage.reported" || named[id] != "" && named[id] != m.body {
			t.Errorf("%s: got %s, before it %s", id, m.body, named[id])
		}
		named[id] = m.body
	}
	t.Logf("%d acknowledged, %d messages, %d different", len(acknowledged), len(r.messages()), len(named))
	s.stop()
	if c := check(t, dir); !c.OK {
		t.Errorf("check: got problems %q, want none", c.problems())
	}
}

// The commands say what is wrong. Without --hook-private no address of the machine is reached,
// whatever its name is.
func TestHookCommands(t *testing.T) {
	t.Parallel()
	dir, r := newFolder(t), newHookReceiver(t)
	if _, err := os.Stat(filepath.Join(dir, "hooks.db")); err == nil {
		t.Error("hooks.db is there before the first hook")
	}
	s := start(t, nil, "serve", "--data", dir)
	for _, tt := range []struct {
		code int
		why  string
		args []string
	}{
		{1, "--hook-private", []string{"--url", r.URL, "--events", "outage"}},
		{1, "is loopback", []string{"--url", "https://127.0.0.1/", "--events", "outage"}},
		{2, "--events: \"outages\" is not one of changes, report,", []string{"--url", "https://x.example/", "--events", "outages"}},
		{2, "the nearest is operator", []string{"--url", "https://x.example/", "--events", "outage", "--filter", "operater=SFR"}},
		{2, "the nearest operator is FREE", []string{"--url", "https://x.example/", "--events", "outage", "--filter",
			"market=FR&operator=FREEE"}},
		{2, "--url: want an address", []string{"--url", "x.example", "--events", "outage"}},
	} {
		fails(t, tt.code, tt.why, append([]string{"hook", "create", "--data", dir}, tt.args...)...)
	}
	if _, err := os.Stat(filepath.Join(dir, "hooks.db")); err == nil {
		t.Error("hooks.db is there, although no hook was made")
	}
	fails(t, 1, "no such hook", "hook", "show", "--data", dir, "hook-x")
	_, port, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), ":")
	fails(t, 1, "is loopback", "hook", "create", "--data", dir, "--url", "https://localhost:"+port+"/in", "--events", "bug")
	s.stop()
	s = start(t, nil, "serve", "--data", dir, "--hook-private")
	h := createHook(t, dir, "https://user:hunter2@localhost:"+port+"/in?key=hunter3", "outage,bug")
	s.stop()
	s = start(t, nil, "serve", "--data", dir) // which does not send there
	if strings.Contains(run(t, "hook", "list", "--data", dir)+run(t, "hook", "show", "--data", dir, h.ID)+h.URL, "hunter") {
		t.Error("the credentials of the address are shown")
	}
	fails(t, 1, "the address 127.0.0.1 is loopback", "hook", "test", "--data", dir, h.ID)
	fileOutage(t, dir, 1)
	s.waitUntil("the failure is shown", func() bool {
		return strings.Contains(run(t, "hook", "show", "--data", dir, h.ID), "is loopback")
	})
	s.stop()
	if strings.Contains(s.log.String(), "hunter") {
		t.Error("the credentials of the address are in the log")
	}
	s = start(t, nil, "serve", "--data", dir, "--hook-private")
	other := createHook(t, dir, r.URL+"/in", "outage", "--filter", "market=FR&operator=ORANGE")
	run(t, "hook", "test", "--data", dir, other.ID)
	if got := r.messages(); len(got) != 1 || got[0].Type != "test" {
		t.Fatalf("got %v, want a test", got)
	}
	r.messages()[0].verify(t, other.Secret)
	fileOutage(t, dir, 2) // of SFR
	r.answer(410)
	fails(t, 1, "the receiver answered 410", "hook", "test", "--data", dir, other.ID)
	run(t, "hook", "delete", "--data", dir, h.ID)
	if out := run(t, "hook", "list", "--data", dir); strings.Contains(out, h.ID) || !strings.Contains(out, "1 hook\n") {
		t.Errorf("after deleting: got %s", out)
	}
	if got := r.messages(); len(got) != 1 {
		t.Errorf("got %v, want nothing that the filter does not select", got)
	}
	s.stop()
}

// A hook is told once that an update failed.
func TestHookOfUpdates(t *testing.T) {
	t.Parallel()
	dir, r, a := newFolder(t), newHookReceiver(t), newAuthority(t)
	a.publish("<html>Sorry")
	sources := filetest.New(t, "sources.json", fmt.Sprintf(
		`{"files":[{"name":"hs","market":"FR","operator":"SFR","find":"url","url":"%s/hs.csv","licence":"none"}]}`, a.URL))
	s := start(t, nil, "serve", "--data", dir, "--hook-private")
	h := createHook(t, dir, r.URL, "update-failed")
	s.stop()
	s = start(t, nil, "serve", "--data", dir, "--hook-private", "--update-every", "1s", "--sources", sources)
	s.waitUntil("it is told", func() bool { return len(r.messages()) > 0 })
	time.Sleep(2 * time.Second) // more updates fail
	got := r.messages()
	if len(got) != 1 || got[0].Type != "update.failed" || fmt.Sprint(got[0].Data) != "map[files:outages markets:[FR]]" {
		t.Errorf("got %+v, want one message", got)
	}
	got[0].verify(t, h.Secret)
	s.stop()
}

// The library of the Standard Webhooks verifies what a receiver gets, and refuses what was changed.
func TestConformanceOfWebhooks(t *testing.T) {
	script := filetest.New(t, "verify.js", `
const { Webhook } = require(process.env.RELAIS_NPM + '/standardwebhooks');
const { secret, header, body } = JSON.parse(require('fs').readFileSync(0));
new Webhook(secret).verify(body, header);
for (const changed of [[secret, header, body + ' '], [secret, { ...header, 'webhook-id': 'msg_x' }, body],
    ['whsec_' + Buffer.from('another secret of some length').toString('base64'), header, body]]) {
  let refused = false;
  try { new Webhook(changed[0]).verify(changed[2], changed[1]); } catch { refused = true; }
  if (!refused) throw new Error('a changed message was taken: ' + changed);
}
console.log('verified');
`)
	dir, r := newFolder(t), newHookReceiver(t)
	cmd := node(t, "standardwebhooks/package.json")
	cmd.Args[1] = script
	s := start(t, nil, "serve", "--data", dir, "--hook-private")
	h := createHook(t, dir, r.URL, "outage")
	fileOutage(t, dir, 1)
	s.waitUntil("a message came", func() bool { return len(r.messages()) > 0 })
	m := r.messages()[0]
	header := map[string]string{}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		header[name] = m.header.Get(name)
	}
	in, err := json.Marshal(map[string]any{"secret": h.Secret, "header": header, "body": m.body})
	must(t, err)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "verified" {
		t.Errorf("got %v: %s", err, out)
	}
	s.stop()
}
