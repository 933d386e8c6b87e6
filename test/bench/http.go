package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

const relaisListen = "127.0.0.1:18080"

// A client may have four large answers under way, and an answer ends after it was read.
const connections, largeConnections = 8, 2

// A row is a request to measure.
type row struct {
	name    string
	path    string
	headers map[string]string
	large   bool
}

// An answer is an answer of the server, which the bare handler repeats.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// measureHTTP starts the server and prints the times of its exports, the rates of its answers
// next to those of the bare handler, and its memory.
func measureHTTP(ctx context.Context, relais, data, work string, each time.Duration) error {
	key, remove, err := makeClient(ctx, relais, data)
	if err != nil {
		return err
	}
	defer remove()
	http.DefaultTransport = keyed{&http.Transport{DisableCompression: true}, key}
	server, base, err := start(ctx, exec.CommandContext(ctx, relais, "serve", "--data", data, "--listen", relaisListen),
		relaisListen)
	if err != nil {
		return err
	}
	defer server.stop()
	fmt.Printf("%-34s %s\n", "start to ready", ms(server.ready))
	settle(server.pid)
	atRest := rssMB(server.pid)
	if err := measureExports(base); err != nil {
		return err
	}
	rows, err := findRows(base)
	if err != nil {
		return err
	}
	if err := compare(ctx, base, key, work, rows, each); err != nil {
		return err
	}
	fmt.Printf("\n%-34s %.0f MB at rest, %.0f MB after all this, %.0f MB at most\n",
		"resident memory of the server", atRest, rssMB(server.pid), statusMB(server.pid, "VmHWM"))
	return measureColdPages(base)
}

// compare prints each row of the server next to the bare handler's.
func compare(ctx context.Context, base, key, work string, rows []row, each time.Duration) error {
	answers := make([]answer, len(rows))
	for i, r := range rows {
		var err error
		if answers[i], err = fetch(base+r.path, r.headers); err != nil {
			return err
		}
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	file := filepath.Join(work, "answers.json")
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
	fmt.Printf("\n%-24s %9s %10s %10s %6s   %9s %9s\n", "HTTP (wrk, 8 connections)", "bytes", "relais/s", "bare/s",
		"ratio", "1 conn: p50", "p99 ms")
	for i, r := range rows {
		conns := connections
		if r.large {
			conns = largeConnections
		}
		mine, err := wrk(base+r.path, key, r.headers, conns, each)
		if err != nil {
			return err
		}
		plain, err := wrk(bare+"/"+strconv.Itoa(i), key, r.headers, conns, each)
		if err != nil {
			return err
		}
		single, err := wrk(base+r.path, key, r.headers, 1, each)
		if err != nil {
			return err
		}
		fmt.Printf("%-24s %9d %10.0f %10.0f %5.0f%%   %9.2f %9.2f\n",
			r.name, len(answers[i].Body), mine.rate, plain.rate, 100*mine.rate/plain.rate, single.p50, single.p99)
	}
	return nil
}

// makeClient creates a client with limits that are not reached. remove deletes it.
func makeClient(ctx context.Context, relais, data string) (key string, remove func(), err error) {
	var made struct{ ID, APIKey string }
	out, err := exec.CommandContext(ctx, relais, "client", "create", "--data", data, "--json", "--name", "bench",
		"--mode", "server", "--cidr",
		"127.0.0.1/32", "--scopes", "all-read", "--minute", "1000000000", "--day", "1000000000").Output()
	if err != nil {
		return "", nil, fmt.Errorf("relais client create: %w", err)
	}
	if err := json.Unmarshal(out, &made); err != nil {
		return "", nil, err
	}
	return made.APIKey, func() {
		if out, err := exec.Command(relais, "client", "delete", "--data", data, made.ID).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "the client bench could not be removed from %s: %s", data, out)
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

// fetch reads one answer.
func fetch(url string, headers map[string]string) (answer, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return answer{}, err
	}
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 400 {
		err = fmt.Errorf("%s: %s %s", url, res.Status, body)
	}
	return answer{res.StatusCode, res.Header, body}, err
}
