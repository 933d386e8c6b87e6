package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A child is a server that this program started.
type child struct {
	pid   int
	ready time.Duration // from its start
	stop  func()
}

// start starts a server and waits until it is ready.
func start(cmd *exec.Cmd, listen string) (*child, error) {
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{pid: cmd.Process.Pid, stop: func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = cmd.Wait()
	}}
	for time.Since(began) < 10*time.Minute {
		if r, err := http.Get("http://" + listen + "/readyz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				c.ready = time.Since(began)
				return c, nil
			}
		}
		if ended(c.pid) {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	c.stop()
	return nil, fmt.Errorf("%s ended, or was not ready after ten minutes", cmd.Path)
}

// ended reports whether a child has ended: nobody has waited for it yet.
func ended(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.HasPrefix(string(text[bytes.LastIndexByte(text, ')')+1:]), " Z")
}

func rssMB(pid int) float64 { return statusMB(pid, "VmRSS") }

// statusMB reads a line of /proc/PID/status.
func statusMB(pid int, field string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			if kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64); err == nil {
				return kb * 1024 / 1e6
			}
		}
	}
	return 0
}

// settle waits until a process is idle, and so has prepared its exports.
func settle(pid int) {
	for last, end := -1.0, time.Now().Add(10*time.Minute); time.Now().Before(end); time.Sleep(2 * time.Second) {
		busy := cpuSeconds(pid)
		if busy-last < 0.1 {
			return
		}
		last = busy
	}
}

// cpuSeconds reads /proc/PID/stat, whose clock ticks a hundred times a second.
func cpuSeconds(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11]) // the kernel writes numbers
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) / 100
}
