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

// A Node says which cluster a folder belongs to, or is to belong to. The zero value stands for the cluster that the
// folder remembers: an ordinary folder stays one.
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
func (f *Folder) Replicas() *cluster.Replicas {
	if f.node == nil {
		return nil
	}
	return f.node.replicas
}

// A node is the part of a folder that belongs to a cluster.
type node struct {
	engine   *cluster.Engine
	replicas *cluster.Replicas
	files    *cluster.Files
	blobs    cluster.Blobs
	cache    *cluster.Cache // of blobs
}

// KeepCluster removes old rows and blobs from the cluster, until ctx ends.
func (j *Jobs) KeepCluster(ctx context.Context) {
	if s := j.stores; s.node != nil {
		s.node.engine.Keep(ctx, s.node.blobs, s.refersTo)
	}
}

// refersTo reports whether a record refers to a blob. It errs on the side of true: Sweep deletes the bytes of all others.
func (s *Stores) refersTo(ctx context.Context, name string) (bool, error) {
	kind, _, _ := strings.Cut(name, "/")
	switch kind {
	case "file":
		return s.node.files.Refers(ctx, name)
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

// fetchMeasures fetches missing files of measurements that other nodes made, until ctx ends. Commits fetch them as well;
// a file that could not be fetched then must not wait for the next commit. It logs each error once.
func (j *Jobs) fetchMeasures(ctx context.Context) {
	m, err := j.stores.Measures()
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
			j.log.Error("fetching files of measurements from the cluster failed; trying again", "error", text)
		}
		known = text
	}
}

// join connects a node. An ordinary folder stays one.
func (f *Folder) join(spec Node) error {
	m, err := cluster.ReadMember(f.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && spec.URL == "":
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if free, err := cluster.Joinable(f.Dir); err != nil || !free {
			return errors.Join(err, fmt.Errorf("%s has data of its own: give a node an empty folder with the cluster's "+
				"secret.key, or bring the data into a new cluster with relais cluster init", f.Dir))
		}
	case err != nil:
		return err
	}
	if f.lock == nil {
		return fmt.Errorf("%s cannot be written to: a node of a cluster keeps its replicas there", f.Dir)
	}
	if spec.Name != "" {
		m.Node = spec.Name
	}
	ctx := context.Background()
	engine, err := connect(ctx, f.Dir, m, spec, f.log)
	if err != nil {
		return err
	}
	n := &node{engine: engine, replicas: engine.Replicas()}
	f.node, f.lastInventory.History = n, engine.ID()
	m.Cluster = engine.ID()
	if spec.URL != "" {
		m.URL = spec.URL
	}
	if n.blobs, err = engine.OpenBlobs(ctx, spec.Blobs); err != nil {
		return err
	}
	if n.cache, err = cluster.NewCache(n.blobs, f.path(cacheFolder), cmp.Or(spec.Cache, leastCache), f.log); err != nil {
		return err
	}
	m.Blobs = engine.BlobsAt()
	return m.Write(f.Dir) // before there are replicas: without cluster.json they would be an ordinary folder's data
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

// openReplica opens a store of a node, and brings it up to date. A damaged file is put aside: the cluster has all of it.
func (f *Folder) openReplica(d database) error {
	open := func() (*store.DB, error) { return store.Open(f.path(d.file), d.buckets...) }
	db, err := open()
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrUnreadable) {
		f.log.Error("opening a replica failed: it is put aside, and copied from the cluster again", "file", d.file,
			"error", err)
		if err := os.Rename(f.path(d.file), f.path(d.file)+".damaged"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		db, err = open()
	}
	if err != nil {
		return err
	}
	if err := f.node.replicas.Add(context.Background(), storeOf(d.file), db); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", d.file, err), db.Close())
	}
	f.setOpen(d.file, db)
	return nil
}

// storeOf is the name in the cluster of the store in a file.
func storeOf(file string) string { return strings.TrimSuffix(file, ".db") }
