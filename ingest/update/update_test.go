package update

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/folder"
	"relais/market"
)

const (
	weekly = "/files/SYNTHETIC_observatoire.csv"
	towns  = "/files/SYNTHETIC_communes.csv"
	sup    = "/files/SYNTHETIC_SUP.zip"
)

// weeklyKit serves a weekly file and a table of communes.
func weeklyKit(t *testing.T) *kit {
	t.Helper()
	k := newKit(t)
	k.put(weekly, observatory(t, "2026-01-15"))
	k.put(towns, demoFile(t, "communes"))
	k.use(k.file("weekly", "url", weekly, ""), k.file("towns", "url", towns, ""))
	return k
}

func TestSecondRunTouchesNothing(t *testing.T) {
	k := weeklyKit(t)
	r := k.run()
	k.want(r, Updated, "")
	if len(r.Files) != 2 || r.Files[0].Status != Fetched ||
		r.Files[0].Bytes != int64(len(observatory(t, "2026-01-15"))) || len(r.Ingests) != 1 {
		t.Errorf("r.Files = %+v; want len(r.Files) = 2, r.Files[0].Status = %v, r.Files[0].Bytes = "+
			`int64(len(observatory(t, "2026-01-15"))), len(r.Ingests) = 1`, r.Files, Fetched)
	}
	if k.date() != "2026-01-15" {
		t.Errorf(`date %q, want "2026-01-15"`, k.date())
	}
	k.noDownloads()
	k.asked()
	before := k.listing()
	r = k.run()
	k.want(r, Unchanged, "")
	if len(r.Ingests) != 0 || k.listing() != before {
		t.Errorf("touched:\n%s\n%s; want len(r.Ingests) = 0, k.listing() = %v", before, k.listing(), before)
	}
	if log, want := k.asked(), []string{weekly + " 304 0", towns + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
	// One is new: only that one is read, the other is kept.
	k.put(weekly, observatory(t, "2026-01-22"))
	r = k.run()
	k.want(r, Updated, "")
	if r.Files[0].Status != Fetched || r.Files[1].Status != Unchanged || k.date() != "2026-01-22" {
		t.Errorf("r.Files = %+v, k.date() = %s; want r.Files[0].Status = %v, r.Files[1].Status = %v, k.date() = "+
			`"2026-01-22"`, r.Files, k.date(), Fetched, Unchanged)
	}
	// Without its snapshots, the folder needs all files again.
	os.RemoveAll(k.dir.Snapshots())
	k.want(k.run(), Updated, "")
	k.asked()
	o := k.options()
	o.Force = true
	k.want(k.runWith(o), Updated, "")
	if log := strings.Join(k.asked(), " "); strings.Contains(log, "304") {
		t.Errorf(`--force asked %s; want log without "304"`, log)
	}
}

func TestCutTransferResumes(t *testing.T) {
	k := weeklyKit(t)
	text := observatory(t, "2026-01-15")
	half := len(text) / 2
	k.cutAfter(weekly, half, 1)
	k.want(k.run(), Updated, "")
	log := k.asked()
	// The part before the cut may be shorter than what the server wrote.
	var have int
	if _, err := fmt.Sscanf(log[1], weekly+" 206 %d bytes=%d-", new(int), &have); err != nil || have == 0 ||
		have > half {
		t.Fatalf("asked %q; want no error, have != 0, have <= %v", log, half)
	}
	if want := fmt.Sprintf("%s 206 %d bytes=%d-", weekly, len(text)-have, have); log[1] != want {
		t.Errorf("asked %q, want %q", log[1], want)
	}
	if k.date() != "2026-01-15" {
		t.Error("not ingested")
	}
	// Across two runs: the first gives up, the second goes on.
	text = observatory(t, "2026-01-22")
	k.put(weekly, text)
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
		if nth == 1 {
			w.Header().Set("Etag", k.files[weekly].etag)
			w.Header().Set("Content-Length", fmt.Sprint(len(text)))
			w.Write(text[:half])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(503)
		return true
	})
	k.want(k.run(), Failed, "weekly: the server answers 503 Service Unavailable (after 4 tries)")
	part, err := os.Stat(filepath.Join(k.dir.Downloads(), "FR", "weekly", "SYNTHETIC_observatoire.csv"))
	if err != nil || part.Size() == 0 {
		t.Fatalf("part = %v, err = %v; want no error, part.Size() != 0", part, err)
	}
	k.behave(weekly, nil)
	k.asked()
	r := k.run()
	k.want(r, Updated, "")
	if f := r.Files[0]; f.Resumed != part.Size() || f.Bytes != int64(len(text))-part.Size() {
		t.Errorf("%+v, had %d of %d; want f.Resumed = part.Size(), f.Bytes = int64(len(text))-part.Size()",
			f, part.Size(), len(text))
	}
	if k.date() != "2026-01-22" {
		t.Error("not ingested")
	}
	k.noDownloads()
}

func TestChangedAndIgnoredRange(t *testing.T) {
	text := observatory(t, "2026-01-15")
	newer := observatory(t, "2026-01-22")
	for _, tt := range []struct {
		name   string
		second func(k *kit) func(http.ResponseWriter, *http.Request, int) bool
	}{
		{"range ignored", func(k *kit) func(http.ResponseWriter, *http.Request, int) bool {
			return func(w http.ResponseWriter, r *http.Request, _ int) bool { w.Write(newer); return true }
		}},
		{"changed", func(k *kit) func(http.ResponseWriter, *http.Request, int) bool {
			k.put(weekly, newer)
			return nil
		}},
		{"another part", func(k *kit) func(http.ResponseWriter, *http.Request, int) bool {
			return func(w http.ResponseWriter, r *http.Request, nth int) bool {
				if r.Header.Get("Range") == "" {
					w.Write(newer)
					return true
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", len(newer)-1, len(newer)))
				w.WriteHeader(206)
				w.Write(newer[7:])
				return true
			}
		}},
		{"If-Range ignored", func(k *kit) func(http.ResponseWriter, *http.Request, int) bool {
			k.put(weekly, newer)
			return func(w http.ResponseWriter, r *http.Request, nth int) bool {
				r.Header.Del("If-Range")
				return false
			}
		}},
		{"416", func(k *kit) func(http.ResponseWriter, *http.Request, int) bool {
			k.put(weekly, newer)
			return func(w http.ResponseWriter, r *http.Request, nth int) bool {
				if r.Header.Get("Range") != "" {
					w.WriteHeader(416)
					return true
				}
				return false
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := weeklyKit(t)
			etag := k.files[weekly].etag
			k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
				w.Header().Set("Etag", etag)
				w.Header().Set("Content-Length", fmt.Sprint(len(text)))
				w.Write(text[:len(text)/3])
				http.NewResponseController(w).Flush()
				k.behave(weekly, tt.second(k))
				panic(http.ErrAbortHandler)
			})
			r := k.run()
			k.want(r, Updated, "")
			if k.date() != "2026-01-22" || r.Files[0].Resumed != 0 {
				t.Errorf(`%s: k.date() = %s, r.Files[0] = %+v; want k.date() = "2026-01-22", r.Files[0].Resumed = 0`,
					tt.name, k.date(), r.Files[0])
			}
			k.noDownloads()
		})
	}
}

// A bad file leaves yesterday's data, is not downloaded a second time, and is tried again
// when it changes.
func TestPoison(t *testing.T) {
	good := observatory(t, "2026-01-22")
	header := good[:bytes.IndexByte(good, '\n')+1]
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
		{"shrunk", good[:len(good)/2][:bytes.LastIndexByte(good[:len(good)/2], '\n')+1], "over 5 % would go"},
		{"no table", []byte("PNG\x00\x01"), "not a table of"},
		{"renamed", bytes.Replace(good, []byte("statut"), []byte("etat"), 1), "the column statut is missing"},
		{"doubled", bytes.Replace(good, []byte("date_maj"), []byte("statut"), 1), "the column statut is there twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := weeklyKit(t)
			k.want(k.run(), Updated, "")
			k.put(weekly, tt.text)
			k.want(k.run(), Failed, tt.words)
			if k.date() != "2026-01-15" {
				t.Errorf("%s: date %s, want 2026-01-15", tt.name, k.date())
			}
			k.noDownloads()
			before := k.listing()
			k.asked()
			k.want(k.run(), Failed, "refused before")
			if log := k.asked(); log[0] != weekly+" 304 0" || k.listing() != before {
				t.Errorf(`%s: asked %q; want log[0] = weekly+" 304 0", k.listing() = %v`, tt.name, log, before)
			}
			k.put(weekly, good)
			k.want(k.run(), Updated, "")
			if k.date() != "2026-01-22" {
				t.Errorf("%s: date %s after the good file, want 2026-01-22", tt.name, k.date())
			}
			k.want(k.run(), Unchanged, "")
		})
	}
}

func TestBackToTheGoodFile(t *testing.T) {
	k := weeklyKit(t)
	k.want(k.run(), Updated, "")
	k.put(weekly, []byte("<html>"))
	k.want(k.run(), Failed, "HTML")
	k.put(weekly, observatory(t, "2026-01-15"))
	k.asked()
	k.want(k.run(), Unchanged, "")
	if log := k.asked(); log[0] != weekly+" 304 0" {
		t.Errorf("asked %q, want %v", log, weekly+" 304 0")
	}
	// Another version of relais may accept a refused file.
	k.put(weekly, []byte("x"))
	k.want(k.run(), Failed, "not a table of")
	path := filepath.Join(k.dir.Sources("FR"), folder.UpdateName)
	s := readState(path)
	r := s.Files["weekly"]
	r.By = "older"
	s.Files["weekly"] = r
	if err := s.write(path, state{}); err != nil {
		t.Fatal(err)
	}
	if r := k.run(); strings.Contains(r.Problem(), "refused before") {
		t.Errorf(`r.Problem() = %v; want r.Problem() without "refused before"`, r.Problem())
	}
	// A state that cannot be read costs a download, no more.
	os.WriteFile(path, []byte("{"), 0o644)
	k.put(weekly, observatory(t, "2026-01-22"))
	k.want(k.run(), Updated, "")
}

// A bad file does not keep a good one out. It is downloaded again with the next good file.
func TestOneBadOneGood(t *testing.T) {
	k := weeklyKit(t)
	k.put(sup, demoFile(t, "SUP"))
	k.use(k.file("sup", "url", sup, ""), k.file("weekly", "url", weekly, ""))
	k.put(weekly, []byte("id;adm_lb_nom\n1;SFR\n"))
	k.want(k.run(), Failed, "sup: no anfr-observatoire")
	k.put(weekly, observatory(t, "2026-01-15"))
	r := k.run()
	k.want(r, Updated, "")
	if r.Files[0].Status != Fetched || r.Ingests[0].Markets[0].Enriched["azimuths"] == 0 &&
		len(r.Ingests[0].Markets[0].Enriched) == 0 {
		t.Errorf("r.Files[0] = %+v, r.Ingests[0].Markets[0] = %+v; want r.Files[0].Status = %v, "+
			`r.Ingests[0].Markets[0].Enriched["azimuths"] != 0 or len(r.Ingests[0].Markets[0].Enriched) != 0`,
			r.Files[0], r.Ingests[0].Markets[0], Fetched)
	}
	k.put(sup, []byte("PK\x03\x04 no archive"))
	k.put(weekly, observatory(t, "2026-01-22"))
	r = k.run()
	k.want(r, Failed, "sup: ")
	if k.date() != "2026-01-22" || r.Files[1].Status != Fetched {
		t.Errorf(`k.date() = %s, r.Files[1] = %+v; want k.date() = "2026-01-22", r.Files[1].Status = %v`, k.date(),
			r.Files[1], Fetched)
	}
}

func TestGzipAndNoValidators(t *testing.T) {
	k := newKit(t)
	k.use(k.file("weekly", "url", weekly, ""))
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(observatory(t, "2026-01-15"))
	w.Close()
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(z.Bytes())
		return true
	})
	k.want(k.run(), Updated, "")
	if k.date() != "2026-01-15" {
		t.Error("not ingested")
	}
	k.noDownloads()
	snap, state := k.modified("snapshots/FR.snap"), k.modified("sources/FR/update.json")
	k.want(k.run(), Unchanged, "") // it came, and is the same
	if snap != k.modified("snapshots/FR.snap") || state != k.modified("sources/FR/update.json") {
		t.Errorf("touched: snap %v, state %v, want snap = %v and state = %v", snap, state,
			k.modified("snapshots/FR.snap"), k.modified("sources/FR/update.json"))
	}
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(z.Bytes()[:z.Len()/2])
		return true
	})
	k.want(k.run(), Failed, "said to be gzip")
	k.noDownloads()
}

// modified returns when a file of the folder was written.
func (k *kit) modified(name string) time.Time {
	k.t.Helper()
	info, err := os.Stat(filepath.Join(string(k.dir), name))
	if err != nil {
		k.t.Fatal(err)
	}
	return info.ModTime()
}

func TestUnreadMarkets(t *testing.T) {
	k := weeklyKit(t)
	o := k.options()
	o.Markets = []market.Code{market.PT}
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "PT cannot be updated") {
		t.Errorf(`err = %v; want an error with "PT cannot be updated"`, err)
	}
	o.Markets = []market.Code{market.DROM}
	k.want(k.runWith(o), Updated, "")
	if k.date() == "" {
		t.Error("DROM's files are those of FR")
	}
}

// An ingest that fails for a reason outside the file does not cost a second download.
func TestFolderInUse(t *testing.T) {
	k := weeklyKit(t)
	lock, err := k.dir.Lock("ingest", "a backup", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	k.want(k.run(), Failed, "a backup")
	lock.Unlock()
	k.asked()
	k.want(k.run(), Updated, "")
	if log, want := k.asked(), []string{weekly + " 304 0", towns + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
	k.noDownloads()
}
