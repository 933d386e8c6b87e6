package worker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"relais/photos/confine"
)

// command is the subcommand of the program that a worker runs.
const command = "photo-worker"

// answers returns the file to which a worker writes its answers: its standard output. What decoders print goes to the
// standard error from then on.
func answers() *os.File {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out
}

// readyWord begins a worker's first message. If the worker could not be confined, the reason
// follows.
const readyWord = "ready"

// unused is the part of a worker's data that takes no memory although the system counts it: stacks
// of threads, and reserves of allocators.
const unused = 192 << 20

// serve runs a worker: it does jobs from in until in ends, and writes their results
// to out. memory is how many bytes its data may have.
func serve[J, R any](in io.Reader, out io.Writer, memory int64, do func(job J, input []byte) (R, [][]byte)) error {
	debug.SetMemoryLimit(memory - memory/4) // collect before the limit is reached
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
