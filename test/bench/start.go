//go:build linux

package main

import (
	"context"
	"time"
)

// measureIngest measures ingests into new folders: the weekly file alone, and all files.
func (b *bench) measureIngest(ctx context.Context) error {
	for _, m := range []struct {
		what  string
		files []string
	}{{"weekly file alone", []string{b.weekly}}, {"all files", b.all}} {
		err := b.inTurns([]figure{
			{what: m.what + ": snapshots published", unit: "s"},
			{what: m.what + ": done, with archive", unit: "s"},
			{what: m.what + ": processor time", unit: "s"},
			{what: m.what + ": most memory", unit: "MB"},
		}, func(p *program) ([]float64, error) { return p.ingest(ctx, m.files) })
		if err != nil {
			return err
		}
	}
	return nil
}

var firstQuestions = []row{
	{name: "box", path: "/antennas?bbox=2.2,48.8,2.4,48.9&limit=100"},
	{name: "q", path: "/antennas?q=rue+saint&limit=20"},
	{name: "a place by its name", path: "/antennas/search?q=lyon"},
	{name: "export, gzip", path: "/antennas/export", headers: gzip},
}

// measureStart measures starts, and the first questions of each kind right after them.
func (b *bench) measureStart(ctx context.Context) error {
	figures := []figure{
		{what: "start to ready", unit: "s"},
		{what: "memory, just ready, never asked", unit: "MB", note: "resident"},
	}
	for _, q := range firstQuestions {
		figures = append(figures, figure{what: "first answer after it: " + q.name, unit: "ms"})
	}
	return b.inTurns(figures, func(p *program) ([]float64, error) {
		server, err := p.serve(ctx, b.all)
		if err != nil {
			return nil, err
		}
		defer server.stop()
		values := []float64{server.ready.Seconds(), statusMB(server.pid, "VmRSS")}
		for _, q := range firstQuestions {
			began := time.Now()
			if _, err := p.get(q.path, q.headers); err != nil {
				return nil, err
			}
			values = append(values, time.Since(began).Seconds()*1000)
		}
		return values, nil
	})
}
