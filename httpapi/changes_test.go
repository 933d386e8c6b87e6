package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"relais/api/view"
	"relais/internal/tier"
)

// A changesBody is an answer of /changes.
type changesBody = view.Body[[]view.Change, view.ChangesMeta]

// askChanges returns all pages of /changes, with the meta of the first.
func askChanges(t *testing.T, s *Server, query string) (all []view.Change, meta view.ChangesMeta) {
	t.Helper()
	for offset := 0; ; {
		w := get(t, s, fmt.Sprintf("/changes?%s&limit=700&offset=%d", query, offset))
		var body changesBody
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 200 {
			t.Fatalf("%s: status %d, %v: %.300s", query, w.Code, err, w.Body)
		}
		if offset == 0 {
			meta = body.Meta
		}
		if all = append(all, body.Data...); !body.Meta.HasMore {
			if body.Meta.NextOffset != nil || body.Meta.Returned != len(body.Data) {
				t.Errorf("got returned %d and nextOffset %v of the last page with %d", body.Meta.Returned, body.Meta.NextOffset,
					len(body.Data))
			}
			return all, meta
		}
		offset = *body.Meta.NextOffset
	}
}

// textOf returns a text that may be null.
func textOf(s *string) string { return *cmp.Or(s, new(string)) }

// Each filter selects what a scan of all changes selects, in their order.
func TestChangesAgainstAScan(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	w := archiveWeeks(t, s, 12)
	period := "since=" + w.dates[0] + "&until=" + w.dates[11]
	all, meta := askChanges(t, s, period)
	if len(all) < 300 || meta.Total != len(all) || meta.TotalMatched != len(all) {
		t.Fatalf("got %d changes, total %d, matched %d", len(all), meta.Total, meta.TotalMatched)
	}
	in := func(list string, value *string) bool {
		return value != nil && slices.Contains(strings.Split(list, ","), *value)
	}
	band := func(c *view.Change, mhz ...string) bool {
		fields := strings.Fields(textOf(c.Technology))
		return len(fields) > 1 && slices.Contains(mhz, fields[len(fields)-1])
	}
	within := func(c *view.Change, south, west, north, east float64) bool {
		p := c.Site.Coordinates
		return p.Lat >= south && p.Lat <= north && p.Lng >= west && p.Lng <= east
	}
	for _, tt := range []struct {
		query string
		fits  func(c *view.Change) bool
	}{
		{"kind=site-added", func(c *view.Change) bool { return c.Kind == "site-added" }},
		{"kind=Status-Changed,system-removed", func(c *view.Change) bool {
			return c.Kind == "status-changed" || c.Kind == "system-removed"
		}},
		{"operator=orange", func(c *view.Change) bool { return in("ORANGE", c.Operator) }},
		{"operator=Free+Mobile,SFR", func(c *view.Change) bool { return in("FREE,SFR", c.Operator) }},
		{"generation=5g", func(c *view.Change) bool { return in("5G", c.Generation) }},
		{"generation=2G,3G", func(c *view.Change) bool { return in("2G,3G", c.Generation) }},
		{"technology=5g+nr+3500", func(c *view.Change) bool { return in("5G NR 3500", c.Technology) }},
		{"technology=LTE+800,LTE+700", func(c *view.Change) bool { return in("LTE 800,LTE 700", c.Technology) }},
		{"band=2100", func(c *view.Change) bool { return band(c, "2100") }},
		{"band=700,900", func(c *view.Change) bool { return band(c, "700", "900") }},
		{"band=2100&technology=LTE+2100,LTE+800", func(c *view.Change) bool { return in("LTE 2100", c.Technology) }},
		{"department=75", func(c *view.Change) bool { return c.Site.Area.Code == "75" }},
		{"department=Ain", func(c *view.Change) bool { return c.Site.Area.Code == "01" }},
		{"lat=48.85&lon=2.35&radiusKm=50", func(c *view.Change) bool {
			return haversine(48.85, 2.35, c.Site.Coordinates.Lat, c.Site.Coordinates.Lng) <= 50_000
		}},
		{"lat=48.85&lng=2.35&radiusKm=7.5", func(c *view.Change) bool {
			return haversine(48.85, 2.35, c.Site.Coordinates.Lat, c.Site.Coordinates.Lng) <= 7_500
		}},
		{"bbox=-1,43,6,46.5", func(c *view.Change) bool { return within(c, 43, -1, 46.5, 6) }},
		{"north=50&south=48&east=4&west=1", func(c *view.Change) bool { return within(c, 48, 1, 50, 4) }},
		{"operator=FREE&generation=5G&kind=system-added&bbox=-5,42,9,51", func(c *view.Change) bool {
			return in("FREE", c.Operator) && in("5G", c.Generation) && c.Kind == "system-added" && within(c, 42, -5, 51, 9)
		}},
		{"kind=site-added&operator=FREE", func(*view.Change) bool { return false }},
	} {
		t.Run(tt.query, func(t *testing.T) {
			var want []view.Change
			kinds := map[string]int{}
			for i := range all {
				if tt.fits(&all[i]) {
					want = append(want, all[i])
					kinds[string(all[i].Kind)]++
				}
			}
			if len(want) == 0 && !strings.Contains(tt.query, "site-added&") {
				t.Fatal("nothing matches: the test shows nothing")
			}
			got, meta := askChanges(t, s, period+"&"+tt.query)
			if d := diff.Diff(want, got); d != "" {
				t.Errorf("want (-), got (+):\n%.2000s", d)
			}
			if meta.TotalMatched != len(want) || meta.Total != len(all) {
				t.Errorf("got %d of %d, want %d of %d", meta.TotalMatched, meta.Total, len(want), len(all))
			}
			text, _ := json.Marshal(meta.Kinds)
			for k, n := range kinds {
				if !strings.Contains(string(text), fmt.Sprintf("%q:%d", k, n)) {
					t.Errorf("got the kinds %s, want %d %s", text, n, k)
				}
			}
		})
	}
}

// The net difference is what the dated changes come to, and is the same for one week.
func TestNetChanges(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	w := archiveWeeks(t, s, 5)
	dated, _ := askChanges(t, s, "since="+w.dates[0])
	net, meta := askChanges(t, s, "net=true&since="+w.dates[0])
	type key struct{ site, level, operator, technology string }
	type ends struct{ before, after string }
	level := map[string]string{"site": "site", "operator": "operator", "system": "system", "status": "system", "moved": "place"}
	sum := func(list []view.Change) map[key]ends {
		all := map[key]ends{}
		for _, c := range slices.Backward(list) { // the oldest first
			what, _, _ := strings.Cut(string(c.Kind), "-")
			k := key{c.Site.ID, level[what], textOf(c.Operator), textOf(c.Technology)}
			side := func(kind string, v *view.ChangeSide) string {
				text, _ := json.Marshal(v)
				if strings.HasSuffix(string(c.Kind), kind) {
					return "absent"
				}
				return string(text)
			}
			e, ok := all[k]
			if !ok {
				e.before = side("-added", c.Before)
			}
			e.after = side("-removed", c.After)
			if all[k] = e; e.before == e.after {
				delete(all, k)
			}
		}
		return all
	}
	want, got := sum(dated), sum(net)
	if d := diff.Diff(want, got, diff.AllowUnexported(key{}, ends{})); d != "" || len(net) != len(want) || len(want) == 0 {
		t.Errorf("%d net changes, %d of the sum of %d; want (-), got (+):\n%.2000s", len(net), len(want), len(dated), d)
	}
	if !meta.Net || textOf(meta.Since) != w.dates[0] || textOf(meta.Until) != w.dates[4] {
		t.Errorf("got net %v from %s to %s", meta.Net, textOf(meta.Since), textOf(meta.Until))
	}
	for _, c := range net {
		if c.Date != w.dates[4] || c.PreviousDate != w.dates[0] {
			t.Fatalf("got the dates %s and %s of a net change", c.Date, c.PreviousDate)
		}
	}
	one, _ := askChanges(t, s, "")
	if sameWeek, _ := askChanges(t, s, "net=true"); diff.Diff(one, sameWeek) != "" || len(one) == 0 {
		t.Errorf("the newest week: %d changes, %d net", len(one), len(sameWeek))
	}
}

// A date means the newest edition that is not after it.
func TestChangesPeriod(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 4)
	for _, tt := range []struct{ name, query, since, until string }{
		{"the newest week", "", w.dates[2], w.dates[3]},
		{"until an edition", "until=" + w.dates[2], w.dates[1], w.dates[2]},
		{"until a day between", "until=" + w.dates[2][:8] + "09", w.dates[1], w.dates[2]},
		{"since the first", "since=" + w.dates[0], w.dates[0], w.dates[3]},
		{"since an edition until another", "since=" + w.dates[1] + "&until=" + w.dates[2], w.dates[1], w.dates[2]},
		{"since a day to come", "since=2031-01-01", w.dates[3], w.dates[3]},
		{"one day", "since=" + w.dates[1] + "&until=" + w.dates[1], w.dates[1], w.dates[1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, meta := askChanges(t, s, tt.query)
			if textOf(meta.Since) != tt.since || textOf(meta.Until) != tt.until || textOf(meta.SourceDate) != tt.until {
				t.Errorf("got %s to %s, source date %s, want %s to %s", textOf(meta.Since), textOf(meta.Until),
					textOf(meta.SourceDate), tt.since, tt.until)
			}
			if (len(all) == 0) != (tt.since == tt.until) || meta.Reason != nil {
				t.Errorf("got %d changes, reason %q", len(all), textOf(meta.Reason))
			}
			last := "9999"
			for _, c := range all {
				if c.Date > last || c.Date <= tt.since || c.Date > tt.until || c.PreviousDate >= c.Date {
					t.Fatalf("a change of %s since %s after one of %s", c.Date, c.PreviousDate, last)
				}
				last = c.Date
			}
		})
	}
}

func TestChangesErrors(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 2)
	for _, tt := range []struct {
		query, code string
		mentions    []string
	}{
		{"since=2026-02-30", "INVALID_DATE", []string{"since", "YYYY-MM-DD"}},
		{"until=yesterday", "INVALID_DATE", []string{"until"}},
		{"since=2026-01-15&until=2026-01-08", "INVALID_DATE", []string{"since", "not after until"}},
		{"since=1999-01-01", "INVALID_DATE", []string{"since", "a date from " + w.dates[0] + " on", "first edition of FR"}},
		{"until=1999-01-01", "INVALID_DATE", []string{"until", w.dates[0], "first edition"}},
		{"kind=new", "INVALID_PARAMETER", []string{"site-added", "moved"}},
		{"kind=site-added,,moved", "INVALID_PARAMETER", []string{"kind"}},
		{"kind=site-added&kind=moved", "INVALID_PARAMETER", []string{"once"}},
		{"net=yes", "INVALID_PARAMETER", []string{"net"}},
		{"operator=NOBODY", "INVALID_OPERATOR", []string{"FREE"}},
		{"technology=LTE+3", "INVALID_PARAMETER", []string{"LTE 800"}},
		{"band=-1", "INVALID_PARAMETER", []string{"FR has 700, 800, 900, 1800, 2100, 2600, 3500"}},
		{"band=" + strings.Repeat("9", 400), "INVALID_PARAMETER", []string{"band"}},
		{"generation=6G", "INVALID_PARAMETER", nil},
		{"province=QC", "INVALID_PARAMETER", []string{"department"}},
		{"department=96", "INVALID_PARAMETER", nil},
		{"lat=48&lon=2", "INVALID_PARAMETER", []string{"radiusKm"}},
		{"lat=48&lon=2&radiusKm=50.1", "INVALID_PARAMETER", []string{"at most 50"}},
		{"lat=48&lon=2&radiusKm=NaN", "INVALID_PARAMETER", nil},
		{"lat=48&lon=2&radiusKm=5&bbox=1,2,3,4", "INVALID_PARAMETER", []string{"exclude"}},
		{"bbox=1,2,3", "INVALID_BBOX", nil},
		{"north=1", "INVALID_BBOX", nil},
		{"limit=1001", "INVALID_PARAMETER", []string{"1000"}},
		{"limit=5001&bbox=1,2,3,4", "INVALID_PARAMETER", nil},
		{"offset=-1", "INVALID_PARAMETER", nil},
		{"status=project", "INVALID_PARAMETER", []string{"unknown parameter"}},
		{"kind=" + url.QueryEscape("\x00\u202e<script>"), "INVALID_PARAMETER", nil},
	} {
		t.Run(fmt.Sprintf("%.60s", tt.query), func(t *testing.T) {
			wantError(t, get(t, s, "/changes?"+tt.query), 400, tt.code, tt.mentions...)
		})
	}
}
