package update

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// chunks encodes a text in HTTP/1.1 chunks, with the last one if whole.
func chunks(text []byte, whole bool) (sent []byte) {
	for part := range slices.Chunk(text, 50000) {
		sent = fmt.Appendf(sent, "%x\r\n%s\r\n", len(part), part)
	}
	if whole {
		sent = append(sent, "0\r\n\r\n"...)
	}
	return sent
}

// Chunks mark their own end: the tag of a chunked answer is trusted.
func TestChunked(t *testing.T) {
	text := observatory(t, "2026-01-15")
	for _, cut := range []bool{false, true} {
		k := newKit(t)
		k.put(weekly, text)
		k.use(k.file("weekly", "url", weekly, ""))
		header := "Etag: " + k.files[weekly].etag + "\r\nTransfer-Encoding: chunked\r\n"
		k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
			if nth > 1 {
				return false
			}
			if cut {
				return raw(header, chunks(text[:100000], false))(w, r, nth)
			}
			return raw(header, chunks(text, true))(w, r, nth)
		})
		r := k.run()
		k.want(r, Updated, "")
		log := k.asked()
		if want := map[bool]int{false: 1, true: 2}[cut]; len(log) != want ||
			cut && !strings.HasSuffix(log[1], " bytes=100000-") {
			t.Errorf(`cut %v: asked %q; want len(log) = %v, !cut or log[1] that ends with " bytes=100000-"`, cut,
				log, want)
		}
		if r.Files[0].ETag != k.files[weekly].etag || r.Ingests[0].Files[0].Rows == 0 {
			t.Errorf("cut %v: %+v; want r.Files[0].ETag = %v, r.Ingests[0].Files[0].Rows != 0", cut, r.Files[0],
				k.files[weekly].etag)
		}
		k.want(k.run(), Unchanged, "")
		if log, want := k.asked(), []string{weekly + " 304 0"}; !slices.Equal(log, want) {
			t.Errorf("cut %v: asked %q, want %q", cut, log, want)
		}
	}
}

// HTTP/2 marks the end of an answer; the close of an HTTP/1 connection does not.
func TestOpenEnd(t *testing.T) {
	text := observatory(t, "2026-01-15")
	for _, tt := range []struct {
		name string
		kept bool
	}{
		{"HTTP/2", true},
		{"HTTP/1.1 chunked", true},
		{"HTTP/1.1 closed", false},
		{"HTTP/1.0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(tt.name, "HTTP/2") != (r.ProtoMajor == 2) {
					t.Errorf(`%s: r.Proto = %s; want strings.HasPrefix(tt.name, "HTTP/2") = (r.ProtoMajor == 2)`,
						tt.name, r.Proto)
				}
				if tt.name == "HTTP/1.0" || tt.name == "HTTP/1.1 closed" {
					c, b, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					defer c.Close()
					fmt.Fprintf(b, "%s 200 OK\r\nEtag: \"a\"\r\nConnection: close\r\n\r\n%s", tt.name[:8], text)
					b.Flush()
					return
				}
				w.Header().Set("Etag", `"a"`)
				w.Write(text[:1000])
				http.NewResponseController(w).Flush()
				w.Write(text[1000:])
			}))
			s.EnableHTTP2 = tt.name == "HTTP/2"
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			c := newClient("relais/test", quick, localHost)
			c.http.Transport = transport{guarded{Transport: s.Client().Transport.(*http.Transport)}}
			d := &download{client: c, dir: t.TempDir(), remote: remote{URL: s.URL + "/x.csv"}, limit: 1 << 30}
			path, err := d.run(context.Background(), false)
			got, _ := os.ReadFile(path)
			if err != nil || string(got) != string(text) || (d.part.ETag == `"a"`) != tt.kept ||
				!tt.kept && d.part.ETag != "" {
				t.Errorf("%s: got %v, %d bytes, tag %q, want %d bytes, the tag kept: %v", tt.name, err, len(got),
					d.part.ETag, len(text), tt.kept)
			}
			s.Close()
		})
	}
}

// A resumed file is complete when all its bytes came, although the answers are open-ended.
func TestRestCut(t *testing.T) {
	k := newKit(t)
	text := observatory(t, "2026-01-15")
	k.put(weekly, text)
	k.use(k.file("weekly", "url", weekly, ""))
	tag := "Etag: " + k.files[weekly].etag + "\r\n"
	k.behave(weekly, func(w http.ResponseWriter, r *http.Request, nth int) bool {
		c, b, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return false
		}
		defer c.Close()
		switch nth {
		case 1:
			fmt.Fprintf(b, "HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", tag, len(text), text[:100000])
		case 2:
			fmt.Fprintf(b, "HTTP/1.1 206 Partial Content\r\n%sConnection: close\r\nContent-Range: bytes 100000-%d/%d\r\n\r\n%s", tag, len(text)-1, len(text), text[100000:150000])
		default:
			if from := r.Header.Get("Range"); from != "bytes=150000-" {
				t.Errorf(`asked for %q, want "bytes=150000-"`, from)
			}
			fmt.Fprintf(b, "HTTP/1.1 206 Partial Content\r\n%sConnection: close\r\nContent-Range: bytes 150000-%d/%d\r\n\r\n%s", tag, len(text)-1, len(text), text[150000:])
		}
		b.Flush()
		return true
	})
	r := k.run()
	k.want(r, Updated, "")
	if len(k.asked()) != 3 || r.Files[0].ETag != k.files[weekly].etag {
		t.Errorf("r.Files[0] = %+v; want len(k.asked()) = 3, r.Files[0].ETag = %v", r.Files[0], k.files[weekly].etag)
	}
}
