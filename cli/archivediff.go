package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"relais/admin"
	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/archive/change"
	"relais/catalog"
	"relais/index"
	"relais/market"
	"relais/site"
)

type archiveDiff struct {
	dataFlag
	From   string      `arg:"" help:"Date of the earlier edition, YYYY-MM-DD: the newest one that is not after it."`
	To     string      `arg:"" help:"Date of the later edition, likewise."`
	Market market.Code `default:"FR" placeholder:"MARKET" help:"The market; default: FR."`
	changeFlags
	JSON bool `name:"json" help:"Print one JSON object, in the form of /changes."`
}

// changeFlags are the filters of /changes.
type changeFlags struct {
	Kind       string `placeholder:"KIND,…" help:"Only these kinds: site-, operator-, system-added or -removed, status-changed, moved."`
	Operator   string `placeholder:"OPERATOR,…" help:"Only changes of these operators."`
	Generation string `placeholder:"GENERATION,…" help:"Only changes of systems of these generations."`
	Technology string `placeholder:"SYSTEM,…" help:"Only changes of these systems, such as \"5G NR 3500\"."`
	Band       string `placeholder:"MHZ,…" help:"Only changes of systems in these bands."`
	Department string `placeholder:"DEPARTMENT" help:"FR and DROM: only this department or territory."`
	Province   string `placeholder:"PROVINCE" help:"CA: only this province."`
	BBox       string `name:"bbox" placeholder:"W,S,E,N" help:"Only in this box, in degrees: --bbox=-2,47,-1,49."`
	Disc       string `placeholder:"LAT,LON,KM" help:"Only around this position: --disc=48.11,-1.67,10."`
}

// Validate refuses wrong flags.
func (c *archiveDiff) Validate() error {
	if err := c.dataFlag.Validate(); err != nil {
		return err
	}
	for _, date := range []string{c.From, c.To} {
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			return fmt.Errorf("%.40q: want a date as YYYY-MM-DD", date)
		}
	}
	if c.From > c.To {
		return fmt.Errorf("%s is after %s: give the earlier date first", c.From, c.To)
	}
	// Without a list, find only parses the filters: a wrong one is refused before the editions are read.
	_, err := c.find(context.Background(), &admin.EditionDiff{}, nil, nil)
	return flagError(err)
}

// find returns the changes of a list, nil for an empty one, under the filters. loaded is the register, nil for none.
func (c *archiveDiff) find(ctx context.Context, diff *admin.EditionDiff, list *change.List, loaded *index.Market) (
	*catalog.ChangesFound, error) {
	values := map[string]string{"market": string(c.Market), "kind": c.Kind, "operator": c.Operator,
		"generation": c.Generation, "technology": c.Technology, "band": c.Band, "department": c.Department,
		"province": c.Province, "bbox": c.BBox}
	if c.Disc != "" {
		parts := strings.Split(c.Disc, ",")
		if len(parts) != 3 {
			return nil, &endpoint.ParamError{Param: "disc", Value: c.Disc,
				Want: "latitude, longitude and kilometres, such as 48.11,-1.67,10"}
		}
		values["lat"], values["lon"], values["radiusKm"] = parts[0], parts[1], parts[2]
	}
	q, err := api.ChangesQuestion(func(p *endpoint.Param) (string, error) { return values[p.Name], nil })
	if err != nil {
		return nil, err
	}
	q.Net, q.Limit, q.Span = true, 1, &archive.Span{}
	if list != nil { // the two editions take the place of the archives that a server would read
		q.Limit = max(q.Limit, list.Len())
		q.Span.From.Date, q.Span.To.Date = site.ParseDate([]byte(diff.From)), site.ParseDate([]byte(diff.To))
		q.Span.To.Synthetic = diff.Synthetic
		q.Span.Lists = []archive.Dated{{Edition: q.Span.To, Previous: q.Span.From.Date, List: list}}
	}
	data := &catalog.Catalog{}
	if loaded != nil {
		data.Set = index.NewSet([]*index.Market{loaded}, nil)
	}
	return data.Changes(ctx, q)
}

// flagError names the flag instead of the parameter in the error of a value that was given. It returns other
// errors as they are.
func flagError(err error) error {
	if !api.Invalid(err) {
		return err
	}
	e := api.PublicError(&endpoint.Op[*api.Env]{}, err)
	name := e.Parameter
	if strings.Contains(" lat lon radiusKm ", " "+name+" ") {
		name = "disc"
	}
	_, text, _ := strings.Cut(e.Message, ": ")
	return fmt.Errorf("--%s: %s", name, text)
}

// Run compares the editions.
func (c *archiveDiff) Run(ctx context.Context, streams Streams) error {
	var diff admin.EditionDiff
	command := admin.DiffEditions{Market: c.Market, From: c.From, To: c.To}
	if err := call(ctx, c.dataFlag, streams, command, &diff); err != nil {
		return err
	}
	list, err := change.ReadList(diff.List)
	if err != nil {
		return err
	}
	loaded := c.register(streams)
	found, err := c.find(ctx, &diff, list, loaded)
	if api.Invalid(err) {
		return usageError{flagError(err)}
	}
	if err != nil {
		return err
	}
	if loaded == nil && found.Returned == 0 { // with a register, a wrong system would have been an error
		c.hint(streams, list.Technologies(nil))
	}
	page := api.ChangesPage(found)
	if c.JSON {
		return printJSON(streams.Out, page)
	}
	return printChanges(streams, page, found.Kinds)
}

// hint names the systems of the changes, if the folder has no snapshot that names them: a misspelt system
// then matches nothing, and is not an error.
func (c *archiveDiff) hint(streams Streams, systems []string) {
	if c.namesSystems() && len(systems) > 0 {
		fmt.Fprintf(streams.Err, "Nothing matches. The folder has no snapshot of %s that says which systems there are; "+
			"these changes are of %s.\n", c.Market, visible(strings.Join(systems, ", "), ""))
	}
}

func (c *archiveDiff) namesSystems() bool { return c.Technology != "" || c.Band != "" }

// register loads the market's snapshot if the answer depends on it: JSON has names of communes, and systems are
// looked up in it. It returns nil if the folder has no snapshot.
func (c *archiveDiff) register(streams Streams) *index.Market {
	if !c.JSON && !c.namesSystems() {
		return nil
	}
	loaded, err := loadRegister(c.dir(), c.Market, time.Now())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(streams.Err, "The snapshot of %s cannot be read: communes are unknown (%s).\n", c.Market,
			visible(err.Error(), ""))
	}
	if err != nil {
		return nil
	}
	return loaded
}

// printChanges prints changes as a table.
func printChanges(streams Streams, page *view.ChangesPage, kinds change.Tally) error {
	t := newTable(streams.Out, "KIND", "SITE", "AREA", "POSITION", "OPERATOR", "TECHNOLOGY", "BEFORE", "AFTER")
	for i := range page.Data {
		c := &page.Data[i]
		area := "-"
		if c.Site.Area != nil {
			area = c.Site.Area.Code
		}
		t.row(c.Kind, visible(c.Site.ID, ""), area, position(c.Site.Coordinates), textOrDash(c.Operator), textOrDash(c.Technology),
			sideOrDash(c.Before), sideOrDash(c.After))
	}
	if len(page.Data) > 0 { // else the table is only its header
		if err := t.Flush(); err != nil {
			return err
		}
	}
	meta := &page.Meta
	_, err := fmt.Fprintf(streams.Out, "%s from %s to %s of %s", admin.Number(meta.TotalMatched, "change"), *meta.Since,
		*meta.Until, meta.Market)
	if meta.TotalMatched < meta.Total {
		_, err = fmt.Fprintf(streams.Out, ", of %d", meta.Total)
	}
	_, last := fmt.Fprintln(streams.Out, kindCounts(kinds))
	return cmp.Or(err, last)
}

// kindCounts writes how many changes of each kind there are, "" for none.
func kindCounts(n change.Tally) string {
	var parts []string
	for i, k := range n {
		if k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, change.Kind(i)))
		}
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func position(c view.Coordinates) string { return fmt.Sprintf("%.5f,%.5f", c.Lat, c.Lng) }

// textOrDash returns a text for a table, - for none.
func textOrDash(s *string) string {
	if s == nil {
		return "-"
	}
	return visible(*s, "")
}

// sideOrDash returns the state before or after a change: a position if the site moved, else a status, - for
// none.
func sideOrDash(s *view.ChangeSide) string {
	switch {
	case s == nil:
		return "-"
	case s.Coordinates != nil:
		return position(*s.Coordinates)
	}
	return textOrDash(s.Status)
}
