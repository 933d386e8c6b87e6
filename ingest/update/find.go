package update

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A remote is the current address of an authority's file.
type remote struct {
	URL  string
	Size int64    // stated by the catalogue, perhaps wrong; 0: unknown
	Sum  checksum // stated by the catalogue
	Rank string   // what the group of match has in the entry's name, such as 2026_T3; "" without a group
}

// A checksum is the digest of a file.
type checksum struct {
	Type  string // sha256, sha1 or md5; "": no checksum
	Value string
}

// An entry is one file in a catalogue.
type entry struct {
	remote
	names   []string // the pattern may match any of them
	changed string   // time of the last change, in RFC 3339
}

// find returns the current address of a file.
func (c *client) find(ctx context.Context, f *File) (remote, error) {
	switch {
	case f.gathered():
		return remote{URL: f.URL, Rank: f.digest()}, nil
	case f.Find == byURL:
		return remote{URL: f.URL}, nil
	}
	all, err := c.candidates(ctx, f)
	if err != nil {
		return remote{}, err
	}
	return all[len(all)-1], nil
}

// candidates returns the files of a catalogue that the pattern matches, the newest last, at least one. Of files with
// an equal rank the first is the one that changed earlier. If they are not at the file's place, it looks at its other
// place.
func (c *client) candidates(ctx context.Context, f *File) ([]remote, error) {
	all, err := c.lookUp(ctx, &f.Place)
	if err != nil && f.Else != nil && ctx.Err() == nil && !errors.Is(err, errOffline) {
		other, failed := c.lookUp(ctx, f.Else)
		if failed == nil {
			return other, nil
		}
		return nil, fmt.Errorf("%w; %w", err, failed)
	}
	return all, err
}

// lookUp returns the files that a catalogue states, the newest last.
func (c *client) lookUp(ctx context.Context, p *Place) (all []remote, err error) {
	if p.Find == byListing {
		all, err = c.listing(ctx, p)
	} else {
		all, err = c.catalogue(ctx, p)
	}
	if u, _ := parseAddress(p.URL); err != nil && !errors.Is(err, errOffline) { // the table was checked
		return nil, fmt.Errorf("the catalogue %s: %w", redacted(u), err)
	}
	return all, err
}

// catalogue returns the files that a catalogue in JSON states, the newest last.
func (c *client) catalogue(ctx context.Context, p *Place) ([]remote, error) {
	text, at, err := c.document(ctx, p.URL)
	if err != nil {
		return nil, err
	}
	parse := parseDataset
	if p.Find == bySTAC {
		parse = parseSTAC
	}
	entries, err := parse(text)
	if err != nil {
		return nil, err
	}
	return p.sorted(entries, at)
}

// maxDocument is the largest allowed size of a catalogue, in bytes.
const maxDocument = 4 << 20

// document downloads a catalogue in JSON. It also returns the address after redirects.
func (c *client) document(ctx context.Context, address string) (text []byte, at *url.URL, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		if text, at, err = c.text(ctx, address, "application/json", maxDocument); err != nil {
			return err
		}
		return sniff(text)
	})
	return text, at, err
}

// text asks once for a text of a bounded size. It also returns the address after redirects.
func (c *client) text(ctx context.Context, address, accept string, limit int64) (text []byte, at *url.URL, err error) {
	header := http.Header{"Accept": {accept}}
	err = c.ask(ctx, address, header, []int{http.StatusOK}, func(a *http.Response, body io.Reader) error {
		at = a.Request.URL
		text, err = readText(body, limit)
		return err
	})
	return text, at, err
}

func readText(body io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("over %d bytes", limit)
	}
	return text, err
}

// errNoMatch says that a catalogue was read and lacks the file.
var errNoMatch = errors.New("it has no such file")

// sorted returns the entries that the pattern matches, the newest last. at is the address of the catalogue.
func (p *Place) sorted(entries []entry, at *url.URL) (all []remote, err error) {
	var matched []entry
	for _, e := range entries {
		if rank, ok := p.rank(&e); ok {
			e.Rank = rank
			matched = append(matched, e)
		}
	}
	if len(matched) == 0 {
		return nil, fmt.Errorf("%w: none of its %d entries matches %s", errNoMatch, len(entries), p.Match)
	}
	slices.SortStableFunc(matched, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), parseTime(a.changed).Compare(parseTime(b.changed)))
	})
	for _, e := range matched {
		u, err := at.Parse(e.URL)
		if err != nil {
			return nil, errAddress
		}
		if u, err = parseAddress(u.String()); err != nil {
			return nil, err
		}
		if err := checkSecure(at, u); err != nil {
			return nil, err
		}
		e.URL = u.String()
		all = append(all, e.remote)
	}
	return all, nil
}

// parseTime parses a catalogue's time, which is in UTC if it has no zone. It returns the
// zero time if the text is invalid.
func parseTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, _ = time.Parse("2006-01-02T15:04:05", text)
	}
	return at
}

// rank returns the text of the pattern's group, "" if the pattern has no group.
func (p *Place) rank(e *entry) (string, bool) {
	for _, name := range e.names {
		if m := p.match.FindStringSubmatch(name); len(m) > 1 {
			return m[1], true
		} else if m != nil {
			return "", true
		}
	}
	return "", false
}

// maxEntries is far more than a catalogue lists.
const maxEntries = 10000

var errEntries = fmt.Errorf("over %d entries", maxEntries)

// parseDataset parses the description of a dataset by data.gouv.fr.
func parseDataset(text []byte) (entries []entry, err error) {
	type resource struct {
		URL          string
		Title        string
		LastModified string `json:"last_modified"`
		Filesize     float64
		Checksum     checksum
	}
	var dataset struct{ Resources list[resource] }
	if err := json.Unmarshal(text, &dataset); err != nil {
		return nil, fmt.Errorf("not a dataset: %w", err)
	}
	for _, r := range dataset.Resources {
		entries = append(entries, entry{remote{URL: r.URL, Size: bytesOf(r.Filesize), Sum: r.Checksum.normalized()},
			[]string{baseOf(r.URL), r.Title}, r.LastModified})
	}
	return entries, nil
}

// An item is a STAC item.
type item struct {
	Properties json.RawMessage
	Assets     map[string]json.RawMessage
}

// parseSTAC parses a STAC item or a page of items.
func parseSTAC(text []byte) (entries []entry, err error) {
	var page struct {
		item
		Features list[item]
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, fmt.Errorf("not a STAC item or list of items: %w", err)
	}
	for _, i := range append(page.Features, page.item) {
		if len(entries)+len(i.Assets) > maxEntries {
			return nil, errEntries
		}
		entries = append(entries, i.entries()...)
	}
	return entries, nil
}

// entries returns the assets of an item, in the order of their names.
func (i item) entries() (entries []entry) {
	var properties struct{ Updated, Datetime string }
	decode(i.Properties, &properties)
	for _, name := range slices.Sorted(maps.Keys(i.Assets)) {
		var a struct {
			Href     string
			Updated  string
			Multi    string  `json:"checksum:multihash"`
			FileSum  string  `json:"file:checksum"`
			FileSize float64 `json:"file:size"`
		}
		decode(i.Assets[name], &a)
		r := remote{URL: a.Href, Size: bytesOf(a.FileSize), Sum: cmp.Or(parseMultihash(a.Multi), parseMultihash(a.FileSum))}
		entries = append(entries, entry{r, []string{baseOf(a.Href), name},
			cmp.Or(a.Updated, properties.Updated, properties.Datetime)})
	}
	return entries
}

// A list is decoded value by value, at most maxEntries: at once it could take a hundred
// times its bytes. A value of a wrong type counts as an empty one.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t == nil {
		return err
	} else if t != json.Delim('[') {
		return errors.New("its entries are not a list")
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		var v T
		decode(raw, &v)
		if *l = append(*l, v); len(*l) > maxEntries {
			return errEntries
		}
	}
	return nil
}

// decode decodes a valid value. A member of a wrong type counts as missing: one wrong
// entry must not make the others useless.
func decode(text json.RawMessage, v any) { _ = json.Unmarshal(text, v) }

// bytesOf returns the size that a catalogue states, 0 if it is impossible.
func bytesOf(size float64) int64 {
	if size > 0 && size < 1<<50 {
		return int64(size)
	}
	return 0
}

// digests are the functions of published checksums. They detect accidental damage;
// TLS protects against attacks.
var digests = map[string]func() hash.Hash{"sha256": sha256.New, "sha1": sha1.New, "md5": md5.New}

// digest returns the function of the checksum, nil without a checksum.
func (c checksum) digest() hash.Hash {
	if c.Type == "" {
		return nil
	}
	return digests[c.Type]()
}

// normalized returns the checksum in lower case, or the zero checksum if its type or
// length is unknown.
func (c checksum) normalized() checksum {
	c.Type, c.Value = strings.ReplaceAll(strings.ToLower(c.Type), "-", ""), strings.ToLower(strings.TrimSpace(c.Value))
	raw, err := hex.DecodeString(c.Value)
	if h, ok := digests[c.Type]; !ok || err != nil || len(raw) != h().Size() {
		return checksum{}
	}
	return c
}

// multihashes are the codes of digests: a function and a length, in hexadecimal.
var multihashes = map[string]string{"1220": "sha256", "1114": "sha1", "d50110": "md5"}

func parseMultihash(text string) checksum {
	text = strings.ToLower(text)
	for code, name := range multihashes {
		if value, ok := strings.CutPrefix(text, code); ok {
			if c := (checksum{name, value}).normalized(); c.Type != "" {
				return c
			}
		}
	}
	return checksum{}
}
