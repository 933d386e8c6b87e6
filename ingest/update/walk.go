package update

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Page is one of the pages that a walk asks for an item.
type Page struct {
	Name string `json:"name"` // of the member of the kept file
	URL  string `json:"url"`  // {id} stands for the item
	// ID are members of the answer of the page before, which name what {id} stands for instead: the first that has a
	// value.
	ID []string `json:"id,omitempty"`
	// Unless is a member of the answer of the page before. If it is true, this page is not asked for.
	Unless string `json:"unless,omitempty"`
}

const (
	itemMark = "{id}"
	maxItems = 50_000
	// maxLost is how many items in a row may fail before a walk ends.
	maxLost = 5
)

// checkWalk checks the place of a walk.
func (p *Place) checkWalk() error {
	if p.match.NumSubexp() != 1 {
		return errors.New("match must have one group: the id of an item in the texts of the list")
	}
	if len(p.Pages) == 0 {
		return errors.New("pages are missing: they say what is asked for each item")
	}
	for i, page := range p.Pages {
		switch _, err := parseAddress(page.URL); {
		case err != nil:
			return err
		case !fileName.MatchString(page.Name):
			return fmt.Errorf("the name of the page %.50q is not made of letters, digits, - and _", page.Name)
		case !strings.Contains(page.URL, itemMark):
			return fmt.Errorf("the url of the page %s has no %s", page.Name, itemMark)
		case i == 0 && (page.ID != nil || page.Unless != ""):
			return fmt.Errorf("the page %s is the first: no page before it has members", page.Name)
		}
	}
	return nil
}

// A walker asks for the pages of each item of a list, one request at a time.
type walker struct {
	*client
	file *File
	pace pacer
	part *part // what earlier walks brought
}

// walk returns a gatherer of the list and the pages of each item. Complete items are kept in the file at partial, so
// that an interrupted walk goes on.
func (c *client) walk(f *File, partial string) gatherer {
	return func(ctx context.Context, w io.Writer) (missing int, err error) {
		p, err := openPart(partial, f.digest(), f.limit(), time.Now())
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		t := &walker{c, f, pacer{every: c.Pace}, p}
		list, ids, err := t.list(ctx)
		if err != nil {
			return 0, err
		}
		if err := t.fetch(ctx, ids); err != nil {
			return 0, err
		}
		if p.missing == len(ids) {
			return 0, fmt.Errorf("the server has the pages of none of the %d items", len(ids))
		}
		return p.missing, t.write(w, list, ids)
	}
}

// list returns the list in one line, and the ids of its items, each once.
func (t *walker) list(ctx context.Context) (list []byte, ids []string, err error) {
	list, err = t.answer(ctx, t.file.URL)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the list: %w", err)
	case list == nil:
		return nil, nil, errors.New("the list: the server answers 404 Not Found")
	}
	if ids = idsOf(list, t.file.match); len(ids) == 0 {
		return nil, nil, fmt.Errorf("the list has no item: none of its texts matches %s", t.file.Match)
	}
	if len(ids) > maxItems {
		return nil, nil, fmt.Errorf("the list has over %d items", maxItems)
	}
	return list, ids, nil
}

// idsOf returns the ids in the texts of a list, each once, in their order.
func idsOf(list []byte, match *regexp.Regexp) (ids []string) {
	known := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		token, err := d.Token()
		if err != nil {
			return ids
		}
		text, _ := token.(string)
		for _, m := range match.FindAllStringSubmatch(text, -1) {
			if id := m[1]; id != "" && !known[id] && len(ids) <= maxItems {
				known[id] = true
				ids = append(ids, id)
			}
		}
	}
}

// fetch brings the items that are not there. It goes on after items that fail, so that the next walk has less to ask.
func (t *walker) fetch(ctx context.Context, ids []string) error {
	var lost []string
	var first error
	row := 0
	for _, id := range ids {
		if t.part.has(id) {
			continue
		}
		item, missing, err := t.item(ctx, id)
		if err == nil {
			if err := t.part.add(id, item, missing); err != nil {
				return err
			}
			row = 0
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lost, first = append(lost, id), cmpError(first, err)
		if row++; row == maxLost {
			break
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("%d of %d items are there, and the next walk goes on with them: item %.50s: %w",
		t.part.count(ids), len(ids), lost[0], first)
}

func cmpError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// item asks for the pages of an item. missing reports that the server does not have one.
func (t *walker) item(ctx context.Context, id string) (text []byte, missing bool, err error) {
	text = []byte("{")
	var before map[string]json.RawMessage
	for i, page := range t.file.Pages {
		a := []byte(nil)
		if i == 0 || !page.left(before) {
			at := strings.ReplaceAll(page.URL, itemMark, url.QueryEscape(page.target(id, before)))
			if a, err = t.answer(ctx, at); err != nil {
				return nil, false, fmt.Errorf("%s: %w", page.Name, err)
			}
			missing = missing || a == nil
		}
		before = nil
		_ = json.Unmarshal(a, &before) // an answer of another shape has no members
		if i > 0 {
			text = append(text, ',')
		}
		if a == nil {
			a = []byte("null")
		}
		text = append(fmt.Appendf(text, "%q:", page.Name), a...)
	}
	return append(text, '}'), missing, nil
}

// left reports whether the page is not asked for.
func (p *Page) left(before map[string]json.RawMessage) bool {
	return p.Unless != "" && string(before[p.Unless]) == "true"
}

// target returns what {id} stands for.
func (p *Page) target(id string, before map[string]json.RawMessage) string {
	for _, name := range p.ID {
		var text string
		var number json.Number
		switch raw := before[name]; {
		case json.Unmarshal(raw, &text) == nil && text != "":
			return text
		case json.Unmarshal(raw, &number) == nil && number != "":
			return number.String()
		}
	}
	return id
}

// answer asks for JSON and returns it in one line; nil if the server has no such page.
func (t *walker) answer(ctx context.Context, address string) (text []byte, err error) {
	err = t.retry(ctx, func(ctx context.Context) error {
		if err := t.pace.wait(ctx); err != nil {
			return err
		}
		header := http.Header{"Accept": {"application/json"}}
		wanted := []int{http.StatusOK, http.StatusNotFound}
		return t.ask(ctx, address, header, wanted, func(a *http.Response, body io.Reader) error {
			if a.StatusCode == http.StatusNotFound {
				text = nil
				return nil
			}
			raw, err := readText(body, maxAnswer)
			if err == nil {
				text, err = compacted(raw)
			}
			return err
		})
	})
	return text, err
}

// write writes the list and the items in its order, one a line.
func (t *walker) write(w io.Writer, list []byte, ids []string) error {
	if _, err := fmt.Fprintf(w, "{\"list\":%s,\n\"items\":{", list); err != nil {
		return err
	}
	for i, id := range ids {
		item, err := t.part.item(id)
		if err != nil {
			return err
		}
		if err := writeLine(w, i > 0, append(strconv.AppendQuote(nil, id), ':')); err != nil {
			return err
		}
		if _, err := w.Write(item); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n}}\n")
	return err
}
