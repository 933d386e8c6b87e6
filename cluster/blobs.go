package cluster

import (
	"context"
	"io"
	"time"
)

// Blobs keep large bytes by names that are never used again for others.
type Blobs interface {
	Put(ctx context.Context, name string, body io.Reader, size int64) error
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	Pend(ctx context.Context, names ...string) error
	Keep(ctx context.Context, names ...string) error
	Delete(ctx context.Context, names ...string) error
	Sweep(ctx context.Context, older time.Duration, refers func(ctx context.Context, name string) (bool, error)) (removed int, err error)
}
