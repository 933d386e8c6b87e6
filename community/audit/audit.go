// Package audit is the log of moderators' decisions: who decided, when, about what, why, and the state
// before. An entry is written in the commit of the store that the decision changes, so that there
// is never one without the other. Entries of other stores are moved to community.db, where the log is.
// The package does not know which decisions there are.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"relais/internal/store"
)

// ErrChanged says that a record was changed after a moderator saw it.
var ErrChanged = errors.New("it was changed meanwhile: look at it again")

// Shell is the author of decisions on the command line.
const Shell = "shell"

// Bucket has the entries, in every store with records that moderators decide about. It is made with the first one.
const Bucket = "audit" // id of the entry, a UUID of version 7 in 16 bytes → Entry in JSON

// MaxWhy bounds the reason of a decision, in bytes.
const MaxWhy = 2000

// A Decision has its author, its reason and the version that the author saw.
type Decision struct {
	By  string // name of a moderator; "" on the command line
	Why string
	// On is the Version that the author saw; "" accepts any.
	On string
}

// An Entry is a decision that was made. Its time is UTC, to the millisecond.
type Entry struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	By string    `json:"by"` // name of a moderator, or Shell
	// Shell tells the command line from a moderator of that name.
	Shell   bool   `json:"shell,omitempty"`
	Act     string `json:"act"`             // such as photo.hide
	Subject string `json:"subject"`         // id of the record; name of an account
	Photo   string `json:"photo,omitempty"` // id of the photo that a report is about
	SiteKey string `json:"siteKey,omitempty"`
	Why     string `json:"why,omitempty"`
	Before  string `json:"before,omitempty"` // state
	After   string `json:"after,omitempty"`  // state; "" when it is gone
}

// Version names the content of a record.
func Version(record any) string {
	text, err := json.Marshal(record)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Check returns ErrChanged if the decision was made on another version.
func (d Decision) Check(version string) error {
	if d.On != "" && d.On != version {
		return ErrChanged
	}
	return nil
}

// Reason returns why, in at most MaxWhy bytes.
func (d Decision) Reason() string {
	return strings.ToValidUTF8(d.Why[:min(len(d.Why), MaxWhy)], "")
}

// Note adds an entry to a transaction. Its id, time, author and reason are those of the decision.
func (d Decision) Note(tx *store.Tx, at time.Time, e Entry) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	e.ID, e.At, e.By, e.Shell, e.Why = id.String(), at.UTC().Truncate(time.Millisecond), d.By, d.By == "", d.Reason()
	if e.Shell {
		e.By = Shell
	}
	if _, err := tx.CreateBucketIfNotExists([]byte(Bucket)); err != nil {
		return err
	}
	return store.PutJSON(tx, Bucket, id[:], e)
}

func parse(k, text []byte) (e Entry, err error) {
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("entry %x of the audit log: %w", k, err)
	}
	if id, err := uuid.Parse(e.ID); err != nil || string(id[:]) != string(k) || e.At.IsZero() || e.By == "" ||
		e.Act == "" || e.Subject == "" {
		return e, fmt.Errorf("entry %x of the audit log: it is stored as %.50q, %.50q", k, e.ID, e.Act)
	}
	return e, nil
}
