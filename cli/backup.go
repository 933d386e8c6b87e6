package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"relais/admin"
	"relais/cluster"
	"relais/internal/folder"
)

type backupCommand struct {
	dataFlag
	Dest     string `arg:"" name:"dest" help:"A missing or empty folder; with --keep, a folder of copies; - for a tar archive."`
	Keep     int    `placeholder:"N" help:"Name the copy in DEST by its date, and remove older copies of the data until N are left."`
	NoImages bool   `help:"Of a node of a cluster: leave out the images of photos, which the cluster's database or bucket has."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
}

// standardStream is the DEST that means standard output, and the BACKUP that means standard input.
const standardStream = "-"

// check refuses flags that contradict each other, and a DEST that people mean differently: DEST.tar would
// be a folder.
func (c *backupCommand) check(out io.Writer) error {
	f, isFile := out.(*os.File)
	switch {
	case c.Keep < 0:
		return fmt.Errorf("--keep %d: want at least 1", c.Keep)
	case c.Dest == standardStream && c.Keep > 0:
		return errors.New("--keep is for a folder of copies, not for standard output")
	case c.Dest == standardStream && c.JSON:
		return errors.New("--json: standard output gets the archive")
	case c.Dest == standardStream && isFile && term.IsTerminal(int(f.Fd())):
		return errors.New("an archive is not for a terminal: add > FILE.tar, or | and a command that reads it")
	case strings.HasSuffix(c.Dest, ".tar"):
		return fmt.Errorf("DEST is a folder; for one file: relais backup --data %s - > %s", c.Data, c.Dest)
	}
	return nil
}

// Run copies the folder.
func (c *backupCommand) Run(ctx context.Context, streams Streams) error {
	log := streams.warnings()
	if err := c.check(streams.Out); err != nil {
		return usageError{err}
	}
	if node, err := cluster.IsMember(c.dir()); err != nil {
		return err
	} else if c.NoImages && !node { // only a cluster has the images elsewhere
		return usageError{fmt.Errorf("--no-images: %s has its images in files, without which the copy would not be whole", c.Data)}
	}
	switch {
	case c.Dest == standardStream:
		return admin.BackupTar(ctx, c.dir(), streams.Out, !c.NoImages, log)
	case c.Keep > 0:
		return c.keep(ctx, streams, log)
	}
	if err := admin.Backup(ctx, c.dir(), c.Dest, !c.NoImages, log); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]string{"data": c.Data, "backup": c.Dest})
	}
	_, err := fmt.Fprintf(streams.Out, "%s is copied to %s, secret.key included%s\n", c.Data, c.Dest, c.without())
	return err
}

// without says what is not copied.
func (c *backupCommand) without() (text string) {
	if admin.HasAddresses(c.dir()) {
		text += "; without " + folder.AddressesName + "/, which relais ingest makes again from the register's CSV"
	}
	if _, err := os.Stat(c.dir().Basemap()); err == nil {
		text += "; without " + folder.BasemapName + ", which relais basemap fetches again"
	}
	return text
}

// keep makes a copy next to older ones, and removes the oldest of them.
func (c *backupCommand) keep(ctx context.Context, streams Streams, log *slog.Logger) error {
	r, err := admin.BackupKeep(ctx, c.dir(), c.Dest, c.Keep, !c.NoImages, time.Now(), log)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, r)
	}
	fmt.Fprintf(streams.Out, "%s is copied to %s, secret.key included%s\n", c.Data, r.Backup, c.without())
	for _, path := range r.Removed {
		fmt.Fprintf(streams.Out, "removed %s\n", path)
	}
	copies := fmt.Sprint(r.Kept, " copies are")
	if r.Kept == 1 {
		copies = "1 copy is"
	}
	_, err = fmt.Fprintf(streams.Out, "%s in %s\n", copies, c.Dest)
	return err
}

type restoreCommand struct {
	Backup string `arg:"" name:"backup" help:"A copy by relais backup, or its tar archive; - reads the archive from standard input."`
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run copies the backup into the folder.
func (c *restoreCommand) Run(ctx context.Context, streams Streams) error {
	if err := c.restore(ctx, streams); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]string{"backup": c.Backup, "data": c.Data})
	}
	_, err := fmt.Fprintf(streams.Out, "%s is restored to %s\n", c.Backup, c.Data)
	return err
}

// restore reads the backup from a folder, a file or standard input.
func (c *restoreCommand) restore(ctx context.Context, streams Streams) error {
	if c.Backup == standardStream {
		return admin.RestoreTar(ctx, os.Stdin, c.dir())
	}
	if info, err := os.Stat(c.Backup); err == nil && info.Mode().IsRegular() {
		f, err := os.Open(c.Backup)
		if err != nil {
			return err
		}
		defer f.Close()
		return admin.RestoreTar(ctx, f, c.dir())
	}
	return admin.Restore(ctx, c.Backup, c.dir())
}
