package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"relais/auth/access"
	"relais/internal/store"
)

// Answers are the first answers of signed requests, over all nodes (access.Answers). A request is
// claimed by a row before it runs, and the answer goes into that row. A claim is renewed while the
// request runs: the claim of a node that died ends soon, and its request may be done again.
type Answers struct {
	engine      *Engine
	life, renew time.Duration // of a claim; how often it is renewed
}

// Answers returns the first answers.
func (e *Engine) Answers() *Answers { return &Answers{e, claimTime, claimRenew} }

// A claim is renewed three times in its life, so that one statement that fails does not end it.
const (
	claimTime  = 10 * time.Second
	claimRenew = 3 * time.Second
	claimPoll  = 50 * time.Millisecond // while another request with the signature runs
	answerWait = 5 * time.Second       // for a statement
)

// A claim is the right to run a request.
type claim struct {
	*Answers
	client, signature string
	// id is of this claim alone: a claim that ended and was taken over is then neither renewed nor released by the
	// request that had it first.
	id string
}

// Once implements access.Answers. After store.ErrAway without an answer, run was not called.
func (a *Answers) Once(ctx context.Context, client, signature string,
	run func() (answer []byte, keep bool)) (answer []byte, first bool, err error) {
	c := &claim{a, client, signature, a.engine.session + "/" + rand.Text()}
	for taken := false; !taken; { // again when the other request ended without an answer
		if taken, err = c.take(ctx); err == nil && !taken {
			answer, err = c.other(ctx)
		}
		if err != nil || answer != nil {
			return answer, false, err
		}
	}
	kept := false
	defer func() { // also when run panics
		if !kept {
			c.release()
		}
	}()
	// A caller that goes away does not stop run, whose request must not be done by another node meanwhile.
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go c.hold(renewing)
	var keep bool
	answer, keep = run()
	stop()
	switch {
	case !keep:
		return answer, true, nil
	case len(answer) > access.MaxAnswerBytes:
		return answer, true, access.ErrAnswerSize
	}
	kept = true // even if put fails: the row may have the answer, and without a claim the request could be done again
	return answer, true, c.put(answer)
}

// take claims the request, and reports whether that was possible: only the row of a claim or an answer that
// ended is replaced.
func (c *claim) take(ctx context.Context) (taken bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	rows, err := c.engine.exec(ctx, `INSERT INTO relais.answer AS a (client, signature, node, until)
		VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 s')
		ON CONFLICT (client, signature) DO UPDATE SET node = excluded.node, until = excluded.until, body = NULL
		WHERE a.until < clock_timestamp()`, c.client, c.signature, c.id, c.life.Seconds())
	if err != nil {
		go c.release() // the row may exist although the reply was lost; the caller need not wait for this
	}
	return rows > 0, err
}

// other waits for the answer of the request that has the claim. It returns nil when that request ended
// without an answer. Waiting only reads: claiming again and again would lock the row.
func (c *claim) other(ctx context.Context) (answer []byte, err error) {
	for poll := claimPoll; ; poll = min(2*poll, 10*claimPoll) {
		asking, cancel := context.WithTimeout(ctx, answerWait)
		err := c.engine.row(asking, `SELECT body FROM relais.answer WHERE client = $1 AND signature = $2 AND
			until >= clock_timestamp()`, []any{c.client, c.signature}, &answer)
		cancel()
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, nil
		}
		if err != nil || answer != nil {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(poll):
		}
	}
}

// hold renews the claim until ctx ends. It leaves a row with an answer alone: put has given it a longer life.
func (c *claim) hold(ctx context.Context) {
	tick := time.NewTicker(c.renew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_, err := c.engine.exec(ctx, `UPDATE relais.answer SET until = clock_timestamp() + $4 * interval '1 s'
			WHERE client = $1 AND signature = $2 AND node = $3 AND body IS NULL`,
			c.client, c.signature, c.id, c.life.Seconds())
		if err != nil && ctx.Err() == nil {
			c.engine.log.Warn("renewing a claim failed: a signed request that runs may be done again if it is repeated",
				"error", err)
		}
	}
}

// errClaim says that an answer came too late to be the first.
var errClaim = errors.New("the claim of a signed request has ended meanwhile")

// put stores the answer. It tries again, because the request is done and must not be done twice. The copy of the
// answer is never nil: NULL means that there is no answer yet.
func (c *claim) put(answer []byte) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	for {
		var rows int64
		rows, err = c.engine.exec(ctx, `UPDATE relais.answer SET body = $4, until = clock_timestamp() + $5 * interval '1 s'
			WHERE client = $1 AND signature = $2 AND node = $3`,
			c.client, c.signature, c.id, append([]byte{}, answer...), access.AnswerTime.Seconds())
		if err == nil && rows == 0 {
			return errClaim
		}
		if !errors.Is(err, store.ErrAway) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("keep the answer of a signed request: %w", err)
		case <-time.After(settleEvery):
		}
	}
}

// release gives the claim back. If that fails, the claim ends by itself.
func (c *claim) release() {
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	_, _ = c.engine.exec(ctx, `DELETE FROM relais.answer WHERE client = $1 AND signature = $2 AND node = $3`, c.client,
		c.signature, c.id)
}

// Forget removes the answers that a deleted client got, which may have its data.
func (a *Answers) Forget(client string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	_, err := a.engine.exec(ctx, `DELETE FROM relais.answer WHERE client = $1`, client)
	return err
}

// ForgetAnswers removes the answers that contain a text, such as the id of a deleted photo.
func (a *Answers) ForgetAnswers(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	_, err := a.engine.exec(ctx, `DELETE FROM relais.answer WHERE position($1 IN body) > 0`, []byte(text))
	return err
}
