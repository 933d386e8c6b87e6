package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// measureExports times one export in each form and coding.
func measureExports(base string) error {
	fmt.Printf("\n%-24s %9s %12s %10s %10s\n", "EXPORT, ONCE", "MB", "first ms", "seconds", "MB/s")
	for _, format := range []string{"json", "geojson"} {
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			first, took, n, err := download(base+"/antennas/export?format="+format, coding)
			if err != nil {
				return err
			}
			fmt.Printf("%-24s %9.1f %12.1f %10.2f %10.0f\n",
				format+", "+coding, mb(n), float64(first.Microseconds())/1000, took.Seconds(), mb(n)/took.Seconds())
		}
	}
	return nil
}

// measureColdPages times compressed pages that were not requested before.
func measureColdPages(base string) error {
	var times []time.Duration
	for i := range 50 {
		south := 43.0 + float64(i)*0.1
		_, took, _, err := download(fmt.Sprintf("%s/antennas?limit=1000&south=%f&north=%f&west=-2&east=7", base,
			south, south+2), "gzip")
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	fmt.Printf("%-34s median %s, worst %s\n", "1000 sites, gzip, never asked before", ms(times[len(times)/2]),
		ms(times[len(times)-1]))
	return nil
}

// download reads an answer to its end. It returns the time to the first byte and to the end,
// and the size.
func download(url, coding string) (first, whole time.Duration, n int64, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, 0, 0, err
	}
	req.Header.Set("Accept-Encoding", coding)
	start := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, 0, err
	}
	defer res.Body.Close()
	first = time.Since(start)
	n, err = io.Copy(io.Discard, res.Body)
	return first, time.Since(start), n, err
}
