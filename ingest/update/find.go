package update

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A remote is the current address of an authority's file.
type remote struct {
	URL  string
	Size int64    // stated by the catalogue, perhaps wrong; 0: unknown
	Sum  checksum // stated by the catalogue
}

// A checksum is the digest of a file.
type checksum struct {
	Type  string `json:"type,omitempty"` // sha256, sha1 or md5; "": no checksum
	Value string `json:"value,omitempty"`
}

// An entry is one file in a catalogue.
type entry struct {
	remote
	names   []string // the pattern may match any of them
	changed string   // time of the last change, in RFC 3339
}

// find returns the current address of a file.
func (c *client) find(ctx context.Context, f *File) (remote, error) {
	if f.Find == byURL {
		return remote{URL: f.URL}, nil
	}
	r, err := c.lookUp(ctx, f)
	if errors.Is(err, errOffline) {
		return remote{}, err
	}
	if err != nil {
		u, _ := parseAddress(f.URL) // the table was checked
		return remote{}, fmt.Errorf("the catalogue %s: %w", bareURL(u), err)
	}
	return r, nil
}

// lookUp returns the address that a catalogue states.
func (c *client) lookUp(ctx context.Context, f *File) (remote, error) {
	text, at, err := c.document(ctx, f.URL)
	if err != nil {
		return remote{}, err
	}
	parse := parseDataset
	if f.Find == bySTAC {
		parse = parseSTAC
	}
	entries, err := parse(text)
	if err != nil {
		return remote{}, err
	}
	r, err := newest(f, entries)
	if err != nil {
		return remote{}, err
	}
	u, err := at.Parse(r.URL)
	if err != nil {
		return remote{}, fmt.Errorf("%w: %q", errAddress, redacted(r.URL))
	}
	if _, err := parseAddress(u.String()); err != nil {
		return remote{}, err
	}
	r.URL = u.String()
	return r, checkSecure(at, u)
}

// newest returns the newest entry that the file's pattern matches.
func newest(f *File, entries []entry) (remote, error) {
	var best *entry
	bestRank := ""
	for i := range entries {
		e := &entries[i]
		rank, ok := f.rank(e)
		if !ok {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(rank, bestRank),
			parseTime(e.changed).Compare(parseTime(best.changed))) > 0 {
			best, bestRank = e, rank
		}
	}
	if best == nil {
		return remote{}, fmt.Errorf("none of its %d entries matches %s", len(entries), f.Match)
	}
	return best.remote, nil
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
func (f *File) rank(e *entry) (string, bool) {
	for _, name := range e.names {
		if m := f.match.FindStringSubmatch(name); len(m) > 1 {
			return m[1], true
		} else if m != nil {
			return "", true
		}
	}
	return "", false
}

// maxEntries is far more than a catalogue lists.
const maxEntries = 10000

// parseDataset parses the description of a dataset by data.gouv.fr.
func parseDataset(text []byte) (entries []entry, err error) {
	err = readJSON(text, func(d *json.Decoder) error {
		return readObject(d, func(key string) error {
			if key != "resources" {
				return skipValue(d)
			}
			return readList(d, func() error {
				var r struct {
					URL          string   `json:"url"`
					Title        string   `json:"title"`
					LastModified string   `json:"last_modified"`
					Filesize     float64  `json:"filesize"`
					Checksum     checksum `json:"checksum"`
				}
				if err := decodeEntry(d, &r); err != nil {
					return err
				}
				entries = append(entries,
					entry{remote{r.URL, bytesOf(r.Filesize), r.Checksum.normalized()}, []string{baseOf(r.URL), r.Title},
						r.LastModified})
				return checkCount(len(entries))
			})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("not a dataset: %w", err)
	}
	return entries, nil
}

// parseSTAC parses a STAC item or a page of items.
func parseSTAC(text []byte) (entries []entry, err error) {
	var item func(d *json.Decoder, page bool) error
	item = func(d *json.Decoder, page bool) error {
		var properties struct {
			Updated  string `json:"updated"`
			Datetime string `json:"datetime"`
		}
		var own []entry
		err := readObject(d, func(key string) error {
			switch {
			case key == "properties":
				return decodeEntry(d, &properties)
			case key == "features" && page:
				return readList(d, func() error { return item(d, false) })
			case key != "assets":
				return skipValue(d)
			}
			return readObject(d, func(name string) error {
				var a struct {
					Href     string  `json:"href"`
					Updated  string  `json:"updated"`
					Multi    string  `json:"checksum:multihash"`
					FileSum  string  `json:"file:checksum"`
					FileSize float64 `json:"file:size"`
				}
				if err := decodeEntry(d, &a); err != nil {
					return err
				}
				r := remote{a.Href, bytesOf(a.FileSize), cmp.Or(parseMultihash(a.Multi), parseMultihash(a.FileSum))}
				own = append(own, entry{r, []string{baseOf(a.Href), name}, a.Updated})
				return checkCount(len(entries) + len(own))
			})
		})
		for _, e := range own {
			e.changed = cmp.Or(e.changed, properties.Updated, properties.Datetime)
			entries = append(entries, e)
		}
		return err
	}
	if err = readJSON(text, func(d *json.Decoder) error { return item(d, true) }); err != nil {
		return nil, fmt.Errorf("not a STAC item or list of items: %w", err)
	}
	return entries, nil
}

// decodeEntry decodes one entry. A member of a wrong type counts as missing: one wrong
// entry must not make the others useless.
func decodeEntry(d *json.Decoder, v any) error {
	err := d.Decode(v)
	if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); wrongType {
		return nil
	}
	return err
}

// bytesOf returns the size that a catalogue states, 0 if it is impossible.
func bytesOf(size float64) int64 {
	if size > 0 && size < 1<<50 {
		return int64(size)
	}
	return 0
}

// checkCount bounds the memory that a catalogue needs.
func checkCount(entries int) error {
	if entries > maxEntries {
		return fmt.Errorf("over %d entries", maxEntries)
	}
	return nil
}

// readJSON reads a JSON document value by value. Decoding it at once could take hundreds
// of times its size in memory.
func readJSON(text []byte, value func(d *json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	err := value(d)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err == nil {
			err = errors.New("text after the end")
		}
	}
	return err
}

// readObject calls member for each member of an object. It accepts null.
func readObject(d *json.Decoder, member func(key string) error) error {
	return readNested(d, '{', func() error {
		key, err := d.Token()
		if err != nil {
			return err
		}
		return member(key.(string)) // the decoder accepts nothing else here
	})
}

// readList calls element for each element of a list. It accepts null.
func readList(d *json.Decoder, element func() error) error { return readNested(d, '[', element) }

func readNested(d *json.Decoder, begin json.Delim, next func() error) error {
	t, err := d.Token()
	if err != nil || t == nil {
		return err
	}
	if t != begin {
		return fmt.Errorf("not the expected %s at byte %d",
			map[json.Delim]string{'{': "object", '[': "list"}[begin], d.InputOffset())
	}
	for n := 1; d.More(); n++ {
		if err := checkCount(n); err != nil {
			return err
		}
		if err := next(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// skipValue skips a value.
func skipValue(d *json.Decoder) error { return d.Decode(&skipped{}) }

type skipped struct{}

func (skipped) UnmarshalJSON([]byte) error { return nil }

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
