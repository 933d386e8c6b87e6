package update

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"relais/internal/folder"
)

// A download is a folder with one file, or the part of it that was received.
type download struct {
	*client
	dir      string
	remote   remote
	limit    int64
	known    []*version // versions that need not be sent again
	progress func(total int64) func(n int)
	part     part
	waited   bool   // the complete file was there before the run
	resumed  int64  // bytes received by earlier runs
	came     int64  // bytes received by this run
	tag      string // ETag of an answer 304
	changed  string // Last-Modified of an answer 304
	advance  func(int)
}

// A part describes the file in the same folder, which may be incomplete.
type part struct {
	version
	File string `json:"file"` // its name
	Size int64  `json:"size"` // of the whole file as it is sent; -1: unknown
	Gzip bool   `json:"gzip,omitempty"`
	Done bool   `json:"done,omitempty"` // whole and verified
}

const (
	partName = "part.json"
	packed   = ".gz" // ends the name of a file that comes with Content-Encoding: gzip
)

// errUnchanged says that the server has a known version.
var errUnchanged = errors.New("unchanged")

// run downloads the file. It resumes an earlier download unless restart is true. Errors:
// errUnchanged if the server has a known version. After other errors the received part
// stays for the next run, unless it is useless.
func (d *download) run(ctx context.Context, restart bool) (path string, err error) {
	if !restart {
		d.part = d.open()
	}
	if d.part.File == "" {
		if err := d.clear(); err != nil {
			return "", err
		}
	}
	d.waited = d.part.Done
	err = d.retry(ctx, d.try)
	_, wrong := errors.AsType[unusable](err)
	_, spoilt := errors.AsType[damaged](err)
	if full := errors.Is(err, syscall.ENOSPC); wrong || spoilt || full { // on a full disk others need the room
		refused := d.part.version
		err = errors.Join(err, d.clear())
		d.part.version = refused
	}
	return d.path(), err
}

func (d *download) path() string { return filepath.Join(d.dir, d.part.File) }

// open returns the part that an earlier run left, or the zero part if it is useless.
func (d *download) open() (p part) {
	text, err := os.ReadFile(filepath.Join(d.dir, partName))
	if err != nil || json.Unmarshal(text, &p) != nil || !p.matches(d.remote) {
		return part{}
	}
	if plain := strings.TrimSuffix(p.File, packed); p.File != safeName(p.File) &&
		!(p.Gzip && plain == safeName(plain)) {
		return part{}
	}
	if p.Done { // the disk may have lost it
		path := filepath.Join(d.dir, p.File)
		if sizeOf(path) != p.Bytes {
			return part{}
		}
		if sum, err := fileSHA256(path); err != nil || sum != p.SHA256 {
			return part{}
		}
	}
	return p
}

// haveBytes returns how many bytes of the file are on disk.
func (d *download) haveBytes() int64 {
	if d.part.File == "" {
		return 0
	}
	return sizeOf(d.path())
}

// sizeOf returns the size of a file, 0 if it is missing.
func sizeOf(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (d *download) clear() error {
	d.part = part{}
	return os.RemoveAll(d.dir)
}

// try requests the file, or the rest of it, once.
func (d *download) try(ctx context.Context) (came int64, err error) {
	ctx, awake, stop := d.watch(ctx)
	defer stop()
	have, header := d.haveBytes(), http.Header{"Accept-Encoding": {"identity"}}
	switch {
	case d.part.Done:
		conditions(header, &d.part.version)
	case have > 0 && have == d.part.Size:
		return 0, d.finish(false)
	case have > 0 && d.part.validator() != "":
		header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		header.Set("If-Range", d.part.validator())
	default:
		have = 0
		conditions(header, d.known...)
	}
	wanted := []int{http.StatusOK, http.StatusNotModified}
	if header.Get("Range") != "" {
		wanted = append(wanted, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable)
	}
	a, err := d.get(ctx, d.remote.URL, header, wanted...)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	switch a.StatusCode {
	case http.StatusNotModified:
		if d.part.Done {
			return 0, nil
		}
		d.tag, d.changed = a.Header.Get("Etag"), a.Header.Get("Last-Modified")
		return 0, errUnchanged
	case http.StatusOK:
		have = 0
		err = d.begin(a)
	default:
		if !d.continues(a, have) {
			return 0, errors.Join(d.clear(), temporary{error: errors.New("the file changed while it was downloaded")})
		}
		err = checkSpace(d.dir, d.part.Size)
	}
	if err != nil {
		return 0, err
	}
	came, err = d.copy(ctx, watched{a.Body, awake}, have)
	d.came += came
	if err != nil {
		return came, err
	}
	if size := d.part.Size; size >= 0 && have+came != size {
		return came, temporary{error: fmt.Errorf("%d bytes came of the %d that were announced", have+came, size)}
	}
	return came, d.finish(openEnded(a))
}

// begin starts a new file.
func (d *download) begin(a *http.Response) error {
	if err := d.clear(); err != nil {
		return err
	}
	name := safeName(baseOf(a.Request.URL.String()))
	if name == "" || name == partName {
		name = "file"
	}
	p := part{
		version: version{
			URL: redacted(d.remote.URL), Address: hashOf(d.remote.URL), Published: d.remote.Sum,
			ETag: tagOf(a, "Etag"), LastModified: tagOf(a, "Last-Modified"),
		},
		File: name, Size: a.ContentLength,
	}
	switch coding := strings.ToLower(a.Header.Get("Content-Encoding")); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		p.Gzip, p.File = true, p.File+packed
	default:
		return fmt.Errorf("the server sends it in %q, which was not asked for", coding)
	}
	if p.Size > d.limit {
		d.part.version = p.version
		return unusable{oversize{fmt.Errorf("it has %d bytes, over the %d that it may have", p.Size, d.limit)}}
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	size := p.Size
	if size < 0 { // the size in a catalogue may be wrong
		size = min(d.remote.Size, d.limit)
	}
	if err := checkSpace(d.dir, size); err != nil {
		return err
	}
	d.part, d.resumed, d.advance = p, 0, nil
	return d.describe()
}

// describe writes the part to disk.
func (d *download) describe() error {
	return folder.ReplacePrivate(filepath.Join(d.dir, partName),
		func(w io.Writer) error { return json.NewEncoder(w).Encode(d.part) })
}

// continues reports whether an answer is the rest of the file on disk.
func (d *download) continues(a *http.Response, have int64) bool {
	var from, to, size int64
	if a.StatusCode != http.StatusPartialContent || have == 0 {
		return false
	}
	if n, err := fmt.Sscanf(a.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size); err != nil || n != 3 {
		return false
	}
	tag, changed, coding := a.Header.Get("Etag"), a.Header.Get("Last-Modified"), a.Header.Get("Content-Encoding")
	if from != have || to != size-1 || d.part.Size >= 0 && size != d.part.Size || size > d.limit ||
		tag != "" && tag != d.part.ETag || changed != "" && changed != d.part.LastModified ||
		d.part.Gzip != (coding != "" && coding != "identity") {
		return false
	}
	d.part.Size, d.part.Joined = size, true
	d.resumed = have
	return true
}

// copy appends to the file after the first have bytes.
func (d *download) copy(ctx context.Context, from io.Reader, have int64) (came int64, err error) {
	f, err := os.OpenFile(d.path(), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := errors.Join(f.Sync(), f.Close()); e != nil && err == nil {
			err = e
		}
	}()
	if err := f.Truncate(have); err != nil {
		return 0, err
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return 0, err
	}
	d.startProgress(have)
	var head bytes.Buffer
	for buf := make([]byte, 64<<10); ; {
		n, readErr := from.Read(buf)
		if have+came+int64(n) > d.limit {
			return came, unusable{oversize{fmt.Errorf("over the %d bytes that it may have", d.limit)}}
		}
		if _, err := f.Write(buf[:n]); err != nil {
			return came, err
		}
		came += int64(n)
		d.advance(n)
		if have == 0 && !d.part.Gzip && head.Len() < sniffed {
			head.Write(buf[:n])
			if head.Len() >= sniffed && sniff(head.Bytes()) != nil { // do not wait for the rest of a page
				return came, sniff(head.Bytes())
			}
		}
		if errors.Is(readErr, io.EOF) {
			return came, nil
		}
		if readErr != nil {
			return came, temporary{error: cause(ctx, readErr)}
		}
	}
}

// startProgress starts the progress display, once for all tries.
func (d *download) startProgress(have int64) {
	if d.advance != nil {
		return
	}
	d.advance = func(int) {}
	if d.progress != nil {
		d.advance = d.progress(d.part.Size)
		d.advance(int(have))
	}
}

// finish verifies a complete file. An open end is one that only the close of the
// connection marks. If neither a length nor a checksum proves an open end, the file may
// be cut. Its tag is then forgotten: it would keep the rest from ever being requested.
func (d *download) finish(open bool) error {
	changed := d.part.LastModified
	if open = open && d.part.Size < 0; open && d.remote.Sum.Type == "" {
		d.part.ETag, d.part.LastModified = "", ""
	}
	if d.part.Gzip {
		plain := strings.TrimSuffix(d.part.File, packed)
		if err := unpack(filepath.Join(d.dir, plain), d.path(), d.limit); err != nil {
			return err
		}
		defer os.Remove(d.path()) // after a failure the folder is removed later
		d.part.File, d.part.Gzip = plain, false
	}
	sum, err := verify(d.path(), d.remote.Sum)
	d.part.SHA256, d.part.Bytes = sum, d.haveBytes()
	if err != nil {
		if _, d.part.Misfit = errors.AsType[damaged](err); open { // perhaps cut at the same byte each time
			d.part.ETag, d.part.LastModified = "", ""
		}
		return err
	}
	if err := setModTime(d.path(), changed, time.Now()); err != nil {
		return err
	}
	d.part.Done, d.part.Size = true, d.part.Bytes
	return d.describe()
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
