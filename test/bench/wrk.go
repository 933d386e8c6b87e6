package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A result is what wrk prints: answers a second and milliseconds.
type result struct{ rate, p50, p99 float64 }

var (
	rateLine = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	p50Line  = regexp.MustCompile(`50%\s+([\d.]+)(us|ms|s)`)
	p99Line  = regexp.MustCompile(`99%\s+([\d.]+)(us|ms|s)`)
	badLine  = regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`)
)

// wrk sends the request of a row again and again; an answer that fails is an error. base comes before the path.
func wrk(base, key string, r row, conns int, each time.Duration) (result, error) {
	args := []string{"-t" + strconv.Itoa(min(2, conns)), "-c" + strconv.Itoa(conns), "-H", "X-API-Key: " + key}
	for k, v := range r.headers {
		args = append(args, "-H", k+": "+v)
	}
	address := base + r.path
	if len(r.paths) > 0 {
		script, err := writeScript(base, r.paths)
		if err != nil {
			return result{}, err
		}
		defer os.Remove(script)
		args = append(args, "-s", script)
	}
	args = append(args, "--latency", "-d"+strconv.Itoa(max(1, int(each.Seconds())))+"s", address)
	out, err := exec.Command("wrk", args...).CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	got, err := readWrk(out)
	if err != nil {
		return got, fmt.Errorf("%s: %w", address, err)
	}
	return got, nil
}

// readWrk reads what wrk prints.
func readWrk(out []byte) (got result, err error) {
	if bad := badLine.Find(out); bad != nil {
		return got, errors.New(string(bad))
	}
	for _, f := range []struct {
		re *regexp.Regexp
		v  *float64
	}{{rateLine, &got.rate}, {p50Line, &got.p50}, {p99Line, &got.p99}} {
		m := f.re.FindSubmatch(out)
		if m == nil {
			return got, fmt.Errorf("wrk printed %s", out)
		}
		if *f.v, err = strconv.ParseFloat(string(m[1]), 64); err != nil {
			return got, err
		}
		if len(m) > 2 {
			*f.v *= map[string]float64{"us": 0.001, "ms": 1, "s": 1000}[string(m[2])]
		}
	}
	return got, nil
}

// writeScript writes a script that makes wrk ask for one path after the other. Its threads begin at different ones.
func writeScript(base string, paths []string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "bench-*.lua")
	if err != nil {
		return "", err
	}
	defer f.Close()
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = strconv.Quote(u.Path + p)
	}
	_, err = fmt.Fprintf(f, `local paths = {%s}
local threads = 0
function setup(thread)
	thread:set("n", threads * #paths / 2)
	threads = threads + 1
end
function request()
	n = n + 1
	return wrk.format("GET", paths[n %% #paths + 1])
end
`, strings.Join(quoted, ", "))
	return f.Name(), err
}
