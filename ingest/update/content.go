package update

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"syscall"
)

// digests are the functions of published checksums. They detect accidental damage;
// TLS protects against attacks.
var digests = map[string]func() hash.Hash{"sha256": sha256.New, "sha1": sha1.New, "md5": md5.New}

// An unusable error reports a complete file that is not the wanted one. The same bytes
// need not be downloaded again.
type unusable struct{ error }

func (u unusable) Unwrap() error { return u.error }

// An oversize error reports a file over its limit. It is void when the limit is raised.
type oversize struct{ error }

// A damaged error reports a download that differs from the authority's file. Its tag is
// not trusted until the same bytes come again.
type damaged struct{ error }

func (d damaged) Unwrap() error { return d.error }

var (
	errHTML  = unusable{errors.New("an HTML page, not the file")}
	errXML   = unusable{errors.New("an XML document, not the file: perhaps an error message of the service")}
	errEmpty = unusable{errors.New("the answer is empty")}
)

// sniffed is how many bytes are enough to recognize a page.
const sniffed = 512

// sniff returns an error for markup: no authority publishes its register as HTML or XML.
func sniff(head []byte) error {
	head = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head[:min(len(head), sniffed)], []byte("\xef\xbb\xbf")),
		" \t\r\n"))
	for _, mark := range []string{"<!doctype html", "<html", "<head", "<body", "<!--", "<script"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return errHTML
		}
	}
	if bytes.HasPrefix(head, []byte("<")) {
		return errXML
	}
	return nil
}

// unpack unpacks a file that was sent with Content-Encoding: gzip.
func unpack(to, path string, limit int64) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return damaged{fmt.Errorf("said to be gzip: %w", err)}
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	n, err := io.Copy(out, io.LimitReader(z, limit+1))
	if _, ours := errors.AsType[*os.PathError](err); err != nil && !ours {
		return damaged{fmt.Errorf("said to be gzip: %w", err)}
	}
	if err != nil {
		return err
	}
	if n > limit {
		return unusable{oversize{fmt.Errorf("it unpacks to over the %d bytes that it may have", limit)}}
	}
	return out.Close()
}

// fileSHA256 returns the SHA-256 of a file in hexadecimal.
func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verify checks that a file is not markup and has the published checksum. It returns the
// file's SHA-256, also when the checksum differs.
func verify(path string, published checksum) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return "", errEmpty
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return "", err
	}
	if err := sniff(head[:n]); err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	to := io.Writer(sum)
	var other hash.Hash
	if published.Type != "" {
		other = digests[published.Type]()
		to = io.MultiWriter(sum, other)
	}
	if _, err := io.Copy(to, f); err != nil {
		return "", err
	}
	if other != nil {
		if got := hex.EncodeToString(other.Sum(nil)); got != published.Value {
			return hex.EncodeToString(sum.Sum(nil)),
				damaged{fmt.Errorf("its %s is %s, the catalogue says %s", published.Type, got, published.Value)}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// checkSpace returns an error if the disk has no room for a download and, in addition,
// its copy in sources/ and the new snapshot.
func checkSpace(dir string, size int64) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return fmt.Errorf("reading the free space of %s: %w", dir, err)
	}
	free := uint64(s.Bavail) * uint64(s.Bsize)
	if size > 0 && free/2 < uint64(size) {
		return fmt.Errorf("the file has %d bytes and the disk of %s has %d free: twice the file is needed", size,
			dir, free)
	}
	return nil
}
