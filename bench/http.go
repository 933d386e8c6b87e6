package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

const (
	connections  = 8
	relaisListen = "127.0.0.1:18080"
)

// A row is a request to measure.
type row struct {
	name    string
	path    string
	headers map[string]string
}

// An answer is what the bare handler repeats.
type answer struct {
	Path   string
	Status int
	Header http.Header
	Body   []byte
}

func measureHTTP(ctx context.Context, relais, data, work string, each time.Duration) error {
	key, remove, err := makeClient(ctx, relais, data)
	if err != nil {
		return err
	}
	defer remove()
	http.DefaultTransport = keyed{http.DefaultTransport, key}
	server, base, err := start(ctx, exec.CommandContext(ctx, relais, "serve", "--data", data, "--listen", relaisListen), relaisListen)
	if err != nil {
		return err
	}
	defer server.stop()
	fmt.Printf("%-34s %s\n", "start to ready", ms(server.ready))
	settle(server.pid)
	atRest := rssMB(server.pid)
	total, err := downloads(base, key)
	if err != nil {
		return err
	}
	rows, err := rowsOf(base, total)
	if err != nil {
		return err
	}
	var answers []answer
	for _, r := range rows {
		a, err := fetch(base, key, r)
		if err != nil {
			return err
		}
		answers = append(answers, a)
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	file := filepath.Join(work, "answers.json")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	other, bare, err := start(ctx, exec.CommandContext(ctx, self, "-bare", file), bareListen)
	if err != nil {
		return err
	}
	defer other.stop()
	fmt.Printf("\n%-24s %9s %10s %10s %6s   %9s %9s\n", "HTTP (wrk, 8 connections)", "bytes", "relais/s", "bare/s", "ratio", "1 conn: p50", "p99 ms")
	for i, r := range rows {
		mine, err := wrk(base+r.path, key, r.headers, connections, each)
		if err != nil {
			return err
		}
		plain, err := wrk(bare+"/"+strconv.Itoa(i), key, r.headers, connections, each)
		if err != nil {
			return err
		}
		single, err := wrk(base+r.path, key, r.headers, 1, each)
		if err != nil {
			return err
		}
		fmt.Printf("%-24s %9d %10.0f %10.0f %5.0f%%   %9.2f %9.2f\n", r.name, len(answers[i].Body), mine.rate, plain.rate, 100*mine.rate/plain.rate, single.p50, single.p99)
	}
	fmt.Printf("\n%-34s %.0f MB at rest, %.0f MB after all this, %.0f MB at most\n", "resident memory of the server", atRest, rssMB(server.pid), statusMB(server.pid, "VmHWM"))
	return coldPages(base, key)
}

// makeClient makes a client without limits worth the name; remove takes it away
// again.
func makeClient(ctx context.Context, relais, data string) (key string, remove func(), err error) {
	var made struct{ ID, APIKey string }
	out, err := exec.CommandContext(ctx, relais, "client", "create", "--data", data, "--json", "--name", "bench", "--mode", "server", "--cidr", "127.0.0.1/32",
		"--scopes", "all-read", "--minute", "1000000000", "--day", "1000000000").Output()
	if err != nil {
		return "", nil, fmt.Errorf("relais client create: %w", err)
	}
	if err := json.Unmarshal(out, &made); err != nil {
		return "", nil, err
	}
	return made.APIKey, func() {
		if out, err := exec.Command(relais, "client", "delete", "--data", data, made.ID).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "the client that was made for this stays in %s: %s", data, out)
		}
	}, nil
}

// keyed sends the key with every request.
type keyed struct {
	http.RoundTripper
	key string
}

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	return k.RoundTripper.RoundTrip(r)
}

// rowsOf finds requests of the wanted sizes in the data at hand.
func rowsOf(base string, total int) ([]row, error) {
	list, err := getJSON(base + "/antennas?limit=1&offset=1000")
	if err != nil {
		return nil, err
	}
	id := list.Data[0].ID
	rows := []row{}
	for _, n := range []int{50, 1000, 5000} {
		box, err := boxOf(base, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{fmt.Sprintf("bbox, about %d", n), "/antennas?limit=5000&" + box, nil})
		if n == 1000 {
			rows = append(rows, row{"bbox, about 1000, gzip", "/antennas?limit=5000&" + box, map[string]string{"Accept-Encoding": "gzip"}})
		}
	}
	node, err := getJSON(base + "/antennas/" + id)
	if err != nil {
		return nil, err
	}
	tag := node.tag
	one, err := getJSON(base + "/antennas?operator=ORANGE&limit=1")
	if err != nil {
		return nil, err
	}
	rows = append(rows,
		row{"by id", "/antennas/" + id, nil},
		row{"nearest 20", "/antennas?lat=48.8566&lon=2.3522&radiusKm=2&limit=20", nil},
		row{"q", "/antennas?q=rue+saint&limit=20", nil},
		row{"lookup", "/antennas/lookup-by-radio?value=100500&limit=20", nil},
		row{"304", "/antennas/" + id, map[string]string{"If-None-Match": tag}},
		row{"last page of all", fmt.Sprintf("/antennas?limit=50&offset=%d", total-50), nil},
		row{"last page of an operator", fmt.Sprintf("/antennas?operator=ORANGE&limit=50&offset=%d", one.Meta.TotalMatched-50), nil},
	)
	if total <= repeatable {
		rows = append(rows, row{"export, gzip", "/antennas/export", map[string]string{"Accept-Encoding": "gzip"}})
	}
	return rows, nil
}

// repeatable is the number of sites up to which the export is asked for many times
// and repeated by the bare handler.
const repeatable = 1_000_000

// downloads times one export in each form and coding, and answers the number of
// sites.
func downloads(base, key string) (sites int, err error) {
	all, err := getJSON(base + "/antennas?limit=1")
	if err != nil {
		return 0, err
	}
	fmt.Printf("\n%-24s %9s %12s %10s %10s\n", "EXPORT, ONCE", "MB", "first ms", "seconds", "MB/s")
	client := http.Client{Transport: keyed{&http.Transport{DisableCompression: true}, key}}
	for _, format := range []string{"json", "geojson"} {
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			req, err := http.NewRequest(http.MethodGet, base+"/antennas/export?format="+format, nil)
			if err != nil {
				return 0, err
			}
			req.Header.Set("Accept-Encoding", coding)
			start := time.Now()
			res, err := client.Do(req)
			if err != nil {
				return 0, err
			}
			first := time.Since(start)
			n, err := io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if err != nil {
				return 0, err
			}
			took := time.Since(start)
			fmt.Printf("%-24s %9.1f %12.1f %10.2f %10.0f\n", format+", "+coding, mb(n), float64(first.Microseconds())/1000, took.Seconds(), mb(n)/took.Seconds())
		}
	}
	return all.Meta.TotalMatched, nil
}

// boxOf widens a box around Paris until it has about n sites.
func boxOf(base string, n int) (string, error) {
	lo, hi := 0.0001, 5.0
	box := ""
	for range 40 {
		half := (lo + hi) / 2
		box = fmt.Sprintf("south=%.6f&north=%.6f&west=%.6f&east=%.6f", 48.8566-half, 48.8566+half, 2.3522-half*1.5, 2.3522+half*1.5)
		a, err := getJSON(base + "/antennas?limit=1&" + box)
		if err != nil {
			return "", err
		}
		switch m := a.Meta.TotalMatched; {
		case m > n+n/50:
			hi = half
		case m < n-n/50:
			lo = half
		default:
			return box, nil
		}
	}
	return box, nil
}

type listing struct {
	Data []struct{ ID string }
	Meta struct{ TotalMatched int }
	tag  string
}

func getJSON(u string) (l listing, err error) {
	r, err := http.Get(u)
	if err != nil {
		return l, err
	}
	defer r.Body.Close()
	l.tag = r.Header.Get("ETag")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return l, err
	}
	if r.StatusCode != http.StatusOK {
		return l, fmt.Errorf("%s: %s %s", u, r.Status, body)
	}
	if bytes.HasPrefix(body, []byte(`{"data":{`)) { // one item
		return l, nil
	}
	return l, json.Unmarshal(body, &l)
}

func fetch(base, key string, r row) (answer, error) {
	req, err := http.NewRequest(http.MethodGet, base+r.path, nil)
	if err != nil {
		return answer{}, err
	}
	for k, v := range r.headers {
		req.Header.Set(k, v)
	}
	client := http.Client{Transport: keyed{&http.Transport{DisableCompression: true}, key}}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{r.path, res.StatusCode, res.Header, body}, err
}

type result struct{ rate, p50, p99 float64 }

var (
	rateLine = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	p50Line  = regexp.MustCompile(`50%\s+([\d.]+)(us|ms|s)`)
	p99Line  = regexp.MustCompile(`99%\s+([\d.]+)(us|ms|s)`)
	badLine  = regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`)
)

func wrk(u, key string, headers map[string]string, conns int, each time.Duration) (result, error) {
	args := []string{"-t" + strconv.Itoa(min(2, conns)), "-c" + strconv.Itoa(conns), "-H", "X-API-Key: " + key}
	for k, v := range headers {
		args = append(args, "-H", k+": "+v)
	}
	return runWrk(u, each, args...)
}

// runWrk asks a server for some time; an answer that is none is an error.
func runWrk(u string, each time.Duration, args ...string) (result, error) {
	out, err := exec.Command("wrk", append(args, "--latency", "-d"+strconv.Itoa(int(each.Seconds()))+"s", u)...).CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	if bad := badLine.Find(out); bad != nil {
		return result{}, fmt.Errorf("%s: %s", u, bad)
	}
	var r result
	for _, f := range []struct {
		re *regexp.Regexp
		v  *float64
	}{{rateLine, &r.rate}, {p50Line, &r.p50}, {p99Line, &r.p99}} {
		m := f.re.FindSubmatch(out)
		if m == nil {
			return r, fmt.Errorf("wrk printed %s", out)
		}
		if *f.v, err = strconv.ParseFloat(string(m[1]), 64); err != nil {
			return r, err
		}
		if len(m) > 2 {
			*f.v *= map[string]float64{"us": 0.001, "ms": 1, "s": 1000}[string(m[2])]
		}
	}
	return r, nil
}

// coldPages times compressed pages that nobody asked for before.
func coldPages(base, key string) error {
	var times []time.Duration
	client := http.Client{Transport: keyed{&http.Transport{DisableCompression: true}, key}}
	for i := range 50 {
		south := 43.0 + float64(i)*0.1
		req, err := http.NewRequest(http.MethodGet, fmt.Sprintf("%s/antennas?limit=1000&south=%f&north=%f&west=-2&east=7", base, south, south+2), nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept-Encoding", "gzip")
		start := time.Now()
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	fmt.Printf("%-34s median %s, worst %s\n", "1000 sites, gzip, never asked before", ms(times[len(times)/2]), ms(times[len(times)-1]))
	return nil
}
