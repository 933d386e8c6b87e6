package update

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A version is what tells one state of a file from another.
type version struct {
	URL          string   `json:"url"`     // that was asked for, without what is secret in it
	Address      string   `json:"address"` // the SHA-256 of the whole of it
	ETag         string   `json:"etag,omitempty"`
	LastModified string   `json:"lastModified,omitempty"`
	Published    checksum `json:"published,omitzero"`
	SHA256       string   `json:"sha256,omitempty"`
	Bytes        int64    `json:"bytes,omitempty"`
	Joined       bool     `json:"joined,omitempty"` // of what came in more than one transfer
	Misfit       bool     `json:"misfit,omitempty"` // its bytes do not have the published checksum
}

// is tells whether a server's answer of 304, with its tag and date, can be about the
// version, rather than about another that was asked about as well.
func (v *version) is(etag, changed string) bool {
	switch {
	case v.ETag == "" && (v.LastModified == "" || etag != ""):
		return false
	case etag == "":
		return changed == "" || v.LastModified == "" || changed == v.LastModified
	}
	return strings.TrimPrefix(v.ETag, "W/") == strings.TrimPrefix(etag, "W/")
}

// checkNotOlder returns an error when a file's date, as its server writes it, is before that
// of the one that was read: a mirror is behind its time.
func checkNotOlder(changed, read string) error {
	got, err := http.ParseTime(changed)
	last, err2 := http.ParseTime(read)
	if err != nil || err2 != nil || !got.Before(last) {
		return nil
	}
	return fmt.Errorf("it is of %s, older than the one of %s that was read; --force reads it",
		got.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339))
}

// openEnded tells whether nothing but the end of the connection ends an answer's body.
// Chunks and HTTP/2 have an end of their own, and net/http takes no other for it.
func openEnded(a *http.Response) bool {
	return a.ContentLength < 0 && len(a.TransferEncoding) == 0 && a.ProtoMajor == 1
}

// conditions ask for the file only if it is none of the versions.
func conditions(header http.Header, versions ...*version) {
	var tags []string
	since := ""
	for _, v := range versions {
		if v.ETag != "" {
			tags = append(tags, v.ETag)
		}
		if since == "" {
			since = v.LastModified
		}
	}
	if len(tags) > 0 {
		header.Set("If-None-Match", strings.Join(tags, ", "))
	} else if since != "" {
		header.Set("If-Modified-Since", since)
	}
}

// validator is what a server compares before it sends the rest of a file; "" when
// it gave nothing that names the very bytes.
func (p *part) validator() string {
	if p.ETag != "" && !strings.HasPrefix(p.ETag, "W/") {
		return p.ETag
	}
	if p.ETag == "" {
		return p.LastModified
	}
	return ""
}

// tagOf is a header that tells versions apart, "" where it is longer than any is.
func tagOf(a *http.Response, name string) string {
	if text := a.Header.Get(name); len(text) <= maxTag {
		return text
	}
	return ""
}
