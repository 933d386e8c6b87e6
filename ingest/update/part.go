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
	os.Remove(filepath.Join(dir.Downloads(), walksFolder)) // if it is empty
	os.Remove(dir.Downloads())                             // likewise
	return err
}

// A part is a file of the items that walks brought: a line of JSON for each. The last line may be broken, if the
// process was killed.
type part struct {
	f     *os.File
	spans map[string]span // by id
	end   int64
	asked string
	now   time.Time
}

// A span is where the answers of an item are in the file.
type span struct{ at, n int64 }

// A partItem is a line of the file.
type partItem struct {
	Asked   string          `json:"asked"` // what the walk asks, see File.digest
	ID      string          `json:"id"`
	At      time.Time       `json:"at"`
	Answers json.RawMessage `json:"answers"`
}

// openPart opens the items of a walk, without those that are old or of another question.
func openPart(path, asked string, now time.Time) (*part, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	p := &part{f: f, spans: map[string]span{}, asked: asked, now: now}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		var item partItem
		if json.Unmarshal(line, &item) == nil && item.Asked == asked && now.Sub(item.At) < askAgain && !item.At.After(now) {
			p.note(item.ID, line, item.Answers)
		}
		p.end += int64(len(line))
	}
	if err := f.Truncate(p.end); err != nil { // a broken last line
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
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
func (p *part) add(id string, answers []byte) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // so that the answers stay as they are
	if err := e.Encode(partItem{p.asked, id, p.now, answers}); err != nil {
		return err
	}
	line := b.Bytes()
	if _, err := p.f.WriteAt(line, p.end); err != nil {
		return err
	}
	p.note(id, line, answers)
	p.end += int64(len(line))
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
