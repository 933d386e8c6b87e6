package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/community"
	"relais/hook"
	"relais/internal/fold"
	"relais/market"
	"relais/photos"
)

// HookShapes returns the types of the data of messages, by their type.
func HookShapes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"photo.uploaded": reflect.TypeFor[view.HookPhoto](),
		"photo.held":     reflect.TypeFor[view.HookHeldPhoto](),
		"photo.reported": reflect.TypeFor[view.HookReport](),
		"outage.*":       reflect.TypeFor[view.Outage](),
		"bug.filed":      reflect.TypeFor[view.HookBug](),
		"update.failed":  reflect.TypeFor[view.HookUpdate](),
		"changes.noted":  reflect.TypeFor[view.HookChanges](),
	}
}

// A HookFilter is the filter of a hook, as far as it concerns all events.
type HookFilter struct {
	Market    market.Code // "" for all
	Operators []string    // keys; none for all
}

// ParseHookFilter reads the filter of a hook for some kinds of events: market and operator, and for
// changes the filters of /changes. Error: a *hook.InvalidError, which names the nearest name instead
// of an unknown one.
func ParseHookFilter(filter string, kinds []hook.Kind) (f HookFilter, err error) {
	invalid := func(format string, args ...any) (HookFilter, error) {
		return HookFilter{}, &hook.InvalidError{Field: "filter", Want: fmt.Sprintf(format, args...)}
	}
	values, err := url.ParseQuery(filter)
	if err != nil {
		return invalid("%.60q is not a query string, such as market=FR&operator=FREE", filter)
	}
	ofChanges := slices.Contains(kinds, hook.Changes)
	known := []string{"market", "operator"}
	if ofChanges {
		known = changeFilterNames()
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) {
			return invalid("%.40q is not a filter of these events; the nearest is %s", name, fold.Nearest(name, known))
		}
		if n := len(values[name]); n > 1 {
			return invalid("%s is there %d times", name, n)
		}
	}
	if code := values.Get("market"); code != "" {
		if err := f.Market.UnmarshalText([]byte(code)); err != nil {
			return invalid("market=%.40s: want one of %s", code, strings.Join(f.Market.Values(), ", "))
		}
	}
	if f.Operators, err = hookOperators(f.Market, values.Get("operator")); err != nil {
		return invalid("%s", err)
	}
	if ofChanges {
		if err := checkChangeFilter(f.Market, values); err != nil {
			return invalid("%s", err)
		}
	}
	return f, nil
}

const maxHookOperators = 50 // of one hook

// hookOperators returns the keys of operators of a market, or of any market.
func hookOperators(code market.Code, names string) (list []string, err error) {
	if names == "" || strings.EqualFold(names, "ALL") {
		return nil, nil
	}
	var keys []string
	for _, m := range market.All {
		if code == "" || m.Code == code {
			keys = append(keys, m.OperatorKeys()...)
		}
	}
	parts, err := endpoint.SplitList(names, maxHookOperators)
	if err != nil {
		return nil, fmt.Errorf("operator: want %w", err)
	}
	for _, name := range parts {
		key := strings.ToUpper(name)
		if !slices.Contains(keys, key) {
			return nil, fmt.Errorf("operator=%.40s: the nearest operator is %s", name, fold.Nearest(name, keys))
		}
		list = append(list, key)
	}
	return list, nil
}

// wants reports whether the filter selects something of an operator in a market. What has no
// operator is selected by every operator.
func (f HookFilter) wants(m market.Code, operator string) bool {
	return (f.Market == "" || m == "" || f.Market == m) &&
		(len(f.Operators) == 0 || operator == "" || slices.Contains(f.Operators, operator))
}

// about returns the Data of an event for hooks whose filters select an operator in a market.
func about(m market.Code, operator string, data any) func(string) (any, error) {
	return func(filter string) (any, error) {
		f, err := ParseHookFilter(filter, []hook.Kind{hook.Changes}) // other filters concern changes alone
		if err != nil || !f.wants(m, operator) {
			return nil, err
		}
		return data, nil
	}
}

// HookEvents returns what hooks are told about an entry of a journal: nothing if what it is about
// was deleted meanwhile, or decided.
func HookEvents(ctx context.Context, env *Env, people *community.Store, c hook.Cause) ([]*hook.Event, error) {
	words := strings.Fields(c.Text)
	if len(words) == 0 {
		words = []string{""}
	}
	id := ""
	if len(words) > 1 {
		id = words[1]
	}
	var e *hook.Event
	var err error
	switch words[0] {
	case photos.NewsPhoto:
		e, err = photoEvent(env, id)
	case photos.NewsHeld:
		e, err = heldEvent(env, id)
	case photos.NewsReport:
		e, err = reportEvent(env, id)
	case community.NewsOutage:
		e, err = outageEvent(people, id, words[len(words)-1])
	case community.NewsBug:
		e, err = bugEvent(people, id)
	case archive.NewsEdition, archive.NewsCorrection:
		return editionEvents(ctx, env, c, words)
	default:
		return nil, fmt.Errorf("the entry %.60q of the journal is not known", c.Text)
	}
	for _, gone := range []error{photos.ErrNoPhoto, photos.ErrNoReport, community.ErrNoReport, community.ErrNoBug} {
		if errors.Is(err, gone) {
			return nil, nil
		}
	}
	if e == nil || err != nil {
		return nil, err
	}
	e.At, e.ID, e.Notice = c.At, hook.MessageID(words...), noticeOf(env.BaseURL)
	return []*hook.Event{e}, nil
}

func photoEvent(r *Env, id string) (*hook.Event, error) {
	p, err := r.Photos.Photo(id)
	if err != nil || p.Hidden != nil {
		return nil, err
	}
	m := market.OfSiteKey(p.SiteKey)
	return &hook.Event{Kind: hook.Photo, Type: "photo.uploaded", Group: p.SiteKey,
		Data: about(m, p.Operator, view.NewHookPhoto(r.BaseURL, m, p))}, nil
}

// heldEvent returns what hooks are told about a photo that waits for approval, nothing if it does no
// more. It has no address of an image: nobody sees one.
func heldEvent(r *Env, id string) (*hook.Event, error) {
	p, err := r.Photos.Photo(id)
	if err != nil || p.State() != photos.Held {
		return nil, err
	}
	m := market.OfSiteKey(p.SiteKey)
	return &hook.Event{Kind: hook.Photo, Type: "photo.held", Group: p.SiteKey,
		Data: about(m, p.Operator, view.NewHookHeldPhoto(r.BaseURL, m, p))}, nil
}

func reportEvent(r *Env, id string) (*hook.Event, error) {
	report, err := r.Photos.PhotoReport(id)
	if err != nil || !report.Pending() {
		return nil, err
	}
	p, err := r.Photos.Photo(report.PhotoID)
	if err != nil {
		return nil, err
	}
	m := market.OfSiteKey(p.SiteKey)
	return &hook.Event{Kind: hook.Report, Type: "photo.reported", Group: p.SiteKey,
		Data: about(m, p.Operator, view.NewHookReport(r.BaseURL, m, p, report))}, nil
}

func outageEvent(people *community.Store, id, state string) (*hook.Event, error) {
	report, err := people.Report(id)
	if err != nil {
		return nil, err
	}
	group := report.SiteKey
	if group == "" {
		group = report.ID
	}
	return &hook.Event{Kind: hook.Outage, Type: "outage." + state, Group: group,
		Data: about(report.Market, report.Operator, view.NewHookOutage(report, state))}, nil
}

func bugEvent(people *community.Store, id string) (*hook.Event, error) {
	b, err := people.Bug(id)
	if err != nil {
		return nil, err
	}
	return &hook.Event{Kind: hook.Bug, Type: "bug.filed", Group: b.ID,
		Data: about("", "", view.NewHookBug(&b))}, nil
}

// UpdateFailed returns what hooks are told about a scheduled update of some markets that failed at a
// time. files says which of their files failed, see view.HookUpdate.
func UpdateFailed(markets []market.Code, files string, at time.Time) *hook.Event {
	data := view.HookUpdate{Markets: markets, Files: files}
	names := make([]string, len(markets))
	for i, m := range markets {
		names[i] = string(m)
	}
	group := "update " + data.Files + " " + strings.Join(names, ",")
	return &hook.Event{Kind: hook.UpdateFailed, Type: "update.failed", Group: group, At: at,
		ID: hook.MessageID(group, at.UTC().Format(time.RFC3339Nano)), Notice: noticeOf(""),
		Data: func(filter string) (any, error) {
			f, err := ParseHookFilter(filter, []hook.Kind{hook.Changes})
			if err != nil || f.Market != "" && !slices.Contains(markets, f.Market) {
				return nil, err
			}
			return data, nil
		}}
}
