package httpapi

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/hook"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
)

const (
	rulesFile     = "../deploy/prometheus/relais.rules.yml"
	rulesTest     = "../deploy/prometheus/relais.test.yml"
	dashboardFile = "../deploy/grafana/relais.json"
)

// A board is what is looked at of a dashboard of Grafana.
type board struct {
	Title, UID    string
	SchemaVersion int
	Templating    struct{ List []struct{ Name, Type string } }
	Panels        []struct {
		ID          int
		Title, Type string
		GridPos     struct{ H, W, X, Y int }
		Targets     []struct{ RefID, Expr string }
	}
}

func readBoard(t *testing.T) (b board) {
	t.Helper()
	must(t, json.Unmarshal(filetest.Read(t, dashboardFile), &b))
	return b
}

// described returns the names of the metrics that a server can have.
func described(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{"up": true} // Prometheus adds this one
	s := newServer(t)
	s.Updates = func() Updates {
		return Updates{Success: map[market.Code]time.Time{market.FR: {}}, Failures: map[market.Code]int{market.FR: 1}}
	}
	s.Hooks = func() []hook.Hook { return []hook.Hook{{ID: "hook"}} }
	s.CountTool("tool", true)
	importOutages(t, s, market.FR, "ORANGE", paris)
	get(t, s, "/markets")
	for line := range page(t, s) {
		line, _, _ = strings.Cut(line, "{")
		names[strings.TrimSuffix(line, "_count")] = true
		names[line] = true
	}
	names["relais_tls_certificate_expiry_timestamp_seconds"] = true // of package cli, which tests it
	return names
}

var (
	quoted    = regexp.MustCompile(`"[^"]*"|\{\{.*?\}\}`)
	metric    = regexp.MustCompile(`\b(?:relais|process|go)_\w+|\bup\b`)
	histogram = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// Rules and dashboard name metrics that exist.
func TestMonitoringNamesMetrics(t *testing.T) {
	known := described(t)
	expressions := map[string]string{}
	for n, line := range strings.Split(string(filetest.Read(t, rulesFile)), "\n") {
		if _, expr, ok := strings.Cut(line, "expr: "); ok {
			expressions[fmt.Sprint("rules, line ", n+1)] = expr
		}
	}
	for _, p := range readBoard(t).Panels {
		for _, target := range p.Targets {
			expressions[p.Title+" "+target.RefID] = target.Expr
		}
	}
	if len(expressions) < 30 {
		t.Fatalf("got %d expressions, want more", len(expressions))
	}
	for where, expr := range expressions {
		names := metric.FindAllString(quoted.ReplaceAllString(expr, ""), -1)
		if len(names) == 0 {
			t.Errorf("%s: got no metric in %s, want one", where, expr)
		}
		for _, name := range names {
			if !known[name] && !known[histogram.ReplaceAllString(name, "")] {
				t.Errorf("%s: got %s, want a metric of /metrics", where, name)
			}
		}
	}
}

// The dashboard has the form that Grafana reads.
func TestDashboard(t *testing.T) {
	b, ids := readBoard(t), map[int]bool{}
	if b.Title == "" || b.UID == "" || b.SchemaVersion < 36 || len(b.Templating.List) != 2 {
		t.Errorf("got title %q, uid %q, schema %d, %d variables; want 36 or more, and 2", b.Title, b.UID, b.SchemaVersion,
			len(b.Templating.List))
	}
	type cell struct{ x, y int }
	taken := map[cell]string{}
	for _, p := range b.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 || p.GridPos.H < 1 || p.GridPos.W < 1 {
			t.Errorf("%s: got id %d, %+v; want an id of its own, within 24 columns", p.Title, p.ID, p.GridPos)
		}
		ids[p.ID] = true
		if (p.Type == "row") != (len(p.Targets) == 0) {
			t.Errorf("%s: got %d targets for a %s", p.Title, len(p.Targets), p.Type)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := cell{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[at] != "" {
					t.Errorf("%s: got %v, want it apart from %s", p.Title, at, taken[at])
				}
				taken[at] = p.Title
			}
		}
	}
}

// promtool reads the rules, their tests, and the expressions of the dashboard.
func TestPromtool(t *testing.T) {
	tier.Slow(t)
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian: prometheus)")
	}
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	for _, p := range readBoard(t).Panels {
		for _, target := range p.Targets {
			expr, err := json.Marshal(strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
			must(t, err)
			fmt.Fprintf(&rules, "      - {record: a, labels: {panel: %q}, expr: %s}\n", fmt.Sprint(p.ID, target.RefID), expr)
		}
	}
	path := filepath.Join(t.TempDir(), "dashboard.yml")
	filetest.Write(t, path, rules.String())
	for _, args := range [][]string{{"check", "rules", rulesFile}, {"test", "rules", rulesTest}, {"check", "rules", path}} {
		if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v: %s", args, err, out)
		}
	}
}
