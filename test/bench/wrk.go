//go:build linux

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

var rateLine = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)

// elsewhere makes wrk ask about one place of France after the other, in each of its threads about others.
const elsewhere = `local threads = 0
function setup(thread)
	threads = threads + 1
	thread:set("seed", threads)
end
function init()
	math.randomseed(seed)
end
function request()
	local lat, lon = 43 + 6 * math.random(), 7 * math.random() - 1
	return wrk.format("GET", (wrk.path:gsub("lat=.*", string.format("lat=%.4f&lon=%.4f", lat, lon))))
end
`

// wrk sends the request of a row again and again, and returns the answers a second; an answer that fails is an
// error. base comes before the path.
func wrk(base, key string, r row, each time.Duration) (rate float64, err error) {
	conns := cmp.Or(r.conns, 8)
	args := []string{"-t2", "-c" + strconv.Itoa(conns), "--timeout", "10s", "-H", "X-API-Key: " + key}
	for k, v := range r.headers {
		args = append(args, "-H", k+": "+v)
	}
	if r.elsewhere {
		script := filepath.Join(os.TempDir(), fmt.Sprintf("relais-bench-%d.lua", os.Getpid()))
		if err := os.WriteFile(script, []byte(elsewhere), 0o600); err != nil {
			return 0, err
		}
		defer os.Remove(script)
		args = append(args, "-s", script)
	}
	args = append(args, fmt.Sprintf("-d%.0fs", max(1, each.Seconds())), base+r.path)
	out, err := exec.Command("wrk", args...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("wrk: %w: %s", err, out)
	}
	return readWrk(out)
}

// readWrk reads what wrk prints.
func readWrk(out []byte) (rate float64, err error) {
	m := rateLine.FindSubmatch(out)
	if m == nil || bytes.Contains(out, []byte("Non-2xx")) || bytes.Contains(out, []byte("Socket errors")) {
		return 0, fmt.Errorf("wrk printed %s", out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
