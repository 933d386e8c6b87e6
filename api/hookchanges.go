package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/catalog"
	"relais/hook"
	"relais/market"
)

// hookChanges is how many changes a message has at most. The link in it has the others.
const hookChanges = 100

// notHookFilters are parameters of /changes that are not filters.
var notHookFilters = []string{"since", "until", "net", "format", "bom", "sep", "rows", "limit", "offset"}

// changeFilterNames are the names in a filter of changes.
func changeFilterNames() (names []string) {
	for i := range listChanges.Params {
		p := &listChanges.Params[i]
		if p.In == "query" && !slices.Contains(notHookFilters, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// hookQuestion returns the question of a hook with a filter about the changes of a market. It fails for values that
// the market cannot have. Which systems there are only editions know: an unknown one selects nothing.
func hookQuestion(ctx context.Context, m market.Code, filter url.Values) (catalog.Changes, error) {
	q, err := ChangesQuestion(func(p *endpoint.Param) (string, error) {
		switch {
		case p.Name == "market":
			return string(m), nil
		case slices.Contains(notHookFilters, p.Name):
			return "", nil
		}
		return filter.Get(p.Name), nil
	})
	q.Limit = hookChanges
	if err == nil {
		empty := q
		empty.Span = &archive.Span{}
		_, err = new(catalog.Catalog).Changes(ctx, empty)
	}
	return q, err
}

// checkChangeFilter checks a filter of changes in its market; without one, some market must have its area and
// its operators.
func checkChangeFilter(code market.Code, filter url.Values) error {
	if code != "" {
		_, err := hookQuestion(context.Background(), code, filter)
		return err
	}
	if _, err := listChanges.Bind(func(p *endpoint.Param) (string, error) { return filter.Get(p.Name), nil }); err != nil {
		return err
	}
	var unknown error
	for _, m := range market.All {
		_, err := hookQuestion(context.Background(), m.Code, filter)
		if err == nil {
			return nil
		}
		// A market that has the filter, and not its value, says what it has.
		if e, ok := errors.AsType[*endpoint.ParamError](err); unknown == nil || ok && e.Allowed != nil {
			unknown = fmt.Errorf("no market has that; in %s, %w", m.Code, err)
		}
	}
	return unknown
}

// editionEvents returns what hooks are told about an edition, compared with the one before, or about a correction of
// it: nothing of the first one, and of one that is not there any more. words are those of the journal.
func editionEvents(ctx context.Context, r *Env, c hook.Cause, words []string) (list []*hook.Event, err error) {
	number := 0 // of the correction
	if words[0] == archive.NewsCorrection && len(words) == 4 {
		number, err = strconv.Atoi(words[3])
	}
	if err != nil || len(words) < 3 || (number > 0) != (words[0] == archive.NewsCorrection) {
		return nil, fmt.Errorf("the entry %.60q of the journal is not known", c.Text)
	}
	for code := range strings.SplitSeq(words[1], ",") {
		m := market.Get(market.Code(code))
		if m == nil {
			return nil, fmt.Errorf("the entry %.60q of the journal is not known", c.Text)
		}
		all, err := r.Editions(m)
		if err != nil {
			return nil, err
		}
		n := slices.IndexFunc(all, func(e archive.Edition) bool { return e.Date.String() == words[2] })
		if n < 1 || number > all[n].Corrected {
			continue
		}
		e := &hook.Event{Kind: hook.Changes, Type: "changes.noted", Group: "changes " + code, At: c.At, Notice: noticeOf(r.BaseURL),
			ID: hook.MessageID("changes", code, words[2], all[n].Version)}
		if number > 0 {
			e.ID = hook.MessageID("correction", code, words[2], words[3], c.At.UTC().Format(time.RFC3339Nano))
		}
		e.Data = func(filter string) (any, error) { return changesTold(ctx, r, m, filter, all[n-1], all[n], number) }
		list = append(list, e)
	}
	return list, nil
}

// changesTold returns what a hook with a filter is told about an edition, or about a correction of it by its number,
// nil if the filter selects nothing of it.
func changesTold(ctx context.Context, r *Env, m *market.Market, filter string, before, edition archive.Edition,
	correction int) (any, error) {
	values, err := url.ParseQuery(filter)
	if err != nil {
		return nil, err
	}
	if code := values.Get("market"); code != "" && !strings.EqualFold(code, string(m.Code)) {
		return nil, nil
	}
	var found *catalog.ChangesFound
	q, err := hookQuestion(ctx, m.Code, values)
	if err == nil {
		if q.Span, err = r.Archives.Told(ctx, m.Code, edition.Date, correction); err == nil {
			found, err = r.Changes(ctx, q)
		}
	}
	switch {
	case Invalid(err):
		return nil, nil // an area, an operator or a system of another market
	case err != nil:
		return nil, err
	case found.Returned == 0:
		return nil, nil
	}
	page := ChangesPage(found)
	values.Set("market", string(m.Code))
	values.Set("since", before.Date.String())
	values.Set("until", edition.Date.String())
	return view.HookChanges{Market: m.Code, Date: edition.Date.String(), PreviousDate: q.Span.From.Date.String(),
		Corrects: correction > 0, Total: found.Total, TotalMatched: page.Meta.TotalMatched, Kinds: page.Meta.Kinds,
		Changes: page.Data, URL: r.BaseURL + "/external/v1/changes?" + values.Encode(), Attribution: page.Meta.Attribution}, nil
}
