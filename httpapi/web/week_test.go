package web

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/api/endpoint"
	"relais/archive"
	"relais/market"
)

func changesOf(before, after []csvRow, drom bool, column string) map[string]weekCounts {
	was, is, had := map[string]csvRow{}, map[string]csvRow{}, map[string]bool{}
	for _, r := range before {
		was[r.key()], had[r["sup_id"]] = r, true
	}
	counts := map[string]weekCounts{}
	add := func(r csvRow, kind int) {
		if r.overseas() == drom {
			c := counts[r[column]]
			c[kind]++
			counts[r[column]] = c
		}
	}
	for _, r := range after {
		is[r.key()] = r
		old, known := was[r.key()]
		switch {
		case !known && !had[r["sup_id"]]:
			add(r, 0)
		case !known:
			add(r, 1)
		case old["statut"] == "Projet approuvé" && r["statut"] != "Projet approuvé":
			add(r, 2)
		}
	}
	for _, r := range before {
		if _, stays := is[r.key()]; !stays {
			add(r, 3)
		}
	}
	return counts
}

func withTotals(counts map[string]weekCounts, name func(string) string) map[string][]int {
	rows := map[string][]int{}
	for key, c := range counts {
		rows[name(key)] = append(c[:], c.Total())
	}
	return rows
}

func TestWeekFigures(t *testing.T) {
	p, files, dates := figurePages(t, 3)
	same := func(s string) string { return s }
	for _, drom := range []bool{false, true} {
		code := market.FR
		if drom {
			code = market.DROM
		}
		label := func(name string) string {
			if i, ok := market.Get(code).OperatorNamed(name); ok {
				return market.Get(code).Operators[i].Label
			}
			return name
		}
		for i := 1; i < len(files); i++ {
			t.Run(fmt.Sprint(code, " ", dates[i]), func(t *testing.T) {
				w := ask(p, "GET", "/week/"+dates[i]+"?lang=en&market="+string(code))
				if w.Code != 200 {
					t.Fatalf("status %d, want 200", w.Code)
				}
				for _, tt := range []struct {
					title, column string
					name          func(string) string
				}{{"By operator</h2>", "adm_lb_nom", label}, {"By technology</h2>", "emr_lb_systeme", same},
					{"By department</h2>", "sta_nm_dpt", same}} {
					counts := changesOf(files[i-1], files[i], drom, tt.column)
					if len(counts) == 0 {
						t.Fatal("nothing changed: the test shows nothing")
					}
					if diff := cmp.Diff(withTotals(counts, tt.name), tableAfter(t, w.Body.String(), tt.title)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", tt.title, diff)
					}
				}
			})
		}
	}
}

func TestWeekFiguresAreThoseOfTheAPI(t *testing.T) {
	p, _, dates := figurePages(t, 2)
	var answer struct {
		Data map[string]struct{ Antennas []struct{ Type string } }
	}
	readOperation(t, p.Env(), "anfr.archive", map[string]string{"date": dates[1]}, &answer)
	want, got := map[string]int{}, map[string]int{}
	for _, kind := range weekKinds {
		want[kind] = 0
	}
	for _, s := range answer.Data {
		for _, a := range s.Antennas {
			want[a.Type]++
		}
	}
	links := 0
	for _, code := range archive.Markets {
		page := ask(p, "GET", "/week/"+dates[1]+"?lang=en&market="+string(code)).Body.String()
		for _, row := range tableAfter(t, page, "By operator</h2>") {
			for k, kind := range weekKinds {
				got[kind] += row[k]
			}
		}
		for _, m := range regexp.MustCompile(`href="(/site/[^"?]+)\?lang=en"`).FindAllStringSubmatch(page, 5) {
			if w := ask(p, "GET", m[1]); w.Code != 200 {
				t.Errorf("%s: status %d, want 200", m[1], w.Code)
			}
			links++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || links == 0 {
		t.Errorf("%d links of sites, and kinds (-API +pages):\n%s", links, diff)
	}
}

func readOperation(t *testing.T, env *api.Env, name string, params map[string]string, into any) {
	t.Helper()
	ops := api.Operations()
	op := ops[slices.IndexFunc(ops, func(o *endpoint.Op[*api.Env]) bool { return o.Name == name })]
	call, err := op.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
	if err != nil {
		t.Fatal(err)
	}
	result, err := call.Do(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := result.(endpoint.Stream).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text.String()+"}"), into); err != nil {
		t.Fatal(err)
	}
}
