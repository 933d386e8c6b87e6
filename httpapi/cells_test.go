package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/auth/access"
	"relais/market"
	"relais/site"
)

// postCells asks for cells, with the key of every test unless headers have another.
func postCells(t *testing.T, s *Server, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, s, "POST", mount+"/antennas/lookup", []byte(body), append([]string{"Content-Type", "application/json"}, headers...)...)
}

// cellsBody is a question about so many cells.
func cellsBody(n int) string {
	return `{"cells": [` + strings.Repeat(`{"ci": 1},`, n-1) + `{"ci": "1"}]}`
}

// Each cell has the answer that the look-up of one has.
func TestCellsLikeOne(t *testing.T) {
	s := newServer(t)
	set, err := country()
	must(t, err)
	m := set.Market(market.FR)
	var cells []string
	var queries []string
	var stated site.Site
	names := map[site.RadioKind]string{site.ENB: "enb", site.GNB: "gnb", site.PCI: "pci", site.Cell: "cellId"}
	for i := 0; i < m.Len() && len(cells) < 400; i++ {
		m.Site(uint32(i), &stated)
		for _, id := range stated.Radio {
			key, plmn := m.Table.Operators[id.Operator].Key, m.Table.Operators[id.Operator].PLMNs[0]
			cells = append(cells,
				fmt.Sprintf(`{"%s": "%d"}`, names[id.Kind], id.Value),
				fmt.Sprintf(`{"value": %d, "operator": "%s", "market": "fr"}`, id.Value, key),
				fmt.Sprintf(`{"mcc": %s, "mnc": "%s", "type": "%s", "value": "%d"}`, plmn[:3], plmn[3:], names[id.Kind],
					id.Value))
			queries = append(queries, fmt.Sprintf("%s=%d", names[id.Kind], id.Value),
				fmt.Sprintf("value=%d&operator=%s", id.Value, key),
				fmt.Sprintf("value=%d&type=%s&operator=%s", id.Value, names[id.Kind], key))
		}
	}
	for _, unknown := range []string{`{"enb": "99999"}`, `{"mcc": 999, "mnc": 99, "enb": 1}`,
		`{"market": "PT", "enb": "1"}`} {
		cells = append(cells, unknown)
		queries = append(queries, "")
	}
	o := parse(t, postCells(t, s, `{"cells": [`+strings.Join(cells, ",\n\t")+`]}`), 200)
	data := o["data"].([]any)
	if len(data) != len(cells) {
		t.Fatalf("%d answers, want %d", len(data), len(cells))
	}
	found := 0
	for i, query := range queries {
		want := []any{}
		if query != "" {
			want = parse(t, get(t, s, "/antennas/lookup-by-radio?limit=100&"+query), 200)["data"].([]any)
		}
		total := json.Number(fmt.Sprint(len(want)))
		if len(want) > 0 {
			found++
		}
		wanted := object{"sites": want[:min(5, len(want))], "total": total, "error": nil}
		if diff := cmp.Diff(wanted, data[i].(object)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", cells[i], diff)
		}
	}
	wantMembers(t, o["meta"].(object), object{"cells": json.Number(fmt.Sprint(len(cells))), "invalid": json.Number("0"),
		"found": json.Number(fmt.Sprint(found))}, "meta")
	if found < 200 {
		t.Errorf("%d of the cells are known, want more for a test", found)
	}
}

// A cell that is invalid has an error of its own, and the others have their answers.
func TestInvalidCells(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ cell, code, parameter string }{
		{`{}`, "MISSING_RADIO_VALUE", "value"},
		{`{"value": "x"}`, "INVALID_PARAMETER", "value"},
		{`{"pci": 1008}`, "INVALID_PARAMETER", "pci"},
		{`{"ci": 1, "enb": 1}`, "INVALID_PARAMETER", "ci"},
		{`{"ci": 1, "type": "tac"}`, "INVALID_PARAMETER", "type"},
		{`{"ci": 1, "market": "XX"}`, "INVALID_PARAMETER", "market"},
		{`{"ci": 1, "operator": "NOBODY"}`, "INVALID_OPERATOR", "operator"},
		{`{"ci": 1, "mcc": 208}`, "INVALID_PARAMETER", "mcc"},
		{`{"ci": 1, "mcc": 208, "mnc": 1000}`, "INVALID_PARAMETER", "mnc"},
		{`{"ci": 1, "mcc": 208, "mnc": 1, "operator": "SFR"}`, "INVALID_PARAMETER", "mcc"},
		{`{"ci": 1, "tac": 7}`, "INVALID_PARAMETER", ""},
		{`{"ci": 1, "market": "CA"}`, "NOT_READY", ""},
		{`{"ci": {"x": 1}}`, "INVALID_PARAMETER", "ci"},
		{`{"ci": "1", "ci": "2"}`, "INVALID_PARAMETER", ""},
		{`"1"`, "INVALID_PARAMETER", "cells"},
		{`null`, "INVALID_PARAMETER", "cells"},
		{`[]`, "INVALID_PARAMETER", "cells"},
	} {
		t.Run(tt.cell, func(t *testing.T) {
			data := parse(t, postCells(t, s, `{"cells": [{"ci": "1"}, `+tt.cell+`]}`), 200)["data"].([]any)
			if data[0].(object)["error"] != nil {
				t.Errorf("the other cell: got %v, want no error", data[0])
			}
			e, _ := data[1].(object)["error"].(object)
			parameter, _ := e["parameter"].(string)
			if e["code"] != tt.code || !strings.Contains(parameter, tt.parameter) || len(e["error"].(string)) > 700 {
				t.Errorf("got %v, want code %s of %s", e, tt.code, tt.parameter)
			}
		})
	}
}

func TestBadCellsBodies(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		name, body string
		status     int
		code       string
		mentions   string
	}{
		{"none", `{"cells": []}`, 400, "INVALID_PARAMETER", "1 to 500"},
		{"too many", cellsBody(501), 400, "INVALID_PARAMETER", "1 to 500"},
		{"missing", `{}`, 400, "INVALID_PARAMETER", "cells"},
		{"null", `{"cells": null}`, 400, "INVALID_PARAMETER", "cells"},
		{"an object", `{"cells": {}}`, 400, "INVALID_PARAMETER", "cells"},
		{"a text", `{"cells": "[]"}`, 400, "INVALID_PARAMETER", "cells"},
		{"twice", `{"cells": [{"ci": 1}], "cells": [{"ci": 1}]}`, 400, "INVALID_PARAMETER", "once"},
		{"a list alone", `[{"ci": 1}]`, 400, "INVALID_PARAMETER", "body"},
		{"not JSON", `{"cells": [`, 400, "INVALID_PARAMETER", "body"},
		{"deep", `{"cells": ` + strings.Repeat("[", 20000), 400, "INVALID_PARAMETER", "body"},
		{"not UTF-8", "{\"cells\": [{\"ci\": \"\xff\"}]}", 400, "INVALID_PARAMETER", "UTF-8"},
		{"too long", `{"cells": [` + strings.Repeat(" ", 64<<10) + `]}`, 413, "PAYLOAD_TOO_LARGE", "65536"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantError(t, postCells(t, s, tt.body), tt.status, tt.code, tt.mentions)
		})
	}
	wantError(t, postCells(t, s, cellsBody(1), "Content-Type", "text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE")
	wantError(t, postCells(t, s, cellsBody(1), "Content-Encoding", "gzip"), 415, "UNSUPPORTED_MEDIA_TYPE")
	wantError(t, get(t, s, "/antennas/lookup"), 405, "METHOD_NOT_ALLOWED")
}

// Ten cells count as a request. What is not left is refused whole, before the look-up.
func TestCellsQuota(t *testing.T) {
	withinMinute()
	s := newServer(t)
	i := newClient(t, s, access.Server, []access.Scope{access.AntennasRead}, access.Limits{Minute: 60, Day: 100})
	post := func(n int) *httptest.ResponseRecorder {
		return postCells(t, s, cellsBody(n), clientHeaders(i, "")...)
	}
	left := func(w *httptest.ResponseRecorder, want string) {
		t.Helper()
		if got := w.Header().Get("X-RateLimit-Remaining"); got != want {
			t.Errorf("%s requests are left, want %s", got, want)
		}
	}
	w := post(10)
	parse(t, w, 200)
	left(w, "59")
	w = post(11)
	parse(t, w, 200)
	left(w, "57")
	w = post(500)
	parse(t, w, 200)
	left(w, "7")
	w = post(71)
	wantError(t, w, 429, "RATE_LIMITED", "counts as 8 requests")
	left(w, "6")
	if wait := w.Header().Get("Retry-After"); wait == "" {
		t.Error("no Retry-After")
	}
	w = post(60)
	parse(t, w, 200)
	left(w, "0")
	wantError(t, post(1), 429, "RATE_LIMITED")
	small := newClient(t, s, access.Server, []access.Scope{access.AntennasRead}, access.Limits{Minute: 40, Day: 1000})
	wantError(t, postCells(t, s, cellsBody(500), clientHeaders(small, "")...), 429, "RATE_LIMITED", "the limit is 40")
	day := newClient(t, s, access.Server, []access.Scope{access.AntennasRead}, access.Limits{Minute: 100, Day: 50})
	parse(t, postCells(t, s, cellsBody(500), clientHeaders(day, "")...), 200)
	wantError(t, postCells(t, s, cellsBody(1), clientHeaders(day, "")...), 429, "RATE_LIMITED")
}

// A page of a client's origin may send the question, a client that signs must sign its body, and none
// needs to be a partner. A signed question can be asked again.
func TestCellsModes(t *testing.T) {
	s := newServer(t)
	scopes, limits := []access.Scope{access.AntennasRead}, access.Limits{Minute: 1000, Day: 1000}
	newClient(t, s, access.Browser, scopes, limits)
	w := do(t, s, "OPTIONS", mount+"/antennas/lookup", "X-API-Key", "", "Origin", allowedOrigin,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,x-api-key")
	if h := w.Header(); w.Code != 204 || h.Get("Access-Control-Allow-Origin") != allowedOrigin ||
		!strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Content-Type") {
		t.Errorf("preflight: %d %v, want 204 that allows POST with Content-Type", w.Code, h)
	}
	body := cellsBody(3)
	for _, mode := range []access.Mode{access.Browser, access.Server, access.Mobile} {
		i := newClient(t, s, mode, scopes, limits)
		if mode == access.Mobile {
			wantError(t, postCells(t, s, body, clientHeaders(i, "")...), 401, "SIGNATURE_REQUIRED")
		}
		headers := credentials(i, "POST", mount+"/antennas/lookup", time.Now(), []byte(body))
		for range 2 {
			w := postCells(t, s, body, headers...)
			parse(t, w, 200)
			if w.Header().Get("Idempotent-Replayed") != "" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s: headers %v, want an answer that is made again and not kept", mode, w.Header())
			}
			if mode == access.Browser && w.Header().Get("Access-Control-Allow-Origin") != allowedOrigin {
				t.Errorf("%s: headers %v, want one that lets the page read", mode, w.Header())
			}
		}
	}
	w = postCells(t, s, cellsBody(100), "Accept-Encoding", "gzip")
	if w.Code != 200 || w.Header().Get("Content-Encoding") != "gzip" ||
		!bytes.HasPrefix(w.Body.Bytes(), []byte{0x1f, 0x8b}) {
		t.Errorf("gzip: %d %v, want a compressed answer", w.Code, w.Header())
	}
}
