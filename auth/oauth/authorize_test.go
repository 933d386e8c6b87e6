package oauth

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What is wrong with the client or its address is a page and leads nowhere.
func TestNeverAnOpenRedirect(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(callback, "http://127.0.0.1/cb",
		"com.example.app:/cb"), w.register("https://other.example/cb")
	w.code(client, callback) // the client is used
	for _, tt := range []struct {
		name string
		v    url.Values
	}{
		{"no client", request("", callback)},
		{"unknown client", request("0198f0a0-0000-7000-8000-000000000000", callback)},
		{"another's address", request(client, "https://other.example/cb")},
		{"no address", request(client, "")},
		{"an evil one", request(client, "https://evil.example/")},
		{"below", request(client, callback+"/x")},
		{"with a query", request(client, callback+"?x")},
		{"with a fragment", request(client, callback+"#x")},
		{"a user", request(client, "https://app.example@evil.example/cb")},
		{"a backslash", request(client, "https://app.example\\@evil.example/cb")},
		{"a longer host", request(client, "https://app.example.evil.example/cb")},
		{"a port", request(client, "https://app.example:444/cb")},
		{"http", request(client, "http://app.example/cb")},
		{"another loopback path", request(client, "http://127.0.0.1:5/evil")},
		{"loopback, evil", request(client, "http://127.0.0.1:5@evil.example/cb")},
		{"localhost for it", request(client, "http://localhost:5/cb")},
		{"javascript", request(client, "javascript:alert(1)")},
		{"a scheme", request(client, "com.example.evil:/cb")},
		{"no scheme", request(client, "//evil.example")},
		{"a line end", request(client, callback+"\r\nLocation: https://evil.example")},
		{"a long state", request(client, callback, "state", strings.Repeat("s", 3000))},
		{"and another wrong value", request(client, "https://evil.example/", "response_type", "token")},
		{"two clients", url.Values{"client_id": {client, other}, "redirect_uri": {callback}}},
		{"two addresses", url.Values{"client_id": {client}, "redirect_uri": {callback, "https://evil.example/"},
			"response_type": {"x"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, method := range []string{"GET", "POST"} {
				a := w.do("GET", authorizePath+"?"+tt.v.Encode(), "")
				if method == "POST" {
					a = w.post(authorizePath, url.Values{"request": {tt.v.Encode()}, "decision": {"deny"}})
				}
				if a.StatusCode != http.StatusBadRequest || a.sentTo() != "" ||
					strings.Contains(a.text, "href=\"http") || strings.Contains(a.text, "<form") {
					t.Errorf(`%s, %s: %d %s %s, want %d, empty, no href="http in it and no <form in it`, tt.name,
						method, a.StatusCode, a.sentTo(), a.text, http.StatusBadRequest)
				}
			}
		})
	}
	for _, query := range []string{"%zz", "client_id=" + client + ";redirect_uri=x", strings.Repeat("a", maxQuery+1)} {
		if a := w.do("GET", authorizePath+"?"+query, ""); a.StatusCode != http.StatusBadRequest ||
			a.sentTo() != "" {
			t.Errorf("%.20q: %d, Location %v, want %d and Location empty", query, a.StatusCode,
				a.sentTo(), http.StatusBadRequest)
		}
	}
}

// What else is wrong is told to the program by a link on a page, also when somebody let it in before: no
// browser is sent anywhere.
func TestErrorsForTheProgram(t *testing.T) {
	w := newWorld(t)
	used, unused := w.register(callback, "http://127.0.0.1/cb", app), w.register(callback, "http://127.0.0.1/cb", app)
	w.code(used, callback)
	for _, tt := range []struct {
		name   string
		fields []string
		want   string
	}{
		{"no type", []string{"response_type", ""}, "invalid_request"},
		{"implicit", []string{"response_type", "token"}, "unsupported_response_type"},
		{"hybrid", []string{"response_type", "code token"}, "unsupported_response_type"},
		{"a mode", []string{"response_mode", "fragment"}, "invalid_request"},
		{"no PKCE", []string{"code_challenge", "", "code_challenge_method", ""}, "invalid_request"},
		{"no method", []string{"code_challenge_method", ""}, "invalid_request"},
		{"plain", []string{"code_challenge_method", "plain"}, "invalid_request"},
		{"plain, with text", []string{"code_challenge_method", "plain", "code_challenge", verifier}, "invalid_request"},
		{"a short challenge", []string{"code_challenge", "abc"}, "invalid_request"},
		{"padded", []string{"code_challenge", challenge(verifier) + "="}, "invalid_request"},
		{"another resource", []string{"resource", "https://other.example/mcp"}, "invalid_target"},
		{"the issuer", []string{"resource", base}, "invalid_target"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, client := range []string{used, unused} {
				for _, redirect := range []string{callback, local, app} {
					a := w.do("GET", authorizePath+"?"+request(client, redirect, tt.fields...).Encode(), "")
					where, got := a.link()
					if a.StatusCode != http.StatusBadRequest || a.sentTo() != "" || where != redirect ||
						got.Get("error") != tt.want || got.Get("state") != "a state & more" ||
						got.Get("iss") != base || got.Has("code") ||
						!regexp.MustCompile(`^[ !#-\[\]-~]+$`).MatchString(got.Get("error_description")) {
						t.Errorf("%s, let in: %t: got %d, sent to %q, link %s %v; want %d and a link to %s with %s", redirect,
							client == used, a.StatusCode, a.sentTo(), where, got, http.StatusBadRequest, redirect, tt.want)
					}
				}
			}
		})
	}
	twice := request(used, local)
	twice.Add("scope", "mcp:write")
	if _, got := w.do("GET", authorizePath+"?"+twice.Encode(), "").link(); got.Get("error") != "invalid_request" {
		t.Errorf("a scope twice: %v, want error = invalid_request", got)
	}
	twice = request(used, callback)
	twice.Add("resource", base+"/mcp")
	if a := w.do("GET", authorizePath+"?"+twice.Encode(), ""); a.StatusCode != http.StatusOK {
		t.Errorf("our resource twice: %d, want %d", a.StatusCode, http.StatusOK)
	}
	if a := w.do("GET", authorizePath+"?"+request(unused, callback, "resource", "", "scope", "", "state", "", "nonce",
		"x").Encode(), ""); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "submit outage reports") {
		t.Errorf("the least: %d %s, want %d and submit outage reports in it", a.StatusCode, a.text, http.StatusOK)
	}
}

// with returns the fields with others in their place; "" removes one.
func with(fields url.Values, pairs ...string) url.Values {
	changed := maps.Clone(fields)
	for i := 0; i < len(pairs); i += 2 {
		if changed.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			changed.Del(pairs[i])
		}
	}
	return changed
}

// A form counts only from this server's own page in the browser that got it.
func TestForgery(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(callback), w.register("https://other.example/cb")
	v := request(client, callback)
	fields, cookie := w.page(v)
	otherFields, otherCookie := w.page(v)
	for _, tt := range []struct {
		name   string
		fields url.Values
		header []string
	}{
		{"no cookie", fields, nil},
		{"another cookie", fields, []string{"Cookie", otherCookie}},
		{"another seal", with(fields, "seal", otherFields.Get("seal")), []string{"Cookie", cookie}},
		{"no seal", with(fields, "seal", ""), []string{"Cookie", cookie}},
		{"a broken seal", with(fields, "seal", strings.Repeat("A", 54)), []string{"Cookie", cookie}},
		{"another request", with(fields, "request", request(other, "https://other.example/cb").Encode()),
			[]string{"Cookie", cookie}},
		{"more scopes", with(fields, "request", request(client, callback, "scope", "mcp:read mcp:write").Encode()),
			[]string{"Cookie", cookie}},
		{"cross-site", fields, []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}},
		{"same-site", fields, []string{"Cookie", cookie, "Sec-Fetch-Site", "same-site"}},
		{"no site", fields, []string{"Cookie", cookie, "Sec-Fetch-Site", "none"}},
		{"another origin", fields, []string{"Cookie", cookie, "Origin", "https://evil.example"}},
		{"an origin, longer", fields, []string{"Cookie", cookie, "Origin", "https://www.example.evil.example"}},
		{"a null from outside", fields, []string{"Cookie", cookie, "Origin", "null", "Sec-Fetch-Site", "cross-site"}},
		{"an origin over http", fields, []string{"Cookie", cookie, "Origin", "http://www.example"}},
		{"the page, opened again", fields, []string{"Cookie", otherCookie, "Sec-Fetch-Site", "same-origin"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := w.post(authorizePath, tt.fields, tt.header...)
			if a.StatusCode != http.StatusForbidden || a.sentTo() != "" {
				t.Errorf("%s: %d %s, want %d and empty", tt.name, a.StatusCode, a.sentTo(),
					http.StatusForbidden)
			}
		})
	}
}

func TestForms(t *testing.T) {
	w := newWorld(t)
	fields, cookie := w.page(request(w.register(callback), callback))
	for _, tt := range []struct {
		name   string
		fields url.Values
		header []string
	}{
		{"twice", url.Values{"request": fields["request"], "password": {good, good}}, nil},
		{"JSON", nil, []string{"Content-Type", "application/json"}},
		{"compressed", fields, []string{"Content-Encoding", "gzip"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a := w.post(authorizePath, tt.fields,
				append(tt.header, "Cookie", cookie)...); a.StatusCode != http.StatusBadRequest ||
				a.sentTo() != "" {
				t.Errorf("%s: %d, Location %v, want %d and Location empty", tt.name, a.StatusCode,
					a.sentTo(), http.StatusBadRequest)
			}
		})
	}
	if a := w.post(authorizePath, with(fields, "name", strings.Repeat("a", maxBody)), "Cookie",
		cookie); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a large form: %d, want %d", a.StatusCode, http.StatusRequestEntityTooLarge)
	}
	w.pass(sealLife)
	if a := w.post(authorizePath, fields, "Cookie", cookie); a.StatusCode != http.StatusForbidden ||
		!strings.Contains(a.text, "too old") || !strings.Contains(a.text, "<form") {
		t.Errorf("too old: %d, text %v, want %d, too old in text and <form in text", a.StatusCode, a.text,
			http.StatusForbidden)
	}
	w.pass(-time.Minute)
	if a := w.post(authorizePath, fields, "Cookie", cookie, "Origin", "https://www.example", "Sec-Fetch-Site",
		"same-origin"); a.StatusCode != http.StatusOK {
		t.Errorf("as it should be: %d, want %d", a.StatusCode, http.StatusOK)
	}
}

// The page refuses frames and scripts, leads its form to this server, names where the person is sent
// in full, and escapes what programs say.
func TestPage(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback, "http://127.0.0.1/cb", "http://[::1]/cb", "com.example.app:/cb", app)
	for _, tt := range []struct{ redirect, says string }{
		{callback, "<strong>https://app.example</strong>."},
		{local, "<strong>http://127.0.0.1:49152</strong> (this device)"},
		{"http://[::1]:5/cb", "<strong>http://[::1]:5</strong> (this device)"},
		{"com.example.app:/cb", "<strong>com.example.app:</strong> (an app on this device)"},
		{app, "<strong>cursor://anysphere.cursor-mcp</strong> (an app on this device)"},
	} {
		t.Run(tt.redirect, func(t *testing.T) {
			a := w.do("GET", authorizePath+"?"+request(client, tt.redirect).Encode(), "")
			css := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(a.text)
			if len(css) != 2 {
				t.Fatalf("no style in %s, len(css) %v, want len(css) = 2", a.text, len(css))
			}
			sum := sha256.Sum256([]byte(css[1]))
			policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
				"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
			for _, c := range []struct{ name, want string }{
				{"Content-Security-Policy", policy},
				{"X-Frame-Options", "DENY"},
				{"Referrer-Policy", "no-referrer"},
				{"Cache-Control", "no-store"},
				{"Content-Type", "text/html; charset=utf-8"},
				{"X-Content-Type-Options", "nosniff"},
				{"Access-Control-Allow-Origin", ""},
				{"Content-Language", "en"},
			} {
				t.Run(c.name, func(t *testing.T) {
					if got := a.Header.Get(c.name); got != c.want {
						t.Errorf("%s: %s: %s, want %s", tt.redirect, c.name, got, c.want)
					}
				})
			}
			for _, want := range []string{tt.says, "<strong><bdi>An &lt;app&gt;</bdi></strong>",
				"<strong>www.example</strong>", `action="/antennes/oauth/authorize"`, "see what you submitted"} {
				if !strings.Contains(a.text, want) {
					t.Errorf("%s: no %s in %s", tt.redirect, want, a.text)
				}
			}
			if strings.Contains(a.text, "<script") || strings.Contains(a.text, "submit outage reports") {
				t.Errorf("%s: %s, want no <script in it and no submit outage reports in it", tt.redirect, a.text)
			}
			set := a.Header.Get("Set-Cookie")
			for _, want := range []string{"__Secure-relais_consent=", "; Path=/antennes/oauth/authorize;", "; HttpOnly", "; Secure",
				"; SameSite=Strict", "; Max-Age=1800"} {
				if !strings.Contains(set, want) {
					t.Errorf("no %s in %s", want, set)
				}
			}
		})
	}
	a := w.decided(request(client, callback), "name", `"><script>x</script>`)
	if strings.Contains(a.text, "<script") || !strings.Contains(a.text, "&#34;&gt;&lt;script&gt;") {
		t.Errorf("a name: %s, want no <script in it and &#34;&gt;&lt;script&gt; in it", a.text)
	}
}

func TestLanguages(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	v := request(client, callback)
	for _, tt := range []struct{ accept, want string }{{"", "en"}, {"fr", "fr"}, {"fr-CA,fr;q=0.8,en;q=0.5", "fr"},
		{"en-GB,fr;q=0.9", "en"}, {"de-CH", "de"}, {"nl-BE,nl;q=0.9,fr;q=0.8", "nl"},
		{"ja, fr;q=0.1", "fr"}, {"*", "en"}, {"fr;q=0, en", "en"},
		{"\xff;;;", "en"}, {strings.Repeat("fr,", 10000), "fr"}} {
		a := w.do("GET", authorizePath+"?"+v.Encode(), "", "Accept-Language", tt.accept)
		lang := `<html lang="` + tt.want + `">`
		if got := a.Header.Get("Content-Language"); got != tt.want || !strings.Contains(a.text, lang) {
			t.Errorf("%.30q: got %s, %s, want %s and %s", tt.accept, got, a.text, tt.want, lang)
		}
	}
	a := w.do("GET", authorizePath+"?"+v.Encode(), "")
	link := regexp.MustCompile(`href="/antennes(/oauth/authorize[^"]*)" hreflang="fr"`).FindStringSubmatch(a.text)
	if link == nil {
		t.Fatalf("no link: %s", a.text)
	}
	path := html.UnescapeString(link[1])
	a = w.do("GET", path, "", "Accept-Language", "en")
	if !strings.Contains(a.text, "demande à agir en votre nom") || !strings.Contains(a.text, "Accepter") {
		t.Errorf("in French: %s, want demande à agir en votre nom in it and Accepter in it", a.text)
	}
	v.Set("ui_locales", "it-CH de-CH fr")
	a = w.do("GET", authorizePath+"?"+v.Encode(), "", "Accept-Language", "nl")
	if got := a.Header.Get("Content-Language"); got != "de" {
		t.Errorf("the program asks for Italian, German, French: got %s, want de", got)
	}
	v.Set("lang", "fr")
	a = w.decided(v, "password", "wrong")
	if !strings.Contains(a.text, "mot de passe est faux") {
		t.Errorf("after a wrong password: %s, want mot de passe est faux in it", a.text)
	}
	if _, got := w.decided(v).location(); !got.Has("code") || got.Has("lang") {
		t.Errorf("got %v, want a code and no lang", got)
	}
}

// Every language has every text, in its own words, except Name, which German shares with English.
func TestTexts(t *testing.T) {
	english := reflect.ValueOf(*allTexts["en"])
	for tag, texts := range allTexts {
		for v, i := reflect.ValueOf(*texts), 1; i < v.NumField(); i++ { // the first is the language
			name, text := v.Type().Field(i).Name, v.Field(i).String()
			if text == "" {
				t.Errorf("words/%s.json lacks %s", tag, name)
			}
			if tag != "en" && text == english.Field(i).String() && text != "Name" {
				t.Errorf("words/%s.json: %s is the English text %q", tag, name, text)
			}
		}
		file, err := wordFiles.ReadFile("words/" + tag + ".json")
		var words map[string]string
		if err = errors.Join(err, json.Unmarshal(file, &words)); err != nil || len(words) != english.NumField()-1 {
			t.Errorf("words/%s.json has %d texts, %v; want %d", tag, len(words), err, english.NumField()-1)
		}
		if tag == "de" && bytes.ContainsRune(file, 'ß') {
			t.Errorf("words/%s.json has ß, which is not written in Switzerland", tag)
		}
	}
}
