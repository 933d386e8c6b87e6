package update

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"relais/internal/system"
)

// A download fetches one file into a folder of its own.
type download struct {
	*client
	dir      string
	name     string   // of the file in the table
	write    gatherer // of a service or a walk; nil for a file of a server
	remote   remote
	limit    int64   // bytes
	known    version // is not sent again
	progress func(total int64) func(n int)
	got      version // what the server has
	path     string
	received int64 // bytes, of all tries
	missing  int   // see gatherer
}

// errUnchanged says that the server has the known version.
var errUnchanged = errors.New("unchanged")

// An unusable error reports a file that is not the wanted one. It is refused until it
// changes.
type unusable struct{ error }

// A damaged error reports bytes that are not the authority's file, perhaps only this time.
type damaged struct{ error }

// run downloads the file, unless it is the known version, which is then what the server has. Error: unusable.
func (d *download) run(ctx context.Context) error {
	err := d.fetch(ctx)
	if errors.Is(err, errUnchanged) {
		d.got, err = d.known, nil
	}
	return err
}

// fetch is run, with the error errUnchanged. Damaged bytes are fetched again. If the same come, they are unusable.
func (d *download) fetch(ctx context.Context) error {
	if d.known.SHA256 != "" && d.remote.Sum.Type != "" && len(d.known.conditions()) == 0 {
		return errUnchanged // the catalogue's checksum alone says so
	}
	if d.write != nil {
		err := d.gather(ctx)
		if err != nil {
			err = errors.Join(err, os.RemoveAll(d.dir))
		}
		return err
	}
	last := ""
	err := d.retry(ctx, func(ctx context.Context) error {
		err := d.try(ctx)
		if _, ok := errors.AsType[damaged](err); !ok {
			return err
		}
		sum := d.got.SHA256
		if d.got.SHA256 = ""; sum == last {
			return unusable{err}
		}
		last = sum
		return temporary{error: err}
	})
	if err != nil { // others need the room on the disk
		err = errors.Join(err, system.RemoveAll(d.dir))
	}
	return err
}

// try asks for the file once. net/http asks for gzip and unpacks it.
func (d *download) try(ctx context.Context) error {
	header, wanted := d.known.conditions(), []int{http.StatusOK}
	if len(header) > 0 {
		wanted = append(wanted, http.StatusNotModified)
	}
	older := false
	err := d.ask(ctx, d.remote.URL, header, wanted, func(a *http.Response, body io.Reader) error {
		d.got = version{Asked: asked(d.remote, d.limit), Rank: d.remote.Rank, ETag: a.Header.Get("Etag"),
			LastModified: a.Header.Get("Last-Modified")}
		if a.StatusCode == http.StatusNotModified {
			older = d.known.isOlder(d.got)
			return errUnchanged
		}
		size, err := d.begin(a)
		if err != nil {
			return err
		}
		return d.store(body, size)
	})
	if older {
		d.known = version{}
		return d.try(ctx)
	}
	return err
}

// begin checks the header of an answer, and makes the folder. size is -1 if it is unknown.
func (d *download) begin(a *http.Response) (size int64, err error) {
	if coding := a.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return 0, fmt.Errorf("the server sends it in %q, which was not asked for", coding)
	}
	if size = a.ContentLength; size > d.limit {
		return 0, unusable{fmt.Errorf("it has %d bytes, over the %d that it may have", size, d.limit)}
	}
	if size < 0 && d.remote.Size > 0 { // the size in a catalogue may be wrong
		size = min(d.remote.Size, d.limit)
	}
	name := safeName(baseOf(a.Request.URL.String()))
	if name == "" {
		name = "file"
	}
	d.path = filepath.Join(d.dir, name)
	if err := os.MkdirAll(d.dir, 0o700); err != nil { // it may have personal data
		return 0, err
	}
	return size, checkSpace(d.dir, size)
}

// store writes the file and verifies it.
func (d *download) store(from io.Reader, size int64) error {
	f, err := os.OpenFile(d.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	came := &intake{dir: d.dir, received: &d.received, advance: func(int) {}}
	if d.progress != nil {
		came.advance = d.progress(size)
	}
	in := bufio.NewReader(io.TeeReader(from, came))
	head, err := in.Peek(sniffed) // the rest of a page is not waited for
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) == 0 {
		return unusable{errors.New("the answer is empty")}
	}
	if err := sniff(head); err != nil {
		return err
	}
	sum, published := sha256.New(), d.remote.Sum.digest()
	to := io.MultiWriter(f, sum)
	if published != nil {
		to = io.MultiWriter(to, published)
	}
	n, err := io.Copy(to, io.LimitReader(in, d.limit+1))
	if n > d.limit {
		return unusable{fmt.Errorf("over the %d bytes that it may have", d.limit)}
	}
	d.got.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if err != nil {
		return err
	}
	if want := d.remote.Sum; published != nil {
		if got := hex.EncodeToString(published.Sum(nil)); got != want.Value {
			return damaged{fmt.Errorf("its %s is %s, the catalogue says %s", want.Type, got, want.Value)}
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return setModTime(d.path, d.got.LastModified, time.Now())
}

// An intake counts the bytes that come. It looks at the room on the disk again and again:
// the length of an answer may be unknown.
type intake struct {
	dir       string
	received  *int64
	advance   func(n int)
	n, looked int64
}

// lookEvery is how many bytes come between two looks at the room on the disk.
const lookEvery = 16 << 20

func (i *intake) Write(text []byte) (int, error) {
	i.n += int64(len(text))
	*i.received += int64(len(text))
	i.advance(len(text))
	if i.n-i.looked < lookEvery {
		return len(text), nil
	}
	i.looked = i.n
	return len(text), checkSpace(i.dir, i.n)
}

// sniffed is how many bytes are enough to recognize a page.
const sniffed = 512

var errHTML = errors.New("an HTML page, not the file")

// sniff returns an error for markup: no authority publishes its register as HTML or XML.
func sniff(head []byte) error {
	head = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head[:min(len(head), sniffed)], []byte("\xef\xbb\xbf")),
		" \t\r\n"))
	for _, mark := range []string{"<!doctype html", "<html", "<head", "<body", "<!--", "<script"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return unusable{errHTML}
		}
	}
	if bytes.HasPrefix(head, []byte("<")) {
		return unusable{errors.New("an XML document, not the file: perhaps an error message of the service")}
	}
	return nil
}

// checkSpace returns an error if the disk has no room for a download and, in addition,
// its copy in sources/ and the new snapshot.
func checkSpace(dir string, size int64) error {
	free, err := freeSpace(dir)
	if err != nil {
		return err
	}
	if size > 0 && free/2 < uint64(size) {
		return fmt.Errorf("the file has %d bytes and the disk of %s has %d free: twice the file is needed", size,
			dir, free)
	}
	return nil
}

// freeSpace returns the free bytes of the disk of a folder.
func freeSpace(dir string) (uint64, error) {
	free, _, err := system.Free(dir)
	if err != nil {
		return 0, fmt.Errorf("reading the free space of %s: %w", dir, err)
	}
	return free, nil
}

// setModTime sets the modification time that the server states. It dates registers that
// state no date. Times in the future and the Unix epoch are ignored.
func setModTime(path, changed string, now time.Time) error {
	at, err := http.ParseTime(changed)
	if err != nil || at.After(now) || at.Unix() <= 0 {
		return nil
	}
	return os.Chtimes(path, time.Time{}, at)
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// safeName returns a file name made from the end of an address.
func safeName(name string) string {
	name = unsafe.ReplaceAllString(name, "_")
	return strings.TrimLeft(name[max(0, len(name)-100):], "._-")
}
