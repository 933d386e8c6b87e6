package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/admin"
	"relais/api/view"
	"relais/community"
	"relais/geo"
	"relais/index"
	"relais/internal/folder"
	"relais/market"
	"relais/outage"
	"relais/site"
	"relais/snapshot"
)

type outageCommand struct {
	Import  outageImport  `cmd:"" help:"Read what an operator publishes now, or what all of them said on some days."`
	List    outageList    `cmd:"" help:"List the operators' feeds and the reports of people."`
	Clear   outageClear   `cmd:"" help:"Forget what an operator published."`
	Report  outageReport  `cmd:"" help:"Report an outage."`
	Confirm outageConfirm `cmd:"" help:"Confirm a report, as another user."`
	Resolve outageResolve `cmd:"" help:"Say that a reported outage is over."`
	Reject  outageReject  `cmd:"" help:"Reject a report of an outage that never was."`
}

// feedFlags is the flags of commands on one operator's feed.
type feedFlags struct {
	dataFlag
	Market   market.Code `required:"" placeholder:"MARKET" help:"The market, such as FR."`
	Operator string      `required:"" placeholder:"OPERATOR" help:"The operator, such as ORANGE."`
	JSON     bool        `name:"json" help:"Print one JSON object."`
}

type outageImport struct {
	dataFlag
	Market   market.Code `required:"" placeholder:"MARKET" help:"The market, such as FR."`
	Operator string      `placeholder:"OPERATOR" help:"The operator whose own files these are, such as ORANGE; without it, they are lists of all operators."`
	Day      string      `placeholder:"DAY" help:"The day of a list whose name has none, such as 2026-11-26."`
	Force    bool        `help:"Take a list with over 5 % fewer sites than the one of its day that is there."`
	JSON     bool        `name:"json" help:"Print one JSON object."`
	Files    []string    `arg:"" name:"file" help:"Files, or folders or zip archives of them: an operator's of this moment, or lists of all operators, each of a day."`
}

// Validate refuses --day together with --operator, and a text that is not a day.
func (c *outageImport) Validate() error {
	switch {
	case c.Market == "":
		return errors.New("--market: no market named")
	case c.Day != "" && c.Operator != "":
		return errors.New("--day is of lists of all operators, which have no --operator")
	case c.Force && c.Operator != "":
		return errors.New("--force is of lists of all operators: an operator's own file replaces the one before, whatever it has")
	case c.Day != "" && site.ParseDate([]byte(c.Day)) == 0:
		return fmt.Errorf("--day: %.20q is not a day such as 2026-11-26", c.Day)
	}
	return c.dataFlag.Validate()
}

// Run imports the files.
func (c *outageImport) Run(ctx context.Context, streams Streams) error {
	paths := make([]string, len(c.Files)) // absolute, for a server with another working directory
	for i, path := range c.Files {
		var err error
		if paths[i], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	if c.Operator == "" {
		return c.addDays(ctx, streams, paths)
	}
	command := admin.ImportOutages{Market: c.Market, Operator: c.Operator, Files: paths}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(r admin.OutageImport) error {
		if err := printImported(streams.Out, r.Files); err != nil {
			return err
		}
		_, err := fmt.Fprintf(streams.Out, "%s %s: %s\n", r.Feed.Market, r.Feed.Operator,
			admin.Number(r.Feed.Served, "unavailable site"))
		return err
	})
}

// addDays adds lists of all operators to the archive of days.
func (c *outageImport) addDays(ctx context.Context, streams Streams, paths []string) error {
	command := admin.AddOutageDays{Market: c.Market, Files: paths, Day: c.Day, Force: c.Force}
	refused := 0
	err := printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(r admin.OutageDays) error {
		refused = r.Refused()
		for i := range r.Days {
			printOutageDay(streams.Out, &r.Days[i])
		}
		_, err := fmt.Fprintf(streams.Out, "%s: %s read up to %s, %d missing in between\n", c.Market,
			admin.Number(r.Read, "day"), cmp.Or(r.Newest, "now"), r.Missing)
		return err
	})
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d of the lists were not taken; what was read before stays", refused)
	}
	return err
}

func printOutageDay(out io.Writer, d *admin.OutageDay) {
	if d.Refused != "" {
		fmt.Fprintf(out, "%s: refused: %s\n", cmp.Or(d.Day, visible(filepath.Base(d.File), "")), visible(d.Refused, ""))
		return
	}
	words := []string{admin.Number(d.Report.Served, "unavailable site") + " of " + strings.Join(d.Operators, ", ")}
	for _, reason := range slices.Sorted(maps.Keys(d.Report.Rejected)) {
		words = append(words, fmt.Sprintf("%d rejected: %s", d.Report.Rejected[reason], reason))
	}
	for _, u := range d.Report.Unknown {
		words = append(words, fmt.Sprintf("unknown operator %q in %d rows", visible(u.Name, ""), u.Rows))
	}
	if d.Report.Warning != "" {
		words = append(words, visible(d.Report.Warning, ""))
	}
	switch {
	case d.Replaced:
		words = append(words, "replaces other rows of this day")
	case d.Unchanged:
		words = append(words, "unchanged")
	}
	if len(d.Current) > 0 {
		words = append(words, "is today's list of "+strings.Join(d.Current, ", "))
	}
	fmt.Fprintf(out, "%s: %s\n", d.Day, strings.Join(words, "; "))
}

type outageList struct {
	dataFlag
	Market   market.Code             `placeholder:"MARKET" help:"Only this market."`
	Operator string                  `placeholder:"OPERATOR" help:"Only this operator."`
	State    []community.ReportState `placeholder:"STATE" enum:"reported,confirmed,dormant,resolved,rejected" help:"Only this state."`
	pageFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Validate refuses wrong flags.
func (c *outageList) Validate() error { return cmp.Or(c.dataFlag.Validate(), c.pageFlags.Validate()) }

// Run lists feeds and reports.
func (c *outageList) Run(ctx context.Context, streams Streams) error {
	filter := community.ReportFilter{Market: c.Market, Operator: c.Operator, States: c.State}
	command := admin.ListOutages{ReportFilter: filter, Page: admin.Page(c.pageFlags)}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(l admin.OutageList) error {
		t := newTable(streams.Out, "MARKET", "OPERATOR", "STATE", "READ", "SITES", "REJECTED", "FAILED")
		never := 0
		for _, f := range l.Feeds {
			// Most operators publish nothing: their rows would hide the few that do.
			if f.State == outage.Absent && f.FailedAt == nil && c.Operator == "" {
				never++
				continue
			}
			t.row(f.Market, f.Operator, feedState(&f), timeOrNone(f.ReadAt), f.Served, f.Rows-f.Served, feedFailure(&f))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if never > 0 {
			fmt.Fprintf(streams.Out, "(%s of other operators never read; --json has them)\n", admin.Number(never, "feed"))
		}
		fmt.Fprintln(streams.Out)
		t = newTable(streams.Out, "REPORT", "MARKET", "OPERATOR", "STATE", "CONFIRMED BY", "STARTED", "NEWS", "PLACE",
			"REASON")
		for _, r := range l.Reports {
			place := fmt.Sprintf("%v, %v %s", r.Lat, r.Lng, excerpt(cmp.Or(r.SiteName, r.SiteKey, r.Commune, r.Address)))
			t.row(r.ID, r.Market, r.Operator, r.State, confirmers(&r), shortTime(r.StartedAt), shortTime(r.NewsAt), place,
				excerpt(r.Reason))
		}
		return t.flushPage(len(l.Reports), c.Offset, l.Total, "reports")
	})
}

// feedState returns the state of a feed. Outages of a feed that was last read too long ago are not shown.
func feedState(f *admin.OutageFeed) string {
	if f.State == outage.Available && !f.Available {
		return "too old"
	}
	return string(f.State)
}

func feedFailure(f *admin.OutageFeed) string {
	if f.FailedAt == nil {
		return ""
	}
	return shortTime(*f.FailedAt) + " " + visible(f.Why, "")
}

func timeOrNone(t *time.Time) string {
	if t == nil {
		return ""
	}
	return shortTime(*t)
}

func confirmers(r *admin.OutageReport) string {
	text := fmt.Sprint(r.Confirms)
	if r.OperatorConfirmed {
		text += " and the operator"
	}
	return text
}

type outageClear struct{ feedFlags }

// Run clears the feed.
func (c *outageClear) Run(ctx context.Context, streams Streams) error {
	command := admin.ClearOutages{Market: c.Market, Operator: c.Operator}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(f admin.OutageFeed) error {
		_, err := fmt.Fprintf(streams.Out, "%s %s: %s\n", f.Market, f.Operator, f.State)
		return err
	})
}

type outageReport struct {
	feedFlags
	Lat        *float64        `placeholder:"DEGREES" help:"Where it is, latitude; with --site, the register's unless given."`
	Lon        *float64        `placeholder:"DEGREES" help:"Where it is, longitude; if negative, with =, as in --lon=-1.55."`
	Site       string          `placeholder:"SITE" help:"The site: its siteKey such as fr-23444, site id, national code or station number."`
	SiteName   string          `placeholder:"TEXT" help:"What people call it; with --site, its siteKey unless given."`
	Address    string          `placeholder:"TEXT" help:"Its address; with --site, the register's unless given."`
	Commune    string          `placeholder:"TEXT" help:"Its commune; with --site, the register's unless given."`
	Severity   outage.Severity `enum:"down,degraded" default:"down" placeholder:"SEVERITY" help:"down or degraded (${default})."`
	Service    []string        `placeholder:"SERVICE" help:"What does not work: data, voice, sms; repeat for more."`
	Technology []string        `placeholder:"TECHNOLOGY" help:"On what: 2g, 3g, 4g, 5g; repeat for more."`
	Reason     string          `placeholder:"TEXT" help:"Why."`
	StartedAt  time.Time       `placeholder:"TIME" help:"Since when, such as 2026-11-21T08:30:00Z; default: now."`
	userFlag
}

// userFlag is the person who reports or confirms.
type userFlag struct {
	User string `default:"admin" placeholder:"ID" help:"An id of who says it (${default}): one user counts once. It is stored as a hash."`
}

// Validate refuses a report without a position, and one that is not on Earth.
func (c *outageReport) Validate() error {
	switch {
	case (c.Lat == nil) != (c.Lon == nil):
		return errors.New("--lat and --lon belong together: give both, or neither with --site")
	case c.Lat == nil && c.Site == "":
		return errors.New("where is it? Give --site, or --lat and --lon")
	case c.Lat != nil:
		if at := (geo.Point{Lat: *c.Lat, Lng: *c.Lon}); !at.Valid() {
			return fmt.Errorf("--lat, --lon: %v, %v is not a position in degrees", at.Lat, at.Lng)
		}
	}
	return c.dataFlag.Validate()
}

// Run makes the report.
func (c *outageReport) Run(ctx context.Context, streams Streams) error {
	n := community.NewReport{Market: c.Market, Operator: c.Operator,
		SiteKey: c.Site, SiteName: c.SiteName, Address: c.Address,
		Commune: c.Commune, Reason: c.Reason, Severity: c.Severity, Services: c.Service, Technologies: c.Technology,
		StartedAt: c.StartedAt, User: c.User}
	if c.Site != "" {
		if err := atSite(&n, c.dir()); err != nil {
			return err
		}
	}
	if c.Lat != nil {
		n.At = geo.Point{Lat: *c.Lat, Lng: *c.Lon}
	}
	return printReported(ctx, c.dataFlag, streams, admin.ReportOutage{NewReport: n}, c.JSON)
}

// atSite replaces the name of the report's site with its siteKey, and adds its position, address and commune from
// the register. Values that flags gave stay, except the position, which Run sets afterwards.
func atSite(n *community.NewReport, dir folder.Dir) error {
	snap, err := snapshot.ReadFile(dir.Snapshot(string(n.Market)), n.Market)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--site: the folder has no inventory of %s to find the site in: run relais ingest, or leave --site out", n.Market)
	} else if err != nil {
		return fmt.Errorf("--site: %w", err)
	}
	at, ok := index.Find(snap, n.SiteKey)
	if !ok {
		return fmt.Errorf("--site: no site of %s has the siteKey, site id, national code or station number %.50q",
			n.Market, n.SiteKey)
	}
	var s site.Site
	snap.Site(int(at), &s)
	v := view.NewSummary(snap, &s)
	n.SiteKey, n.At = *v.SiteKey, s.Position
	n.SiteName = cmp.Or(n.SiteName, n.SiteKey)
	if n.Commune == "" && v.Location.Commune != nil {
		n.Commune = *v.Location.Commune
	}
	if n.Address == "" && v.Location.Address != nil {
		n.Address = *v.Location.Address
	}
	return nil
}

// printReported runs a command on a report and prints the report's new state.
func printReported(ctx context.Context, d dataFlag, streams Streams, c admin.Command, asJSON bool) error {
	return printAnswer(ctx, d, streams, c, asJSON, func(r admin.OutageReport) error {
		_, err := fmt.Fprintf(streams.Out, "%s of %s in %s is %s; confirmed by %s\n", r.ID, r.Operator, r.Market, r.State,
			confirmers(&r))
		return err
	})
}

// outageArg is a report; its market and operator need not be given.
type outageArg struct {
	dataFlag
	Report   string      `arg:"" name:"report" help:"Id of the report, or its first characters, such as community:01a1fe0a-f5d7."`
	Market   market.Code `placeholder:"MARKET" help:"Only if the report is of this market."`
	Operator string      `placeholder:"OPERATOR" help:"Only if the report is of this operator."`
	JSON     bool        `name:"json" help:"Print one JSON object."`
}

func (a *outageArg) decide(ctx context.Context, streams Streams, d admin.Decide) error {
	d.ID, d.Market, d.Operator = a.Report, a.Market, a.Operator
	return printReported(ctx, a.dataFlag, streams, d, a.JSON)
}

type outageConfirm struct {
	outageArg
	userFlag
}

// Run confirms the report.
func (c *outageConfirm) Run(ctx context.Context, streams Streams) error {
	return c.decide(ctx, streams, admin.Decide{Act: "outage.confirm", User: c.User})
}

type outageResolve struct{ outageArg }

// Run resolves the report.
func (c *outageResolve) Run(ctx context.Context, streams Streams) error {
	return c.decide(ctx, streams, admin.Decide{Act: "outage.resolve"})
}

type outageReject struct {
	outageArg
	Why string `placeholder:"TEXT" help:"For the other moderators."`
}

// Run rejects the report.
func (c *outageReject) Run(ctx context.Context, streams Streams) error {
	return c.decide(ctx, streams, admin.Decide{Act: "outage.reject", Why: c.Why})
}
