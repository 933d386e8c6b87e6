package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"relais/auth/access"
	"relais/cluster"
	"relais/ingest"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/market"
	"relais/measure"
	"relais/photos"
)

// InitCluster makes a cluster in an empty database from a folder, which must not be served and
// stays as it is. progress is called with each store before it is copied.
func InitCluster(ctx context.Context, dir folder.Dir, url, blobs string, log *slog.Logger, progress func(what string),
) (err error) {
	// A node's folder has no images, and its records are in another cluster.
	if m, err := cluster.ReadMember(dir); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s is a node of cluster %s already", dir, m.Cluster))
	}
	s, err := Open(dir, "relais cluster init", log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.lock == nil { // the key may have to be made
		return errReadOnly(dir)
	}
	if failed := s.failures(); len(failed) > 0 { // the cluster would have an empty store in its place
		return errors.New(failed[0])
	}
	if err := access.OpenSealer(s.path(sealFile)).Make(); err != nil {
		return err
	}
	return cluster.Make(ctx, url, s.Key(clusterKey), blobs, log, func(i *cluster.Import) error {
		return s.importTo(ctx, i, progress)
	})
}

// importTo copies a folder to a new cluster. It keeps the folder open meanwhile, so that nothing changes between the
// stores.
func (s *Stores) importTo(ctx context.Context, i *cluster.Import, progress func(what string)) error {
	for _, d := range databases {
		if s.opened()[d.file] == nil {
			continue
		}
		progress(d.file)
		if err := i.Store(storeOf(d.file), s.opened()[d.file]); err != nil {
			return fmt.Errorf("%s: %w", d.file, err)
		}
	}
	progress("photos")
	_, lost, err := s.Photos.EachImage(ctx, func(p *photos.Photo, size photos.Size, image []byte) error {
		return i.Blob(photos.BlobName(p.ID, size), bytes.NewReader(image), int64(len(image)))
	})
	if err != nil {
		return err
	}
	if lost != nil { // a few lost images must not keep a folder from joining
		s.log.Error("photos have no images: the cluster will not have them either", "error", lost)
	}
	progress("measures")
	m, err := s.Measures()
	if err != nil {
		return err
	}
	for _, segment := range m.Segments() {
		path := filepath.Join(string(s.Dir), measure.Dir, segment.File)
		err := readFile(path, func(f *os.File, info fs.FileInfo) error {
			return i.Blob(measure.BlobName(segment.File), f, info.Size())
		})
		if err != nil {
			return err
		}
	}
	progress("snapshots and sources")
	files, err := sharedFiles(s.Dir)
	if err != nil {
		return err
	}
	return i.Files(files)
}

// sharedFiles lists the snapshots and kept sources of a folder.
func sharedFiles(dir folder.Dir) (list []cluster.Local, err error) {
	for _, m := range market.All {
		kept, err := ingest.KeptFiles(dir, m.Code)
		if err != nil {
			return nil, err
		}
		for _, path := range append(kept, dir.Snapshot(string(m.Code))) {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			below, err := filepath.Rel(string(dir), path)
			if err != nil {
				return nil, err
			}
			list = append(list, cluster.Local{Path: filepath.ToSlash(below), From: path})
		}
	}
	return list, nil
}

// A ClusterCheck is the result of comparing a node's replicas with the cluster.
type ClusterCheck struct {
	Stores      []cluster.Comparison `json:"stores"`
	Differences int                  `json:"differences"`
	Damaged     int                  `json:"damaged"` // places in the database
}

// CheckCluster compares every record of a node's replicas with the cluster's database, and its
// files by checksum.
type CheckCluster struct{}

func (CheckCluster) run(ctx context.Context, s *Stores) (any, error) {
	if s.node == nil {
		return nil, fmt.Errorf("%s is not a node of a cluster", s.Dir)
	}
	r := ClusterCheck{Stores: []cluster.Comparison{}}
	for _, d := range databases {
		db := s.opened()[d.file]
		if db == nil {
			continue
		}
		c, err := s.node.engine.Compare(ctx, storeOf(d.file), db)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.file, err)
		}
		r.add(c)
	}
	files, err := s.node.files.Check(ctx)
	if err != nil {
		return nil, err
	}
	r.add(files)
	segments, err := s.checkSegments()
	r.add(segments)
	return r, err
}

func (r *ClusterCheck) add(c cluster.Comparison) {
	r.Stores, r.Differences = append(r.Stores, c), r.Differences+len(c.Differences)
	r.Damaged += len(c.Damage)
}

// checkSegments reads the folder's copy of every file of measurements.
func (s *Stores) checkSegments() (c cluster.Comparison, err error) {
	c = cluster.Comparison{Store: "measures on disk", Differences: []string{}, Damage: []string{}}
	m, err := s.Measures()
	if err != nil {
		return c, err
	}
	c.Commits = s.opened()[measure.DatabaseName].Mark().Seq
	for _, segment := range m.Check() {
		if c.Records++; segment.Err != nil {
			c.Differences = append(c.Differences, segment.Err.Error())
		}
	}
	return c, nil
}

// bringAll gives a node's folder everything that an ordinary folder has.
func (s *Stores) bringAll(ctx context.Context) error {
	// The records come first: they name the files and images that are fetched after them.
	for _, db := range s.opened() {
		if err := db.Fresh(ctx); err != nil {
			return err
		}
	}
	if err := s.node.files.Bring(ctx); err != nil {
		return err
	}
	m, err := s.Measures()
	if err != nil {
		return err
	}
	if err := m.Fetch(ctx); err != nil {
		return err
	}
	_, lost, err := s.Photos.WriteMonths(ctx, s.Dir)
	if lost != nil {
		s.log.Error("photos have no images in the cluster either", "error", lost)
	}
	return err
}

// LeaveCluster makes the folder of a node, which must not be served, an ordinary folder with everything
// that the cluster has. Until cluster.json is removed the folder is a node's, so that LeaveCluster can be repeated
// after an error.
func LeaveCluster(ctx context.Context, dir folder.Dir, log *slog.Logger) (err error) {
	if _, err := cluster.ReadMember(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is not a node of a cluster", dir)
		}
		return err
	}
	s, err := Open(dir, "relais cluster leave", log)
	if err != nil {
		return err
	}
	if err := errors.Join(s.bringAll(ctx), s.Close()); err != nil {
		return err
	}
	for _, d := range databases {
		if d.nodeOnly {
			if err := os.Remove(s.path(d.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		// Opened again without its log: Unshare must not be a commit of the cluster.
		db, err := store.Open(s.path(d.file), d.buckets...)
		if err != nil {
			return err
		}
		if err := errors.Join(db.Unshare(), db.Close()); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(s.path(cacheFolder)), cluster.RemoveList(dir)); err != nil {
		return err
	}
	if err := os.Remove(s.path(cluster.MemberName)); err != nil { // last
		return err
	}
	return folder.SyncDir(string(dir))
}
