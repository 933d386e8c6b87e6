package update

import (
	"bufio"
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
	"relais/ingest/items"
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

	queryVariable = regexp.MustCompile(`[?$](\w+)`)
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

// vars returns the names of the variables, which are the query's in the line of SELECT.
func (q *Query) vars() (names []string) {
	line, _, _ := strings.Cut(q.text[querySelect.FindStringIndex(q.text)[0]:], "\n")
	for _, m := range queryVariable.FindAllStringSubmatch(line, -1) {
		names = append(names, m[1])
	}
	return names
}

// A term is a value of an answer in the SPARQL results format.
type term map[string]string

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
	return func(ctx context.Context, w io.Writer) (int, error) {
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
				return 0, fmt.Errorf("%s: %w", q.Name, err)
			}
		}
		_, err = io.WriteString(w, "\n}}\n")
		return 0, err
	}
}

// write writes all rows of a query as one answer, one row a line. The rows must be as many as the service counts, before
// and after, and none must come twice. It does not notice a row that is skipped while another one joins the answer.
func (s *queried) write(ctx context.Context, w io.Writer, q *Query) error {
	want, err := s.count(ctx, q)
	if err != nil {
		return err
	}
	seed, seen := maphash.MakeSeed(), make(map[uint64]bool, min(want, 1<<20))
	for n := 0; n < want || n == 0; {
		rows, err := s.ask(ctx, q.page(n))
		if err != nil {
			return fmt.Errorf("its rows from %d on: %w", n, err)
		}
		if n == 0 {
			head, _ := json.Marshal(q.vars())
			if _, err := fmt.Fprintf(w, `{"head":{"vars":%s},"results":{"bindings":[`, head); err != nil {
				return err
			}
		}
		switch {
		case len(rows) == 0 && n == 0 && want == 0:
			return errors.New("the service has no rows")
		case len(rows) == 0:
			return fmt.Errorf("%w: it counts %d rows and sends %d", errChanged, want, n)
		case n+len(rows) > want:
			return fmt.Errorf("%w: it counts %d rows and sends more", errChanged, want)
		}
		for _, text := range rows {
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
	rows, err := s.ask(ctx, q.count())
	if err != nil {
		return 0, fmt.Errorf("counting its rows: %w", err)
	}
	if len(rows) > 0 {
		var row map[string]term
		_ = json.Unmarshal(rows[0], &row) // it was encoded here
		for _, v := range row {
			if n, err := strconv.Atoi(v["value"]); err == nil && n >= 0 && n <= maxRows {
				return n, nil
			}
		}
	}
	return 0, fmt.Errorf("counting its rows: the answer has no number between 0 and %d", maxRows)
}

// ask sends one query and returns the rows of the answer, see readRows.
func (s *queried) ask(ctx context.Context, query string) (rows [][]byte, err error) {
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
		return s.exchange(ctx, r, []int{http.StatusOK}, func(_ *http.Response, body io.Reader) (err error) {
			rows, err = readRows(body)
			return err
		})
	})
	return rows, err
}

// readRows reads the bindings of an answer in the SPARQL results format one by one. Each is one row in JSON, by the
// names of the variables, with its members in order. They have at most maxAnswer bytes.
func readRows(body io.Reader) (rows [][]byte, err error) {
	in := bufio.NewReader(&io.LimitedReader{R: body, N: maxAnswer})
	head, err := in.Peek(sniffed)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case isOverrun(head):
		return nil, temporary{error: errors.New("the service says that it has too many sessions")}
	}
	if err := sniff(head); err != nil {
		return nil, err
	}
	list, err := items.NewPathReader(in, "the answer", "results/bindings/[]")
	if err != nil {
		return nil, wrongAnswer(err)
	}
	for size := 0; list.Next(); {
		if list.Broken() != "" || len(list.Bytes()) > items.MaxItem {
			return nil, fmt.Errorf("row %d of the answer is not an object of at most %d bytes", len(rows)+1, items.MaxItem)
		}
		var row map[string]term
		if err := json.Unmarshal(list.Bytes(), &row); err != nil {
			return nil, wrongAnswer(fmt.Errorf("row %d: %w", len(rows)+1, err))
		}
		text, _ := json.Marshal(row) // it was decoded from JSON
		if size += len(text); size > maxAnswer {
			return nil, fmt.Errorf("the answer has over %d bytes", maxAnswer)
		}
		rows = append(rows, text)
	}
	return rows, wrongAnswer(list.Err())
}

// wrongAnswer says of an error of reading, which may be nil, that the answer has another form. Errors of the network
// stay as they are.
func wrongAnswer(err error) error {
	if _, network := errors.AsType[temporary](err); network || err == nil {
		return err
	}
	return fmt.Errorf("not an answer in the SPARQL results format of at most %d MB: %w", maxAnswer>>20, err)
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
