// Package worker runs jobs on untrusted bytes in processes of their own: the same program, started
// with another subcommand. A process has bounded memory, runs one job at a time, and is killed if
// the job takes too long. If a job breaks its process, the server goes on and the next job gets a
// new process. The package does not know what jobs do.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"relais/internal/admit"
	"relais/photos/confine"
)

// Bounds of a job.
const (
	maxInput  = 32 << 20 // bytes
	maxOutput = 16 << 20 // bytes
)

// Errors of jobs.
var (
	// ErrBusy is the error of a job that finds no place in the queue.
	ErrBusy = errors.New("too many images are being processed")
	// errKilled is the error of a job whose worker was killed by somebody else.
	errKilled = errors.New("the worker was killed")
	// errFault is the error of a job that killed its worker or took too long.
	errFault = errors.New("the image could not be processed")
)

var (
	// errLate is of a job that took too long.
	errLate = fmt.Errorf("%w in its time", errFault)
	// errMemory is of a job that needed more memory than its worker may have.
	errMemory = fmt.Errorf("%w with the memory of a worker", errFault)
)

// Options configure a pool. Zero values mean the defaults.
type Options struct {
	Program  []string      // that runs serve, with arguments; the bytes that it may have are added as the last one
	Memory   int64         // bytes that all workers share, from Room; default: only the limit of each
	Workers  int           // at most; default: one for each core, from 2 to 8
	Waiting  int           // jobs that may wait; default: four for each worker
	Patience time.Duration // that a job waits; default: 20 s
	Deadline time.Duration // of a job; default: 20 s
	Idle     time.Duration // after which a process without a job ends; default: 10 min
	Log      *slog.Logger
}

// A Pool starts processes when there are jobs for them.
type Pool struct {
	Options
	each    int64 // bytes of memory of a worker
	queue   *admit.Queue
	alone   *admit.Queue   // of the jobs that must be alone, which are slow: half as many wait
	jobs    sync.WaitGroup // that have a turn
	mu      sync.Mutex
	idle    []*process // without a job, the one that had one last at the end
	starter *starter
	warned  sync.Once // about processes that are not confined
	closing context.Context
	close   context.CancelFunc
	idling  sync.WaitGroup
}

// New makes a pool; no process runs yet.
func New(o Options) *Pool {
	if o.Workers == 0 {
		o.Workers = min(max(2, runtime.GOMAXPROCS(0)), 8)
	}
	var each int64
	o.Workers, each = divide(o.Memory, o.Workers)
	o.Program = append(slices.Clone(o.Program), strconv.FormatInt(each, 10))
	if o.Waiting == 0 {
		o.Waiting = 4 * o.Workers
	}
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	if o.Deadline == 0 {
		o.Deadline = 20 * time.Second
	}
	if o.Idle == 0 {
		o.Idle = 10 * time.Minute
	}
	p := &Pool{Options: o, each: each, queue: admit.NewQueue(o.Workers, o.Waiting), alone: admit.NewQueue(1, o.Waiting/2),
		starter: newStarter()}
	p.closing, p.close = context.WithCancel(context.Background())
	p.idling.Go(p.watchIdle)
	return p
}

// Queue returns the queue of the jobs.
func (p *Pool) Queue() *admit.Queue { return p.queue }

// Close ends the processes. Jobs that run fail.
func (p *Pool) Close() {
	p.mu.Lock()
	p.close()
	p.mu.Unlock()
	p.idling.Wait()
	p.jobs.Wait()
	p.endIdle(0)
	p.starter.close()
}

// A task is an input and what to do with it.
type task struct {
	sender  string // whose job it is: clients take turns
	payload any    // goes to the worker as JSON
	input   io.Reader
	size    int64 // of Input, in bytes
	alone   bool  // no other such job runs meanwhile
}

// do runs the task in a worker. It fills in result with the worker's answer, and returns the blobs
// of the answer. The error is ErrBusy, errKilled, errFault, that of ctx or of the input, or says
// why no process could be started.
func (p *Pool) do(ctx context.Context, j task, result any) ([][]byte, error) {
	giveBack, err := p.waitTurn(ctx, j)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	worker, err := p.process()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	blobs, err := p.run(ctx, worker, j, result)
	if err != nil {
		ofItself := errors.Is(err, errFault) && !errors.Is(err, errLate)
		if ofItself && worker.killedByOthers() {
			err = errKilled
		}
		said := worker.end()
		if ofItself && lacksMemory(said) {
			err = fmt.Errorf("%w: %w", errMemory, err)
		}
		if errors.Is(err, errFault) || errors.Is(err, errKilled) {
			p.Log.Warn("a worker was replaced", "error", err, "said", said)
		}
		return nil, err
	}
	worker.last = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, worker)
	return blobs, nil
}

// lacksMemory reports whether the output of a worker that ended says that it ran out of memory. The
// message is that of the Go runtime, or of the C library when it starts a thread.
func lacksMemory(said string) bool {
	return slices.ContainsFunc([]string{"out of memory", "cannot allocate memory", "pthread_create failed"},
		func(words string) bool {
			return strings.Contains(said, words)
		})
}

// process returns an idle process, or a new one.
func (p *Pool) process() (*process, error) {
	for warm := p.takeIdle(); warm != nil; warm = p.takeIdle() {
		if !warm.ended() {
			return warm, nil
		}
		warm.end()
	}
	started, err := p.starter.start(p.Program, p.each)
	if err == nil && started.unconfined != "" && confine.Possible { // else the operator has accepted it
		p.warned.Do(func() {
			p.Log.Warn("processes that decode images can open files and sockets", "reason", started.unconfined)
		})
	}
	return started, err
}

// takeIdle takes the idle process that was used last, or returns nil.
func (p *Pool) takeIdle() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	defer func() { p.idle = p.idle[:last] }()
	return p.idle[last]
}

// waitTurn waits for a turn to run a job. The turn must be given back. The last free worker is not given to a
// sender that has all others. Jobs that must be alone take turns among themselves before. Errors: ErrBusy, and
// that of ctx.
func (p *Pool) waitTurn(ctx context.Context, j task) (giveBack func(), err error) {
	p.mu.Lock()
	if p.closing.Err() != nil {
		p.mu.Unlock()
		return nil, ErrBusy
	}
	p.jobs.Add(1)
	p.mu.Unlock()
	ends := []func(){p.jobs.Done}
	giveBack = func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
	ctx, closed := context.WithCancelCause(ctx)
	defer closed(nil)
	defer context.AfterFunc(p.closing, func() { closed(ErrBusy) })()
	ctx, cancel := context.WithTimeoutCause(ctx, p.Patience, ErrBusy)
	defer cancel()
	queues := []*admit.Queue{p.queue}
	if j.alone {
		queues = []*admit.Queue{p.alone, p.queue}
	}
	for _, q := range queues {
		end, err := q.Begin(ctx, admit.Holder{Name: j.sender, Most: admit.Cost{Places: max(1, p.Workers-1)}})
		if err != nil {
			giveBack()
			if errors.Is(err, admit.ErrBusy) {
				err = ErrBusy
			}
			return nil, err
		}
		ends = append(ends, end)
	}
	return giveBack, nil
}

// run sends the job to the process and waits for its answer.
func (p *Pool) run(ctx context.Context, worker *process, j task, result any) (blobs [][]byte, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.Deadline, errLate)
	defer cancel()
	defer context.AfterFunc(p.closing, cancel)()
	killing := context.AfterFunc(ctx, worker.kill)
	defer killing()
	source := &sourceReader{from: j.input, left: j.size}
	err = send(worker.in, j.payload, []int64{j.size}, source)
	if source.err != nil {
		return nil, source.err
	}
	if err == nil {
		blobs, err = receive(worker.out, result, maxOutput)
	}
	if !killing() && err == nil { // the process is being killed nevertheless
		err = context.Cause(ctx)
	}
	switch {
	case err == nil:
		return blobs, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("%w: %w", errFault, err)
}

// A sourceReader remembers an error of the source, so that it can be distinguished from an error of
// the worker.
type sourceReader struct {
	from io.Reader
	left int64
	err  error
}

func (s *sourceReader) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	if s.left -= int64(n); err != nil && s.left > 0 {
		s.err = fmt.Errorf("read the image: %w", err)
	}
	return n, err
}

// watchIdle ends processes that have been idle for long, because they keep their
// decoders' memory.
func (p *Pool) watchIdle() {
	tick := time.NewTicker(max(p.Idle/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.closing.Done():
			return
		case <-tick.C:
			p.endIdle(p.Idle)
		}
	}
}

// endIdle ends the processes that have been idle for at least after.
func (p *Pool) endIdle(after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && time.Since(p.idle[0].last) >= after {
		p.idle[0].end()
		p.idle = p.idle[1:]
	}
}
