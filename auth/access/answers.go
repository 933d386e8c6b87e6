package access

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/tidwall/buntdb"
)

// Answers keep the first answer of each signed request that changes something. The same request
// again changes nothing, so that an automatic retry is safe. Answers are kept for AnswerTime, also
// over a restart: a signature is valid no longer.
type Answers interface {
	// Once calls run, unless the client's request with this signature has run already: then it
	// returns the first answer, and first is false. A request that comes while the first one runs
	// waits for it. An answer that run does not keep, because it changed nothing, does not count.
	// If an answer cannot be kept, it is returned with an error.
	Once(ctx context.Context, client, signature string, run func() (answer []byte, keep bool)) (
		answer []byte, first bool, err error)
}

// fileAnswers are the Answers of one server.
type fileAnswers struct {
	db      *buntdb.DB
	path    string // of the file, "" in memory
	sync    func(path string) error
	mu      sync.Mutex
	running map[string]chan struct{} // closed when the first request has its answer
}

const (
	AnswerTime     = 2*signatureWindow + 5*time.Second // seconds are whole, and a restart rounds them
	MaxAnswerBytes = 64 << 10
	answerKey      = "answer:" // followed by the client's id and the signature
)

// ErrAnswerSize is the error for an answer of more than MaxAnswerBytes, which is not kept.
var ErrAnswerSize = errors.New("the answer is too large to be kept for a repeated request")

// Once is that of Answers.
func (a *fileAnswers) Once(ctx context.Context, client, signature string,
	run func() (answer []byte, keep bool)) (answer []byte, first bool, err error) {
	key := answerKey + client + ":" + signature
	for {
		done, running := a.begin(key)
		if !running {
			defer a.end(key, done)
			break
		}
		select {
		case <-done:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	if answer, err = a.get(key); err == nil {
		return answer, false, nil
	}
	if !errors.Is(err, buntdb.ErrNotFound) {
		return nil, false, err
	}
	answer, keep := run()
	if !keep {
		return answer, true, nil
	}
	return answer, true, a.put(key, answer)
}

// begin lets the caller run the request, or returns the channel of the call that runs it.
func (a *fileAnswers) begin(key string) (done chan struct{}, running bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if done, running = a.running[key]; !running {
		done = make(chan struct{})
		a.running[key] = done
	}
	return done, running
}

func (a *fileAnswers) end(key string, done chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, key)
	close(done)
}

func (a *fileAnswers) get(key string) (answer []byte, err error) {
	err = a.db.View(func(tx *buntdb.Tx) error {
		text, err := tx.Get(key)
		answer = []byte(text)
		return err
	})
	return answer, err
}

func (a *fileAnswers) put(key string, answer []byte) error {
	if len(answer) > MaxAnswerBytes {
		return ErrAnswerSize
	}
	err := a.write(key, answer)
	if err == nil || a.path == "" {
		return err
	}
	// The system may have dropped what it could not put on disk and report the next sync as
	// successful. So the answer is written again.
	return a.write(key, answer)
}

// write puts an answer on disk.
func (a *fileAnswers) write(key string, answer []byte) error {
	err := a.db.Update(func(tx *buntdb.Tx) error {
		_, _, err := tx.Set(key, string(answer), &buntdb.SetOptions{Expires: true, TTL: AnswerTime})
		return err
	})
	if err != nil || a.path == "" {
		return err
	}
	return a.sync(a.path)
}

// syncFile puts all writes to a file on disk, also those of other descriptors.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
