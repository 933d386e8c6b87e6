//go:build linux

package cluster

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// callback is where people come back to. Nobody listens there: the address is enough.
const callback = "http://127.0.0.1/callback"

// A session is a person that a program keeps signed in.
type session struct {
	*load
	person  person
	program string // its id
	family  string // "" before the first sign-in
	next    int    // generation of the token
	token   string
	unsure  bool // a token was perhaps taken, or will be: then the family may end
}

// pauseOfSession is a second: a person's tokens may be asked for 60 times a minute.
const pauseOfSession = 1500 * time.Millisecond

// session keeps a person signed in, and sends some tokens to two nodes at once.
func (l *load) session(person int) {
	s := &session{load: l, person: l.country.people[person]}
	l.every(pauseOfSession, func() {
		switch {
		case s.token == "":
			if err := s.signIn(); err != nil {
				l.problems.add("sign-in", notDone, err)
			}
		case s.next%5 == 4:
			s.race()
		default:
			s.refresh()
		}
	})
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// backLink is the link on the page that follows a decision.
var backLink = regexp.MustCompile(`<a href="([^"]+)" rel="noreferrer">`)

// signIn lets the program in on the page, and begins a family of tokens.
func (s *session) signIn() error {
	if err := s.register(); err != nil {
		return err
	}
	verifier := oauth2.GenerateVerifier()
	code, err := s.consent(verifier)
	if err != nil {
		return fmt.Errorf("consent: %w", err)
	}
	start := time.Now()
	a, o, err := postForm(s.http, s.base+"/oauth/token", s.exchangeForm(code, verifier))
	token, _ := a.object()["refresh_token"].(string)
	if err == nil && token == "" {
		err = fmt.Errorf("code: got %s", a)
	}
	if s.wrote("sign-in", start, o, err) {
		s.family, s.next, s.token, s.unsure = s.person.Name+" "+rand.Text(), 0, token, false
		s.ledger.add("family", s.family, token+" "+s.program)
	}
	return nil
}

// exchangeForm is what a code is sent with.
func (s *session) exchangeForm(code, verifier string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {s.program},
		"redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {s.base + "/mcp"}}
}

// register makes the program known, unless it is.
func (s *session) register() error {
	if s.program == "" {
		a, _, err := post(s.http, s.base+"/oauth/register", "", "application/json",
			[]byte(`{"client_name":"load","redirect_uris":["`+callback+`"]}`))
		if err != nil {
			return err
		}
		if s.program, _ = a.object()["client_id"].(string); s.program == "" {
			return fmt.Errorf("register: got %s", a)
		}
	}
	return nil
}

// consent does what a person does on the page, and returns the code.
func (s *session) consent(verifier string) (code string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	browser := &http.Client{Jar: jar, Timeout: s.http.Timeout, CheckRedirect: stay, Transport: s.http.Transport}
	page := s.base + "/oauth/authorize?" + url.Values{"response_type": {"code"}, "client_id": {s.program},
		"redirect_uri": {callback}, "code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)},
		"code_challenge_method": {"S256"}, "state": {"s"}, "resource": {s.base + "/mcp"}}.Encode()
	a, _, err := call(browser, http.MethodGet, page, nil)
	if err != nil {
		return "", err
	}
	form := url.Values{"name": {s.person.Name}, "password": {s.person.password}, "decision": {"allow"}}
	for _, field := range hidden.FindAllStringSubmatch(string(a.body), -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	a, _, err = postForm(browser, s.base+"/oauth/authorize", form, "Origin", s.base)
	if err != nil {
		return "", err
	}
	back := backLink.FindStringSubmatch(string(a.body))
	if back == nil {
		return "", fmt.Errorf("got %s, want a link back", a)
	}
	to, err := url.Parse(html.UnescapeString(back[1]))
	if err == nil && to.Query().Get("code") == "" {
		err = fmt.Errorf("got %s, want a code", to)
	}
	if err != nil {
		return "", err
	}
	return to.Query().Get("code"), nil
}

// refreshAt uses the token of a generation once, at a node or through the proxy. It returns the next
// one if it was taken.
func (s *session) refreshAt(n *node, family, token string, generation int) (next string, o outcome) {
	start, from := time.Now(), s.http
	if n != nil {
		from = n.http
	}
	s.tokens.do(family, n, generation, func() (any, outcome) {
		var a answer
		var err error
		a, o, err = postForm(from, s.base+"/oauth/token", url.Values{"grant_type": {"refresh_token"},
			"refresh_token": {token}, "client_id": {s.program}})
		if err != nil {
			s.problems.add("refresh", o, err)
			return nil, o
		}
		var got struct {
			Refresh string `json:"refresh_token"`
			Error   string
		}
		err = json.Unmarshal(a.body, &got)
		switch {
		case err == nil && a.status == http.StatusOK && got.Refresh != "":
			next = got.Refresh
			s.wrote("refresh", start, o, nil)
			return true, o
		case got.Error == "invalid_grant":
			return false, o
		}
		s.problems.add("refresh", unknown, errors.Join(err, fmt.Errorf("got %s", a)))
		o = unknown
		return nil, o
	})
	return next, o
}

// refresh uses the token, and again if nobody knows whether it was taken.
func (s *session) refresh() {
	s.ledger.remove("family", s.family)
	next, o := s.refreshAt(nil, s.family, s.token, s.next)
	switch {
	case next != "":
		s.token = next
		s.next++
	case o == answered: // refused: it was taken before
		s.token = ""
		return
	case o == unknown:
		s.unsure = true
	}
	if !s.unsure {
		s.ledger.add("family", s.family, s.token+" "+s.program)
	}
}

// refreshAll uses the last token of each family, which must be good on any node.
func (l *load) refreshAll(t *testing.T) {
	t.Helper()
	i := 0
	for family, about := range l.ledger.of("family") {
		token, program, _ := strings.Cut(about, " ")
		n := l.nodes[i%len(l.nodes)]
		i++
		a, _, err := postForm(n.http, l.base+"/oauth/token", url.Values{"grant_type": {"refresh_token"},
			"refresh_token": {token}, "client_id": {program}})
		if err != nil || a.status != http.StatusOK {
			t.Errorf("%s: the last token of %s, which was acknowledged: got %s, %v, want 200", n.name, family, a, err)
		}
	}
}

// race sends the token to two nodes at once, which may both take it. Then the person signs in again.
func (s *session) race() {
	s.ledger.remove("family", s.family)
	var both sync.WaitGroup
	for i := range 2 {
		n := s.nodes[(s.next+i)%len(s.nodes)]
		both.Go(func() { s.refreshAt(n, s.family, s.token, s.next) })
	}
	both.Wait()
	s.token = ""
}
