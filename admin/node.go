package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/auth/access"
	"relais/cluster"
	"relais/internal/folder"
	"relais/internal/store"
)

// A Node says which cluster a folder belongs to, or is to belong to. The zero value is what the folder
// remembers: an ordinary folder stays one.
type Node struct {
	URL  string // of the cluster's database; "" for RELAIS_CLUSTER, or the one that the folder remembers
	Name string // "" for the one that the folder remembers
	// Blobs says where the cluster keeps large bytes; "" for where it says itself.
	Blobs string
	// Cache is how many bytes of photos are kept in the folder.
	Cache int64
	// Version of the program.
	Version string
}

// cacheFolder has photos that other nodes may have, too.
const cacheFolder = "cache"

// filesFile lists the snapshots and sources that the nodes of a cluster share.
const filesFile = "files.db"

// Replicas are the stores of a node, nil for an ordinary folder.
func (s *Stores) Replicas() *cluster.Replicas { return s.replicas }

// Lead calls do: at once for an ordinary folder, and while this node has the job in a cluster. It
// returns when ctx ends, or do for an ordinary folder.
func (s *Stores) Lead(ctx context.Context, job string, do func(ctx context.Context)) {
	if s.engine == nil {
		do(ctx)
		return
	}
	s.engine.Lead(ctx, job, do)
}

// KeepCluster removes from the cluster's database what is old, until ctx ends.
func (s *Stores) KeepCluster(ctx context.Context) {
	if s.engine != nil {
		s.engine.Keep(ctx, s.blobs, s.refersTo)
	}
}

// refersTo reports whether a record refers to a blob.
func (s *Stores) refersTo(ctx context.Context, name string) (bool, error) {
	kind, _, _ := strings.Cut(name, "/")
	switch kind {
	case "file":
		return s.files.Refers(ctx, name)
	case "photo":
		unused, err := s.Photos.Unused(ctx, []string{name})
		return len(unused) == 0, err
	case "segment":
		m, err := s.Measures()
		if err != nil {
			return true, err
		}
		unused, err := m.Unused(ctx, []string{name})
		return len(unused) == 0, err
	}
	return true, fmt.Errorf("a blob of a kind that this version does not know: %.40q", name)
}

// fetchEvery is how often a node tries again to fetch files of measurements.
const fetchEvery = 5 * time.Second

// fetchMeasures fetches missing files of measurements that other nodes made, until ctx ends.
func (s *Stores) fetchMeasures(ctx context.Context, log *slog.Logger) {
	m, err := s.Measures()
	if err != nil {
		return // the first caller that opens them reports the error
	}
	tick := time.NewTicker(fetchEvery)
	defer tick.Stop()
	for known := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		text := ""
		if err := m.Fetch(ctx); err != nil && ctx.Err() == nil {
			text = err.Error()
		}
		if text != "" && text != known {
			log.Error("files of measurements cannot be fetched from the cluster; trying again", "error", text)
		}
		known = text
	}
}

// join connects a node. An ordinary folder stays one.
func (s *Stores) join(node Node) error {
	m, err := cluster.ReadMember(s.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && node.URL == "":
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if free, err := cluster.Joinable(s.Dir); err != nil || !free {
			return errors.Join(err, fmt.Errorf("%s has data of its own: give a node an empty folder with the cluster's "+
				"secret.key, or bring the data into a new cluster with relais cluster init", s.Dir))
		}
	case err != nil:
		return err
	}
	if s.lock == nil {
		return fmt.Errorf("%s cannot be written to: a node of a cluster keeps its replicas there", s.Dir)
	}
	if node.Name != "" {
		m.Node = node.Name
	}
	ctx := context.Background()
	if s.engine, err = connect(ctx, s.Dir, m, node, s.log); err != nil {
		return err
	}
	m.Cluster = s.engine.ID()
	if node.URL != "" {
		m.URL = node.URL
	}
	if s.blobs, err = s.engine.OpenBlobs(ctx, node.Blobs); err != nil {
		return err
	}
	if s.cache, err = cluster.NewCache(s.blobs, s.path(cacheFolder), cmp.Or(node.Cache, leastCache), s.log); err != nil {
		return err
	}
	m.Blobs = s.engine.BlobsAt()
	s.replicas, s.noted.History = s.engine.Replicas(), m.Cluster
	return m.Write(s.Dir)
}

// clusterKey is the purpose of the key that names a secret.key in its cluster.
const clusterKey = "cluster"

// connect connects a folder's node to its cluster.
func connect(ctx context.Context, dir folder.Dir, m cluster.Member, node Node, log *slog.Logger,
) (*cluster.Engine, error) {
	sealer := access.OpenSealer(filepath.Join(string(dir), sealFile))
	if err := sealer.Err(); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing in %s: copy it from another node", sealFile, dir)
	} else if err != nil {
		return nil, err
	}
	return cluster.ConnectMember(ctx, m, node.URL, node.Version, sealer.Derive(clusterKey), log)
}

// leastCache is how many bytes commands cache.
const leastCache = 100 << 20

// openReplica opens a store of a node. A damaged file is put aside: the cluster has all of it.
func (s *Stores) openReplica(d database) error {
	open := func() (*store.DB, error) { return store.Open(s.path(d.file), d.buckets...) }
	db, err := open()
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrUnreadable) {
		s.log.Error("a replica cannot be read: it is put aside, and copied from the cluster again", "file", d.file,
			"error", err)
		if err := os.Rename(s.path(d.file), s.path(d.file)+".damaged"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		db, err = open()
	}
	if err != nil {
		return err
	}
	if err := s.replicas.Add(context.Background(), storeOf(d.file), db, d.late); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", d.file, err), db.Close())
	}
	s.setOpen(d.file, db)
	return nil
}

// storeOf is the name in the cluster of the store in a file.
func storeOf(file string) string { return strings.TrimSuffix(file, ".db") }
