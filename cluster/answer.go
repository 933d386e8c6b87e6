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
// request runs: that of a node that died ends soon, and its request may be done again.
type Answers struct {
	engine      *Engine
	life, renew time.Duration // of a claim; how often it is renewed
}

// Answers returns the first answers.
func (e *Engine) Answers() *Answers { return &Answers{e, claimTime, claimRenew} }

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
	id                string // of this claim alone
}

// Once is that of access.Answers. Error: store.ErrAway, with which nothing was run.
func (a *Answers) Once(ctx context.Context, client, signature string,
	run func() (answer []byte, keep bool)) (answer []byte, first bool, err error) {
	c := &claim{a, client, signature, a.engine.session + "/" + rand.Text()}
	for taken := false; !taken; {
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
	kept = true // or may be
	return answer, true, c.put(answer)
}

// take claims the request, and reports whether that was possible.
func (c *claim) take(ctx context.Context) (taken bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	rows, err := c.engine.exec(ctx, `INSERT INTO relais.answer AS a (client, signature, node, until)
		VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 s')
		ON CONFLICT (client, signature) DO UPDATE SET node = excluded.node, until = excluded.until, body = NULL
		WHERE a.until < clock_timestamp()`, c.client, c.signature, c.id, c.life.Seconds())
	if err != nil {
		go c.release() // it may have been done
	}
	return rows > 0, err
}

// other waits for the answer of the request that has the claim. It is nil when that ended without
// one.
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

// hold keeps the claim until ctx ends.
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
			c.engine.log.Warn("a signed request that runs may be done again if it is repeated", "error", err)
		}
	}
}

// errClaim says that an answer came too late to be the first.
var errClaim = errors.New("the claim of a signed request has ended meanwhile")

// put keeps the answer. It tries again, because the request is done.
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

// release gives the claim back. Where that fails, it ends by itself.
func (c *claim) release() {
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	_, _ = c.engine.exec(ctx, `DELETE FROM relais.answer WHERE client = $1 AND signature = $2 AND node = $3`, c.client,
		c.signature, c.id)
}

// Forget removes the answers that a deleted client got.
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
