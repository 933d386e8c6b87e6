package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"relais/admin"
	"relais/photos"
	"relais/photos/worker"
)

type photoCommand struct {
	List   photoList   `cmd:"" help:"List photos, those that are hidden as well, the newest first."`
	Hide   photoHide   `cmd:"" help:"Keep a photo from being shown, at once."`
	Show   photoShow   `cmd:"" aliases:"approve" help:"Show a photo that is hidden, or approve one that is held."`
	Hold   photoHold   `cmd:"" help:"Let a photo wait for approval again."`
	Delete photoDelete `cmd:"" help:"Remove a photo and the reports about it."`
}

// pageFlags is the wanted part of a list.
type pageFlags struct {
	Limit  int `default:"50" placeholder:"N" help:"Most items to list (${default})."`
	Offset int `default:"0" placeholder:"N" help:"Items to pass over."`
}

// Validate refuses a limit or an offset that is out of range.
func (p pageFlags) Validate() error {
	if p.Limit < 1 || p.Limit > 10_000 || p.Offset < 0 {
		return fmt.Errorf("want --limit from 1 to 10000, --offset 0 or more")
	}
	return nil
}

type photoList struct {
	dataFlag
	Site   string `placeholder:"SITEKEY" help:"Only those of this site, such as fr-23444."`
	Market string `placeholder:"MARKET" help:"Only those of this market, such as FR."`
	Hidden bool   `help:"Only those that are not shown: hidden or held."`
	Held   bool   `help:"Only those that wait for approval (relais serve --photos-hold), the longest waiting first."`
	pageFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Validate refuses wrong flags.
func (c *photoList) Validate() error { return cmp.Or(c.dataFlag.Validate(), c.pageFlags.Validate()) }

// Run lists the photos.
func (c *photoList) Run(ctx context.Context, streams Streams) error {
	command := admin.ListPhotos{Filter: photos.Filter{SiteKey: c.Site, Hidden: c.Hidden}, Page: admin.Page(c.pageFlags)}
	if c.Held {
		command.State = photos.Held
	}
	if c.Market != "" {
		if err := command.Market.UnmarshalText([]byte(c.Market)); err != nil {
			return usageError{fmt.Errorf("--market %q: %w", c.Market, err)}
		}
	}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(l admin.PhotoList) error {
		t := newTable(streams.Out, "PHOTO", "UPLOADED", "SITE", "OPERATOR", "AUTHOR", "STATE", "CAPTION")
		for _, p := range l.Photos {
			t.row(p.ID, shortTime(p.UploadedAt), visible(p.SiteKey, ""), p.Operator, visible(p.AuthorName, ""),
				photoState(p), excerpt(p.Caption))
		}
		return t.flushPage(len(l.Photos), c.Offset, l.Total, "photos")
	})
}

func photoState(p *photos.Photo) string {
	if p.State() == photos.Concealed && p.Hidden.Why != "" {
		return "hidden: " + excerpt(p.Hidden.Why)
	}
	return string(p.State())
}

// excerpt returns the beginning of a text on one line, safe to print: people wrote it.
func excerpt(text string) string {
	const limit = 60 // characters
	text = visible(text, "")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}

func shortTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// photoArg is the flags of commands on one photo.
type photoArg struct {
	folderFlags
	Photo string `arg:"" name:"photo" help:"Id of the photo, or its first characters."`
}

// change decides about the photo and prints its new state.
func (a *photoArg) change(ctx context.Context, streams Streams, c admin.Decide, became string) error {
	c.ID = a.Photo
	return printAnswer(ctx, a.dataFlag, streams, c, a.JSON, func(p photos.Photo) error {
		_, err := fmt.Fprintf(streams.Out, "%s of %s is %s\n", p.ID, visible(p.SiteKey, ""), became)
		return err
	})
}

type photoHide struct {
	photoArg
	Why string `placeholder:"TEXT" help:"For the other moderators."`
}

// Run hides the photo.
func (c *photoHide) Run(ctx context.Context, streams Streams) error {
	return c.change(ctx, streams, admin.Decide{Act: "photo.hide", Why: c.Why}, "hidden")
}

type photoShow struct{ photoArg }

// Run shows the photo.
func (c *photoShow) Run(ctx context.Context, streams Streams) error {
	return c.change(ctx, streams, admin.Decide{Act: "photo.show"}, "shown")
}

type photoHold struct{ photoArg }

// Run holds the photo.
func (c *photoHold) Run(ctx context.Context, streams Streams) error {
	return c.change(ctx, streams, admin.Decide{Act: "photo.hold"}, "held")
}

type photoDelete struct {
	photoArg
	Why string `placeholder:"TEXT" help:"For the audit log."`
}

// Run deletes the photo.
func (c *photoDelete) Run(ctx context.Context, streams Streams) error {
	return c.change(ctx, streams, admin.Decide{Act: "photo.delete", Why: c.Why}, "deleted")
}

// workerCommand decodes images of strangers in a process of its own, which the server starts and can kill.
type workerCommand struct {
	Memory int64 `arg:""`
}

// Run works until its input ends.
func (c *workerCommand) Run() error { return worker.Main(c.Memory) }
