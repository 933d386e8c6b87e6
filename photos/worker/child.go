package worker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"

	"relais/photos/confine"
)

// command is the subcommand of the program that a worker runs.
const command = "photo-worker"

// answers is the file to which a worker writes its answers: decoders may print to the standard
// streams.
func answers() *os.File { return os.NewFile(3, "answers") }

// readyWord begins a worker's first message. If the worker could not be confined, the reason
// follows.
const readyWord = "ready"

// files is how many files a worker may have open.
const files = 64

// unused is the part of a worker's data that takes no memory although the system counts it: stacks
// of threads, and reserves of allocators.
const unused = 192 << 20

// niceness is the niceness of the workers: requests for antennas come first.
const niceness = 10

// serve runs a worker: it does jobs from in until in ends, and writes their results
// to out. memory is how many bytes its data may have.
func serve[J, R any](in io.Reader, out io.Writer, memory int64, do func(job J, input []byte) (R, [][]byte)) error {
	if err := limitProcess(memory); err != nil {
		return err
	}
	ready := readyWord
	if err := confine.Process(); err != nil {
		ready += ": " + err.Error()
	}
	if err := sendBlobs(out, ready, nil); err != nil {
		return err
	}
	jobs := make(chan job[J])
	go readJobs(in, jobs)
	for j := range jobs {
		if j.err != nil {
			return j.err
		}
		result, blobs := do(j.is, j.input)
		if err := sendBlobs(out, result, blobs); err != nil {
			return err
		}
		j.input, blobs = nil, nil
		debug.FreeOSMemory() // the next job may be far off
	}
	return nil
}

type job[J any] struct {
	is    J
	input []byte
	err   error
}

// readJobs ends the process if the server is gone while a job runs: no one else would end it.
func readJobs[J any](in io.Reader, jobs chan<- job[J]) {
	r := bufio.NewReader(in)
	for {
		var j job[J]
		blobs, err := receive(r, &j.is, maxInput)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			os.Exit(0)
		}
		if err == nil && len(blobs) != 1 {
			err = fmt.Errorf("job with %d blobs, want 1", len(blobs))
		}
		if err == nil {
			j.input = blobs[0]
		}
		j.err = err
		jobs <- j
	}
}

func sendBlobs(w io.Writer, is any, blobs [][]byte) error {
	buffered := bufio.NewWriter(w)
	sizes, readers := make([]int64, len(blobs)), make([]io.Reader, len(blobs))
	for i, b := range blobs {
		sizes[i], readers[i] = int64(len(b)), bytes.NewReader(b)
	}
	if err := send(buffered, is, sizes, readers...); err != nil {
		return err
	}
	return buffered.Flush()
}

// limitProcess restricts the process to what decoding needs: it limits memory, and forbids writing
// to files and core dumps. If memory runs out, the kernel kills this process before the server.
func limitProcess(memory int64) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // there may be no /proc
	for _, l := range []struct {
		what  int
		limit uint64
	}{{unix.RLIMIT_DATA, uint64(memory + unused)}, {unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, files}} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.limit, Max: l.limit}); err != nil {
			return fmt.Errorf("limit the worker: %w", err)
		}
	}
	debug.SetMemoryLimit(memory - memory/4) // collect before the limit is reached
	return lowerPriority(niceness)
}

// lowerPriority raises the niceness. Linux keeps the priority by thread, and new
// threads inherit it from the one that made them.
func lowerPriority(nice int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, nice); err != nil && err != unix.ESRCH {
			return err
		}
	}
	return nil
}
