package update

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"relais/internal/folder"
)

// A Choice is what an update fetches in addition to what it always fetches. The folder remembers it.
type Choice struct {
	With []string `json:"with,omitempty"` // words of the table
	// OutagesSince is the first day, YYYY-MM-DD, of the daily lists of unavailable sites that are wanted; "": the newest.
	OutagesSince string `json:"outagesSince,omitempty"`
}

// Words of choices that are not the table's.
const (
	withNone  = "none"
	withSince = "outages-since="
)

// ParseChoice reads words with commas between them: those of the table's files, outages-since=DATE, or none alone.
func (t *Table) ParseChoice(text string, now time.Time) (*Choice, error) {
	c := &Choice{}
	if text == withNone {
		return c, nil
	}
	known := t.words()
	for word := range strings.SplitSeq(text, ",") {
		day, since := strings.CutPrefix(word, withSince)
		switch {
		case since:
			at, err := time.Parse(time.DateOnly, day)
			if err != nil || at.After(now) {
				return nil, fmt.Errorf("%.50q: want a day until today, such as %s2026-11-01", word, withSince)
			}
			c.OutagesSince = day
		case !slices.Contains(known, word):
			return nil, fmt.Errorf("%.50q cannot be fetched: want some of %s, with commas between them, or %s", word,
				strings.Join(append(known, withSince+"DATE"), ", "), withNone)
		case !slices.Contains(c.With, word):
			c.With = append(c.With, word)
		}
	}
	return c, nil
}

// words returns the words of the table's files.
func (t *Table) words() (words []string) {
	for _, f := range t.Files {
		if f.With != "" && !slices.Contains(words, f.With) {
			words = append(words, f.With)
		}
	}
	return words
}

// includes reports whether a file is fetched.
func (c *Choice) includes(f *File) bool {
	return f.With == "" || c != nil && slices.Contains(c.With, f.With)
}

// since returns the first day of the daily lists that is wanted, "" for the newest alone.
func (c *Choice) since() string {
	if c == nil {
		return ""
	}
	return c.OutagesSince
}

// readChoice sets the choice that the folder remembers, unless another is given.
func (o *Options) readChoice() error {
	if o.Choice != nil {
		return nil
	}
	c := &Choice{}
	err := folder.ReadJSON(o.Dir.Choice(), c)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, which says what an update fetches in addition: %w; relais update --with … writes it again",
			o.Dir.Choice(), err)
	}
	o.Choice = c
	return nil
}

// keepChoice remembers the choice.
func (o *Options) keepChoice() error {
	var kept Choice
	err := folder.ReadJSON(o.Dir.Choice(), &kept)
	if slices.Equal(kept.With, o.Choice.With) && kept.OutagesSince == o.Choice.OutagesSince &&
		(err == nil || errors.Is(err, fs.ErrNotExist)) {
		return nil
	}
	if len(o.Choice.With) == 0 && o.Choice.OutagesSince == "" {
		err = os.Remove(o.Dir.Choice())
	} else {
		err = folder.ReplaceJSON(o.Dir.Choice(), o.Choice)
	}
	if err != nil {
		return fmt.Errorf("remembering what an update fetches in addition: %w", err)
	}
	return nil
}

// plan tells what is fetched in addition.
func (o *Options) plan(groups []group) {
	var chosen []*File
	for _, f := range filesOf(groups) {
		if f.With != "" || f.For == forDays && o.Choice.since() != "" {
			chosen = append(chosen, f)
		}
	}
	if len(chosen) == 0 || o.Planned == nil {
		return
	}
	if free, err := freeSpace(string(o.Dir)); err == nil {
		o.Planned(chosen, free)
	}
}
