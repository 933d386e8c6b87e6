package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"relais/api"
	"relais/auth/access"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/snapshot"
)

// contract are the codes of the contract's error table that this version can
// answer.
var contract = []string{
	"API_KEY_REQUIRED", "INVALID_API_KEY", "SIGNATURE_REQUIRED", "FIRST_PARTY_TOKEN_REQUIRED", "IP_NOT_ALLOWED",
	"ORIGIN_NOT_ALLOWED",
	"INSUFFICIENT_SCOPE", "INVALID_BBOX", "INVALID_OPERATOR", "MISSING_RADIO_VALUE", "RATE_LIMITED",
	"ANTENNA_NOT_FOUND", "SITE_NOT_FOUND",
	"MISSING_FILE", "UNSUPPORTED_IMAGE_FORMAT", "IMAGE_TOO_LARGE", "HEIC_CONVERSION_FAILED", "PHOTO_UPLOAD_FAILED",
	"PHOTO_NOT_FOUND",
	"MISSING_ANTENNA_IDENTIFIER", "INVALID_DATE", "ARCHIVE_NOT_FOUND",
	"INVALID_PARAMETER", "NOT_FOUND", "METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "NOT_READY",
	"BUSY",
}

// answered are the codes that the tests of this package have seen, with their
// statuses.
var answered = struct {
	sync.Mutex
	statuses map[string]int
}{statuses: map[string]int{}}

// sawAnswer remembers the code of an answer.
func sawAnswer(status int, body []byte) {
	var e struct{ Code string }
	if status >= 400 && json.Unmarshal(body, &e) == nil && e.Code != "" {
		answered.Lock()
		defer answered.Unlock()
		answered.statuses[e.Code] = status
	}
}

// TestMain fails when all tests ran and some code was never answered, or one with
// another status than documented.
func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if status == 0 && undeclared.report() {
		status = 1
	}
	if whole := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" &&
		flag.Lookup("test.list").Value.String() == ""; whole && status == 0 {
		status = checkCodes()
	}
	os.Exit(status)
}

func checkCodes() (status int) {
	if undeclared.checked < 2000 {
		fmt.Printf("--- FAIL: TestUndeclaredAnswers: only %d answers were compared\n", undeclared.checked)
		status = 1
	}
	documented := map[string]int{}
	for _, p := range api.Problems() {
		documented[p.Code] = p.Status
	}
	for _, code := range slices.Concat(contract, slices.Collect(maps.Keys(documented))) {
		if got := answered.statuses[code]; got == 0 || got != documented[code] {
			fmt.Printf("--- FAIL: the code %s: documented as %d, answered as %d (0 is never)\n", code, documented[code],
				got)
			status = 1
		}
	}
	return status
}

// The documentation's table and the list above are the same.
func TestContractCodes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "shared", "spec", "api.md"))
	if err != nil {
		t.Skip("the contract is not here: the list above stands for it")
	}
	_, table, _ := strings.Cut(string(text), "| HTTP | code | condition |")
	later := []string{}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			if rows > 0 {
				break
			}
			continue
		}
		code := strings.TrimSpace(cells[2])
		if strings.ToUpper(code) != code || strings.ContainsAny(code, "-(*") {
			continue
		}
		rows++
		if !slices.Contains(contract, code) && !slices.Contains(later, code) {
			t.Errorf("%s is in the contract, want it in a list here as well", code)
		}
	}
	if rows < 15 {
		t.Errorf("%d codes were found in the contract, want at least 15", rows)
	}
}

// What breaks inside is an error of the operation's own name, and says nothing of
// the inside.
func TestBrokenInside(t *testing.T) {
	s := empty(t)
	var broken []*index.Market
	for _, code := range []market.Code{market.FR, market.DROM} {
		broken = append(broken, &index.Market{Table: market.Get(code), Snap: &snapshot.Snapshot{}})
	}
	s.SetData(index.NewSet(broken, nil))
	for _, m := range broken {
		m.Snap = nil
	}
	s.Photos, s.Community, s.Archives = nil, nil, nil
	s.Measures = func() *measure.Store { return new(measure.Store) }
	for _, op := range api.Operations() {
		w := ask(t, s, op, requiredQuery(op, ""), nil, nil)
		wantError(t, w, 500, op.FailureCode, "internal error")
		if strings.Contains(w.Body.String(), "nil") || strings.Contains(w.Body.String(), "index") {
			t.Errorf("%s: %s; want nothing of the cause", op.Name, w.Body)
		}
	}
}

// A client that needs an attestation, and brings none.
func TestAttestationRequired(t *testing.T) {
	s := newServer(t)
	i, err := s.Gate.Clients.Create(access.Client{Name: "app", Mode: access.Mobile, Scopes: access.ReadScopes,
		RequireAttestation: true})
	must(t, err)
	wantError(t, get(t, s, "/markets", clientHeaders(i, mount+"/markets")...), 401, "FIRST_PARTY_TOKEN_REQUIRED")
}

// record sends a request and remembers the code of its answer.
func record(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	sawAnswer(w.Code, bytes.TrimSpace(w.Body.Bytes()))
	if s, ok := h.(*Server); ok {
		undeclared.saw(s, r, w)
	}
	return w
}
