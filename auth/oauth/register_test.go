package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"relais/auth/account"
	"relais/internal/filetest"
)

const badMetadata, badRedirect = "invalid_client_metadata", "invalid_redirect_uri"

// registrations are bodies, and what must come back: how the client authenticates, or an error.
var registrations = []struct{ body, want string }{
	{`{"redirect_uris":["https://app.example/cb"]}`, "none"},
	{`{"redirect_uris":["com.example.app:/cb","http://localhost:7/cb"],"client_name":"Élodie’s app"}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["authorization_code"],"response_types":["code"]}`,
		"none"},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"none","scope":"x","logo_uri":"y"}`,
		"none"},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"client_secret_basic"}`,
		"client_secret_basic"},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"client_secret_post"}`,
		"client_secret_post"},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks":{}}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":""}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":null,"scope":["mcp:read"]}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["implicit"]}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["authorization_code","client_credentials"]}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["refresh_token"]}`, "none"},
	{`{"redirect_uris":["https://app.example/cb"],"response_types":["token"]}`, "none"},
	{``, badMetadata},
	{`[]`, badMetadata},
	{`{`, badMetadata},
	{`{"redirect_uris":"x"}`, badMetadata},
	{`{"redirect_uris":[1]}`, badMetadata},
	{`{"redirect_uris":["x"]} {}`, badMetadata},
	{strings.Repeat("[", 10000), badMetadata},
	{`{}`, badMetadata},
	{`{"client_name":"x"}`, badRedirect},
	{`{"client_name":"x","redirect_uris":[]}`, badRedirect},
	{`{"redirect_uris":["http://evil.example/cb"]}`, badRedirect},
	{`{"redirect_uris":["https://app.example/cb","javascript:alert(1)"]}`, badRedirect},
	{`{"redirect_uris":["data:text/html,x"]}`, badRedirect},
	{`{"redirect_uris":["https://*.example/cb"]}`, badRedirect},
	{`{"redirect_uris":["https://app.example/cb"],"client_name":"a\u202eb"}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"client_name":"` + strings.Repeat("a", 101) + `"}`, badMetadata},
}

func TestRegister(t *testing.T) {
	w := newWorld(t)
	for _, tt := range registrations {
		a := w.do("POST", registerPath, tt.body, "Content-Type", "application/json; charset=utf-8")
		if strings.HasPrefix(tt.want, "invalid") {
			w.want(tt.body[:min(len(tt.body), 120)], a, 400, tt.want)
			continue
		}
		withSecret := strings.HasPrefix(a.member("client_secret"), "rs_") &&
			strings.Contains(a.text, `"client_secret_expires_at":0`)
		granted := `"grant_types":["authorization_code","refresh_token"]`
		if a.StatusCode != http.StatusCreated || a.member("token_endpoint_auth_method") != tt.want ||
			withSecret != (tt.want != "none") || strings.Contains(a.text, "client_secret\"") != withSecret ||
			!strings.Contains(a.text, granted) || !strings.Contains(a.text, `"response_types":["code"]`) ||
			a.member("scope") != "mcp:read mcp:write" || a.member("client_name") == "" {
			t.Errorf("%s: got %d %s, want a named client with all that there is, and %s", tt.body, a.StatusCode, a.text,
				tt.want)
		}
		if c, err := w.accounts.Client(a.member("client_id")); err != nil || c.Used != nil {
			t.Errorf("%s: %+v, %v, want no error and no Used", tt.body, c, err)
		}
	}
	w.want("a form", w.do("POST", registerPath, "redirect_uris=x", "Content-Type", formType), 400, "invalid_request")
	w.want("large", w.do("POST", registerPath, `{"redirect_uris":["`+strings.Repeat("a", maxBody), "Content-Type",
		"application/json"), 413, "invalid_request")
	for range mostRegistered {
		w.do("POST", registerPath, "", "Content-Type", "application/json")
	}
	a := w.do("POST", registerPath, `{"redirect_uris":["https://app.example/cb"]}`, "Content-Type", "application/json")
	w.want("too many", a, 429, "temporarily_unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.pass(time.Hour)
	client := w.register(callback)
	w.pass(24*time.Hour + time.Second)
	must(t, w.accounts.Sweep())
	if a := w.do("GET", authorizePath+"?"+request(client, callback).Encode(),
		""); a.StatusCode != http.StatusBadRequest {
		t.Errorf("a client that nobody let in for a day: %d, want %d", a.StatusCode, http.StatusBadRequest)
	}
}

// Every program of the file registers, and signs in with each of its addresses, as its last request
// for a token is made: by the secret that it got, or without one.
func TestProgramsOfTheField(t *testing.T) {
	text := filetest.Read(t, "testdata/registrations.jsonl")
	w := newWorld(t)
	for line := range strings.Lines(string(text)) {
		var row struct {
			Client, Method string
			Body           json.RawMessage
		}
		must(t, json.Unmarshal([]byte(line), &row))
		t.Run(row.Client, func(t *testing.T) {
			w := w.during(t)
			a := w.do("POST", registerPath, string(row.Body), "Content-Type", "application/json")
			if a.StatusCode != http.StatusCreated || a.member("token_endpoint_auth_method") != row.Method {
				t.Fatalf("got %d %s, want %d and %s", a.StatusCode, a.text, http.StatusCreated, row.Method)
			}
			var asked, got struct {
				Redirects []string `json:"redirect_uris"`
			}
			if err := errors.Join(json.Unmarshal(row.Body, &asked), json.Unmarshal([]byte(a.text), &got)); err != nil ||
				!slices.Equal(asked.Redirects, got.Redirects) {
				t.Fatalf("got %v, %v, want %v", got.Redirects, err, asked.Redirects)
			}
			id, secret := a.member("client_id"), a.member("client_secret")
			for _, redirect := range got.Redirects {
				v := redemption(id, w.code(id, redirect), redirect)
				if secret != "" {
					v.Set("client_secret", secret)
				}
				if a := w.post(tokenPath, v); a.StatusCode != http.StatusOK {
					t.Errorf("%s: %d %s, want tokens", redirect, a.StatusCode, a.text)
				}
			}
		})
	}
}

// A client that got a secret must show it, in the form or as HTTP Basic, whatever it registered: for
// golang.org/x/oauth2 as the client, too.
func TestClientSecret(t *testing.T) {
	w := newWorld(t)
	for _, method := range []string{"client_secret_post", "client_secret_basic"} {
		t.Run(method, func(t *testing.T) {
			w := w.during(t)
			a := w.do("POST", registerPath, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"`+method+`"}`,
				"Content-Type", "application/json")
			id, secret := a.member("client_id"), a.member("client_secret")
			code := w.code(id, callback)
			basic := func(id, secret string) []string {
				return []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
			}
			for _, tt := range []struct {
				name   string
				v      url.Values
				header []string
			}{
				{"no secret", redemption(id, code, callback), nil},
				{"a wrong one", redemption(id, code, callback, "client_secret", secret+"x"), nil},
				{"its hash", redemption(id, code, callback, "client_secret", challenge(secret)), nil},
				{"Basic without", redemption(id, code, callback), basic(id, "")},
				{"a wrong one as Basic", redemption("", code, callback), basic(id, "x")},
				{"in both places", redemption(id, code, callback, "client_secret", secret), basic(id, secret)},
				{"of another client", redemption(w.register(callback), code, callback), basic(id, secret)},
				{"not Basic", redemption(id, code, callback), []string{"Authorization", "Bearer " + secret}},
				{"not well formed", redemption(id, code, callback), basic(id, secret+"%")},
			} {
				a := w.post(tokenPath, tt.v, tt.header...)
				w.want(tt.name, a, 401, "invalid_client")
				if got := a.Header.Get("WWW-Authenticate"); strings.HasPrefix(got, "Basic ") != (tt.header != nil) {
					t.Errorf("%s: WWW-Authenticate %q, want it for a request with Authorization", tt.name, got)
				}
			}
			conf := &oauth2.Config{ClientID: id, ClientSecret: secret, RedirectURL: callback,
				Endpoint: oauth2.Endpoint{TokenURL: base + tokenPath}}
			ctx := context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: w})
			token, err := conf.Exchange(ctx, code, oauth2.VerifierOption(verifier))
			must(t, err)
			for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
				conf.Endpoint.AuthStyle, token.Expiry = style, time.Now().Add(-time.Second)
				if token, err = conf.TokenSource(ctx, token).Token(); err != nil {
					t.Fatalf("refresh with style %d: %v", style, err)
				}
			}
			v := url.Values{"client_id": {id}, "token": {token.RefreshToken}}
			w.want("revocation", w.post(revokePath, v), 401, "invalid_client")
			if a := w.post(revokePath, url.Values{"token": v["token"]}, basic(id, secret)...); a.StatusCode != http.StatusOK {
				t.Errorf("revocation with Basic: %d %s, want %d", a.StatusCode, a.text, http.StatusOK)
			}
			if _, err := conf.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err == nil {
				t.Error("a refresh token is good after its revocation")
			}
			w.secrets(secret)
		})
	}
}

// Whatever is sent, nothing is registered that package account would refuse, and no
// secret or other way to sign in is promised.
func FuzzRegister(f *testing.F) {
	for _, seed := range []string{
		`{"redirect_uris":["https://app.example/cb"],"client_name":"x","grant_types":["authorization_code"]}`,
		`{"redirect_uris":["http://127.0.0.1:1/"],"token_endpoint_auth_method":"none"}`,
		`[`, `{"redirect_uris":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRegistration(text)
		if err != nil {
			if e, ok := err.(*oauthError); !ok || e.status != http.StatusBadRequest ||
				strings.ContainsAny(e.text, "\"\\\n") {
				t.Fatalf("got %v, want an oauthError with 400 and plain text", err)
			}
			return
		}
		if got := r.authMethod(); got != "none" && got != "client_secret_post" && got != "client_secret_basic" {
			t.Fatalf("%s: authenticates by %q", text, got)
		}
		for _, uri := range r.RedirectURIs {
			if account.CheckRedirect(uri) != nil {
				continue
			}
			u, err := url.Parse(uri)
			if err != nil || !strings.HasPrefix(uri, placeOf(uri)) || !strings.HasPrefix(placeOf(uri), u.Scheme+":") ||
				u.Host != "" && placeOf(uri) != (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() || hostOf(uri) == "" {
				t.Fatalf("%q: got %q, %q, want scheme and host, and a name", uri, placeOf(uri), hostOf(uri))
			}
			a := authorization{state: "s"}
			a.Redirect = uri
			back, err := url.Parse(a.answerURL("https://issuer.example", url.Values{"code": {"c"}}))
			if err != nil || back.Scheme != u.Scheme || back.Host != u.Host || back.Path != u.Path ||
				back.Query()["code"][0] != "c" || len(back.Query()["state"]) != 1 {
				t.Fatalf("%q leads to %v, %v, want the same address with code and state", uri, back, err)
			}
		}
	})
}
