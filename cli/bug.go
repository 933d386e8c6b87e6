package cli

import (
	"cmp"
	"context"
	"fmt"

	"relais/admin"
	"relais/community"
)

type bugCommand struct {
	List  bugList  `cmd:"" help:"List the bugs that are open."`
	Close bugClose `cmd:"" help:"Close a bug, with an answer for the person who filed it."`
}

type bugList struct {
	dataFlag
	All bool `help:"Those that are closed as well."`
	pageFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Validate refuses wrong flags.
func (c *bugList) Validate() error { return cmp.Or(c.dataFlag.Validate(), c.pageFlags.Validate()) }

// Run lists the bugs.
func (c *bugList) Run(ctx context.Context, streams Streams) error {
	command := admin.ListBugs{All: c.All, Page: admin.Page(c.pageFlags)}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(l admin.BugList) error {
		t := newTable(streams.Out, "BUG", "FILED", "STATE", "TITLE", "TEXT", "ANSWER")
		for _, b := range l.Bugs {
			t.row(b.ID, shortTime(b.Created), b.State, excerpt(b.Title), excerpt(b.Text), excerpt(b.Answer))
		}
		return t.flushPage(len(l.Bugs), c.Offset, l.Total, "bugs")
	})
}

type bugClose struct {
	dataFlag
	Bug    string `arg:"" name:"bug" help:"Id of the bug, or its first characters, such as bug:3e1f0a."`
	Answer string `placeholder:"TEXT" help:"Answer for the person who filed it."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Run closes the bug.
func (c *bugClose) Run(ctx context.Context, streams Streams) error {
	command := admin.Decide{Act: "bug.close", ID: c.Bug, Why: c.Answer}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(b community.Bug) error {
		_, err := fmt.Fprintf(streams.Out, "%s is %s\n", b.ID, b.State)
		return err
	})
}
