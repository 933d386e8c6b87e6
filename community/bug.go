package community

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"relais/community/audit"
	"relais/internal/store"
)

// A BugState says whether somebody still has to handle a bug.
type BugState string

// The states.
const (
	OpenBug   BugState = "open"
	ClosedBug BugState = "closed"
)

// A Bug is a problem that somebody found with the service or its data. The reporter is not
// included. Times are UTC, to the second.
type Bug struct {
	ID       string     `json:"id"` // bug: and 32 hexadecimal digits
	Title    string     `json:"title"`
	Text     string     `json:"text"`
	State    BugState   `json:"state"`
	Created  time.Time  `json:"createdAt"`
	ClosedAt *time.Time `json:"closedAt,omitempty"`
	Answer   string     `json:"answer,omitempty"` // to the reporter
}

const bugPrefix = "bug:"

// The bounds of bugs, in characters. A bug is removed Keep after it was filed or closed.
const (
	maxTitle  = 120
	maxText   = 4000
	maxAnswer = 2000
	mostBugs  = 10_000
)

// A NewBug is a bug to file.
type NewBug struct {
	Title, Text string
	User        string // an opaque id of who says it
	// Token identifies the call, unless it is "": a second call of the user with the same token
	// returns the bug of the first one.
	Token string
}

// id returns the bug's id. It does not reveal the user, whose id is random.
func (n *NewBug) id() string {
	if n.Token == "" {
		return bugPrefix + hex.EncodeToString(hash("bug", n.User, rand.Text()))
	}
	return bugPrefix + hex.EncodeToString(hash("bug", n.User, "token", n.Token))
}

func bounded(field, text string, most int, needed bool) error {
	if n := utf8.RuneCountInString(text); n > most || needed && strings.TrimSpace(text) == "" ||
		!utf8.ValidString(text) {
		return &InvalidError{field, text, fmt.Sprintf("at most %d characters, and something that can be read", most)}
	}
	return nil
}

// Submit files a bug. If the user has used the token before, it returns that bug in its present
// state, and made is false. Errors: *InvalidError, ErrFull, errReadOnly.
func (s *Store) Submit(n NewBug) (b Bug, made bool, err error) {
	if err := cmp.Or(checkIDs(n.User, n.Token), bounded("title", n.Title, maxTitle, true),
		bounded("text", n.Text, maxText, true)); err != nil {
		return b, false, err
	}
	b = Bug{ID: n.id(), Title: n.Title, Text: n.Text, State: OpenBug, Created: s.second()}
	err = s.update(func(tx *store.Tx) error {
		if text := tx.Bucket([]byte(bugsBucket)).Get([]byte(b.ID)); text != nil {
			b, err = parseBug([]byte(b.ID), text)
			return err
		}
		if n := len(s.bugs.All()); n >= mostBugs {
			return fmt.Errorf("%w: %d bugs", ErrFull, n)
		}
		made = true
		return store.PutJSON(tx, bugsBucket, []byte(b.ID), b)
	})
	if err != nil {
		return Bug{}, false, err
	}
	return b, made, nil
}

// CloseBug closes a bug with an answer for its reporter, which is the reason of the decision. It
// changes the answer of a closed bug. Errors: ErrNoBug, *InvalidError, audit.ErrChanged, errReadOnly.
func (s *Store) CloseBug(id string, d audit.Decision) (b Bug, err error) {
	if err := bounded("answer", d.Why, maxAnswer, false); err != nil {
		return b, err
	}
	err = s.update(func(tx *store.Tx) error {
		if b, err = getBug(tx, id); err != nil {
			return err
		}
		if err := d.Check(b.Version()); err != nil {
			return err
		}
		before := b.State
		if b.State == OpenBug {
			at := s.second()
			b.State, b.ClosedAt = ClosedBug, &at
		}
		if b.Answer = d.Why; b.State == before {
			d.Why = "" // the log has the first answer
		}
		if err := store.PutJSON(tx, bugsBucket, []byte(id), b); err != nil {
			return err
		}
		return d.Note(tx, s.now(), audit.Entry{Act: "bug.close", Subject: id, Before: string(before), After: string(b.State)})
	})
	return b, err
}

// Version names the content of a bug for a decision.
func (b Bug) Version() string { return audit.Version(b) }

// Bug returns a bug. Error: ErrNoBug.
func (s *Store) Bug(id string) (b Bug, err error) {
	if s.db == nil {
		return b, ErrNoBug
	}
	err = s.db.View(func(tx *store.Tx) error {
		b, err = getBug(tx, id)
		return err
	})
	return b, err
}

// Bugs returns bugs, the newest first, and their number: the open ones, or with all every bug.
// Unusable records are left out, as by Open.
func (s *Store) Bugs(all bool, limit, offset int) (list []Bug, total int, err error) {
	list = []Bug{}
	if s.db == nil {
		return list, 0, nil
	}
	err = s.db.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {})
		return store.Each(tx, bugsBucket, func(k, v []byte) error {
			if b, err := parseBug(k, v); err == nil && (all || b.State == OpenBug) {
				list = append(list, b)
			}
			return nil
		})
	})
	slices.SortFunc(list, func(a, b Bug) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	total = len(list)
	from := min(offset, total)
	return list[from:min(from+limit, total)], total, err
}

func getBug(tx *store.Tx, id string) (Bug, error) {
	bugs := tx.Bucket([]byte(bugsBucket))
	if bugs == nil {
		return Bug{}, ErrNoBug
	}
	text := bugs.Get([]byte(id))
	if text == nil {
		return Bug{}, ErrNoBug
	}
	return parseBug([]byte(id), text)
}

func parseBug(k, text []byte) (b Bug, err error) {
	if err := json.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("bug %.50q: %w", k, err)
	}
	if b.ID != string(k) || !strings.HasPrefix(b.ID, bugPrefix) || b.State != OpenBug && b.State != ClosedBug ||
		(b.State == ClosedBug) != (b.ClosedAt != nil) || b.Created.IsZero() {
		return b, fmt.Errorf("bug %.50q: it is stored as %.50q, %.20q", k, b.ID, b.State)
	}
	return b, nil
}

// last returns the time of the last news of the bug.
func (b *Bug) last() time.Time {
	if b.ClosedAt != nil {
		return *b.ClosedAt
	}
	return b.Created
}
