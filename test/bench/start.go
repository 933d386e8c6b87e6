package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// measureStart measures starts, and the first questions of each kind right after them.
func (b *bench) measureStart(ctx context.Context) error {
	figures := []figure{
		{what: "start to ready", unit: "s"},
		{what: "memory, just ready, never asked", unit: "MB", note: "resident"},
	}
	for _, q := range firstQuestions {
		figures = append(figures, figure{what: "first answer after it: " + q.name, unit: "ms", note: q.note})
	}
	return b.inTurns(figures, func(p *program) ([]float64, error) {
		server, err := p.serve(ctx, p.folder("data"))
		if err != nil {
			return nil, err
		}
		defer server.stop()
		values := []float64{server.ready.Seconds(), rssMB(server.pid)}
		for _, q := range firstQuestions {
			took, err := p.firstAnswer(q.path, q.headers)
			if err != nil {
				return nil, err
			}
			values = append(values, took.Seconds()*1000)
		}
		return values, nil
	})
}

var firstQuestions = []struct {
	name, path, note string
	headers          map[string]string
}{
	{"box", "/antennas?bbox=2.2,48.8,2.4,48.9&limit=100", "", nil},
	{"q", "/antennas?q=rue+saint&limit=20", "", nil},
	{"a place by its name", "/antennas/search?q=lyon", "", nil},
	{"export, gzip", "/antennas/export", "to the last byte", map[string]string{"Accept-Encoding": "gzip"}},
}

// firstAnswer asks until the answer is not "not ready", and returns how long that took.
func (p *program) firstAnswer(path string, headers map[string]string) (time.Duration, error) {
	began := time.Now()
	for {
		_, err := p.get(path, headers)
		if refused, is := errors.AsType[statusError](err); !is || refused.status != http.StatusServiceUnavailable ||
			time.Since(began) > time.Minute {
			return time.Since(began), err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

const reloads = 10

// measureReloads measures the memory of servers that reload their data while they answer. The servers
// reload at the same time.
func (b *bench) measureReloads(ctx context.Context) error {
	after := make([][]float64, len(b.programs))
	failed := make(chan error)
	for i, p := range b.programs {
		data := p.folder("earlier")
		if _, _, err := p.ingest(ctx, data, b.kit.of(b.kit.earlier)); err != nil {
			return err
		}
		go func() {
			var err error
			after[i], err = p.reloadUnderLoad(ctx, b.work)
			failed <- err
		}()
	}
	var err error
	for range b.programs {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		return err
	}
	for i, n := range []int{1, reloads} {
		f := figure{what: fmt.Sprintf("memory, after %d reload(s) under load", n), unit: "MB", note: "median of 5 seconds"}
		for _, values := range after {
			f.of = append(f.of, values[i])
		}
		b.table.print(f)
	}
	return nil
}

// reloadUnderLoad returns the memory after the first reload and after the last one.
func (p *program) reloadUnderLoad(ctx context.Context, work string) ([]float64, error) {
	data := p.folder("reloads")
	if err := copyTo(p.folder("data"), data); err != nil {
		return nil, err
	}
	server, err := p.serve(ctx, data)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	ctx, stop := context.WithCancel(ctx)
	load := exec.CommandContext(ctx, "wrk", "-t1", "-c4", "-d600s", "-H", "X-API-Key: "+p.key,
		p.base()+"/antennas?bbox=2.2,48.8,2.4,48.9&limit=200")
	if err := load.Start(); err != nil {
		stop()
		return nil, err
	}
	defer load.Wait() // it was stopped
	defer stop()
	var after []float64
	for i := range reloads {
		from := p.folder([]string{"earlier", "data"}[i%2])
		if err := p.reload(from, data); err != nil {
			return nil, err
		}
		if i == 0 || i == reloads-1 {
			after = append(after, steadyMB(server.pid))
		}
	}
	return after, nil
}

// steadyMB returns the median memory of a busy process, which goes up and down with its garbage.
func steadyMB(pid int) float64 {
	var values []float64
	for range 50 {
		time.Sleep(100 * time.Millisecond)
		values = append(values, rssMB(pid))
	}
	return median(values)
}

// reload replaces the snapshots of a folder by those of another one, and waits until the server answers from them.
func (p *program) reload(from, data string) error {
	before, err := p.dataVersion()
	if err != nil {
		return err
	}
	to := snapshots(data)
	for i, path := range snapshots(from) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to[i]+".new", text, 0o644); err != nil {
			return err
		}
		if err := os.Rename(to[i]+".new", to[i]); err != nil {
			return err
		}
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if now, err := p.dataVersion(); err != nil || now != before {
			return err
		}
	}
	return fmt.Errorf("the server did not load the snapshots of %s within a minute", from)
}

// dataVersion returns the versions of the snapshots that the server answers from.
func (p *program) dataVersion() (string, error) {
	var versions []string
	for _, market := range []string{"FR", "DROM"} {
		a, err := p.get("/antennas?limit=1&market="+market, nil)
		if err != nil {
			return "", err
		}
		var l struct{ Meta struct{ DataVersion string } }
		if err := json.Unmarshal(a.Body, &l); err != nil {
			return "", err
		}
		versions = append(versions, l.Meta.DataVersion)
	}
	return strings.Join(versions, " "), nil
}
