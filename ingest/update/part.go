package update

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"relais/internal/folder"
	"relais/internal/system"
)

// walksFolder is the folder below the downloads that outlives a run: it has the items that walks brought.
const walksFolder = "walks"

// partOf returns the path of the items of a walk.
func partOf(dir folder.Dir, name string) string {
	return filepath.Join(dir.Downloads(), walksFolder, name+".jsonl")
}

// clearDownloads removes what other runs downloaded, without the items of walks.
func clearDownloads(dir folder.Dir) error {
	entries, err := os.ReadDir(dir.Downloads())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Name() != walksFolder {
			err = errors.Join(err, system.RemoveAll(filepath.Join(dir.Downloads(), e.Name())))
		}
	}
	temporary, _ := filepath.Glob(filepath.Join(dir.Downloads(), walksFolder, ".*")) // of a killed process
	for _, path := range temporary {
		err = errors.Join(err, os.Remove(path))
	}
	os.Remove(filepath.Join(dir.Downloads(), walksFolder)) // if it is empty
	os.Remove(dir.Downloads())                             // likewise
	return err
}

// A part is a file of the items that walks brought: a line of JSON for each. The last line may be broken, if the
// process was killed.
type part struct {
	f       *os.File
	spans   map[string]span // by id
	end     int64
	limit   int64 // of end
	missing int   // items that lack a page
	asked   string
	now     time.Time
}

// A span is where the answers of an item are in the file.
type span struct{ at, n int64 }

// A partItem is a line of the file.
type partItem struct {
	Asked   string          `json:"asked"` // what the walk asks, see File.digest
	ID      string          `json:"id"`
	At      time.Time       `json:"at"`
	Missing bool            `json:"missing,omitempty"` // the server did not have a page
	Answers json.RawMessage `json:"answers"`
}

// openPart opens the items of a walk, at most limit bytes. It removes those that are asked for again: old ones, those of
// another question, and those that lack a page.
func openPart(path, asked string, limit int64, now time.Time) (*part, error) {
	p := &part{spans: map[string]span{}, limit: limit, asked: asked, now: now}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	err := folder.ReplacePrivate(path, func(w io.Writer) error {
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		return p.sift(w, bufio.NewReader(f))
	})
	if err == nil {
		p.f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	return p, err
}

// sift copies the lines that are still good, and notes their items.
func (p *part) sift(w io.Writer, in *bufio.Reader) error {
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // a broken last line counts for nothing
			return nil
		}
		if err != nil {
			return err
		}
		var item partItem
		if json.Unmarshal(line, &item) != nil || item.Asked != p.asked || item.Missing || p.now.Sub(item.At) >= askAgain ||
			item.At.After(p.now) {
			continue
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		p.note(item.ID, line, item.Answers)
		p.end += int64(len(line))
	}
}

// note remembers a line at the end of the file. The answers are its last member.
func (p *part) note(id string, line, answers []byte) {
	n := int64(len(answers))
	p.spans[id] = span{p.end + int64(len(line)) - n - int64(len("}\n")), n}
}

func (p *part) has(id string) bool { _, ok := p.spans[id]; return ok }

// count returns how many of the items are there.
func (p *part) count(ids []string) (n int) {
	for _, id := range ids {
		if p.has(id) {
			n++
		}
	}
	return n
}

// add adds an item, whose answers are compact JSON.
func (p *part) add(id string, answers []byte, missing bool) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // so that the answers stay as they are
	if err := e.Encode(partItem{p.asked, id, p.now, missing, answers}); err != nil {
		return err
	}
	line := b.Bytes()
	if p.end+int64(len(line)) > p.limit {
		return unusable{errors.New("its items have more bytes than it may have (maxMB)")}
	}
	if _, err := p.f.WriteAt(line, p.end); err != nil {
		return err
	}
	p.note(id, line, answers)
	if p.end += int64(len(line)); missing {
		p.missing++
	}
	return nil
}

// item returns the answers of an item.
func (p *part) item(id string) ([]byte, error) {
	s := p.spans[id]
	text := make([]byte, s.n)
	_, err := p.f.ReadAt(text, s.at)
	return text, err
}

func (p *part) close() error { return p.f.Close() }
