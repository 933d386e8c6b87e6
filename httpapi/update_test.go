package httpapi

import (
	"encoding/json"
	"testing"
	"time"

	"relais/market"
)

func TestUpdateState(t *testing.T) {
	s := newServer(t)
	if _, ok := readyz(t, s)["update"]; ok {
		t.Error("/readyz has an update, want none without Updates")
	}
	is := Updates{Next: time.Unix(1764000000, 5), Failures: map[market.Code]int{market.FR: 0}}
	o := s.Options
	o.Updates = func() Updates { return is }
	s, err := New(o)
	must(t, err)
	u := readyz(t, s)["update"].(map[string]any)
	wantMembers(t, u, object{"next": "2025-11-24T16:00:00Z", "lastRun": nil, "problems": nil, "running": false}, "update")
	if v := page(t, s); v[`relais_update_failures_total{market="FR"}`] != "0" ||
		v[`relais_update_last_success_timestamp_seconds{market="FR"}`] != "" {
		t.Errorf("got %v, want no failures and no success of FR", v)
	}
	is = Updates{Running: true, LastRun: time.Unix(1764000000, 0),
		Problems: map[market.Code]string{market.FR: "an HTML page"},
		Success:  map[market.Code]time.Time{market.FR: time.Unix(1763000000, 0)},
		Failures: map[market.Code]int{market.FR: 2}}
	u = readyz(t, s)["update"].(map[string]any)
	if u["lastRun"] != "2025-11-24T16:00:00Z" || u["problems"].(map[string]any)["FR"] != "an HTML page" ||
		u["running"] != true {
		t.Errorf("got %v, want lastRun = 2025-11-24T16:00:00Z, FR = an HTML page and running = true", u)
	}
	v := page(t, s)
	if v[`relais_update_failures_total{market="FR"}`] != "2" ||
		v[`relais_update_last_success_timestamp_seconds{market="FR"}`] != "1.763e+09" {
		t.Errorf("got %v, want two failures and the last success of FR", v)
	}
}

func readyz(t *testing.T, s *Server) (v map[string]any) {
	t.Helper()
	must(t, json.Unmarshal(do(t, s, "GET", "/readyz", "X-Test-Peer", "127.0.0.1:1").Body.Bytes(), &v))
	return v
}
