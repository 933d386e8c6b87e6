package update

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/market"
)

// A triples server answers like a query service: rows by the second word of the query's first variable. It sends at
// most page rows, whatever it is asked.
type triples struct {
	rows map[string][]map[string]term // by the first variable of the query
	page int
	log  []string // the LIMIT and OFFSET, or "count"
	// alter, which may be nil, changes what the nth answer has.
	alter func(nth int, rows []map[string]term) []map[string]term
}

var (
	firstVariable = regexp.MustCompile(`SELECT DISTINCT \?(\w+)((?: \?\w+)*)`)
	ofPage        = regexp.MustCompile(`LIMIT (\d+) OFFSET (\d+)\n$`)
)

func (s *triples) handler(t *testing.T) handler {
	return func(w http.ResponseWriter, r *http.Request, nth int) bool {
		query := r.FormValue("query")
		if r.Method != http.MethodPost || !strings.HasPrefix(query, "PREFIX ") ||
			r.Header.Get("Accept") != "application/sparql-results+json" {
			t.Errorf("%s %q, accepts %q; want a posted query", r.Method, query, r.Header.Get("Accept"))
		}
		m := firstVariable.FindStringSubmatch(query)
		rows := slices.Clone(s.rows[m[1]+m[2]])
		if s.alter != nil {
			rows = s.alter(nth, rows)
		}
		vars := strings.Fields(m[1] + strings.ReplaceAll(m[2], "?", ""))
		if strings.Contains(query, "COUNT(*)") {
			s.log = append(s.log, "count")
			vars, rows = []string{"rows"}, []map[string]term{{"rows": {"type": "literal",
				"datatype": "http://www.w3.org/2001/XMLSchema#integer", "value": strconv.Itoa(len(rows))}}}
		} else {
			if !strings.Contains(query, "ORDER BY ?"+m[1]) {
				t.Errorf("no order in %q", query)
			}
			p := ofPage.FindStringSubmatch(query)
			s.log = append(s.log, p[1]+" "+p[2])
			from, _ := strconv.Atoi(p[2])
			rows = rows[min(from, len(rows)):]
			rows = rows[:min(s.page, len(rows))]
		}
		w.Header().Set("Content-Type", "application/sparql-results+json")
		if rows == nil {
			rows = []map[string]term{}
		}
		return json.NewEncoder(w).Encode(map[string]any{"head": map[string]any{"vars": vars},
			"results": map[string]any{"bindings": rows}}) == nil
	}
}

// An answer is one in the SPARQL results format. Each binding is one row, by the names of the variables.
type answer struct {
	Head    struct{ Vars []string }
	Results struct{ Bindings []map[string]term }
}

// antennaRows returns rows of two variables, in their order.
func antennaRows(n int) (rows []map[string]term) {
	for i := range n {
		rows = append(rows, map[string]term{"technologie": {"type": "uri", "value": fmt.Sprintf("https://x/%05d", i)},
			"label": {"type": "literal", "value": "4G"}})
	}
	return rows
}

const technologies = "technologie ?label"

// queryLine is a table's line of a query service.
func (k *kit) queryLine() string {
	return strings.Replace(k.file("antennas", "sparql", "/sparql", ""), `"licence"`,
		`"queries":[{"name":"technologies","file":"flanders-technologies.rq"}],"licence"`, 1)
}

// gathered runs a gatherer of the only file of a table, and returns what it wrote.
func (k *kit) gathered(line string) (string, error) {
	k.t.Helper()
	f := fileOf(k.t, line)
	s := &source{Options: k.options(), client: testClient(k.t), group: group{markets: []market.Code{f.Market}}}
	at, err := s.client.find(k.t.Context(), f)
	must(k.t, err)
	d := s.download(f, at, record{})
	if err := d.run(k.t.Context()); err != nil {
		return "", err
	}
	return string(filetest.Read(k.t, d.path)), nil
}

func TestQueries(t *testing.T) {
	k := newKit(t)
	k.use(k.queryLine())
	for _, n := range []int{1, 9, 10, 11, 25} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := &triples{rows: map[string][]map[string]term{technologies: antennaRows(n)}, page: 10}
			k.behave("/sparql", s.handler(t))
			text, err := k.gathered(k.queryLine())
			must(t, err)
			var got struct{ Queries map[string]answer }
			must(t, json.Unmarshal([]byte(text), &got))
			a := got.Queries["technologies"]
			if len(a.Results.Bindings) != n || !slices.Equal(a.Head.Vars, []string{"technologie", "label"}) {
				t.Fatalf("got %d rows of %q, want %d", len(a.Results.Bindings), a.Head.Vars, n)
			}
			for i, row := range antennaRows(n) {
				if a.Results.Bindings[i]["technologie"]["value"] != row["technologie"]["value"] {
					t.Errorf("row %d is %v, want %v", i, a.Results.Bindings[i], row)
				}
			}
			// One row a line, and a line for each bracket.
			if lines := strings.Count(text, "\n"); lines != n+4 {
				t.Errorf("%d lines, want %d:\n%s", lines, n+4, text)
			}
			want := []string{"count"}
			for at := 0; at < n; at += 10 {
				want = append(want, fmt.Sprintf("%d %d", pageRows, at))
			}
			if want = append(want, "count"); !slices.Equal(s.log, want) {
				t.Errorf("asked %q, want %q", s.log, want)
			}
		})
	}
}

func TestQueryErrors(t *testing.T) {
	k := newKit(t)
	k.use(k.queryLine())
	type rows = []map[string]term
	for _, tt := range []struct {
		name, want string
		alter      func(nth int, r rows) rows
	}{
		{"repeats", "repeats a row", func(nth int, r rows) rows {
			if nth == 3 { // the second page begins one row too early
				return append(rows{r[0]}, r...)
			}
			return r
		}},
		{"skips", "counts 25 rows and sends 24", func(nth int, r rows) rows {
			if nth > 2 { // a row of the first page is gone, so the next ones move up
				return r[1:]
			}
			return r
		}},
		{"grows", "counted 25 rows before and 26 after", func(nth int, r rows) rows {
			if nth > 4 {
				return antennaRows(26)
			}
			return r
		}},
		{"grows in between", "counts 25 rows and sends more", func(nth int, r rows) rows {
			if nth > 3 {
				return antennaRows(26)
			}
			return r
		}},
		{"shrinks", "counts 25 rows and sends 10", func(nth int, r rows) rows {
			if nth > 2 {
				return r[:10]
			}
			return r
		}},
		{"nothing", "has no rows", func(int, rows) rows { return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &triples{rows: map[string][]map[string]term{technologies: antennaRows(25)}, page: 10, alter: tt.alter}
			k.behave("/sparql", s.handler(t))
			if text, err := k.gathered(k.queryLine()); err == nil || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "technologies: ") {
				t.Errorf("got %q, %v; want an error with %q and the name of the query", text, err, tt.want)
			}
		})
	}
	for _, tt := range []struct{ name, text, want string }{
		{"HTML", "<!doctype html><html>", "an HTML page"},
		{"text", "Too Many Sessions", "too many sessions (after 3 tries)"},
		{"XML", "<?xml version=\"1.0\"?><sparql/>", "an XML document"},
		{"another object", `{"boolean":true}`, "no number"},
		{"no list", `{"results":{"bindings":{}}}`, "not an answer"},
		{"a list of numbers", `{"results":{"bindings":[1]}}`, "row 1 of the answer is not an object"},
		{"cut", `{"results":{"bindings":[{"rows":{"val`, "not an answer"},
		{"another type", `{"results":{"bindings":[{"rows":{"value":{"x":1}}}]}}`, "not an answer"},
		{"no number", `{"results":{"bindings":[{"rows":{"value":"many"}}]}}`, "no number"},
		{"a huge number", `{"results":{"bindings":[{"rows":{"value":"99999999999"}}]}}`, "no number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k.behave("/sparql", answering(200, tt.text))
			if text, err := k.gathered(k.queryLine()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want an error with %q", text, err, tt.want)
			}
		})
	}
}

// A service that is busy is asked again, however it says so.
func TestBusyService(t *testing.T) {
	k := newKit(t)
	k.use(k.queryLine())
	for _, busy := range []handler{answering(200, "Too Many Sessions"), answering(403, "Error: too many sessions"),
		answering(503, "", "Retry-After", "0"), cut([]byte(strings.Repeat(" ", 5000)))} {
		s := &triples{rows: map[string][]map[string]term{technologies: antennaRows(3)}, page: 10}
		answers := s.handler(t)
		k.behave("/sparql", func(w http.ResponseWriter, r *http.Request, nth int) bool {
			if nth == 2 {
				return busy(w, r, 1)
			}
			return answers(w, r, nth)
		})
		if text, err := k.gathered(k.queryLine()); err != nil || strings.Count(text, "https://x/") != 3 {
			t.Errorf("got %q, %v; want three rows", text, err)
		}
	}
}

// What was gathered is not asked for again for a week, unless the table asks something else.
func TestGatheredOnceAWeek(t *testing.T) {
	k := newKit(t)
	s := &triples{rows: map[string][]map[string]term{technologies: antennaRows(3)}, page: 10}
	k.behave("/sparql", s.handler(t))
	k.use(k.queryLine())
	k.want(k.run(), Failed, "not a file of the register") // no register of the market reads such rows
	asked := len(k.asked())
	if k.want(k.run(), Failed, "refused before"); asked != 3 || len(k.asked()) != 0 {
		t.Errorf("asked %d times at first and then again; want 3 and none", asked)
	}
	k.use(strings.Replace(k.queryLine(), "flanders-technologies", "flanders-operators", 1))
	s.rows["operator ?identifier ?label"] = antennaRows(2)
	if k.want(k.run(), Failed, "not a file of the register"); len(k.asked()) == 0 {
		t.Error("another query was not asked")
	}
	if v := (version{Gathered: time.Now().Add(-8 * 24 * time.Hour)}); v.gatheredAfter(time.Now().Add(-askAgain)) {
		t.Error("eight days are not a week")
	}
}
