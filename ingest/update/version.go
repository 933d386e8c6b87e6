package update

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A version identifies one state of a file.
type version struct {
	URL          string   `json:"url"`     // without secrets
	Address      string   `json:"address"` // SHA-256 of the complete address
	ETag         string   `json:"etag,omitempty"`
	LastModified string   `json:"lastModified,omitempty"`
	Published    checksum `json:"published,omitzero"`
	SHA256       string   `json:"sha256,omitempty"`
	Bytes        int64    `json:"bytes,omitempty"`
	Joined       bool     `json:"joined,omitempty"` // from several transfers
	Misfit       bool     `json:"misfit,omitempty"` // the bytes do not have the published checksum
}

// describedBy reports whether an answer 304 with this tag and date can be about the
// version, when the request named several versions.
func (v *version) describedBy(etag, changed string) bool {
	switch {
	case v.ETag == "" && (v.LastModified == "" || etag != ""):
		return false
	case etag == "":
		return changed == "" || v.LastModified == "" || changed == v.LastModified
	}
	return strings.TrimPrefix(v.ETag, "W/") == strings.TrimPrefix(etag, "W/")
}

// checkNotOlder returns an error if a file's Last-Modified is before that of the file that
// was read: a mirror may be outdated.
func checkNotOlder(changed, read string) error {
	got, err := http.ParseTime(changed)
	last, err2 := http.ParseTime(read)
	if err != nil || err2 != nil || !got.Before(last) {
		return nil
	}
	return fmt.Errorf("it is of %s, older than the one of %s that was read; --force reads it",
		got.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339))
}

// openEnded reports whether only the end of the connection marks the end of an answer's
// body. Chunks and HTTP/2 mark their own end, and net/http checks it.
func openEnded(a *http.Response) bool {
	return a.ContentLength < 0 && len(a.TransferEncoding) == 0 && a.ProtoMajor == 1
}

// conditions adds the headers that request the file only if it is not a known version.
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

// validator returns the value of If-Range: a strong tag or a date. It is "" if the server
// gave neither.
func (p *part) validator() string {
	if p.ETag != "" && !strings.HasPrefix(p.ETag, "W/") {
		return p.ETag
	}
	if p.ETag == "" {
		return p.LastModified
	}
	return ""
}

// tagOf returns a header that identifies a version, "" if it is too long to keep.
func tagOf(a *http.Response, name string) string {
	if text := a.Header.Get(name); len(text) <= maxTag {
		return text
	}
	return ""
}
