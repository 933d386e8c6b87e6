package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
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

// wrk sends the same request again and again; an answer that fails is an error.
func wrk(url, key string, headers map[string]string, conns int, each time.Duration) (result, error) {
	args := []string{"-t" + strconv.Itoa(min(2, conns)), "-c" + strconv.Itoa(conns), "-H", "X-API-Key: " + key}
	for k, v := range headers {
		args = append(args, "-H", k+": "+v)
	}
	args = append(args, "--latency", "-d"+strconv.Itoa(int(each.Seconds()))+"s", url)
	out, err := exec.Command("wrk", args...).CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	if bad := badLine.Find(out); bad != nil {
		return result{}, fmt.Errorf("%s: %s", url, bad)
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
