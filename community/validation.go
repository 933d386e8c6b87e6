package community

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/geo"
	"relais/internal/store"
	"relais/market"
)

// A Validation is a fact about a site that people confirmed, without the people.
type Validation struct {
	ID       string      `json:"id"` // validation: and a hash of the next five
	Market   market.Code `json:"market"`
	SiteKey  string      `json:"siteKey"`
	Subject  Subject     `json:"subject"`
	Operator string      `json:"operator,omitempty"` // key of the operator it is about; "": the site
	Value    string      `json:"value,omitempty"`    // as its subject has it
	Lat      float64     `json:"lat"`                // where the site stood when it was first said
	Lng      float64     `json:"lng"`
	Count    int         `json:"count"`    // of people
	FirstDay string      `json:"firstDay"` // YYYY-MM-DD
	LastDay  string      `json:"lastDay"`
}

// Point is where the site stands.
func (v *Validation) Point() geo.Point { return geo.Point{Lat: v.Lat, Lng: v.Lng} }

const validationPrefix = "validation:"

// A validationRecord is a validation as it is stored. Users stand in it as hashes that differ from
// one to the next, so that the file tells neither who they are nor what else they said.
type validationRecord struct {
	Validation
	Users [][]byte `json:"users,omitempty"`
}

// NewValidation is what somebody confirms.
type NewValidation struct {
	Market   market.Code
	SiteKey  string
	At       geo.Point // where the site stands
	Subject  Subject
	Operator string // key, in any case, of the operator it is about; "": the site
	Value    string
	Day      string // YYYY-MM-DD; "": today
	User     string // an opaque id of who says it
}

// Bounds. A validation is over Keep after its last day.
const (
	ahead          = 14 * time.Hour // that it may be tomorrow already where the site is
	maxKey         = 128            // bytes of a siteKey
	maxUsers       = 1000           // of a record; those beyond are not counted
	maxPerSite     = 500            // validations
	maxValidations = 100_000        // validations of all sites
)

// record returns the record of n, without its user.
func (n *NewValidation) record(now time.Time) (*validationRecord, error) {
	m := market.Get(n.Market)
	if m == nil || n.SiteKey == "" || len(n.SiteKey) > maxKey || strings.Contains(n.SiteKey, "\x00") || !n.At.Valid() {
		return nil, fmt.Errorf("a validation of the site %.50q at %v in %.20q", n.SiteKey, n.At, n.Market)
	}
	v := Validation{Market: m.Code, SiteKey: n.SiteKey, Subject: n.Subject, Lat: geo.Degrees(geo.Fix(n.At.Lat)),
		Lng: geo.Degrees(geo.Fix(n.At.Lng))}
	var err error
	if v.Value, err = n.Subject.value(m, n.Value); err != nil {
		return nil, err
	}
	switch {
	case n.Operator == "":
	case !n.Subject.ofOperator():
		return nil, &InvalidError{"operator", n.Operator, "none with the subject " + string(n.Subject)}
	default:
		if v.Operator, err = operatorOf(m, "operator", n.Operator); err != nil {
			return nil, err
		}
	}
	if v.FirstDay, err = dayOf(n.Day, now); err != nil {
		return nil, err
	}
	v.LastDay, v.ID = v.FirstDay, v.id()
	return &validationRecord{Validation: v}, nil
}

func (v *Validation) id() string {
	return validationPrefix + hex.EncodeToString(hash("validation", string(v.Market), v.SiteKey, string(v.Subject),
		v.Operator, v.Value))
}

func dayOf(text string, now time.Time) (string, error) {
	if text == "" {
		return now.UTC().Format(time.DateOnly), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.After(now.Add(ahead)) || day.Before(now.Add(-Keep)) {
		return "", &InvalidError{"day", text, "a day of the last 365, as YYYY-MM-DD"}
	}
	return day.Format(time.DateOnly), nil
}

var errNoValidation = errors.New("no such validation")

func getValidation(tx *store.Tx, id string) (*validationRecord, error) {
	text := tx.Bucket([]byte(validationsBucket)).Get([]byte(id))
	if text == nil {
		return nil, errNoValidation
	}
	return parseValidation([]byte(id), text)
}

func parseValidation(k, text []byte) (*validationRecord, error) {
	r := &validationRecord{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("validation %.50q: %w", k, err)
	}
	if r.ID != string(k) || r.id() != r.ID || market.Get(r.Market) == nil || !r.Point().Valid() ||
		!slices.Contains(subjects, r.Subject) || r.Count < len(r.Users) || r.Count < 1 {
		return nil, fmt.Errorf("validation %.50q: it is stored as %.50q, of %.50q in %.20q by %d of %d", k, r.ID,
			r.SiteKey, r.Market, len(r.Users), r.Count)
	}
	return r, nil
}

func (r *validationRecord) hash(user string) []byte { return hash("user", r.ID, user) }
