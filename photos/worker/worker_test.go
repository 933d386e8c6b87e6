package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/tier"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

const testMemory = 512 << 20

// TestMain also runs the workers.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command {
		work := func() error { return serve(os.Stdin, answers(), testMemory, obey) }
		if len(os.Args) > 3 {
			memory, _ := strconv.ParseInt(os.Args[3], 10, 64)
			work = func() error { return Main(memory) }
			eat := func(struct{}, []byte) (answer, [][]byte) { return obey(order{What: "eat"}, nil) }
			switch os.Args[2] {
			case "eats":
				work = func() error { return serve(os.Stdin, answers(), 100<<20, eat) }
			case "watched":
				go watchMemory(200 << 20)
				work = func() error { return serve(os.Stdin, answers(), 2<<30, eat) }
			}
		}
		if err := work(); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type order struct {
	What string
	Path string
}

type answer struct {
	PID     int
	Nice    int
	Failure string
	Begin   time.Time
	End     time.Time
	Env     []string
	Reached map[string]string // by what was tried, the error
}

var (
	babble = os.Stdout // of a worker: its answers
	spun   int
	eaten  [][]byte
)

func obey(o order, input []byte) (answer, [][]byte) {
	a := answer{PID: os.Getpid(), Env: os.Environ()}
	switch o.What {
	case "hash":
		sum := sha256.Sum256(input)
		return a, [][]byte{sum[:], input[:min(len(input), 10)]}
	case "sleep":
		a.Begin = time.Now()
		time.Sleep(200 * time.Millisecond)
		a.End = time.Now()
	case "hang":
		for i := 0; ; i++ {
			spun = i
		}
	case "eat":
		for {
			eaten = append(eaten, bytes.Repeat([]byte{1}, 16<<20))
		}
	case "crash":
		panic("a decoder's bug")
	case "write":
		if err := os.WriteFile(o.Path, []byte("x"), 0o600); err != nil {
			a.Failure = err.Error()
		}
	case "nice":
		var err error
		if a.Nice, err = priority(); err != nil {
			a.Failure = err.Error()
		}
	case "reach":
		a.Reached = tryForbidden(o.Path)
	case "print":
		os.Stdout.Write(bytes.Repeat([]byte{0xff}, 1<<20))
		os.Stderr.Write(bytes.Repeat([]byte{0xff}, 1<<20))
	case "babble":
		babble.Write(bytes.Repeat([]byte{0xff}, 1<<20))
	case "big":
		return a, [][]byte{make([]byte, maxOutput+1)}
	}
	return a, nil
}

func newPool(t *testing.T, o Options) *Pool {
	t.Helper()
	o.Program, o.Log = []string{os.Args[0], command}, slog.New(slog.DiscardHandler)
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

func (p *Pool) ask(what string) (a answer, blobs [][]byte, err error) {
	blobs, err = p.do(context.Background(), task{payload: order{What: what}, input: strings.NewReader("bytes"), size: 5}, &a)
	return a, blobs, err
}

func TestJobs(t *testing.T) {
	t.Setenv("SECRET", "x")
	p := newPool(t, Options{})
	input := bytes.Repeat([]byte("twenty megabytes or so "), 1_000_000)
	var a answer
	blobs, err := p.do(context.Background(),
		task{payload: order{What: "hash"}, input: bytes.NewReader(input), size: int64(len(input))}, &a)
	must(t, err)
	if want := sha256.Sum256(input); !bytes.Equal(blobs[0], want[:]) || string(blobs[1]) != "twenty meg" {
		t.Errorf("the worker read other bytes: got %x, %q, want %x and twenty meg", blobs[0], blobs[1], want)
	}
	if a.PID == os.Getpid() || !bare(a.Env) {
		t.Errorf("process %d, environment %q; want another process, and nothing of this one's", a.PID, a.Env)
	}
	again, _, err := p.ask("hash")
	if err != nil || again.PID != a.PID {
		t.Errorf("process %d after %d, %v; want the idle worker used", again.PID, a.PID, err)
	}
	if _, _, err := p.ask("print"); err != nil {
		t.Errorf("a worker that prints: %v", err)
	}
	nice, _, err := p.ask("nice")
	if err != nil || nice.Nice != lowPriority {
		t.Errorf("priority = %d, %v; want %d", nice.Nice, err, lowPriority)
	}
}

// The worst job only kills its worker.
func TestFaults(t *testing.T) {
	tier.Slow(t)
	p := newPool(t, Options{Deadline: 3 * time.Second})
	before, _, err := p.ask("hash")
	must(t, err)
	for _, what := range []string{"hang", "eat", "crash", "babble", "big"} {
		t.Run(what, func(t *testing.T) {
			start := time.Now()
			if _, _, err := p.ask(what); !errors.Is(err, errFault) {
				t.Errorf("error %v, want ErrFault", err)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %s, want at most %s", took, 20*time.Second)
			}
			after, _, err := p.ask("hash")
			must(t, err)
			if after.PID == before.PID {
				t.Error("the worker was not replaced")
			}
			if runs(before.PID) {
				t.Errorf("process %d still runs", before.PID)
			}
			before = after
		})
	}
}

func TestQueue(t *testing.T) {
	p := newPool(t, Options{Workers: 1, Waiting: 1, Patience: 10 * time.Second})
	if _, _, err := p.ask("hash"); err != nil { // the process runs
		t.Fatal(err)
	}
	release, results := holdAll(p, 4, task{payload: order{What: "hash"}})
	for range 2 { // one runs, one waits
		if err := <-results; !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want no room for two of four jobs", err)
		}
	}
	release()
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	impatient := newPool(t, Options{Workers: 1, Patience: time.Millisecond, Deadline: 5 * time.Second})
	begun := make(chan struct{})
	wg.Go(func() {
		input, w := io.Pipe()
		go func() {
			w.Write([]byte("b"))
			close(begun)
			time.Sleep(100 * time.Millisecond)
			w.Write([]byte("ytes"))
		}()
		var a answer
		impatient.do(context.Background(), task{payload: order{What: "hash"}, input: input, size: 5}, &a)
	})
	<-begun
	if _, _, err := impatient.ask("hash"); !errors.Is(err, ErrBusy) {
		t.Errorf("error after the patience = %v, want ErrBusy", err)
	}
	wg.Wait()
}

// Jobs that must be alone run one after the other, in any process.
func TestAlone(t *testing.T) {
	tier.Slow(t)
	p := newPool(t, Options{Workers: 2})
	answers := make([]answer, 4)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			job := task{payload: order{What: "sleep"}, input: strings.NewReader(""), alone: true}
			if _, err := p.do(context.Background(), job, &answers[i]); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.SortFunc(answers, func(a, b answer) int { return a.Begin.Compare(b.Begin) })
	for i := range answers[1:] {
		if answers[i+1].Begin.Before(answers[i].End) {
			t.Errorf("a job began %s before the end of another", answers[i].End.Sub(answers[i+1].Begin))
		}
	}
}

func TestGivenUp(t *testing.T) {
	p := newPool(t, Options{Workers: 1})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	var a answer
	if _, err := p.do(ctx, task{payload: order{What: "hang"}, input: strings.NewReader(""), size: 0}, &a); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	short := task{payload: order{What: "hash"}, input: strings.NewReader("abc"), size: 5}
	if _, err := p.do(context.Background(), short, &a); !errors.Is(err, io.EOF) || errors.Is(err, errFault) {
		t.Errorf("a source that ends early: got %v, want io.EOF and no ErrFault", err)
	}
	if _, _, err := p.ask("hash"); err != nil {
		t.Error(err)
	}
}

func TestIdleProcessesEnd(t *testing.T) {
	p := newPool(t, Options{Idle: 20 * time.Millisecond})
	a, _, err := p.ask("hash")
	must(t, err)
	for range 6000 {
		if !runs(a.PID) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", a.PID)
}

func FuzzReceive(f *testing.F) {
	var b bytes.Buffer
	must(f, send(&b, order{What: "x"}, []int64{3}, strings.NewReader("abc")))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		var o order
		blobs, err := receive(bytes.NewReader(data), &o, 1<<10)
		total := 0
		for _, b := range blobs {
			total += len(b)
		}
		if err == nil && total > 1<<10 {
			t.Errorf("blobs have %d bytes, more than the limit", total)
		}
	})
}
