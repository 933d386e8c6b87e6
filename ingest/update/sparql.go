package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"relais/data"
)

// A Query is one question to a query service.
type Query struct {
	Name string `json:"name"` // of the member of the kept file
	File string `json:"file"` // below data/update: prefixes, SELECT and ORDER BY over all that tells rows apart
	text string
}

// Sizes of the answers of query services, in rows.
const (
	pageRows = 5000
	maxRows  = 5_000_000 // far more than a country has antennas
)

// Parts of a query.
var (
	querySelect = regexp.MustCompile(`(?im)^SELECT\b`)
	queryOrder  = regexp.MustCompile(`(?im)^ORDER BY\b`)
)

// checkQueries reads the queries of the table.
func (p *Place) checkQueries() error {
	if len(p.Queries) == 0 {
		return errors.New("queries are missing: they say what the service is asked")
	}
	for i := range p.Queries {
		q := &p.Queries[i]
		if !fileName.MatchString(q.Name) {
			return fmt.Errorf("the name of the query %.50q is not made of letters, digits, - and _", q.Name)
		}
		text, err := data.Files.ReadFile("update/" + q.File)
		if err != nil {
			return fmt.Errorf("the query %s: data/update has no file %.50q", q.Name, q.File)
		}
		q.text = string(text)
		if querySelect.FindString(q.text) == "" || queryOrder.FindString(q.text) == "" {
			return fmt.Errorf("the query %s: want a line that begins with SELECT, and one that begins with ORDER BY: "+
				"without an order, pages may skip or repeat rows", q.Name)
		}
	}
	return nil
}

// count returns the query that counts the rows.
func (q *Query) count() string {
	at, end := querySelect.FindStringIndex(q.text)[0], queryOrder.FindStringIndex(q.text)[0]
	return q.text[:at] + "SELECT (COUNT(*) AS ?rows) WHERE { " + q.text[at:end] + "}\n"
}

// page returns the query for some rows.
func (q *Query) page(offset int) string {
	return fmt.Sprintf("%s\nLIMIT %d OFFSET %d\n", strings.TrimSpace(q.text), pageRows, offset)
}

// A term is a value of an answer in the SPARQL results format.
type term map[string]string

// An answer is one in the SPARQL results format. Each binding is one row, by the names of the variables.
type answer struct {
	Head    struct{ Vars []string }
	Results *struct{ Bindings []map[string]term }
}

// A queried service is asked page by page, one request at a time.
type queried struct {
	*client
	url  string
	pace pacer
}

var errChanged = errors.New("the service changed while it was asked")

// query returns a gatherer of the answers to all queries.
func (c *client) query(f *File) gatherer {
	s := &queried{c, f.URL, pacer{every: c.Pace}}
	return func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, `{"queries":{`)
		for i := range f.Queries {
			q := &f.Queries[i]
			if err == nil {
				err = writeLine(w, i > 0, fmt.Appendf(nil, "%q:", q.Name))
			}
			if err == nil {
				err = s.write(ctx, w, q)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", q.Name, err)
			}
		}
		_, err = io.WriteString(w, "\n}}\n")
		return err
	}
}

// write writes all rows of a query as one answer, one row a line. The rows must be as many as the service counts, before
// and after, and none must come twice: so none was skipped.
func (s *queried) write(ctx context.Context, w io.Writer, q *Query) error {
	want, err := s.count(ctx, q)
	if err != nil {
		return err
	}
	seed, seen := maphash.MakeSeed(), make(map[uint64]bool, min(want, 1<<20))
	for n := 0; n < want || n == 0; {
		a, err := s.ask(ctx, q.page(n))
		if err != nil {
			return fmt.Errorf("its rows from %d on: %w", n, err)
		}
		if n == 0 {
			head, _ := json.Marshal(a.Head.Vars)
			if _, err := fmt.Fprintf(w, `{"head":{"vars":%s},"results":{"bindings":[`, head); err != nil {
				return err
			}
		}
		rows := a.Results.Bindings
		switch {
		case len(rows) == 0 && n == 0 && want == 0:
			return errors.New("the service has no rows")
		case len(rows) == 0:
			return fmt.Errorf("%w: it counts %d rows and sends %d", errChanged, want, n)
		case n+len(rows) > want:
			return fmt.Errorf("%w: it counts %d rows and sends more", errChanged, want)
		}
		for _, row := range rows {
			text, _ := json.Marshal(row) // with its members in order
			if sum := maphash.Bytes(seed, text); seen[sum] {
				return fmt.Errorf("the page from row %d on repeats a row, so that others may be missing: %s", n,
					truncate(string(text), maxShown))
			} else {
				seen[sum] = true
			}
			if err := writeLine(w, len(seen) > 1, text); err != nil {
				return err
			}
		}
		n += len(rows)
	}
	now, err := s.count(ctx, q)
	if err == nil && now != want {
		err = fmt.Errorf("%w: it counted %d rows before and %d after", errChanged, want, now)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n]}}")
	return err
}

// count asks for the number of rows.
func (s *queried) count(ctx context.Context, q *Query) (int, error) {
	a, err := s.ask(ctx, q.count())
	if err != nil {
		return 0, fmt.Errorf("counting its rows: %w", err)
	}
	for _, row := range a.Results.Bindings {
		for _, v := range row {
			if n, err := strconv.Atoi(v["value"]); err == nil && n >= 0 && n <= maxRows {
				return n, nil
			}
		}
	}
	return 0, fmt.Errorf("counting its rows: the answer has no number between 0 and %d", maxRows)
}

// ask sends one query and returns its answer.
func (s *queried) ask(ctx context.Context, query string) (a answer, err error) {
	form := url.Values{"query": {query}}.Encode()
	err = s.retry(ctx, func(ctx context.Context) error {
		if err := s.pace.wait(ctx); err != nil {
			return err
		}
		r, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(form))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "application/sparql-results+json")
		return s.exchange(ctx, r, []int{http.StatusOK}, func(_ *http.Response, body io.Reader) error {
			text, err := readText(body, maxAnswer)
			if err == nil {
				a, err = parseAnswer(text)
			}
			return err
		})
	})
	return a, err
}

func parseAnswer(text []byte) (a answer, err error) {
	if isOverrun(text[:min(len(text), sniffed)]) {
		return a, temporary{error: errors.New("the service says that it has too many sessions")}
	}
	if err := sniff(text); err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("not an answer in the SPARQL results format: %w", err)
	}
	if a.Results == nil {
		return a, errors.New("not an answer in the SPARQL results format: it has no results")
	}
	return a, nil
}

// writeLine begins a line of a list or an object in JSON.
func writeLine(w io.Writer, more bool, text []byte) error {
	start := "\n"
	if more {
		start = ",\n"
	}
	_, err := w.Write(append([]byte(start), text...))
	return err
}
