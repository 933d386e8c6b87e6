package cli

import (
	"context"
	"fmt"

	"relais/admin"
	"relais/cluster"
)

type backupCommand struct {
	dataFlag
	Dest     string `arg:"" name:"dest" help:"Where the copy goes: a folder that is missing or empty."`
	NoImages bool   `help:"Of a node of a cluster: leave out the images of photos, which the cluster's database or bucket has."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*backupCommand) Help() string {
	return `Copies the data folder while it is served or not. The copy has a list of its files,
backup.json, which says that it is whole; relais check --backup compares them. It has secret.key,
which opens the clients' signing secrets: keep it as safe as the folder.

Example:
  relais backup --data DIR /mnt/backup/2026-11-21`
}

// Run copies the folder.
func (c *backupCommand) Run(ctx context.Context, streams Streams) error {
	log := streams.warnings()
	if node, err := cluster.IsMember(c.dir()); err != nil {
		return err
	} else if c.NoImages && !node {
		return usageError{fmt.Errorf("--no-images: %s has its images in files, without which the copy would not be whole", c.Data)}
	}
	if err := admin.Backup(ctx, c.dir(), c.Dest, !c.NoImages, log); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]string{"data": c.Data, "backup": c.Dest})
	}
	_, err := fmt.Fprintf(streams.Out, "%s is copied to %s, secret.key included\n", c.Data, c.Dest)
	return err
}

type restoreCommand struct {
	Backup string `arg:"" name:"backup" help:"A folder that relais backup made."`
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*restoreCommand) Help() string {
	return `Compares the backup with its list of files, copies it, and compares the copy. A backup of an
older relais has no list, and is restored with a warning.

Example:
  relais restore /mnt/backup/2026-11-21 --data DIR`
}

// Run copies the backup into the folder.
func (c *restoreCommand) Run(ctx context.Context, streams Streams) error {
	log := streams.warnings()
	if err := admin.Restore(ctx, c.Backup, c.dir(), log); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]string{"backup": c.Backup, "data": c.Data})
	}
	_, err := fmt.Fprintf(streams.Out, "%s is restored to %s\n", c.Backup, c.Data)
	return err
}
