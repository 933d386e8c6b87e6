package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"relais/internal/store"
)

// An Event is what some hooks are to get.
type Event struct {
	Kind  Kind
	Type  string // such as photo.reported
	ID    string // names the event: the same one has the same id
	Group string // such as a site: its messages are delivered in their order
	At    time.Time
	// Data returns what a hook with a filter gets, nil for nothing.
	Data func(filter string) (any, error)
	// Notice says for a person what Data returned for a filter.
	Notice func(filter string, data any) Notice
}

// envelope is the body of a message.
type envelope struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// bodyOf returns the body of an event for a hook, "" when its filter selects nothing of it.
func (e *Event) bodyOf(h *Hook) (string, error) {
	data, err := e.Data(h.Filter)
	if err != nil || data == nil {
		return "", err
	}
	var body any = envelope{e.Type, e.At.UTC().Truncate(time.Second), data}
	if h.Format == Ntfy {
		body = e.Notice(h.Filter, data).ntfy()
	}
	text, err := json.Marshal(body)
	return string(text), err
}

// MessageID returns the webhook-id of what some texts name: the same for the same texts.
func MessageID(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// A letter is a message to a hook that is not in the queue yet.
type letter struct {
	hook string
	message
	failed string // why there is no message; else ""
}

// letters returns the messages of an event, one for each hook that wants it. A hook whose message
// cannot be made gets a letter without a body, which says why, so that it does not hold up the
// others. What cannot be read at the moment is an error.
func (s *Store) letters(e *Event) (list []letter, err error) {
	s.mu.RLock()
	var wanting []*record
	for _, r := range s.hooks.All() {
		if r.Wants(e.Kind) {
			wanting = append(wanting, r)
		}
	}
	s.mu.RUnlock()
	for _, r := range wanting {
		body, err := e.bodyOf(&r.Hook)
		switch {
		case passing(err):
			return nil, err
		case err != nil:
			list = append(list, letter{hook: r.ID, failed: fmt.Sprintf("the event %s: %v", e.ID, err)})
		case body != "":
			list = append(list, letter{hook: r.ID, message: message{waiting{ID: e.ID, Group: e.Group, Since: s.second()}, body}})
		}
	}
	return list, nil
}

// Add queues an event that has no record of its own. When it returns nil the event is on disk.
func (s *Store) Add(e *Event) error {
	list, err := s.letters(e)
	if err != nil || len(list) == 0 {
		return err
	}
	return s.update(func(tx *store.Tx) error { return s.enqueue(tx, list) })
}
