package hook

import (
	"context"
	"fmt"

	"relais/internal/store"
)

// Tested is how the test of a hook ended.
type Tested struct {
	Hook   string `json:"hook"`
	OK     bool   `json:"ok"`
	Status int    `json:"status"`          // of HTTP; 0: no answer
	Error  string `json:"error,omitempty"` // why it failed
	Millis int64  `json:"milliseconds"`
}

// Test sends a message of the type test to a hook at once, past its queue. A success enables a
// disabled hook, and ends its pause. Error: ErrNoHook, those of the store.
func (s *Store) Test(ctx context.Context, id string, o Options) (*Tested, error) {
	h, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	r := s.hooks.Get(id)
	s.mu.RUnlock()
	if r == nil {
		return nil, fmt.Errorf("%s: %s; delete the hook and make it again", id, damagedRecord)
	}
	found, err := s.open(r)
	if err != nil {
		return nil, err
	}
	began := s.now()
	e := &Event{Type: "test", At: began, Data: func(string) (any, error) { return testData{h.ID}, nil },
		Notice: func(string, any) Notice { return Notice{Title: "relais", Text: "A test of " + h.ID + "."} }}
	body, err := e.bodyOf(&r.Hook)
	if err != nil {
		return nil, err
	}
	to := o.sender(s.now)
	defer to.close()
	result := to.send(ctx, found, h.Format, MessageID("test", id, fmt.Sprint(began.UnixNano())), body)
	t := &Tested{Hook: id, OK: result.why == "", Status: result.status, Error: result.why,
		Millis: s.now().Sub(began).Milliseconds()}
	if !t.OK || h.Enabled() && h.Failures == 0 {
		return t, nil
	}
	return t, s.update(func(tx *store.Tx) error {
		if r := s.hooks.Get(id); r != nil {
			enabled := *r
			enabled.DisabledAt = nil
			enabled.succeed(s.second())
			return s.hooks.Put(tx, id, enabled)
		}
		return ErrNoHook
	})
}

// testData is the data of a test.
type testData struct {
	Hook string `json:"hook"`
}
