package update

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
)

// maxListings is the largest number of pages of a listing. A store answers with up to 1000 files a page.
const maxListings = 100

var errBrokenListing = errors.New("the listing says that it goes on, but not how: it is not whole")

// A bucket is a page of the files of a store, in the form of ListObjectsV2 of Amazon's S3.
type bucket struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	IsTruncated           bool
	NextContinuationToken string
	Contents              []struct {
		Key          string
		LastModified string
		Size         float64
	}
}

// listing returns the files of a store or of a page with links, the newest last.
func (c *client) listing(ctx context.Context, p *Place) ([]remote, error) {
	var entries []entry
	listed, tokens := 0, map[string]bool{}
	for address := p.URL; ; {
		var text []byte
		var at *url.URL
		err := c.retry(ctx, func(ctx context.Context) (err error) {
			text, at, err = c.text(ctx, address, "application/xml, text/html", maxDocument)
			return err
		})
		if err != nil {
			return nil, err
		}
		if !isStore(at) {
			return p.sorted(linksOf(text, at), at)
		}
		page, err := parseBucket(text)
		if err != nil {
			return nil, err
		}
		listed += len(page.Contents)
		if entries = append(entries, p.filesOf(page, at)...); len(entries) > maxEntries {
			return nil, errEntries
		}
		token := page.NextContinuationToken
		switch {
		case !page.IsTruncated && len(entries) == 0:
			return nil, fmt.Errorf("%w: none of its %d files matches %s", errNoMatch, listed, p.Match)
		case !page.IsTruncated:
			return p.sorted(entries, at)
		case token == "" || tokens[token] || len(tokens) == maxListings:
			return nil, errBrokenListing
		}
		tokens[token] = true
		address = continued(p.URL, token)
	}
}

// isStore reports whether an address asks for a listing of a store.
func isStore(u *url.URL) bool { return u.Query().Has("list-type") }

// continued returns the address of the next page.
func continued(address, token string) string {
	u, _ := parseAddress(address) // the table was checked
	q := u.Query()
	q.Set("continuation-token", token)
	u.RawQuery = q.Encode()
	return u.String()
}

func parseBucket(text []byte) (b bucket, err error) {
	if u, page := errors.AsType[unusable](sniff(text)); page && u.error == errHTML {
		return b, u
	}
	if err := xml.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("not a listing of a store: %w", err)
	}
	return b, nil
}

// filesOf returns the files of a page that the pattern matches. The key of a file is its path below the address of the
// store, without the query.
func (p *Place) filesOf(page bucket, at *url.URL) (entries []entry) {
	store := *at
	store.RawQuery = ""
	for _, c := range page.Contents {
		e := entry{remote{Size: bytesOf(c.Size)}, []string{c.Key}, c.LastModified}
		if _, ok := p.rank(&e); ok {
			e.URL = store.JoinPath((&url.URL{Path: c.Key}).EscapedPath()).String()
			entries = append(entries, e)
		}
	}
	return entries
}

var link = regexp.MustCompile(`(?i)\shref\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// linksOf returns the links of a page. Their names are their paths.
func linksOf(text []byte, at *url.URL) (entries []entry) {
	for _, m := range link.FindAllSubmatch(text, maxEntries) {
		u, err := at.Parse(html.UnescapeString(string(bytes.Join(m[1:], nil))))
		if err != nil || !strings.HasPrefix(u.Scheme, "http") {
			continue
		}
		entries = append(entries, entry{remote{URL: u.String()}, []string{u.Path}, ""})
	}
	return entries
}
