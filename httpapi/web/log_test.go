package web

import (
	"bytes"
	"context"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// sendLog sends a file, as the form does.
func sendLog(t *testing.T, p *Pages, target, file string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "secret-name.ntm")
	if err == nil {
		_, err = part.Write([]byte(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	form.Close()
	r := httptest.NewRequest("POST", target, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.logRoute().ServeHTTP(w, r)
	return w
}

// netmonster is a log as toNTM of btsearch/btsearch (clf-export.ts) writes it. The sites are those of goPages; SFR is
// 20810. The third cell was heard far from its site.
const netmonster = "4G;208;10;21;9;1009;17;48.81;2.3;Town 1 [eNBI:1009:21];1300\n4G;208;10;21;9;1009;17;48.81;2.3;Town 1 [eNBI:1009:21];1300\n" +
	"5G;208;10;286720005;9;;1007;48.84;2.3;Town 5 [NR n78:1007];643296\n4G;208;20;1;9;3000;2147483647;47.5;2.3;Town 8;1300\n" +
	"4G;208;10;1;9;4444;2147483647;48.8;2.3;Town 9;1300\n4G;310;260;1;9;4444;2147483647;48.8;2.3;Town 9;1300\n" +
	"2G;208;10;17;9;2147483647;2147483647;48.8;2.3;Town [G900];2147483647\n"

func TestLogPage(t *testing.T) {
	p := goPages(t)
	w := sendLog(t, p, "/log", netmonster)
	body := w.Body.String()
	if got := strings.Join(keysOf(body), " "); w.Code != 200 || got != "fr-1 fr-5 fr-8" {
		t.Errorf("status %d, sites %s; want 200, fr-1 fr-5 fr-8", w.Code, got)
	}
	for _, text := range []string{"7 rows", "6 with a cell", "<strong>2</strong> known", "<strong>1</strong> perhaps moved",
		"<strong>1</strong> unknown", "<strong>1</strong> of networks", "1.1\u00a0km", "0°\u00a0N", "eNB\u00a01009 · cell\u00a021",
		"NCI\u00a0286720005", "Moved?", `href="/near?lat=47.5&amp;lng=2.3"`, "1 cell: 310\u00a0260",
		`href="/go?eci=1137665&amp;lat=48.8&amp;lon=2.3&amp;plmn=20810"`, "keeps nothing"} {
		if !strings.Contains(body, text) {
			t.Errorf("the page has no %q", text)
		}
	}
	if h := w.Header(); h.Get("Cache-Control") != "no-store" || strings.Contains(body, "secret-name") {
		t.Errorf("Cache-Control %q; want no-store and no name of the file", h.Get("Cache-Control"))
	}
	french := sendLog(t, p, "/log?lang=fr", netmonster).Body.String()
	if !strings.Contains(french, "1,1\u00a0km") || !strings.Contains(french, `action="/log?lang=fr"`) {
		t.Error("the page is not French")
	}
	if w := ask(p, "GET", "/log"); w.Code != 200 || !strings.Contains(w.Body.String(), `enctype="multipart/form-data"`) {
		t.Errorf("GET: status %d without a form", w.Code)
	}
}

// What is not read says why.
func TestLogRefused(t *testing.T) {
	p := goPages(t)
	busy, keyed := *p, *p
	busy.Reserve = func(context.Context, int64) bool { return false }
	keyed.Keyed = true
	for _, tt := range []struct {
		name   string
		pages  *Pages
		file   string
		header []string
		status int
		text   string
	}{
		{"too large", p, strings.Repeat("x", maxLog+1), nil, 413, "at most 8\u00a0MB"},
		{"much too large", p, strings.Repeat("x", 3*maxLog), nil, 413, "at most 8\u00a0MB"},
		{"empty", p, "", nil, 400, "No file came"},
		{"no table", p, "<!DOCTYPE html>\n<p>Sign in\n", nil, 422, "not a table"},
		{"WiGLE", p, "WigleWifi-1.6,appRelease=2\n", nil, 422, "of the kind wigle"},
		{"no cell that can be looked up", p, "2G;208;10;17;9;2147483647;2147483647;48.8;2.3;Town [G900];2147483647\n", nil, 200, "No row"},
		{"a page of another server", p, netmonster, []string{"Sec-Fetch-Site", "cross-site"}, 403, "another server"},
		{"of another host of the domain", p, netmonster, []string{"Sec-Fetch-Site", "same-site"}, 403, "another server"},
		{"the own page", p, netmonster, []string{"Sec-Fetch-Site", "same-origin"}, 200, "7 rows"},
		{"no form", p, netmonster, []string{"Content-Type", "text/csv"}, 415, "No file came"},
		{"another boundary", p, netmonster, []string{"Content-Type", "multipart/form-data; boundary=x"}, 400, "No file came"},
		{"no memory", &busy, netmonster, nil, 503, "Too many logs"},
		{"a key is needed", &keyed, netmonster, nil, 403, "key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := sendLog(t, tt.pages, "/log", tt.file, tt.header...)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
				t.Errorf("status %d, want %d with %q", w.Code, tt.status, tt.text)
			}
		})
	}
	if w := ask(p, http.MethodDelete, "/log"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("DELETE: status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// Memory is reserved as the body comes, and once more for the rows. Who reads slowly keeps that of the page.
func TestLogMemory(t *testing.T) {
	p := goPages(t)
	var held []int64
	p.Reserve = func(_ context.Context, bytes int64) bool { held = append(held, bytes); return true }
	w := sendLog(t, p, "/log", netmonster+strings.Repeat("\n", 1<<20))
	page := int64(w.Body.Len())
	if n := len(held); w.Code != 200 || n < 10 || held[0] > 64<<10 || held[n-3] > 4<<20 || held[n-2] != logMemory || held[n-1] != 2*page {
		t.Errorf("status %d, reserved %d times: %v; want little at first, then %d and %d", w.Code, n, held, logMemory, 2*page)
	}
	p.Reserve = func(_ context.Context, bytes int64) bool { return bytes < 1<<20 }
	if w := sendLog(t, p, "/log", netmonster+strings.Repeat("\n", 1<<20)); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d without room for the body, want 503", w.Code)
	}
}

// Nothing of a log is logged, whatever happens to it.
func TestLogIsNotLogged(t *testing.T) {
	p := goPages(t)
	var text bytes.Buffer
	p.Log = slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, file := range []string{netmonster, netmonster + "broken;\"\n", "no table"} {
		sendLog(t, p, "/log", file)
	}
	if text.Len() > 0 {
		t.Errorf("the log has %s", &text)
	}
}

// A hostile table is text on the page.
func TestHostileLog(t *testing.T) {
	for _, file := range []string{
		strings.ReplaceAll(netmonster, "Town", `<b>Town"`),
		strings.ReplaceAll(netmonster, "310;260", `310;<b>`),
		strings.ReplaceAll(netmonster, "48.8", "1e308"),
		strings.ReplaceAll(netmonster, "48.8", "NaN"),
		strings.ReplaceAll(netmonster, ";1009;", ";99999999999999999999;"),
		strings.Repeat("4G;208;10;1;9;4444;", 20_000),
		"PK\x03\x04" + netmonster, "\x1f\x8b\x08" + netmonster,
	} {
		w := sendLog(t, goPages(t), "/log", file)
		if w.Code != 200 && w.Code != 422 || strings.Contains(w.Body.String(), "<b>") {
			t.Errorf("%.60q: status %d", file, w.Code)
		}
	}
}
