package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/community"
	"relais/market"
)

// The extent of a collection holds all of its features; that of sites is their box.
func TestOGCExtents(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	report(t, s, community.NewReport{})
	archiveWeeks(t, s, 3)
	dated := map[string]string{"outages": "startedAt", "speedtests": "timestamp", "coverage": "timestamp", "changes": "date"}
	for _, kind := range strings.Fields("sites sectors outages speedtests coverage changes") {
		t.Run(kind, func(t *testing.T) {
			c := askOGC(t, s, ogcBase+"/collections/fr-"+kind, 200)
			e := c["extent"].(object)
			var stated, found [4]float64
			for i, x := range e["spatial"].(object)["bbox"].([]any)[0].([]any) {
				stated[i] = number(t, x)
			}
			found = [4]float64{180, 90, -180, -90}
			times := []string{}
			for _, f := range featuresOf(t, s, linkOf(c, "items")+"?limit=5000") {
				positions(t, f["geometry"].(object)["coordinates"].([]any), func(x, y float64) {
					found = [4]float64{min(found[0], x), min(found[1], y), max(found[2], x), max(found[3], y)}
				})
				if text, ok := f["properties"].(object)[dated[kind]].(string); ok {
					times = append(times, text)
				}
			}
			if found[0] < stated[0] || found[1] < stated[1] || found[2] > stated[2] || found[3] > stated[3] {
				t.Errorf("the features are in %v, want them in the extent %v", found, stated)
			}
			if kind == "sites" && found != stated {
				t.Errorf("the extent is %v, want the box of the sites %v", stated, found)
			}
			temporal, has := e["temporal"].(object)
			if has != (dated[kind] != "") || has && len(times) == 0 {
				t.Fatalf("temporal is %v with %d times", temporal, len(times))
			}
			for _, text := range times {
				interval := temporal["interval"].([]any)[0].([]any)
				if at := momentOf(t, text); at.Before(momentOf(t, interval[0])) || at.After(momentOf(t, interval[1])) {
					t.Errorf("%s is not in %v", text, interval)
				}
			}
		})
	}
}

// positions calls f with each position of coordinates.
func positions(t *testing.T, coordinates []any, f func(x, y float64)) {
	if _, deeper := coordinates[0].([]any); !deeper {
		f(number(t, coordinates[0]), number(t, coordinates[1]))
		return
	}
	for _, part := range coordinates {
		positions(t, part.([]any), f)
	}
}

// momentOf reads a moment or a day.
func momentOf(t *testing.T, v any) time.Time {
	text := fmt.Sprint(v)
	if len(text) == len(time.DateOnly) {
		text += "T00:00:00Z"
	}
	at, err := time.Parse(time.RFC3339, text)
	must(t, err)
	return at
}

// A period with a duration selects what one with its end selects.
func TestOGCDuration(t *testing.T) {
	s := newServer(t)
	w := archiveWeeks(t, s, 4)
	address := ogcBase + "/collections/fr-changes/items?datetime=" + w.dates[1] + "/"
	week := featuresOf(t, s, address+"P7D")
	end, err := time.Parse(time.DateOnly, w.dates[1])
	must(t, err)
	if d := cmp.Diff(featuresOf(t, s, address+end.AddDate(0, 0, 6).Format(time.DateOnly)), week); d != "" || len(week) == 0 {
		t.Errorf("%d features: with an end (-), with a duration (+):\n%s", len(week), d)
	}
}
