package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"relais/api/view"
	"relais/httpapi"
	"relais/index"
	"relais/internal/folder"
	"relais/snapshot"
)

// measureMemory loads the folder in this process as the server does, and prints the
// memory and the times.
func measureMemory(data string) error {
	dir := folder.Dir(data)
	api, err := httpapi.New(httpapi.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	sites, fragments, emissions, files := 0, int64(0), 0, int64(0)
	var set *index.Set
	var reading, loading time.Duration
	live := index.NewLive(dir, view.Summaries,
		slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		func(s *index.Set) { set = s })
	start := time.Now()
	live.Refresh()
	loading = time.Since(start)
	peak := statusMB(os.Getpid(), "VmHWM")
	for m := range set.Loaded() {
		sites, fragments = sites+m.Len(), fragments+m.FragmentBytes()
		emissions, files = emissions+m.Snap.Emissions(), files+m.Snap.Bytes
		start := time.Now()
		if _, err := snapshot.ReadFile(dir.Snapshot(string(m.Table.Code)), m.Table.Code); err != nil {
			return err
		}
		reading += time.Since(start)
	}
	if sites == 0 {
		return fmt.Errorf("%s has no snapshot", data)
	}
	api.SetData(set)
	start = time.Now()
	if err := api.Prepare(context.Background(), set); err != nil {
		return err
	}
	preparing := time.Since(start)
	var gcs []time.Duration
	for range 15 {
		start := time.Now()
		runtime.GC()
		gcs = append(gcs, time.Since(start))
	}
	slices.Sort(gcs)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("\n%-34s %12s\n", "IN MEMORY", "")
	for _, row := range []struct {
		name  string
		value string
	}{
		{"sites, emissions", fmt.Sprintf("%d, %d", sites, emissions)},
		{"snapshot files", fmt.Sprintf("%.1f MB, %.0f bytes a site", mb(files), float64(files)/float64(sites))},
		{"read and check the snapshots", ms(reading)},
		{"load (read, encode, index)", ms(loading)},
		{"resident at most while loading", fmt.Sprintf("%.0f MB", peak)},
		{"prepare the exports", ms(preparing)},
		{"encoded summaries", fmt.Sprintf("%.1f MB, %.0f bytes a site", mb(fragments),
			float64(fragments)/float64(sites))},
		{"heap", fmt.Sprintf("%.1f MB, %.0f bytes a site, %d objects", mb(int64(m.HeapAlloc)),
			float64(m.HeapAlloc)/float64(sites), m.HeapObjects)},
		{"full GC, median of 15", ms(gcs[len(gcs)/2])},
	} {
		fmt.Printf("%-34s %s\n", row.name, row.value)
	}
	runtime.KeepAlive(api)
	return nil
}

func mb(n int64) float64 { return float64(n) / 1e6 }

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// peakMB returns the peak resident memory of a finished process.
func peakMB(p *os.ProcessState) float64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) / 1000
	}
	return 0
}
