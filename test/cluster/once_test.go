//go:build linux

package cluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// twice sends the same request to two nodes at once, and returns both answers.
func (w *world) twice(round int, send func(n *node) answer) (answers [2]answer) {
	var both sync.WaitGroup
	for i := range answers {
		n := w.nodes[(round+i)%len(w.nodes)]
		both.Go(func() { answers[i] = send(n) })
	}
	both.Wait()
	return answers
}

// succeeded counts the answers with a status.
func succeeded(answers [2]answer, status int) (n int) {
	for _, a := range answers {
		if a.status == status {
			n++
		}
	}
	return n
}

// A code that is sent to two nodes at once is taken once. A refresh token gives the same next one at both.
func TestTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	l := w.newLoad()
	rounds := often(killCount, 50, 8)
	for round := range rounds {
		s := &session{load: l, person: w.country.people[round%len(w.country.people)]}
		must(t, s.register())
		verifier := oauth2.GenerateVerifier()
		code, err := s.consent(verifier)
		must(t, err)
		exchange := s.exchangeForm(code, verifier)
		if round%2 == 0 {
			got := w.twice(round, func(n *node) answer {
				a, _, _ := postForm(n.http, w.base+"/oauth/token", exchange)
				return a
			})
			if succeeded(got, http.StatusOK) != 1 {
				t.Errorf("round %d, one code on two nodes: got %s and %s, want one success", round, got[0], got[1])
			}
			continue
		}
		a, _, err := postForm(w.http, w.base+"/oauth/token", exchange)
		token, _ := a.object()["refresh_token"].(string)
		if err != nil || token == "" {
			t.Fatalf("round %d: got %s, %v, want a refresh token", round, a, err)
		}
		got := w.twice(round, func(n *node) answer {
			a, _, _ := postForm(n.http, w.base+"/oauth/token", url.Values{"grant_type": {"refresh_token"},
				"refresh_token": {token}, "client_id": {s.program}})
			return a
		})
		if next := got[0].object()["refresh_token"]; succeeded(got, http.StatusOK) != 2 || next == token ||
			next != got[1].object()["refresh_token"] {
			t.Errorf("round %d, one refresh token on two nodes: got %s and %s, want the same next one", round, got[0], got[1])
		}
	}
}

// A signed upload that is sent to two nodes at once is one photo, and the answer is the same on a
// third node after the two were killed.
func TestSignedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	l := w.newLoad()
	var app issued
	runJSON(t, &app, "client", "create", "--data", w.nodes[0].dir, "--name", "app", "--mode", "mobile", "--scopes",
		"photos:read,photos:write,antennas:read", "--partner", "--minute", "1000000", "--day", "1000000")
	for round := range often(killCount, 10, 2) {
		site := w.country.sites[round%len(w.country.sites)]
		path := "/external/v1/sites/" + site + "/photos"
		caption := fmt.Sprint("signed ", round)
		body, kind := photoForm(picture(16, 12), caption)
		signed := sign(app.SigningSecret, http.MethodPost, path, body)
		send := func(n *node) answer {
			a, _, err := call(n.http, http.MethodPost, w.base+path, body, "Content-Type", kind, "Authorization",
				"Bearer "+app.APIKey, "X-Sq-Signature", signed)
			if err != nil && a.status == 0 {
				t.Errorf("round %d, %s: %v", round, n.name, err)
			}
			return a
		}
		got := w.twice(round, send)
		ids := photoIDs(got[:])
		if succeeded(got, http.StatusCreated) == 0 || len(ids) != 1 {
			t.Errorf("round %d: got the photos %s, want one; %s; %s", round, ids, got[0], got[1])
			continue
		}
		for i := range 2 {
			w.nodes[(round+i)%len(w.nodes)].kill()
		}
		third := w.nodes[(round+2)%len(w.nodes)]
		if again := send(third); !slices.Equal(photoIDs([]answer{again}), ids) {
			t.Errorf("round %d, after the others were killed: got %s, want the photo %s", round, again, ids[0])
		}
		list, err := l.list(third, path+"?limit=50")
		if got := strings.Count(fmt.Sprint(list), caption+" "); err != nil || got != 1 {
			t.Errorf("round %d: got %d photos, %v, want 1: %.500v", round, got, err, list)
		}
		l.settle(t)
	}
}

// photoIDs returns the ids in answers to uploads, each once.
func photoIDs(answers []answer) (ids []string) {
	for _, a := range answers {
		data, _ := a.object()["data"].(object)
		if id, ok := data["id"].(string); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// sign is X-Sq-Signature as the API's description has it.
func sign(secret, method, path string, body []byte) string {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s\n%s\n%s\n%x", at, method, path, sha256.Sum256(body))
	return fmt.Sprintf("t=%s,v1=%x", at, mac.Sum(nil))
}
