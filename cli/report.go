package cli

import (
	"cmp"
	"context"
	"fmt"

	"relais/admin"
	"relais/photos"
)

type reportCommand struct {
	List    reportList    `cmd:"" help:"List the reports that wait for a decision, the oldest first."`
	Accept  reportAccept  `cmd:"" help:"Accept a report: its photo is hidden at once."`
	Dismiss reportDismiss `cmd:"" help:"Dismiss a report: its photo stays as it is."`
	Reopen  reportReopen  `cmd:"" help:"Take a decision back: the report waits again, and its photo is what it was."`
}

type reportList struct {
	dataFlag
	All    bool   `help:"Also those that are decided; the newest first."`
	Market string `placeholder:"MARKET" help:"Only those of this market, such as FR."`
	Reason string `placeholder:"REASON" help:"Only those with this reason, now or earlier, such as privacy."`
	pageFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Validate refuses wrong flags.
func (c *reportList) Validate() error { return cmp.Or(c.dataFlag.Validate(), c.pageFlags.Validate()) }

// Run lists the reports.
func (c *reportList) Run(ctx context.Context, streams Streams) error {
	command := admin.ListReports{ReportFilter: photos.ReportFilter{All: c.All}, Page: admin.Page(c.pageFlags)}
	if c.Market != "" {
		if err := command.Market.UnmarshalText([]byte(c.Market)); err != nil {
			return usageError{fmt.Errorf("--market %q: %w", c.Market, err)}
		}
	}
	if c.Reason != "" {
		if err := command.Reason.UnmarshalText([]byte(c.Reason)); err != nil {
			return usageError{fmt.Errorf("--reason %q: want %w", c.Reason, err)}
		}
	}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(l admin.ReportList) error {
		t := newTable(streams.Out, "REPORT", "UPDATED", "STATUS", "CLIENT", "REASON", "DESCRIPTION", "PHOTO", "SITE",
			"PHOTO'S STATE")
		for _, x := range l.Reports {
			r := x.Report
			t.row(r.ID, shortTime(r.UpdatedAt), r.Status, visible(r.ClientName, ""),
				join(append([]photos.Reason{r.Reason}, r.Earlier...)), excerpt(r.Description), r.PhotoID,
				visible(r.SiteKey, ""), photoState(x.Photo))
		}
		return t.flushPage(len(l.Reports), c.Offset, l.Total, "reports")
	})
}

// reportArg is the flags of commands on one report.
type reportArg struct {
	folderFlags
	Report string `arg:"" name:"report" help:"Id of the report, or its first characters."`
}

func (a *reportArg) decide(ctx context.Context, streams Streams, act, then string) error {
	command := admin.Decide{Act: act, ID: a.Report}
	return printAnswer(ctx, a.dataFlag, streams, command, a.JSON, func(r photos.Report) error {
		_, err := fmt.Fprintf(streams.Out, "report %s is %s; photo %s %s\n", r.ID, r.Status, r.PhotoID, then)
		return err
	})
}

type reportAccept struct{ reportArg }

// Run accepts the report.
func (c *reportAccept) Run(ctx context.Context, streams Streams) error {
	return c.decide(ctx, streams, "report.accept", "is hidden")
}

type reportDismiss struct{ reportArg }

// Run dismisses the report.
func (c *reportDismiss) Run(ctx context.Context, streams Streams) error {
	return c.decide(ctx, streams, "report.dismiss", "stays as it is")
}

type reportReopen struct{ reportArg }

// Run takes the decision back.
func (c *reportReopen) Run(ctx context.Context, streams Streams) error {
	return c.decide(ctx, streams, "report.reopen", "is what it was before the decision")
}
