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
	Done    int64     `json:"done"` // bytes of Read
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
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	var earlier partState
	err = folder.ReadJSON(p.path+stateSuffix, &earlier)
	info, err2 := p.file.Stat()
	own := p.state
	own.Done = earlier.Done
	if err != nil || err2 != nil || info.Size() == 0 || earlier.Done < 0 || !reflect.DeepEqual(own, earlier) {
		return errors.Join(p.file.Truncate(0), err2)
	}
	p.state.Done = earlier.Done
	return nil
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
	kept := fmt.Sprintf("%.1f of %.1f MB are kept: the same command goes on from there", float64(p.state.Done)/1e6,
		float64(plan.Read)/1e6)
	if ctx.Err() != nil {
		return errors.New("stopped; " + kept)
	}
	return fmt.Errorf("%w; %s", err, kept)
}

// publish gives the complete file its name, after its directories were read again.
func (p *basemapPart) publish(ctx context.Context, path string) error {
	if err := p.file.Sync(); err != nil {
		return err
	}
	if _, err := ReadBasemap(ctx, p.path); err != nil {
		return errors.Join(err, p.remove())
	}
	if err := os.Rename(p.path, path); err != nil {
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
