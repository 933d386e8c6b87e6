package archive

import (
	"context"

	"relais/ingest/source"
)

// A Draft is a publication that is read in the background, before Add needs it.
type Draft struct {
	stop context.CancelFunc
	done chan struct{} // closed when the rest is set
	file *file
	read *source.Report
	err  error
}

// StartDraft begins to read a publication. Add waits for it, and returns the error of reading it. The caller
// must close it.
func StartDraft(ctx context.Context, f source.Found) *Draft {
	ctx, stop := context.WithCancel(ctx)
	d := &Draft{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		d.file, d.read, d.err = readFile(ctx, &f)
	}()
	return d
}

// Close ends the reading. A nil Draft may be closed.
func (d *Draft) Close() {
	if d != nil {
		d.stop()
		<-d.done
	}
}
