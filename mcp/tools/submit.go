package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/account"
	"relais/community"
	"relais/internal/admit"
	"relais/internal/store"
	"relais/internal/system"
	"relais/measure"
)

var submitTools = []*Tool{submitReport, submitSpeedtest, submitValidation, bugSubmit}

// SubmissionStores has the store that submissions go to, and limits how many a person makes.
type SubmissionStores struct {
	Community *community.Store // opened for writing
	writes    *admit.SharedRate
}

// NewSubmissionStores returns the stores with all counts at 0. The tally counts for several servers; it may
// be nil.
func NewSubmissionStores(c *community.Store, tally admit.Tally) *SubmissionStores {
	return &SubmissionStores{Community: c, writes: admit.NewSharedRate(time.Hour, tally)}
}

// hourlyLimit is how much a person may submit in an hour.
const hourlyLimit = 30

// submissionsOf returns the limit of a person's submissions, which all tools share.
func submissionsOf(person string) admit.Limit {
	return admit.Limit{Name: "submission of " + person, Most: hourlyLimit}
}

// tallyTime bounds the wait for a count of several servers.
const tallyTime = 2 * time.Second

// tokenParams make a submission safe to repeat.
type tokenParams struct {
	Token clientToken `param:"clientToken" required:"true" private:"true" doc:"A value of your own, new for each submission, such as a UUID. Send the same one again when you do not know whether a submission arrived: within a day it is done once." example:"7d0f2c1e-5a4b-4c6d-8e9f-0a1b2c3d4e5f"`
}

// A clientToken names a submission among those of a person.
type clientToken string

// UnmarshalText accepts short texts of plain ASCII.
func (c *clientToken) UnmarshalText(b []byte) error {
	if len(b) > 100 || bytes.ContainsFunc(b, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("1 to 100 letters, digits and signs of ASCII, without blanks")
	}
	*c = clientToken(b)
	return nil
}

// A Receipt is the outcome of a submission.
type Receipt struct {
	ID       string   `json:"id"`
	State    string   `json:"state" doc:"Of what was submitted, as it was then."`
	New      bool     `json:"new" doc:"False when the same was there already; it counts as a confirmation where the tool says so."`
	Repeated bool     `json:"repeated" doc:"The clientToken came before: this repeats the earlier answer, and nothing was submitted again."`
	ShownAt  []string `json:"shownAt" doc:"Where it is shown: addresses of the API, which take an API key, and tools."`
}

func (r *Receipt) repeat() { r.Repeated = true }

// A keptAnswer is the stored reply to a submission.
type keptAnswer struct {
	Asked  []byte          `json:"asked"` // hash of the arguments
	Answer json.RawMessage `json:"answer"`
}

// submit calls do once for each token of the person: an assistant whose call was cut off sends it again, and gets
// the stored answer. do gets the tool's name and the token, for stores that know tokens longer than the answer is
// kept.
func submit[R any, P interface {
	*R
	repeat()
}](r *Reading, tool string, kind account.Kind, token clientToken, params any,
	do func(token string) (P, account.Fact, error)) (P, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	asked, name := sha256.Sum256(text), tool+" "+string(token)
	answer, repeated, err := r.People.Once(r.Person.ID, name, kind, func() ([]byte, []account.Fact, error) {
		// Inside Once: a repeated call does not count again. A refused submission is given back.
		if err := r.Submissions.count(r.Person.ID, r.Now); err != nil {
			return nil, nil, err
		}
		done, fact, err := do(name)
		if err != nil {
			r.Submissions.writes.GiveBack(context.Background(), r.Now, submissionsOf(r.Person.ID))
			return nil, nil, err
		}
		text, err := json.Marshal(done)
		if err != nil {
			return nil, nil, err
		}
		text, err = json.Marshal(keptAnswer{asked[:], text})
		return text, []account.Fact{fact}, err
	})
	// The account was deleted while do ran: its submissions were forgotten before this one was there.
	if errors.Is(err, account.ErrNoAccount) {
		err = errors.Join(err, r.Submissions.forget(r.Person.ID))
	}
	if err != nil {
		return nil, submissionError(err)
	}
	return decodeAnswer[R, P](answer, asked[:], repeated)
}

// decodeAnswer returns the stored answer of a submission. Error: errTokenUsed when the
// arguments were others.
func decodeAnswer[R any, P interface {
	*R
	repeat()
}](answer, asked []byte, repeated bool) (P, error) {
	var k keptAnswer
	if err := json.Unmarshal(answer, &k); err != nil {
		return nil, err
	}
	if !bytes.Equal(k.Asked, asked) {
		return nil, errTokenUsed
	}
	p := P(new(R))
	if err := json.Unmarshal(k.Answer, p); err != nil {
		return nil, err
	}
	if repeated {
		p.repeat()
	}
	return p, nil
}

// errTokenUsed refuses a clientToken that came with other arguments before.
var errTokenUsed = &endpoint.ParamError{Param: "clientToken",
	Want: "it was used for another submission: take a new one for each"}

// count counts a submission, unless there were too many.
func (s *SubmissionStores) count(person string, now time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), tallyTime)
	defer cancel()
	ok, err := s.writes.Take(ctx, now, submissionsOf(person))
	if err != nil || ok {
		return err
	}
	wait := s.writes.End(now).Sub(now).Round(time.Minute) + time.Minute
	return &api.Error{Status: 429, Code: "RATE_LIMITED",
		Message: fmt.Sprintf("over the limit of %d submissions an hour: come back in %.0f minutes", hourlyLimit,
			wait.Minutes())}
}

// left returns how many submissions a person has left in this hour.
func (s *SubmissionStores) left(person string, now time.Time) int {
	ctx, cancel := context.WithTimeout(context.Background(), tallyTime)
	defer cancel()
	n, err := s.writes.Count(ctx, now, submissionsOf(person).Name)
	if err != nil { // without its count, nothing can be submitted at the moment
		return 0
	}
	return max(0, hourlyLimit-n)
}

// forget removes the person from submissions, as the deletion of the account does.
func (s *SubmissionStores) forget(person string) error {
	_, err := s.Community.Forget(person)
	return err
}

// submissionError returns an error of the stores as the submitter may see it. It says whether anything was taken:
// 503 for what passes and may be sent again with the same token, 409 and 401 for what stays. Other errors are
// logged, and not shown.
func submissionError(err error) error {
	status, message := 0, ""
	invalid, ok := errors.AsType[*community.InvalidError](err)
	switch {
	case ok:
		return &endpoint.ParamError{Param: invalid.Field, Value: invalid.Value, Want: invalid.Want}
	case errors.Is(err, measure.ErrRejected):
		_, reason, _ := strings.Cut(err.Error(), ": ")
		status, message = 400, "the speedtest is rejected, as an import rejects such a row: "+reason
	case errors.Is(err, store.ErrUnknown):
		return &api.Error{Status: 503, Code: "BUSY", Message: "the database that this server shares did not answer: it may " +
			"have been taken; send it again with the same clientToken"}
	case errors.Is(err, store.ErrAway), errors.Is(err, store.ErrRewound):
		return &api.Error{Status: 503, Code: "BUSY", Message: "this server cannot reach the database that it shares at the " +
			"moment: nothing was taken; send it again with the same clientToken"}
	case errors.Is(err, account.ErrFull):
		status, message = 409, "as much is kept for you as can be: nothing more of this is taken"
	case errors.Is(err, community.ErrFull):
		status, message = 409, "as much of this is kept as can be: nothing more is taken"
	case errors.Is(err, account.ErrNoAccount), errors.Is(err, account.ErrDisabled):
		status, message = 401, "the account is disabled or deleted"
	case system.Full(err):
		status, message = 409, "the disk of this server is full: it answers, and takes nothing until there is space"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, measure.ErrReadOnly):
		status, message = 409, "this server's folder cannot be written to: it answers, and takes nothing"
	default:
		return err
	}
	return &api.Error{Status: status, Code: "NOT_TAKEN", Message: message}
}

// apiPage returns the address of an operation of the API.
func (r *Reading) apiPage(format string, args ...any) string {
	return r.BaseURL + "/external/v1" + fmt.Sprintf(format, args...)
}
