package hook

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"relais/internal/store"
)

// A record is a hook as it is stored.
type record struct {
	Hook
	Sealed []byte `json:"sealed"` // secrets in JSON
}

// secrets are what nobody but the receiver may know.
type secrets struct {
	URL    string `json:"url"`
	Secret []byte `json:"secret"`
}

func parseRecord(key string, text []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("hook %.50q: %w", key, err)
	}
	if r.ID != key || len(r.Sealed) == 0 {
		return nil, fmt.Errorf("hook %.50q: it is stored as %.50q", key, r.ID)
	}
	return r, nil
}

// purpose binds what is sealed to its hook.
func purpose(id string) string { return "hook " + id }

func (s *Store) open(r *record) (*secrets, error) {
	text, err := s.sealer.Open(r.Sealed, purpose(r.ID))
	if err != nil {
		return nil, fmt.Errorf("hook %s: its secret cannot be opened with secret.key: %w", r.ID, err)
	}
	found := &secrets{}
	err = json.Unmarshal([]byte(text), found)
	return found, err
}

// Locked is how many hooks have secrets that cannot be opened with secret.key.
func (s *Store) Locked() (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range s.hooks.All() {
		if _, err := s.open(r); err != nil {
			n++
		}
	}
	return n
}

// A waiting message is one to deliver, without its body.
type waiting struct {
	ID    string    `json:"id"`    // webhook-id: names the event, the same for every attempt
	Group string    `json:"group"` // messages of one group are delivered in their order
	Since time.Time `json:"since"` // in the queue
	// First is the first failed attempt, and Next when the next one may be made.
	First *time.Time `json:"first,omitempty"`
	Next  *time.Time `json:"next,omitempty"`
	Tries int        `json:"tries,omitempty"` // that failed
	key   string
}

// A message is a record of the queue.
type message struct {
	waiting
	Body string `json:"body"` // JSON
}

func queueKey(hook string, n uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte(hook), n))
}

// hookOf returns the id of the hook in a key of the queue.
func hookOf(key string) string { return key[:max(0, len(key)-8)] }

func parseWaiting(key string, text []byte) (*waiting, error) {
	w := &waiting{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("message %x: %w", key, err)
	}
	if w.ID == "" || hookOf(key) == "" {
		return nil, fmt.Errorf("message %x: it has no id", key)
	}
	w.key = key
	return w, nil
}

// damagedRecord is why a message that cannot be read is dropped.
const damagedRecord = "the record in hooks.db is damaged"

// readMessage returns a message, nil when it is not in the queue any more. An error means that its record
// is damaged; the transaction goes on.
func readMessage(tx *store.Tx, key string) (*message, error) {
	text, err := tx.Bucket([]byte(queueBucket)).Read([]byte(key))
	if err != nil || text == nil {
		return nil, err
	}
	m := &message{}
	err = json.Unmarshal(text, m)
	m.key = key
	return m, err
}
