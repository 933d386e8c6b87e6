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

// A remote is a file as the authority names it at the moment.
type remote struct {
	URL  string
	Size int64    // as the catalogue states it, 0 when it does not; catalogues err
	Sum  checksum // as the catalogue states it
}

// A checksum is the digest of a file.
type checksum struct {
	Type  string `json:"type,omitempty"` // sha256, sha1 or md5; "" when there is none
	Value string `json:"value,omitempty"`
}

// An entry is what a catalogue says of one file.
type entry struct {
	remote
	names   []string // that the pattern may match
	changed string   // when, as the catalogue writes it: RFC 3339
}

// find finds the address of a file.
func (c *client) find(ctx context.Context, f *File) (remote, error) {
	if f.Find == ByURL {
		return remote{URL: f.URL}, nil
	}
	r, err := c.look(ctx, f)
	if err != nil {
		u, _ := address(f.URL) // the table was checked
		return remote{}, fmt.Errorf("the catalogue %s: %w", bare(u), err)
	}
	return r, nil
}

// look looks into a catalogue.
func (c *client) look(ctx context.Context, f *File) (remote, error) {
	text, at, err := c.document(ctx, f.URL)
	if err != nil {
		return remote{}, err
	}
	parse := parseDataset
	if f.Find == BySTAC {
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
		return remote{}, fmt.Errorf("%w: %q", errAddress, shown(r.URL))
	}
	if _, err := address(u.String()); err != nil {
		return remote{}, err
	}
	r.URL = u.String()
	return r, secure(at, u)
}

// newest picks the file's entry.
func newest(f *File, entries []entry) (remote, error) {
	var best *entry
	bestRank := ""
	for i := range entries {
		e := &entries[i]
		rank, ok := f.rank(e)
		if !ok {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(rank, bestRank), when(e.changed).Compare(when(best.changed))) > 0 {
			best, bestRank = e, rank
		}
	}
	if best == nil {
		return remote{}, fmt.Errorf("none of its %d entries matches %s", len(entries), f.Match)
	}
	return best.remote, nil
}

// when reads a catalogue's time, with a zone or in UTC; the beginning of time when it
// is none.
func when(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, _ = time.Parse("2006-01-02T15:04:05", text) // zero, as said
	}
	return at
}

// rank is what the pattern's group holds, "" where it has none.
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

// maxEntries is more than any catalogue lists.
const maxEntries = 10000

// parseDataset reads the answer of data.gouv.fr about a dataset.
func parseDataset(text []byte) (entries []entry, err error) {
	err = read(text, func(d *json.Decoder) error {
		return members(d, func(key string) error {
			if key != "resources" {
				return pass(d)
			}
			return elements(d, func() error {
				var r struct {
					URL          string   `json:"url"`
					Title        string   `json:"title"`
					LastModified string   `json:"last_modified"`
					Filesize     float64  `json:"filesize"`
					Checksum     checksum `json:"checksum"`
				}
				if err := decode(d, &r); err != nil {
					return err
				}
				entries = append(entries,
					entry{remote{r.URL, bytesOf(r.Filesize), r.Checksum.known()}, []string{baseOf(r.URL), r.Title},
						r.LastModified})
				return few(len(entries))
			})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("not a dataset: %w", err)
	}
	return entries, nil
}

// parseSTAC reads a STAC item, or a page of items.
func parseSTAC(text []byte) (entries []entry, err error) {
	var item func(d *json.Decoder, page bool) error
	item = func(d *json.Decoder, page bool) error {
		var properties struct {
			Updated  string `json:"updated"`
			Datetime string `json:"datetime"`
		}
		var own []entry
		err := members(d, func(key string) error {
			switch {
			case key == "properties":
				return decode(d, &properties)
			case key == "features" && page:
				return elements(d, func() error { return item(d, false) })
			case key != "assets":
				return pass(d)
			}
			return members(d, func(name string) error {
				var a struct {
					Href     string  `json:"href"`
					Updated  string  `json:"updated"`
					Multi    string  `json:"checksum:multihash"`
					FileSum  string  `json:"file:checksum"`
					FileSize float64 `json:"file:size"`
				}
				if err := decode(d, &a); err != nil {
					return err
				}
				r := remote{a.Href, bytesOf(a.FileSize), cmp.Or(parseMultihash(a.Multi), parseMultihash(a.FileSum))}
				own = append(own, entry{r, []string{baseOf(a.Href), name}, a.Updated})
				return few(len(entries) + len(own))
			})
		})
		for _, e := range own {
			e.changed = cmp.Or(e.changed, properties.Updated, properties.Datetime)
			entries = append(entries, e)
		}
		return err
	}
	if err = read(text, func(d *json.Decoder) error { return item(d, true) }); err != nil {
		return nil, fmt.Errorf("no STAC item or list of items: %w", err)
	}
	return entries, nil
}

// decode reads what a catalogue says of one entry. A member that is not of its type
// is as one that is missing: one entry that is odd is no reason to leave the others.
func decode(d *json.Decoder, v any) error {
	err := d.Decode(v)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// bytesOf is a size that a catalogue states, 0 where no file can have it.
func bytesOf(size float64) int64 {
	if size > 0 && size < 1<<50 {
		return int64(size)
	}
	return 0
}

// few bounds what a catalogue makes relais remember.
func few(entries int) error {
	if entries > maxEntries {
		return fmt.Errorf("over %d entries", maxEntries)
	}
	return nil
}

// read reads a document of JSON value by value: held as a whole, a small one can
// take hundreds of times its size.
func read(text []byte, value func(d *json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	err := value(d)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err == nil {
			err = errors.New("text behind the end")
		}
	}
	return err
}

// members reads an object, or null.
func members(d *json.Decoder, member func(key string) error) error {
	return inside(d, '{', func() error {
		key, err := d.Token()
		if err != nil {
			return err
		}
		return member(key.(string)) // the decoder takes nothing else there
	})
}

// elements reads a list, or null.
func elements(d *json.Decoder, element func() error) error { return inside(d, '[', element) }

func inside(d *json.Decoder, begin json.Delim, next func() error) error {
	t, err := d.Token()
	if err != nil || t == nil {
		return err
	}
	if t != begin {
		return fmt.Errorf("no %s where one is wanted, at byte %d",
			map[json.Delim]string{'{': "object", '[': "list"}[begin], d.InputOffset())
	}
	for n := 1; d.More(); n++ {
		if err := few(n); err != nil {
			return err
		}
		if err := next(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// pass passes a value over.
func pass(d *json.Decoder) error { return d.Decode(&passed{}) }

type passed struct{}

func (passed) UnmarshalJSON([]byte) error { return nil }

// known returns the checksum in our spelling, none when it is of a type or length
// that relais does not know.
func (c checksum) known() checksum {
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
			if c := (checksum{name, value}).known(); c.Type != "" {
				return c
			}
		}
	}
	return checksum{}
}
