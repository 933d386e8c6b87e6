//go:build linux

package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// home is the address that people come from, behind the proxy.
const home = "2001:db8:85a3:8d3:1319:8a2e:370:7348"

// behindProxy serves a folder behind a proxy that says that everybody is at home, and
// returns the server and the address that people know.
func behindProxy(t *testing.T, dir string) (s *server, public string) {
	t.Helper()
	paths := http.NewServeMux()
	front := httptest.NewServer(paths)
	t.Cleanup(front.Close)
	public = strings.Replace(front.URL, "127.0.0.1", "localhost", 1)
	s = serve(t, dir, "--base-url", public, "--trusted-proxy", "127.0.0.1/32")
	to, err := url.Parse(s.base)
	must(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // a session that ends cuts its stream off
	paths.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Forwarded-For", home)
		proxy.ServeHTTP(w, r)
	})
	return s, public
}

// A person has an account.
type person struct{ ID, Name, password string }

func newPerson(t *testing.T, dir, name, password string) *person {
	t.Helper()
	cmd := prepared(t, "user", "create", "--data", dir, "--password-stdin", "--json", name)
	cmd.Stdin = strings.NewReader(password + "\n")
	out, err := cmd.Output()
	must(t, err)
	p := &person{password: password}
	if err := json.Unmarshal(out, p); err != nil || p.ID == "" || p.Name != name {
		t.Fatalf("user create: got %s, %v; want %s", out, err, name)
	}
	return p
}

// inChromium signs in on the page, at the second attempt.
func (w *person) inChromium(t *testing.T, wrong string) func(page string) {
	return func(page string) {
		b := openTab(t)
		b.open(page)
		b.fill("#name", w.Name)
		b.fill("#password", wrong)
		b.press("button[value=allow]")
		if said := b.html("#problem"); !strings.Contains(said, `role="alert"`) || strings.Contains(said, w.Name) {
			t.Errorf("after a wrong password: got %s, want an alert without the name", said)
		}
		if typed := b.html("#name") + b.html("#password"); !strings.Contains(typed, `value="`+w.Name+`"`) ||
			strings.Contains(typed, wrong) {
			t.Errorf("form: got %s, want the name and no password", typed)
		}
		b.fill("#password", w.password)
		b.press("button[value=allow]")
		b.html("#back")
	}
}

// The way of people: a program registers, somebody lets it in, a report is submitted and
// confirmed by somebody else, the API shows it; what was let in is shut out again. None of
// what only they know is written down anywhere.
func TestPersonInChromium(t *testing.T) {
	needChromium(t)
	c := makeCountry(t, 100)
	s, public := behindProxy(t, c.dir)
	const wrong = "seize réverbères, port"
	augusta := newPerson(t, c.dir, "Augusta Quillfeather", "dix-sept réverbères près du port")
	grace := newPerson(t, c.dir, "Grace Thistlewood", "eighteen weathercocks & a half")
	p := newProgram(t, public)

	token := p.signIn(augusta.inChromium(t, wrong))
	if len(p.back) > 0 {
		t.Error("the program was called back for the wrong password")
	}
	hers := p.begin(token)
	if diff := differs(hers.tool("me_whoami", nil),
		object{"name": augusta.Name, "kind": "person", "programs": 1.0}); diff != "" {
		t.Errorf("me_whoami: want (-), got (+):\n%s", diff)
	}
	report := object{"clientToken": rand.Text(), "operator": "ORANGE", "lat": 48.8534, "lon": 2.3488,
		"services": "data", "reason": canary + ": no data since noon"}
	made := hers.tool("community_submit_report", report)
	if again := hers.tool("community_submit_report", report); made["new"] != true || again["repeated"] != true ||
		again["id"] != made["id"] {
		t.Errorf("got %v, and again %v; want one report, then the same", made, again)
	}
	shows := func(confirmations float64) {
		t.Helper()
		o := onlyReport(s, augusta, grace)
		if diff := differs(o, object{"id": made["id"], "source": "community", "state": "reported",
			"confirmCount": confirmations, "latitude": 48.8534, "reason": report["reason"]}); diff != "" {
			t.Errorf("outage: want (-), got (+):\n%s", diff)
		}
	}
	shows(1) // who reports is the first to confirm
	theirs := p.begin(p.signIn(func(page string) { grace.consents(t, page) }))
	report["clientToken"] = rand.Text()
	if confirmed := theirs.tool("community_submit_report", report); confirmed["new"] != false ||
		confirmed["id"] != made["id"] {
		t.Errorf("got %v, want a confirmation of %v", confirmed, made["id"])
	}
	shows(2)

	p.ends(token, hers)
	shows(2)
	if me := theirs.tool("me_whoami", nil); me["name"] != grace.Name {
		t.Errorf("me_whoami: got %v, want %s", me, grace.Name)
	}
	theirs.Close()
	s.stop()
	leftBehind(t, c.dir, s.log.String(), append(p.secrets, wrong, augusta.password, grace.password), augusta, grace)
}

// onlyReport is the only outage that people report, in which none of them is named.
func onlyReport(s *server, people ...*person) object {
	s.t.Helper()
	shown := s.list("/outages?source=community&operator=ORANGE")
	if len(shown) != 1 {
		s.t.Fatalf("outages: got %v, want one", shown)
	}
	text := fmt.Sprint(shown[0])
	for _, w := range people {
		if strings.Contains(text, w.ID) || strings.Contains(text, w.Name) {
			s.t.Errorf("outage: got %s, want it without %s", text, w.Name)
		}
	}
	return shown[0].(object)
}

// leftBehind looks through the folder and the log of a server that has ended: for secrets
// everywhere, and for people everywhere but in the file that has their accounts.
func leftBehind(t *testing.T, dir, logged string, secrets []string, people ...*person) {
	t.Helper()
	x := newSearch(t)
	look := func(texts ...string) {
		t.Helper()
		x.traces = nil
		for _, text := range texts {
			x.traces = append(append(x.traces, written([]byte(text))...),
				[]byte(strings.ToLower(url.QueryEscape(text))))
		}
		x.in("the log", []byte(logged))
		x.folder(dir)
	}
	look(secrets...)
	address := netip.MustParseAddr(home)
	look(home)
	x.traces = [][]byte{address.AsSlice()}
	x.folder(dir)
	text := filetest.Read(t, filepath.Join(dir, "users.db"))
	for _, w := range people {
		if !bytes.Contains(text, []byte(w.Name)) || !bytes.Contains(text, []byte(w.ID)) {
			t.Errorf("users.db: got nothing of %s, want the account", w.Name)
		}
	}
	remove := func(name string) {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	remove("users.db")
	for _, w := range people {
		look(w.ID, w.Name)
	}
	remove("clients.db") // has the network of the test's API client
	remove("serve.lock") // has where the server listened
	x.traces = [][]byte{[]byte("127.0.0.1")}
	x.folder(dir)
	if !x.public["community.db"] || !strings.Contains(logged, "/oauth/authorize") {
		t.Errorf("public texts: got them in %v, want them in community.db, and the page in the log", x.public)
	}
}
