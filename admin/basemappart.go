package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"relais/geo"
	"relais/internal/folder"
	"relais/internal/system"
	"relais/tiles/pmtiles"
)

// A basemapPart is a file with streets that is not complete, and the note next to it of what it has.
type basemapPart struct {
	path  string
	file  *os.File
	state partState
}

// A partState says what a part is of, and how much of what has to be read is on disk.
type partState struct {
	Format  int       `json:"format"`
	From    string    `json:"from"`
	Version string    `json:"version"`
	Area    []geo.Box `json:"area"`
	MaxZoom int       `json:"maxZoom"`
	Read    int64     `json:"read"` // bytes of the ranges of the plan
	Ranges  int       `json:"ranges"`
	Layout  string    `json:"layout"` // of the plan
	Done    int64     `json:"done"`   // bytes of Read
}

const (
	partFormat  = 1
	partSuffix  = ".part"
	stateSuffix = ".json"
	// keepEvery is how many bytes a power cut may cost.
	keepEvery = 16 << 20
)

// open opens the part. It keeps what an earlier run has left of the same archive, area and zoom.
func (p *basemapPart) open() (err error) {
	if p.file, err = system.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	var earlier partState
	err = folder.ReadJSON(p.path+stateSuffix, &earlier)
	info, err2 := p.file.Stat()
	own := p.state
	own.Done = earlier.Done
	if err != nil || err2 != nil || info.Size() == 0 || own.Version == "" || earlier.Done < 0 || earlier.Done > own.Read ||
		!reflect.DeepEqual(own, earlier) {
		return errors.Join(err2, p.empty())
	}
	p.state.Done = earlier.Done
	return nil
}

// empty makes the part empty. The note goes first, for good: after a power cut it would speak of what is written next.
func (p *basemapPart) empty() error {
	err := os.Remove(p.path + stateSuffix)
	if err == nil {
		err = folder.SyncDir(filepath.Dir(p.path))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.file.Truncate(0)
}

// save notes what the part has, after it is on disk.
func (p *basemapPart) save() error {
	if err := p.file.Sync(); err != nil {
		return err
	}
	return folder.ReplaceJSON(p.path+stateSuffix, p.state)
}

// write reads what is missing. However it ends, the note says what is there.
func (p *basemapPart) write(ctx context.Context, plan *pmtiles.Plan, src pmtiles.Source, advance func(int)) error {
	begun := p.state.Done
	if advance != nil {
		advance(int(begun))
	}
	saved, shown := begun, begun
	err := plan.Write(ctx, src, p.file, begun, func(done int64) error {
		p.state.Done = done
		if advance != nil {
			advance(int(done - shown))
			shown = done
		}
		if done-saved < keepEvery {
			return nil
		}
		saved = done
		return p.save()
	})
	if err = errors.Join(err, p.save()); err == nil {
		return nil
	}
	return p.unfinished(ctx, err)
}

// unfinished returns the error of a run. It says how much the next run need not read again.
func (p *basemapPart) unfinished(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = errors.New("stopped")
	}
	if p.state.Version == "" {
		return errors.Join(fmt.Errorf("%w; nothing is kept, because the server does not say by what to know the archive again",
			err), p.remove())
	}
	return fmt.Errorf("%w; %d of %s are kept: the same command goes on from there", err, p.state.Done,
		Number(int(p.state.Read), "byte"))
}

// publish gives the complete file its name, after its directories were read again.
func (p *basemapPart) publish(ctx context.Context, path string) error {
	if err := p.file.Sync(); err != nil {
		return err
	}
	if _, err := ReadBasemap(ctx, p.path); err != nil {
		if _, unread := errors.AsType[*fs.PathError](err); unread || ctx.Err() != nil {
			return p.unfinished(ctx, err) // nothing is known against the file
		}
		return errors.Join(err, p.remove())
	}
	if err := system.Rename(p.path, path); err != nil {
		return err
	}
	return errors.Join(p.remove(), folder.SyncDir(filepath.Dir(path)))
}

// remove removes the part and its note.
func (p *basemapPart) remove() (err error) {
	for _, path := range []string{p.path, p.path + stateSuffix} {
		if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// discardEmpty removes a part that has nothing.
func (p *basemapPart) discardEmpty() error {
	if p.state.Done > 0 {
		return nil
	}
	return p.remove()
}
