package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"relais/admin"
	"relais/cluster"
	"relais/internal/folder"
)

// clusterFlags make a server a node of a cluster.
type clusterFlags struct {
	Cluster      string        `env:"RELAIS_CLUSTER" placeholder:"URL" help:"Be a node of the cluster in this PostgreSQL database."`
	ClusterBlobs string        `placeholder:"PLACE" help:"With --cluster: where photos and snapshots must be; default: as init said."`
	ClusterCache byteSize      `default:"20GB" placeholder:"SIZE" help:"With --cluster: most photos on this node's disk (${default})."`
	ClusterStale time.Duration `default:"10m" placeholder:"DURATION" help:"How long a node is ready without its database (${default})."`
	Node         string        `placeholder:"NAME" help:"With --cluster: the name of this node; default: the name of the machine."`
}

// node checks the flags against the folder, which remembers its cluster. A node's folder without
// --cluster is refused: as an ordinary one its stores would part from the cluster's.
func (c *clusterFlags) node(dir folder.Dir) (n admin.Node, err error) {
	m, err := cluster.ReadMember(dir)
	switch {
	case err == nil && c.Cluster == "":
		return n, fmt.Errorf("%s is a node of cluster %s: add --cluster, or make it an ordinary folder with "+
			"relais cluster leave", dir, m.Cluster)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return n, err
	case c.Cluster == "" && c.Node != "":
		return n, usageError{errors.New("--node is the name of a node: it needs --cluster")}
	case c.Cluster == "":
		return n, nil
	}
	if len(c.Node) > 63 || strings.ContainsFunc(c.Node, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return n, usageError{fmt.Errorf("--node %.70q: want at most 63 letters, digits or signs", c.Node)}
	}
	n = admin.Node{URL: c.Cluster, Name: c.Node, Blobs: c.ClusterBlobs, Cache: int64(c.ClusterCache), Version: version()}
	if n.Name == "" && m.Node == "" { // else the folder remembers its name
		if n.Name, err = os.Hostname(); err != nil {
			return n, fmt.Errorf("the machine has no name: add --node NAME: %w", err)
		}
	}
	return n, nil
}

// A byteSize is a number of bytes, such as 20GB.
type byteSize int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *byteSize) UnmarshalText(text []byte) error {
	for unit, bytes := range map[string]int64{"MB": 1e6, "GB": 1e9, "TB": 1e12} {
		if number, ok := strings.CutSuffix(string(text), unit); ok {
			n, err := strconv.ParseUint(number, 10, 20)
			if err == nil {
				*b = byteSize(int64(n) * bytes)
				return nil
			}
		}
	}
	return fmt.Errorf("%q is not a size, such as 500MB, 20GB or 1TB", text)
}

type clusterCommand struct {
	Init    clusterInitCommand    `cmd:"" help:"Make a cluster in an empty database from a data folder."`
	Status  clusterStatusCommand  `cmd:"" help:"The nodes, versions, stores and jobs of a cluster."`
	Check   clusterCheckCommand   `cmd:"" help:"Compare every record of a node with the cluster's database."`
	Leave   clusterLeaveCommand   `cmd:"" help:"Make a node's folder an ordinary one with all that the cluster has."`
	Upgrade clusterUpgradeCommand `cmd:"" help:"Let the nodes write the next format, when all can read it."`
}

// clusterURL is the flag of commands on the whole cluster. They need no folder.
type clusterURL struct {
	Cluster string `required:"" env:"RELAIS_CLUSTER" placeholder:"URL" help:"The cluster's PostgreSQL database."`
}

type clusterInitCommand struct {
	dataFlag
	clusterURL
	Blobs string `default:"pg" placeholder:"PLACE" help:"Where photos, snapshots and measurements are: pg, or S3 (${default})."`
}

// Run makes the cluster.
func (c *clusterInitCommand) Run(ctx context.Context, streams Streams) error {
	dir := c.dir()
	if err := folder.MakeDir(string(dir)); err != nil {
		return err
	}
	err := admin.InitCluster(ctx, dir, c.Cluster, c.Blobs, streams.warnings(), func(what string) {
		fmt.Fprintf(streams.Err, "copying %s …\n", what)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams.Out, "The cluster is made. Give each node an empty folder with a copy of %s/secret.key, "+
		"and start it with relais serve --data NODE --cluster URL.\n", dir)
	return err
}

type clusterStatusCommand struct {
	clusterURL
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the status.
func (c *clusterStatusCommand) Run(ctx context.Context, streams Streams) error {
	e, err := cluster.Connect(ctx, c.Cluster, "status", streams.warnings())
	if err != nil {
		return err
	}
	defer e.Close()
	s, err := e.Status(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, s)
	}
	return printStatus(streams.Out, s)
}

// printStatus prints the nodes, with the commits of each store that a live one still lacks.
func printStatus(w io.Writer, s *cluster.Status) error {
	standby := "no synchronous standby"
	if s.Synchronous {
		standby = "synchronous standby"
	}
	fmt.Fprintf(w, "Cluster %s, format %d, %s, %d MB of blobs\n\n", s.Cluster, s.Format, standby,
		s.BlobBytes/1e6)
	t := newTable(w, "NODE", "STATE", "VERSION", "SEEN", "CLOCK", "BEHIND")
	for _, n := range s.Nodes {
		state := "gone"
		if n.Live {
			state = "live"
		}
		var behind []string
		for name, commits := range s.Stores {
			if at := n.Marks[name]; n.Live && at < commits {
				behind = append(behind, name+" "+strconv.FormatUint(commits-at, 10))
			}
		}
		slices.Sort(behind) // a map has no order
		t.row(n.Node, state, n.Version, timeOrNever(&n.Seen), fmt.Sprintf("%+.3f s", n.Skew), strings.Join(behind, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, l := range s.Leases {
		fmt.Fprintf(w, "job %s: %s\n", l.Job, l.Node)
	}
	return nil
}

type clusterCheckCommand struct{ folderFlags }

// Run compares a node's folder.
func (c *clusterCheckCommand) Run(ctx context.Context, streams Streams) error {
	var r admin.ClusterCheck
	if err := call(ctx, c.dataFlag, streams, admin.CheckCluster{}, &r); err != nil {
		return err
	}
	if c.JSON {
		if err := printJSON(streams.Out, r); err != nil {
			return err
		}
	} else {
		for _, s := range r.Stores {
			fmt.Fprintf(streams.Out, "%s: %s after %s\n", s.Store, admin.Number(s.Records, "record"),
				admin.Number(int(s.Commits), "commit"))
			for _, d := range slices.Concat(s.Differences, s.Damage) {
				fmt.Fprintf(streams.Out, "  %s\n", d)
			}
		}
	}
	// Differences are those of this node, damage is that of the database: their remedies differ.
	if r.Differences > 0 {
		return fmt.Errorf("%s: stop the node, remove what differs from its folder, and start it again",
			admin.Number(r.Differences, "difference"))
	}
	if r.Damaged > 0 {
		return fmt.Errorf("%s in the cluster's database: the nodes copy such a store whole and need nothing; "+
			"find out why PostgreSQL has it, and check its disks", admin.Number(r.Damaged, "damaged place"))
	}
	return nil
}

type clusterLeaveCommand struct{ dataFlag }

// Run makes the folder an ordinary one.
func (c *clusterLeaveCommand) Run(ctx context.Context, streams Streams) error {
	if err := admin.LeaveCluster(ctx, c.dir(), streams.warnings()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(streams.Out, "%s is an ordinary data folder now: serve it without --cluster. "+
		"The cluster and its other nodes are as they were.\n", c.dir())
	return err
}

type clusterUpgradeCommand struct{ clusterURL }

// Run raises the format.
func (c *clusterUpgradeCommand) Run(ctx context.Context, streams Streams) error {
	e, err := cluster.Connect(ctx, c.Cluster, "upgrade", streams.warnings())
	if err != nil {
		return err
	}
	defer e.Close()
	format, err := e.Upgrade(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams.Out, "The nodes write format %d now.\n", format)
	return err
}

// drainTime is how long /readyz fails before a node stops, so that a proxy notices.
const drainTime = 2 * time.Second

// drain lets proxies leave a node before its connections end.
func (a *app) drain() {
	if a.stores.Replicas() == nil { // no other node could take the requests
		return
	}
	a.api.Drain()
	time.Sleep(drainTime)
}

// A membership gives /readyz and /metrics the state of a node.
type membership struct {
	*cluster.Replicas
	stale time.Duration
}

// Health returns the health of the node; it is ready for m.stale without its database.
func (m membership) Health() cluster.Health { return m.Replicas.Health(m.stale) }
