package web

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/demo"
	"relais/index/indextest"
	"relais/market"
)

// A csvRow is a row of an edition's file: its values by column.
type csvRow map[string]string

// figurePages serve a country with n editions. The second result is their files, oldest first.
func figurePages(t *testing.T, n int) (*Pages, [][]csvRow, []string) {
	t.Helper()
	const supports = 600
	set, err := indextest.Country(supports)
	if err != nil {
		t.Fatal(err)
	}
	archives := newArchives(t)
	var files [][]csvRow
	var dates []string
	france, err := demo.NewFrance(supports)
	if err != nil {
		t.Fatal(err)
	}
	err = france.Publications(t.TempDir(), n, func(path string) error {
		found, err := archive.Files([]string{path})
		if err != nil {
			return err
		}
		report, err := archives.Add(context.Background(), &found[0], archive.Options{})
		files, dates = append(files, readRows(t, path)), append(dates, report.Date)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	env := func() *api.Env {
		return &api.Env{Catalog: catalog.Catalog{Set: set, Archives: archives, Keyless: true}}
	}
	address := func(*http.Request) netip.Addr { return netip.Addr{} }
	return New(Options{Env: env, Address: address, Log: slog.New(slog.DiscardHandler), Map: true}), files, dates
}

func readRows(t *testing.T, path string) (rows []csvRow) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = ';'
	names, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	names[0] = strings.TrimPrefix(names[0], "\ufeff")
	for {
		values, err := r.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		row := csvRow{}
		for i, name := range names {
			row[name] = values[i]
		}
		if code := row["sta_nm_dpt"]; len(code) == 3 { // 001, but 971
			row["sta_nm_dpt"] = strings.TrimPrefix(code, "0")
		}
		rows = append(rows, row)
	}
}

// operator returns the key of the operator of metropolitan France.
func (r csvRow) operator() string {
	if i, ok := market.Get(market.FR).OperatorNamed(r["adm_lb_nom"]); ok {
		return market.Get(market.FR).Operators[i].Key
	}
	return ""
}

// overseas reports whether a row belongs to DROM.
func (r csvRow) overseas() bool { return strings.HasPrefix(r["sta_nm_dpt"], "97") }

var (
	tableRow = regexp.MustCompile(`<tr><th scope="row"(?: class="short")?>(?:<a [^>]*>)?([^<]*?)(?:</a>)? ?` +
		`(?:<span class="quiet">[^<]*</span>)?</th>(.*)</tr>`)
	unwanted = regexp.MustCompile(`<script|<style|style=|<th[^>]*></th>|<h2[^>]*></h2>`)
	cell     = regexp.MustCompile(`<td class="n">([^<]*)</td>`)
	noDigits = regexp.MustCompile(`[^0-9-]`)
)

// tableAfter returns the numbers of the first table after a text, by the head of their row.
func tableAfter(t *testing.T, page, text string) map[string][]int {
	t.Helper()
	at := strings.Index(page, text)
	if at < 0 {
		t.Fatalf("the page has no %q", text)
	}
	body, _, _ := strings.Cut(page[at:], "</tbody>")
	rows := map[string][]int{}
	for _, m := range tableRow.FindAllStringSubmatch(body, -1) {
		for _, c := range cell.FindAllStringSubmatch(m[2], -1) {
			rows[html.UnescapeString(m[1])] = append(rows[html.UnescapeString(m[1])], number(t, c[1]))
		}
	}
	return rows
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(noDigits.ReplaceAllString(html.UnescapeString(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFigurePages(t *testing.T) {
	p, _, dates := figurePages(t, 2)
	long := strings.Repeat("9", 3000)
	for _, tt := range []struct {
		target string
		status int
	}{
		{"/news", 302}, {"/news?market=DROM&lang=fr", 302}, {"/news/" + dates[0], 200}, {"/news/" + dates[1], 200},
		{"/news/" + dates[1] + "?market=DROM", 200}, {"/news/" + dates[1] + "?kind=site-added", 200},
		{"/news/" + dates[1] + "?kind=", 200}, {"/news/" + dates[1] + "?lang=%22%3E%3Cscript%3E", 200},
		{"/news/2026-02-30", 404}, {"/news/0000-00-00", 404}, {"/news/9999-12-31", 404}, {"/news/today", 404},
		{"/news/" + long, 404}, {"/news/%00", 404}, {"/news/..%2f..%2fetc", 404}, {"/news/%3Cscript%3E", 404},
		{"/news/" + dates[1] + "?market=CA", 404}, {"/news/" + dates[1] + "?market=" + long, 404},
		{"/news?market=CA", 404}, {"/news?market=ES", 404}, {"/news?market=XX", 404}, {"/news?since=7d", 200},
		{"/news?since=30d&until=" + dates[0], 200}, {"/news?since=" + dates[0], 200}, {"/news?until=" + dates[0], 302},
		{"/news?since=1999-01-01", 200}, {"/news?since=2999-01-01", 200}, {"/news?since=0d", 400}, {"/news?since=week", 400},
		{"/news?since=" + dates[1] + "&until=" + dates[0], 400}, {"/news?since=" + long, 400},
		{"/news?since=7d&department=99", 400}, {"/news?since=7d&operator=NOBODY", 400}, {"/news?since=7d&band=x", 400},
		{"/news?since=7d&technology=6G", 400}, {"/news?since=7d&bbox=1,2,3", 400}, {"/news?since=7d&lat=48", 400},
		{"/news?since=7d&market=DROM&department=971", 200}, {"/news?since=7d&department=&operator=&utm_source=x", 200},
		{"/news?since=7d&bbox=-5,41,9,51", 200}, {"/news?since=7d&lat=48.8&lng=2.3&radiusKm=20", 200}, {"/feeds", 302},
		{"/news/" + dates[1] + "?kind=changed", 400}, {"/news/" + dates[1] + "?page=0", 404},
		{"/news/" + dates[1] + "?page=-1", 404}, {"/news/" + dates[1] + "?page=" + long, 404},
		{"/news/" + dates[1] + "?page=2000", 404}, {"/news/" + dates[1] + "?page=x", 404},
		{"/stats", 200}, {"/stats?market=DROM", 200}, {"/stats?sort=sites&show=4g&operator=ORANGE", 200},
		{"/stats?sort=code", 200}, {"/stats?market=XX", 404}, {"/stats?market=CA", 404}, {"/stats?operator=NOBODY", 404},
		{"/stats?show=6g", 404}, {"/stats?sort=x", 404}, {"/stats?operator=" + long, 404},
		{"/stats?lang=%22%3E%3Cscript%3E", 200},
	} {
		t.Run(fmt.Sprintf("%.60s", tt.target), func(t *testing.T) {
			w := ask(p, "GET", tt.target)
			text := w.Body.String()
			if w.Code != tt.status || unwanted.MatchString(text) || w.Header().Get("Content-Security-Policy") != policy {
				t.Errorf("status %d, want %d, the policy, no scripts or styles in the page, and no empty title", w.Code, tt.status)
			}
			if h := ask(p, "HEAD", tt.target); h.Code != tt.status || h.Body.Len() != 0 {
				t.Errorf("HEAD: status %d with %d bytes, want %d without a body", h.Code, h.Body.Len(), tt.status)
			}
			p.asked = New(p.Options).asked // the limit is not what is tested
		})
	}
	newest := ask(p, "GET", "/news?market=DROM&lang=fr").Header().Get("Location")
	if want := "/news/" + dates[1] + "?lang=fr&market=DROM"; newest != want {
		t.Errorf("the newest edition is at %q, want %q", newest, want)
	}
	if w := ask(p, "GET", "/news/"+dates[0]); !strings.Contains(w.Body.String(), english["firstEdition"]) ||
		strings.Contains(w.Body.String(), "<table") {
		t.Error("the first edition has changes, or does not say that it is the first")
	}
	if w := ask(p, "POST", "/stats"); w.Code != 405 {
		t.Errorf("POST: status %d, want 405", w.Code)
	}
}

// Without editions the pages say so.
func TestFiguresWithoutEditions(t *testing.T) {
	p, _, _ := figurePages(t, 0)
	if w := ask(p, "GET", "/news?lang=fr"); w.Code != 404 || !strings.Contains(w.Body.String(), french["noEditionsWhy"]) {
		t.Errorf("/news: status %d, want 404 and the reason", w.Code)
	}
	if w := ask(p, "GET", "/stats"); w.Code != 200 || !strings.Contains(w.Body.String(), english["noTrends"]) {
		t.Errorf("/stats: status %d, want 200 and the reason", w.Code)
	}
	set := p.Env().Set
	p.Options.Env = func() *api.Env { return &api.Env{Catalog: catalog.Catalog{Set: set}} }
	for _, target := range []string{"/news", "/stats"} {
		if w := ask(p, "GET", target); w.Code >= 500 {
			t.Errorf("%s without a store of archives: status %d", target, w.Code)
		}
	}
}

// Without a question the search shows the departments, with the number of their sites.
func TestSearchOfEverything(t *testing.T) {
	p, files, _ := figurePages(t, 1)
	want := map[string]bool{}
	for _, row := range files[0] {
		if !row.overseas() {
			want[row["sta_nm_dpt"]] = true
		}
	}
	w := ask(p, "GET", "/search?lang=en")
	area := regexp.MustCompile(`<li><a href="/search\?department=([^&"]+)&amp;lang=en&amp;market=FR">[^<]+ \([^)]+\)</a> <span class="quiet">([0-9,]+)</span>`)
	sum := 0
	for _, m := range area.FindAllStringSubmatch(w.Body.String(), -1) {
		if !want[m[1]] {
			t.Errorf("department %s has no site", m[1])
		}
		delete(want, m[1])
		sum += number(t, m[2])
	}
	if total := p.Env().Set.Market(market.FR).Len(); len(want) > 0 || sum != total || strings.Contains(w.Body.String(), "<table") {
		t.Errorf("the departments have %d of %d sites; missing: %v", sum, total, want)
	}
}
