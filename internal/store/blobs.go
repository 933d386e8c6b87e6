package store

import (
	"context"
	"io"
	"time"
)

// Blobs keep large bytes by name for the machines that share a Log. Names are of ASCII letters, digits and ._-/ such as
// photo/ID/SIZE, and are never used again for other bytes. No list of all names is needed to find bytes without a
// record: a name is pending from before its bytes come, and again from before its record is deleted. Names that have
// been pending for UnusedAfter or longer are looked at. If a record refers to a name, the name stops being pending. If
// none does, its bytes are deleted. Neither happens to a name that was put or pended again meanwhile.
//
// Errors are those of the contexts, or wrap ErrAway unless others are named.
type Blobs interface {
	// Put stores size bytes that it reads from body, and makes the name pending. If the name exists, its bytes stay.
	Put(ctx context.Context, name string, body io.ReadSeeker, size int64) error
	// Get opens bytes. The reader verifies them: damaged or missing bytes are an error before io.EOF,
	// which wraps ErrDamaged if waiting does not help. ctx bounds reading, too. A copy that is kept
	// nearby is complete when the reader is closed. Errors: fs.ErrNotExist, ErrDamaged.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// Pend makes names pending from now on: the record that refers to them is about to be deleted.
	Pend(ctx context.Context, names ...string) error
}

// From the first Put or Pend to the commit of its record, a change takes at most ChangeTime. UnusedAfter is much
// longer, so no machine that sleeps meanwhile can go on with names that are gone.
const (
	ChangeTime  = 15 * time.Minute
	UnusedAfter = time.Hour
)
