package cli

import (
	"cmp"
	"context"

	"relais/admin"
	"relais/community/audit"
)

type auditCommand struct {
	dataFlag
	By    string `placeholder:"NAME" help:"Decisions of this moderator; shell for the command line."`
	About string `placeholder:"ID" help:"Decisions about the photo, report, outage report, bug or account with this id."`
	Kind  string `placeholder:"KIND" enum:",photo,report,outage,bug,user" default:"" help:"photo, report, outage, bug or user."`
	pageFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Validate refuses wrong flags.
func (c *auditCommand) Validate() error { return cmp.Or(c.dataFlag.Validate(), c.pageFlags.Validate()) }

// Run lists the entries.
func (c *auditCommand) Run(ctx context.Context, streams Streams) error {
	command := admin.ListAudit{Filter: audit.Filter{By: c.By, Subject: c.About, Kind: c.Kind}, Page: admin.Page(c.pageFlags)}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(l admin.AuditList) error {
		t := newTable(streams.Out, "TIME", "BY", "ACT", "SUBJECT", "BEFORE", "AFTER", "WHY")
		for _, e := range l.Entries {
			t.row(shortTime(e.At), visible(e.By, ""), e.Act, visible(e.Subject, ""), e.Before, e.After, excerpt(e.Why))
		}
		return t.flushPage(len(l.Entries), c.Offset, l.Total, "entries")
	})
}
