package httpapi

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/index"
	"relais/index/indextest"
	"relais/internal/tier"
)

// Answers while the data changes are those of the old or of the new data, whole.
func TestChangeOfData(t *testing.T) {
	tier.Slow(t)
	old, err := country()
	must(t, err)
	next, err := indextest.Country(400)
	must(t, err)
	s := newServer(t)
	began := time.Now()
	s.Now = func() time.Time { return began } // tags of what is of the last days have the minute
	want, tags := map[string]bool{}, map[string]string{}
	for _, set := range []*index.Set{old, next} {
		s.SetData(set)
		for _, target := range targets {
			w := get(t, s, target, "X-Request-Id", "same")
			tag := w.Header().Get("Etag")
			want[tag+w.Body.String()] = true
			if before, ok := tags[target]; ok && tag == before {
				t.Errorf("%s: the tag is that of the old data", target)
			} else if w := get(t, s, target, "If-None-Match", before); ok && w.Code == 304 {
				t.Errorf("%s: new data is not modified for the old tag", target)
			}
			tags[target] = tag
		}
	}
	if tag := get(t, s, "/antennas?limit=3").Header().Get("Etag"); !want[tag+get(t, s, "/antennas?limit=3",
		"X-Request-Id", "same").Body.String()] {
		t.Error("the new data does not answer")
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				target := targets[i%len(targets)]
				w := get(t, s, target, "X-Request-Id", "same", "Accept-Encoding",
					[]string{"identity", "gzip", "zstd"}[i%3])
				// The supports of the demonstration have other ids in a smaller one.
				if (w.Code != 200 || !want[w.Header().Get("Etag")+unpack(t, w)]) &&
					!(w.Code == 404 && strings.Contains(target, "90000010")) {
					t.Errorf("%s: status %d, want the old or the new answer", target, w.Code)
				}
			}
		})
	}
	for i := range 60 {
		set := old
		if i%2 == 0 {
			set = next
		}
		s.SetData(set)
		if i%20 == 0 {
			if err := s.Prepare(context.Background(), set); err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	wg.Wait()
}

// Small answers are kept as they are, large ones only compressed. A kept answer is sent with the id of its own request.
func TestSmallAnswersAreKept(t *testing.T) {
	for _, tt := range []struct {
		target string
		kept   bool
	}{
		{"/antennas/90000010", true},
		{"/antennas/lookup-by-radio?value=100010", true},
		{"/antennas?q=rue&limit=3", true},
		{"/antennas?limit=300", false},
	} {
		s := newServer(t)
		first := get(t, s, tt.target, "X-Request-Id", "one")
		again := get(t, s, tt.target, "X-Request-Id", "two")
		if first.Code != 200 || strings.Replace(first.Body.String(), `"requestId":"one"`, `"requestId":"two"`, 1) !=
			again.Body.String() {
			t.Errorf("%s: got %d %s, then %s, want the same with the id of the request", tt.target, first.Code, first.Body, again.Body)
		}
		kept, size := s.pages.Usage()
		if (kept == 1) != tt.kept {
			t.Errorf("%s (%d bytes): %d are kept, want it kept: %v", tt.target, first.Body.Len(), kept, tt.kept)
		}
		if size > 2*maxPlain {
			t.Errorf("%s: %d bytes are kept", tt.target, size)
		}
	}
}

// The memory of answers stays within its bound, whatever callers ask for.
func TestAnswersOfManyQuestions(t *testing.T) {
	const most = 64 << 10
	s := newServer(t)
	s.pages = newPageCache(most)
	for i := range 300 {
		parse(t, get(t, s, "/antennas/lookup-by-radio?value="+strconv.Itoa(i)), 200)
	}
	if n, held := s.pages.Usage(); held > most || n < 10 || n > 200 {
		t.Errorf("%d bytes in %d answers are kept, want at most %d, and a part of the 300", held, n, most)
	}
}
