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
)

// A client may have four large answers under way, and an answer ends after it was read.
const connections, largeConnections = 8, 2

// A row is a request to measure.
type row struct {
	name    string
	path    string
	paths   []string // asked one after the other instead, if there are any
	headers map[string]string
	large   bool
}

// connections returns how many send it.
func (r row) connections() int {
	if r.large {
		return largeConnections
	}
	return connections
}

// measureAnswers measures answers a second, and the memory of the servers before and after.
func (b *bench) measureAnswers(ctx context.Context) error {
	atRest, after := figure{what: "memory, at rest, never asked", unit: "MB", note: "resident, when nothing is prepared any more"},
		figure{what: "memory, after all this", unit: "MB"}
	var servers []*child
	for _, p := range b.programs {
		server, err := p.serve(ctx, p.folder("data"))
		if err != nil {
			return err
		}
		defer server.stop()
		settle(server.pid)
		atRest.of = append(atRest.of, rssMB(server.pid))
		servers = append(servers, server)
	}
	b.table.print(atRest)
	rows, err := findRows(b.programs[0])
	if err != nil {
		return err
	}
	if err := b.measureRows(ctx, rows); err != nil {
		return err
	}
	for _, s := range servers {
		after.of = append(after.of, rssMB(s.pid))
	}
	b.table.print(after)
	return b.measureNewPages()
}

// measureRows measures rows of each program, and of the bare handler.
func (b *bench) measureRows(ctx context.Context, rows []row) error {
	answers := make([]answer, len(rows))
	for i, r := range rows {
		var err error
		if answers[i], err = b.programs[0].get(r.path, r.headers); err != nil {
			return err
		}
	}
	bare, err := b.startBare(ctx, answers)
	if err != nil {
		return err
	}
	defer bare.stop()
	for i, r := range rows {
		f := figure{what: r.name, unit: "/s"}
		for _, p := range b.programs {
			got, err := wrk(p.base(), p.key, r, r.connections(), b.each)
			if err != nil {
				return err
			}
			f.of = append(f.of, got.rate)
		}
		got, err := wrk("http://"+bareListen, "", row{path: "/" + strconv.Itoa(i)}, r.connections(), b.each)
		if err != nil {
			return err
		}
		f.bare = got.rate
		p := b.programs[0]
		single, err := wrk(p.base(), p.key, r, 1, b.each/2)
		if err != nil {
			return err
		}
		f.note = fmt.Sprintf("%d bytes; one connection: p50 %.2f, p99 %.2f ms", len(answers[i].Body), single.p50, single.p99)
		b.table.print(f)
	}
	return nil
}

// startBare starts the bare handler in a process of its own.
func (b *bench) startBare(ctx context.Context, answers []answer) (*child, error) {
	text, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.work, "answers.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(exec.CommandContext(ctx, self, "-bare", file), bareListen)
}

// measureNewPages measures compressed pages that were not asked for before.
func (b *bench) measureNewPages() error {
	f := figure{what: "1,000 sites, gzip, never asked before", unit: "ms", note: "median of 50"}
	for _, p := range b.programs {
		var took []float64
		for i := range 50 {
			south := 43.0 + float64(i)*0.1
			path := fmt.Sprintf("/antennas?limit=1000&south=%f&north=%f&west=-2&east=7", south, south+2)
			one, err := p.firstAnswer(path, map[string]string{"Accept-Encoding": "gzip"})
			if err != nil {
				return err
			}
			took = append(took, one.Seconds()*1000)
		}
		f.of = append(f.of, median(took))
	}
	b.table.print(f)
	return nil
}

// A statusError is an answer that is an error.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }

// plain does not add Accept-Encoding.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// fetch reads one answer.
func fetch(url, key string, headers map[string]string) (answer, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("X-API-Key", key)
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	res, err := plain.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 400 {
		err = statusError{res.StatusCode, fmt.Sprintf("%s: %s %s", url, res.Status, body)}
	}
	return answer{res.StatusCode, res.Header, body}, err
}
