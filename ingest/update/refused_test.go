package update

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A bad file leaves yesterday's data, is not downloaded a second time, and is tried again
// when it changes.
func TestRefused(t *testing.T) {
	good := observatory(t, "2026-01-22")
	header := good[:bytes.IndexByte(good, '\n')+1]
	half := good[:len(good)/2]
	for _, tt := range []struct {
		name  string
		text  []byte
		words string
	}{
		{"HTML", []byte("\n<!DOCTYPE html><html><body>maintenance</body></html>"), "an HTML page, not the file"},
		{"XML", []byte(`<?xml version="1.0"?><ExceptionReport/>`), "an XML document"},
		{"header only", header, "the table has a header and no row"},
		{"empty", nil, "empty"},
		{"older", observatory(t, "2025-12-25"), "older than the present snapshot"},
		{"shrunk", half[:bytes.LastIndexByte(half, '\n')+1], "over 5 % would go"},
		{"no table", []byte("PNG\x00\x01"), "not a file of the register of"},
		{"renamed", bytes.Replace(good, []byte("statut"), []byte("etat"), 1), "the column statut is missing"},
		{"doubled", bytes.Replace(good, []byte("date_maj"), []byte("statut"), 1), "the column statut is there twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := weeklyKit(t)
			k.want(k.run(), Updated, "")
			k.put(weekly, tt.text)
			k.want(k.run(), Failed, tt.words)
			k.wantDate("2026-01-15")
			before := k.listing()
			k.asked()
			k.want(k.run(), Failed, "refused before")
			k.wantAsked(same(weekly), same(towns))
			if k.listing() != before {
				t.Error("the second refusal touched the folder")
			}
			// The good one came back: it is not ingested again.
			k.put(weekly, observatory(t, "2026-01-15"))
			k.want(k.run(), Unchanged, "")
			k.put(weekly, good)
			k.want(k.run(), Updated, "")
			k.wantDate("2026-01-22")
			k.want(k.run(), Unchanged, "")
		})
	}
}

// A refusal ends with another version of relais, another limit, or force.
func TestRefusalEnds(t *testing.T) {
	long := observatory(t, "2026-01-15")
	for len(long) < 3<<20 {
		long = append(long, long[bytes.IndexByte(long, '\n')+1:]...)
	}
	k := newKit(t)
	k.put(weekly, long)
	k.use(k.file("weekly", "url", weekly, ""))
	small := k.options()
	small.Table.Files[0].MaxMB = 1
	k.want(k.runWith(small), Failed, "over the 1048576")
	k.asked()
	k.want(k.runWith(small), Failed, "refused before")
	k.wantAsked(same(weekly))
	k.want(k.run(), Updated, "") // without the limit
	k.put(weekly, []byte("x"))
	k.want(k.run(), Failed, "not a file of the register of")
	k.want(k.run(), Failed, "refused before")
	next := k.options()
	next.Version = "next"
	for name, r := range map[string]*SourceReport{"another version": k.runWith(next), "force": k.force()} {
		if r.Status != Failed || strings.Contains(r.Problem(), "refused before") {
			t.Errorf("%s: got %s %q, want the file tried again", name, r.Status, r.Problem())
		}
	}
}

// A file with another checksum than the catalogue's is fetched twice. The same bytes are
// refused until the file or the catalogue changes; a good second transfer is ingested.
func TestChecksum(t *testing.T) {
	k := newKit(t)
	publish := func(text []byte) {
		k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s","checksum":{"type":"sha1","value":"%x"}}]}`, weekly,
			sha1.Sum(text)))
	}
	files := func() (log []string) {
		return slices.DeleteFunc(k.asked(), func(line string) bool { return strings.HasPrefix(line, "/api") })
	}
	first, second, third := observatory(t, "2026-01-15"), observatory(t, "2026-01-22"), observatory(t, "2026-01-29")
	k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
	k.put(weekly, first)
	publish(first)
	k.want(k.run(), Updated, "")
	for _, tt := range []struct {
		name string
		mend func()
		date string
	}{
		{"the catalogue", func() { publish(second) }, "2026-01-22"},
		{"the file", func() { publish(third); k.put(weekly, third) }, "2026-01-29"},
		{"no checksum", func() { k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s"}]}`, weekly)) }, "2026-02-05"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k.put(weekly, observatory(t, tt.date))
			publish([]byte(tt.name))
			files()
			k.want(k.run(), Failed, "the catalogue says")
			if got, want := files(), []string{whole(weekly), whole(weekly)}; !slices.Equal(got, want) {
				t.Errorf("asked %q, want %q", got, want)
			}
			k.want(k.run(), Failed, "refused before")
			if got, want := files(), []string{same(weekly)}; !slices.Equal(got, want) {
				t.Errorf("asked %q, want %q", got, want)
			}
			tt.mend()
			k.want(k.run(), Updated, "")
			k.wantDate(tt.date)
			k.want(k.run(), Unchanged, "")
		})
	}
	k.put(weekly, observatory(t, "2026-02-12"))
	publish(k.files[weekly])
	wrong := observatory(t, "2026-02-13")
	k.behave(weekly, once(answering(200, string(wrong), "Etag", tagOfText(k.files[weekly]))))
	k.want(k.run(), Updated, "")
	k.wantDate("2026-02-12")
	// Without a tag the same wrong bytes are not remembered.
	k.behave(weekly, answering(200, string(wrong)))
	publish([]byte("another"))
	for range 2 {
		files()
		k.want(k.run(), Failed, "the catalogue says")
		if got := files(); len(got) != 2 {
			t.Errorf("asked %q, want two requests", got)
		}
	}
}

// If a server gives neither tag nor date, the catalogue's checksum shows whether the file
// changed.
func TestChecksumAlone(t *testing.T) {
	k := newKit(t)
	text := observatory(t, "2026-01-15")
	k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s","checksum":{"type":"SHA-1","value":"%X"}}]}`, weekly,
		sha1.Sum(text)))
	k.behave(weekly, answering(200, string(text)))
	k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
	k.want(k.run(), Updated, "")
	k.asked()
	before := k.listing()
	k.want(k.run(), Unchanged, "")
	k.wantAsked(whole("/api"))
	if k.listing() != before {
		t.Error("the second run touched the folder")
	}
}
