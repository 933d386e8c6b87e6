package hook

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A hook for ntfy posts JSON with the topic to the root of the server, as ntfy's documentation wants it.
func TestNtfy(t *testing.T) {
	type post struct {
		Path, User, Password string
		Body                 map[string]string
	}
	var got post
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Path = r.URL.String()
		got.User, got.Password, _ = r.BasicAuth()
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &got.Body); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	e := Event{Data: func(string) (any, error) { return 1, nil }, Notice: func(filter string, data any) Notice {
		return Notice{"Title é", filter, "https://relais.test/news"}
	}}
	body, err := e.bodyOf(&Hook{Format: Ntfy, Filter: "market=FR"})
	if err != nil || strings.Contains(body, "topic") {
		t.Fatalf("got %s, %v; want no topic in the queue", body, err)
	}
	o := Options{Private: true}
	sent := o.sender(time.Now).send(t.Context(),
		&secrets{strings.Replace(server.URL, "://", "://me:pass@", 1) + "/relais-2f7c", []byte("key")}, Ntfy, "msg_1", body)
	want := post{"/", "me", "pass", map[string]string{"topic": "relais-2f7c", "title": "Title é", "message": "market=FR",
		"click": "https://relais.test/news"}}
	if diff := cmp.Diff(want, got); sent.why != "" || diff != "" {
		t.Errorf("%s (-want +got):\n%s", sent.why, diff)
	}
}

// A longer text than ntfy shows is cut between characters.
func TestNtfyCutsLongTexts(t *testing.T) {
	for n := mostNotice - 8; n < mostNotice+8; n++ {
		text := strings.Repeat("a", n%4) + strings.Repeat("é", n/2)
		got := Notice{Text: text}.ntfy().Message
		if len(got) > mostNotice || !utf8.ValidString(got) || (len(text) <= mostNotice) != (got == text) {
			t.Errorf("%d bytes: got %d, %q", len(text), len(got), got[len(got)-8:])
		}
	}
}

func TestNtfyAddress(t *testing.T) {
	for address, good := range map[string]bool{"https://ntfy.sh/relais": true, "https://a:b@ntfy.sh/re_l-4": true,
		"https://ntfy.sh/": false, "https://ntfy.sh": false, "https://ntfy.sh/a/b": false, "https://ntfy.sh/a?title=b": false,
		"https://ntfy.sh/" + strings.Repeat("a", 65): false} {
		if err := (&Spec{URL: address, Events: []Kind{Changes}, Format: Ntfy}).Check(); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
	if (&Spec{URL: "https://ntfy.sh/a", Events: []Kind{Changes}, Format: "slack"}).Check() == nil {
		t.Error("an unknown format is accepted")
	}
}
