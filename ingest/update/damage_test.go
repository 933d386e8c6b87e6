package update

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

type behaviour = func(http.ResponseWriter, *http.Request, int) bool

// raw sends an answer unchanged and closes the connection. Without a length, only that
// marks the end of the answer.
func raw(header string, text []byte) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		c, b, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return false
		}
		defer c.Close()
		fmt.Fprintf(b, "HTTP/1.1 200 OK\r\nConnection: close\r\n%s\r\n", header)
		b.Write(text)
		b.Flush()
		return true
	}
}

// lines returns the first rows of a table, up to a share of its bytes.
func lines(text []byte, share float64) []byte {
	part := text[:int(share*float64(len(text)))]
	return part[:bytes.LastIndexByte(part, '\n')+1]
}

func packedText(t *testing.T, text []byte) []byte {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Bytes()
}

// A damaged transfer proves nothing about the file: its tag is forgotten, and the next
// transfer with the same tag is accepted.
func TestDamagedIsForgotten(t *testing.T) {
	good := observatory(t, "2026-01-22")
	wrong := bytes.Replace(good, []byte("2026-01-22"), []byte("2026-01-23"), 1)
	sum := sha1.Sum(good)
	for _, tt := range []struct {
		name          string
		header, words string
		text          []byte
	}{
		{"cut without a length", "", "over 5 % would go", lines(good, 0.5)},
		{"wrong checksum", "Content-Length: " + strconv.Itoa(len(wrong)) + "\r\n", "its sha1 is", wrong},
		{"cut gzip", "Content-Encoding: gzip\r\n", "said to be gzip", packedText(t, good)[:5000]},
		{"whole of a cut gzip", "Content-Encoding: gzip\r\nContent-Length: 5000\r\n", "said to be gzip",
			packedText(t, good)[:5000]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			k.put(weekly, observatory(t, "2026-01-15"))
			k.use(k.file("weekly", "url", weekly, ""))
			if tt.name == "wrong checksum" {
				k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s"}]}`, weekly))
				k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
			}
			k.want(k.run(), Updated, "")
			k.put(weekly, good)
			k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s","checksum":{"type":"sha1","value":"%x"}}]}`,
				weekly, sum))
			tag := "Etag: " + k.files[weekly].etag + "\r\n"
			k.behave(weekly, raw(tag+tt.header, tt.text))
			k.want(k.run(), Failed, tt.words)
			if tt.name != "wrong checksum" { // TestStaleChecksum sends that twice
				k.want(k.run(), Failed, tt.words)
			}
			k.noDownloads()
			if k.date() != "2026-01-15" {
				t.Errorf("date %s, want 2026-01-15", k.date())
			}
			k.behave(weekly, nil)
			k.asked()
			k.want(k.run(), Updated, "")
			if log := k.asked(); log[len(log)-1] != weekly+" 200 "+strconv.Itoa(len(good)) || k.date() != "2026-01-22" {
				t.Errorf(`asked %q, date %s; want log[len(log)-1] = weekly+" 200 "+strconv.Itoa(len(good)), `+
					`k.date() = "2026-01-22"`, log, k.date())
			}
		})
	}
}

// A table that lost so few last rows that the guards accept it is ingested, but its tag
// is forgotten.
func TestCutAtARowIsMended(t *testing.T) {
	k := newKit(t)
	good := observatory(t, "2026-01-15")
	k.put(weekly, good)
	k.use(k.file("weekly", "url", weekly, ""))
	k.behave(weekly, raw("Etag: "+k.files[weekly].etag+"\r\n", lines(good, 0.99)))
	first := k.run()
	k.want(first, Updated, "")
	k.behave(weekly, nil)
	second := k.run()
	k.want(second, Updated, "")
	if a, b := first.Ingests[0].Files[0].Rows, second.Ingests[0].Files[0].Rows; a >= b {
		t.Errorf("%d rows, then %d; want a < %v", a, b, b)
	}
	k.asked()
	k.want(k.run(), Unchanged, "")
	if log, want := k.asked(), []string{weekly + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
}

// A file that was joined from two transfers may be damaged at the joint.
func TestJoinedAndRefused(t *testing.T) {
	k := newKit(t)
	k.put(weekly, observatory(t, "2026-01-22"))
	k.use(k.file("weekly", "url", weekly, ""))
	k.want(k.run(), Updated, "")
	k.put(weekly, observatory(t, "2026-01-15"))
	k.cutAfter(weekly, 200000, 1)
	k.want(k.run(), Failed, "older than the present")
	k.asked()
	k.want(k.run(), Failed, "refused before") // known by its bytes
	if log := k.asked(); !strings.HasPrefix(log[0], weekly+" 200 ") {
		t.Errorf(`asked %q; want log[0] that begins with weekly+" 200 "`, log)
	}
	k.want(k.run(), Failed, "refused before")
	if log, want := k.asked(), []string{weekly + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
}

// A file that waits in downloads/ may be lost or damaged there.
func TestWaitingFileLost(t *testing.T) {
	text := observatory(t, "2026-01-15")
	for _, tt := range []struct {
		name string
		lose func(path string) error
	}{
		{"removed", os.Remove},
		{"cut", func(path string) error { return os.Truncate(path, 1000) }},
		{"changed", func(path string) error {
			return os.WriteFile(path, bytes.Replace(text, []byte("2026-01-15"), []byte("2026-01-16"), 1), 0o644)
		}},
		{"a folder", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		}},
		{"all well", func(string) error { return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, force := range []bool{false, true} {
				k := newKit(t)
				k.put(weekly, text)
				k.use(k.file("weekly", "url", weekly, ""))
				lock, err := k.dir.Lock("ingest", "a backup", time.Now())
				if err != nil {
					t.Fatal(err)
				}
				k.want(k.run(), Failed, "a backup")
				lock.Unlock()
				if err := tt.lose(filepath.Join(k.dir.Downloads(), "FR", "weekly",
					"SYNTHETIC_observatoire.csv")); err != nil {
					t.Fatal(err)
				}
				k.asked()
				o := k.options()
				o.Force = force
				k.want(k.runWith(o), Updated, "")
				want := weekly + " 200 " + strconv.Itoa(len(text))
				if tt.name == "all well" && !force {
					want = weekly + " 304 0"
				}
				if log := k.asked(); !slices.Equal(log, []string{want}) {
					t.Errorf("%s, force %v: asked %q, want %q", tt.name, force, log, want)
				}
				k.noDownloads()
			}
		})
	}
}

// A refusal for the size ends when the limit is raised.
func TestLimitRaised(t *testing.T) {
	text := observatory(t, "2026-01-15")
	for len(text) < 3<<20 {
		text = append(text, text[bytes.IndexByte(text, '\n')+1:]...)
	}
	for _, tt := range []struct{ name, header string }{
		{"gzip", "Content-Encoding: gzip\r\n"},
		{"plain", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			k.put(weekly, text)
			k.use(k.file("weekly", "url", weekly, ""))
			sent := text
			if tt.name == "gzip" {
				sent = packedText(t, text)
			}
			k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
				if r.Header.Get("If-None-Match") != "" {
					return false
				}
				return raw("Etag: "+k.files[weekly].etag+"\r\nContent-Length: "+strconv.Itoa(len(sent))+
					"\r\n"+tt.header, sent)(w, r, nth)
			})
			o := k.options()
			o.Table.Files[0].MaxMB = 1
			k.want(k.runWith(o), Failed, "over the 1048576")
			k.asked()
			k.want(k.runWith(o), Failed, "refused before")
			if log, want := k.asked(), []string{weekly + " 304 0"}; !slices.Equal(log, want) {
				t.Errorf("%s: asked %q, want %q", tt.name, log, want)
			}
			o.Table.Files[0].MaxMB = 100
			k.want(k.runWith(o), Updated, "")
		})
	}
}

// The size in a catalogue is a hint: the answer's own length counts.
func TestCatalogueErrs(t *testing.T) {
	k := newKit(t)
	k.put("/api", fmt.Appendf(nil, `{"resources":[{"url":"%s","filesize":1e14}]}`, weekly))
	k.put(weekly, observatory(t, "2026-01-15"))
	k.use(k.file("weekly", "data.gouv.fr", "/api", "observatoire"))
	k.want(k.run(), Updated, "")
}

// A file gets the modification time that the server states.
func TestModified(t *testing.T) {
	day := time.Date(2026, 1, 14, 3, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		want time.Time
	}{
		{day.Format(http.TimeFormat), day}, {"", time.Time{}}, {"yesterday", time.Time{}},
		{time.Unix(0, 0).UTC().Format(http.TimeFormat), time.Time{}},
		{time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat), time.Time{}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			for _, coding := range []string{"", "gzip"} {
				k := newKit(t)
				k.put(weekly, observatory(t, "2026-01-15"))
				k.use(k.file("weekly", "url", weekly, ""))
				k.behave(weekly, func(w http.ResponseWriter, r *http.Request, _ int) bool {
					if w.Header().Set("Last-Modified", tt.text); coding != "" {
						w.Header().Set("Content-Encoding", coding)
						w.Write(packedText(t, k.files[weekly].text))
						return true
					}
					return false
				})
				began := time.Now().Add(-time.Second)
				k.want(k.run(), Updated, "")
				kept, err := filepath.Glob(filepath.Join(k.dir.Sources("FR"), "*", "*observatoire*"))
				if err != nil || len(kept) != 1 {
					t.Fatalf("kept = %v, err = %v; want no error, len(kept) = 1", kept, err)
				}
				info, err := os.Stat(kept[0])
				if err != nil {
					t.Fatal(err)
				}
				if at := info.ModTime(); !tt.want.IsZero() && !at.Equal(tt.want) || tt.want.IsZero() && at.Before(began) {
					t.Errorf("Last-Modified %q, %q: got a file of %s, want %s, or of now", tt.text, coding, at, tt.want)
				}
			}
		})
	}
}

func TestSafeName(t *testing.T) {
	long := strings.Repeat("x", 50) + strings.Repeat(".", 40) + strings.Repeat("y", 60) + ".csv"
	for _, tt := range []struct{ name, want string }{
		{"a.csv", "a.csv"},
		{"..", ""},
		{".hidden", "hidden"},
		{"-rf", "rf"},
		{"a b\x1b[2J.csv", "a_b_2J.csv"},
		{long, strings.Repeat("y", 60) + ".csv"},
		{"é.zip", "zip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := safeName(tt.name); got != tt.want || safeName(got) != got {
				t.Errorf("%q: %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}
