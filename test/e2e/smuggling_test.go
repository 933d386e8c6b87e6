//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a smuggler wants to pass as a request of its own. @@@ is the case's name of
// three letters, in all of these texts.
const inner = "GET /smuggled HTTP/1.1\r\nHost: relais.test\r\nX-Request-Id: inner-@@@\r\n\r\n"

// outer makes the request around it, of lines that end in CRLF.
func outer(request string, lines ...string) string {
	return request + " HTTP/1.1\r\nHost: relais.test\r\nX-Request-Id: outer-@@@\r\n" + strings.Join(append(lines, ""),
		"\r\n") + "\r\n"
}

// chunk is one chunk with the inner request.
var chunk = fmt.Sprintf("%x\r\n%s\r\n", len(inner), inner)

// all is a Content-Length over the text.
func all(text string) string { return fmt.Sprintf("Content-Length: %d", len(text)) }

// A smuggling is a request that two readers may understand differently.
type smuggling struct {
	what, raw string
	taken     verdict // what becomes of the outer request
	inner     int     // how often the inner one is a request
}

type verdict int

const (
	refused verdict = iota // by everybody
	taken                  // by everybody
	either                 // a proxy or relais may refuse it
)

var smugglings = []smuggling{
	{"nothing wrong, two requests in a row", outer("GET /healthz") + inner, taken, 1},
	{"a body", outer("GET /healthz", all(inner)) + inner, taken, 0},
	{"a body that is posted", outer("POST /healthz", all(inner)) + inner, taken, 0},
	{"a chunked body", outer("POST /healthz", "Transfer-Encoding: chunked") + chunk + "0\r\n\r\n", taken, 0},
	// Chunks go before lengths, and the connection ends (RFC 9112, 6.1), or both are refused.
	{"length and chunks, the inner after the chunks",
		outer("POST /healthz", all("0\r\n\r\n"+inner), "Transfer-Encoding: chunked") + "0\r\n\r\n" + inner, either, 0},
	{"chunks and a short length, the inner in a chunk",
		outer("POST /healthz", "Transfer-Encoding: chunked", "Content-Length: 4") + chunk + "0\r\n\r\n", either, 0},
	{"an unknown coding", outer("POST /healthz", "Transfer-Encoding: xchunked") + "0\r\n\r\n" + inner, refused, 0},
	{"an unknown coding and a length",
		outer("POST /healthz", "Transfer-Encoding: xchunked", all("0\r\n\r\n")) + "0\r\n\r\n" + inner, refused, 0},
	{"two codings", outer("POST /healthz", "Transfer-Encoding: identity", "Transfer-Encoding: chunked") + "0\r\n\r\n" +
		inner, refused, 0},
	{"a blank before the colon",
		outer("POST /healthz", "Transfer-Encoding : chunked", all("0\r\n\r\n"+inner)) + "0\r\n\r\n" + inner, refused,
		0},
	{"a tab after the colon", outer("POST /healthz", "Transfer-Encoding:\tchunked") + chunk + "0\r\n\r\n", either, 0},
	{"a vertical tab after the colon",
		outer("POST /healthz", "Transfer-Encoding:\x0bchunked", all("0\r\n\r\n"+inner)) + "0\r\n\r\n" + inner, refused,
		0},
	{"two lengths", outer("POST /healthz", "Content-Length: 0", all(inner)) + inner, refused, 0},
	{"a length with a sign", outer("POST /healthz", "Content-Length: +5") + "12345" + inner, refused, 0},
	{"a list of lengths", outer("POST /healthz", "Content-Length: 0, 5") + "12345" + inner, refused, 0},
	{"a length below zero", outer("POST /healthz", "Content-Length: -1") + inner, refused, 0},
	{"lines that end in LF, and a length", strings.ReplaceAll(outer("POST /healthz", all(inner)), "\r\n", "\n") + inner,
		taken, 0},
	{"lines that end in CR", strings.ReplaceAll(outer("GET /healthz"), "\r\n", "\r") + inner, refused, 0},
	{"a chunk that is too long",
		outer("POST /healthz", "Transfer-Encoding: chunked") + "10000000000000000\r\n\r\n0\r\n\r\n" + inner, either, 0},
	{"a chunk length in C", outer("POST /healthz", "Transfer-Encoding: chunked") + "0x5\r\n12345\r\n0\r\n\r\n" + inner,
		either, 0},
	{"a chunk length with a sign",
		outer("POST /healthz", "Transfer-Encoding: chunked") + "+5\r\n12345\r\n0\r\n\r\n" + inner, either, 0},
	{"a chunk extension that ends in LF",
		outer("POST /healthz", "Transfer-Encoding: chunked") + fmt.Sprintf("2;\nxx\r\n%x\r\n0\r\n\r\n",
			len(inner)+5) + inner + "\r\n0\r\n\r\n", either, 0},
	{"a long chunk extension", outer("POST /healthz", "Transfer-Encoding: chunked") + "5;" + strings.Repeat("a",
		64<<10) + "\r\n12345\r\n" + chunk + "0\r\n\r\n", either, 0},
	{"chunks without CRLF after the data",
		outer("POST /healthz", "Transfer-Encoding: chunked") + "5\r\n12345XX0\r\n\r\n" + inner, either, 0},
	{"a length in the trailer",
		outer("POST /healthz", "Transfer-Encoding: chunked") + chunk + "0\r\nContent-Length: 500\r\n\r\n", either, 0},
	{"a folded line", outer("POST /healthz", "X-A: b", " Transfer-Encoding: chunked", all(inner)) + inner, either, 0},
	{"a folded value", outer("POST /healthz", "Transfer-Encoding:", " chunked") + chunk + "0\r\n\r\n", either, 0},
	{"a blank in a name", outer("POST /healthz", "Content Length: 0", all(inner)) + inner, refused, 0},
	{"a whole URL of another host", outer("GET http://other.test/healthz", all(inner)) + inner, either, 0},
	{"two hosts", outer("GET /healthz", "Host: other.test"), refused, 0},
	{"HTTP/1.0 with chunks", strings.Replace(outer("POST /healthz", "Transfer-Encoding: chunked",
		"Connection: keep-alive"), "HTTP/1.1", "HTTP/1.0", 1) + chunk + "0\r\n\r\n", either, 0},
	{"Connection names the length", outer("POST /healthz", "Connection: Content-Length", all(inner)) + inner, either,
		0},
	{"Expect", outer("POST /healthz", "Expect: 100-continue", all(inner)) + inner, either, 0},
	{"an upgrade", outer("GET /healthz", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
		"HTTP2-Settings: AAMAAABkAAQAAP__", all(inner)) + inner, either, 0},
}

// forward listens and passes connections on; it counts them.
func forward(t *testing.T, to string) (address string, count *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	count = new(atomic.Int64)
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			pass := func(to, from net.Conn) {
				io.Copy(to, from)
				to.(*net.TCPConn).CloseWrite()
			}
			go pass(out, in)
			go func() { pass(in, out); in.Close(); out.Close() }()
		}
	}()
	return l.Addr().String(), count
}

// send writes bytes on a connection of their own and returns what comes back until
// nothing more does.
func send(t *testing.T, address, raw string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	defer conn.Close()
	go io.WriteString(conn, raw) // who refuses may not read it all
	var answer bytes.Buffer
	for piece := make([]byte, 4096); ; {
		conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		n, err := conn.Read(piece)
		answer.Write(piece[:n])
		if err != nil {
			return answer.String()
		}
	}
}

var (
	requestLine = regexp.MustCompile(`msg=request id=(\S+)`)
	proxiedLine = regexp.MustCompile(`(?m)^proxied id=(\S+) to=(\S+) status=(\d+)`)
	refusal     = regexp.MustCompile(`^HTTP/1\.1 (400|422|501) `)
)

// Nobody slips a request past a reader who takes it for a body, nor gets another's
// answer: straight and with proxies whose connections many callers share.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	c := makeCountry(t, 200)
	for _, name := range []string{"straight", "nginx", "HAProxy"} {
		t.Run(name, func(t *testing.T) {
			s := start(t, nil, "serve", "--data", c.dir, "--log-level", "debug") // which logs /healthz too
			address, connections := forward(t, strings.TrimPrefix(s.base, "http://"))
			var p *proxy
			if name != "straight" {
				k := proxyKinds[slices.IndexFunc(proxyKinds, func(k proxyKind) bool { return k.name == name })]
				p = k.start(t, setUps(t, name)[0], freeAddress(t), address)
				address = p.address
			}
			for i := range smugglings {
				smuggle(t, i, address, s.key)
			}
			s.stop()
			seen := map[string]int{}
			for _, m := range requestLine.FindAllStringSubmatch(s.log.String(), -1) {
				seen[m[1]]++
			}
			for i, tt := range smugglings {
				outer, inner := seen[fmt.Sprintf("outer-%03d", i)], seen[fmt.Sprintf("inner-%03d", i)]
				if inner != tt.inner || outer > 1 || tt.taken == refused && outer != 0 ||
					tt.taken == taken && outer != 1 {
					t.Errorf("%s: got the outer request %d times, the inner %d times; want the inner %d times", tt.what, outer, inner,
						tt.inner)
				}
			}
			if p != nil {
				p.passedOn(t, seen)
				if n := connections.Load(); n > int64(len(smugglings)*markers/2) {
					t.Errorf("connections: got %d for %d requests, want half as many", n, len(smugglings)*markers)
				}
			}
		})
	}
}

// markers are how many requests follow each smuggling.
const markers = 5

// smuggle sends one of smugglings, and makes sure that those who ask next get their own
// answers.
func smuggle(t *testing.T, i int, address, key string) {
	t.Helper()
	tt := smugglings[i]
	got := send(t, address, strings.ReplaceAll(tt.raw, "@@@", fmt.Sprintf("%03d", i)))
	if tt.taken == refused && !refusal.MatchString(got) {
		t.Errorf("%s: got %q, want a refusal", tt.what, got)
	}
	for n := range markers {
		marker := fmt.Sprintf("marker-%d-%d", i, n)
		// It is let in: of what is refused the log has some lines a minute only.
		a := call(t, http.DefaultClient, http.MethodGet, "http://"+address+"/external/v1/markets", nil,
			"X-Request-Id", marker, "X-API-Key", key)
		if a.status != 200 || a.header.Get("X-Request-Id") != marker || a.object()["requestId"] != marker {
			t.Errorf("%s: the next request: got %v %s, want 200 for %s", tt.what, a.header, a, marker)
		}
	}
}

// passedOn makes sure that what the proxy passed on is what relais had.
func (p *proxy) passedOn(t *testing.T, seen map[string]int) {
	t.Helper()
	var proxied map[string]int
	if !waitFor(func() bool {
		proxied = map[string]int{}
		for _, m := range proxiedLine.FindAllStringSubmatch(p.log.String(), -1) {
			if nowhere := m[2] == "-" || m[2] == "<NOSRV>"; !nowhere && m[3] != "400" { // 400 is the proxy's own
				proxied[m[1]]++
			}
		}
		return maps.Equal(proxied, seen)
	}) {
		t.Errorf("relais (-), proxy (+):\n%s", cmp.Diff(seen, proxied))
	}
}
