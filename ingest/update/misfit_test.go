package update

import (
	"crypto/sha1"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// staleKit returns a kit that ingested a file and now serves another, with a catalogue
// that has the checksum of a third.
func staleKit(t *testing.T) *kit {
	t.Helper()
	k := newKit(t)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.publish(observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
	k.want(k.run(), Updated, "")
	k.put(weekly, observatory(t, "2026-01-22"))
	k.asked()
	return k
}

// publish sets the checksum in the catalogue to that of a text.
func (k *kit) publish(text []byte) {
	k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s","checksum":{"type":"sha1","value":"%x"}}]}`, weekly,
		sha1.Sum(text)))
}

// transfers returns the requests for the weekly file since the last call.
func (k *kit) transfers() []string {
	return slices.DeleteFunc(k.asked(), func(line string) bool { return !strings.HasPrefix(line, weekly) })
}

// A file with a stale checksum is downloaded twice, and not again.
func TestStaleChecksum(t *testing.T) {
	newer := observatory(t, "2026-01-29")
	for _, tt := range []struct {
		name string
		mend func(k *kit)
	}{
		{"the catalogue", func(k *kit) { k.publish(k.files[weekly].text) }},
		{"the file", func(k *kit) { k.publish(newer); k.put(weekly, newer) }},
		{"no checksum", func(k *kit) { k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s"}]}`, weekly)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := staleKit(t)
			whole := weekly + " 200 " + strconv.Itoa(len(k.files[weekly].text))
			for range 2 {
				k.want(k.run(), Failed, "the catalogue says")
				if log, want := k.transfers(), []string{whole}; !slices.Equal(log, want) {
					t.Errorf("asked %q, want %q", log, want)
				}
			}
			before := k.listing()
			for range 2 {
				k.want(k.run(), Failed, "refused before")
				if log := k.transfers(); !slices.Equal(log, []string{weekly + " 304 0"}) || k.listing() != before {
					t.Errorf(`asked %q; want log = []string{weekly + " 304 0"}, k.listing() = %v`, log, before)
				}
			}
			o := k.options()
			o.Force = true
			k.want(k.runWith(o), Failed, "the catalogue says")
			if log, want := k.transfers(), []string{whole}; !slices.Equal(log, want) {
				t.Errorf("--force asked %q, want %q", log, want)
			}
			k.want(k.run(), Failed, "refused before")
			if k.date() != "2026-01-15" {
				t.Errorf("date %s, want 2026-01-15", k.date())
			}
			k.noDownloads()
			tt.mend(k)
			k.want(k.run(), Updated, "")
			if k.date() == "2026-01-15" {
				t.Errorf(`%s is mended, and the date is still %s; want k.date() != "2026-01-15"`, tt.name, k.date())
			}
			k.want(k.run(), Unchanged, "")
		})
	}
}

// The file goes back to the one before, and on to another with a wrong checksum.
func TestStaleChecksumMoves(t *testing.T) {
	k := staleKit(t)
	k.want(k.run(), Failed, "the catalogue says")
	k.put(weekly, observatory(t, "2026-01-15"))
	k.want(k.run(), Unchanged, "")
	for _, date := range []string{"2026-01-22", "2026-01-29", "2026-01-22"} { // never the same twice in a row
		k.put(weekly, observatory(t, date))
		k.asked()
		k.want(k.run(), Failed, "the catalogue says")
		if log := k.transfers(); len(log) != 1 || !strings.HasPrefix(log[0], weekly+" 200 ") {
			t.Errorf(`asked %q; want len(log) = 1, log[0] that begins with weekly+" 200 "`, log)
		}
	}
	k.publish(observatory(t, "2026-02-05")) // another wrong checksum: the count starts again
	k.want(k.run(), Failed, "the catalogue says")
	k.asked()
	k.want(k.run(), Failed, "the catalogue says")
	k.want(k.run(), Failed, "refused before")
}

// Without a tag the file is downloaded each time, and ingested once its checksum is right.
func TestStaleChecksumWithoutTag(t *testing.T) {
	good, wrong := observatory(t, "2026-01-22"), observatory(t, "2026-01-15")
	for _, tt := range []struct{ name, header string }{
		{"no tag", "Content-Length: " + strconv.Itoa(len(good)) + "\r\n"},
		// perhaps cut
		{"open end", "Etag: \"a\"\r\nLast-Modified: " + time.Unix(1e9, 0).UTC().Format(http.TimeFormat) + "\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			k.publish(good)
			k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
			k.behave(weekly, raw(tt.header, wrong))
			for range 3 {
				k.asked()
				k.want(k.run(), Failed, "the catalogue says")
				if log := k.transfers(); len(log) != 1 {
					t.Errorf("%s: asked %q, want 1", tt.name, log)
				}
			}
			k.behave(weekly, raw(tt.header, good))
			k.want(k.run(), Updated, "")
		})
	}
}
