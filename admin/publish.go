package admin

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"relais/cluster"
	"relais/ingest"
	"relais/internal/folder"
)

// errNoNode says that a folder shares no files.
var errNoNode = errors.New("the folder is not a node of a cluster")

// BaseOfFiles names the shared files whose path begins with Prefix, after the folder has them as
// the cluster does.
type BaseOfFiles struct{ Prefix string }

func (c BaseOfFiles) run(ctx context.Context, s *Stores) (any, error) {
	if s.node == nil {
		return nil, errNoNode
	}
	return s.node.files.Base(ctx, c.Prefix)
}

// PublishFiles makes files those of all nodes: see cluster.Files.Publish.
type PublishFiles struct {
	Prefix, Base string
	Files        []cluster.Local
}

func (c PublishFiles) run(ctx context.Context, s *Stores) (any, error) {
	if s.node == nil {
		return nil, errNoNode
	}
	return nil, s.node.files.Publish(ctx, c.Prefix, c.Base, c.Files)
}

// A publisher publishes the files of an ingest, by commands.
type publisher func(ctx context.Context, c Command, answer any) error

// PublisherOf returns the publisher for an ingest of a folder, which uses the folder's server if
// one runs. It is nil for an ordinary folder.
func PublisherOf(dir folder.Dir, log *slog.Logger) (ingest.Publisher, error) {
	if node, err := cluster.IsMember(dir); err != nil || !node {
		return nil, err
	}
	return publisher(func(ctx context.Context, c Command, answer any) error {
		return Call(ctx, dir, c, answer, log)
	}), nil
}

// Publisher returns the publisher for an ingest that runs in the server, nil for an
// ordinary folder.
func (r Commands) Publisher() ingest.Publisher {
	if r.stores.node == nil {
		return nil
	}
	return publisher(func(ctx context.Context, c Command, answer any) error {
		result, err := r.Do(ctx, c)
		if base, ok := answer.(*string); ok && err == nil {
			*base = result.(string)
		}
		return err
	})
}

func (p publisher) Base(ctx context.Context, prefix string) (base string, err error) {
	return base, p(ctx, BaseOfFiles{prefix}, &base)
}

func (p publisher) Publish(ctx context.Context, prefix, base string, list []ingest.Published) error {
	c := PublishFiles{Prefix: prefix, Base: base}
	for _, f := range list {
		from, err := filepath.Abs(f.From) // the server may run elsewhere
		if err != nil {
			return err
		}
		c.Files = append(c.Files, cluster.Local{Path: f.Path, From: from})
	}
	var nothing any
	return p(ctx, c, &nothing)
}
