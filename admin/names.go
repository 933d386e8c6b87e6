package admin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"relais/auth/access"
	"relais/auth/account"
	"relais/community"
	"relais/internal/fold"
	"relais/photos"
)

// A candidate is a record that a command may mean.
type candidate struct{ id, name string }

func (c candidate) String() string {
	if c.name == "" {
		return c.id
	}
	return fmt.Sprintf("%s (%q)", c.id, c.name)
}

// A kind is a kind of record that commands name: by the id, by the name where records have names, or
// by the beginning of the id.
type kind struct {
	plural  string // "photos"
	list    string // the command that lists them
	file    string // of the store
	prefix  string // of all ids; people may leave it out
	unknown error  // the store's error for an unknown id or name; nil if it says enough
	// find returns at least the records whose ids begin with a text, and those with names.
	find     func(s *Stores, begin string) ([]candidate, error)
	sameName func(a, b string) bool // nil for records without names
}

var kinds = map[string]*kind{
	"client": {plural: "clients", list: "client list", file: ClientsFile, unknown: access.ErrNoClient, find: findClients,
		sameName: strings.EqualFold},
	"user": {plural: "accounts", list: "user list", file: UsersFile, unknown: account.ErrNoAccount, find: findUsers,
		sameName: account.SameName},
	"hook": {plural: "hooks", list: "hook list", file: HooksFile, prefix: "hook-", find: findHooks},
	"photo": {plural: "photos", list: "photo list", file: PhotosFile, unknown: photos.ErrNoPhoto,
		find: func(s *Stores, begin string) ([]candidate, error) { return byID(s.Photos.PhotoIDs(begin)) }},
	"report": {plural: "reports", list: "report list", file: PhotosFile, unknown: photos.ErrNoReport,
		find: func(s *Stores, begin string) ([]candidate, error) { return byID(s.Photos.ReportIDs(begin)) }},
	"bug": {plural: "bugs", list: "bug list", file: CommunityFile, prefix: "bug:", unknown: community.ErrNoBug,
		find: func(s *Stores, begin string) ([]candidate, error) { return byID(s.Community.BugIDs(begin)) }},
	"outage": {plural: "outage reports", list: "outage list", file: CommunityFile, prefix: "community:",
		unknown: community.ErrNoReport,
		find:    func(s *Stores, begin string) ([]candidate, error) { return byID(s.Community.ReportIDs(begin)) }},
}

func byID(ids []string, err error) (list []candidate, _ error) {
	for _, id := range ids {
		list = append(list, candidate{id: id})
	}
	return list, err
}

func findClients(s *Stores, _ string) (list []candidate, _ error) {
	for _, c := range s.Clients.List() {
		list = append(list, candidate{c.ID, c.Name})
	}
	return list, nil
}

func findUsers(s *Stores, _ string) (list []candidate, _ error) {
	for _, a := range s.Accounts.List() {
		list = append(list, candidate{a.ID, a.Name})
	}
	return list, nil
}

func findHooks(s *Stores, _ string) (list []candidate, _ error) {
	for _, h := range s.Hooks.List() {
		list = append(list, candidate{id: h.ID})
	}
	return list, nil
}

// shortest is how many characters of an id a command must have, without the prefix. A shorter text would soon mean
// another record.
const shortest = 4

// mostNamed is how many candidates an error names.
const mostNamed = 8

// errManyMeant is wrapped by the error of a text that could mean several records.
var errManyMeant = errors.New("use a whole id")

// identify returns the id of the record that a text means: a whole id first, then a name to the letter, then one that
// counts as the same, then the beginning of an id, so that no other record can take the place of the one with the id.
// A text that means no record is returned
// unchanged: the command has the better error.
func (k *kind) identify(s *Stores, text string) (string, error) {
	begin := text
	if !strings.HasPrefix(text, k.prefix) {
		begin = k.prefix + text
	}
	list, err := k.find(s, begin)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(list, func(c candidate) bool { return c.id == text }) {
		return text, nil
	}
	meant := func(yes func(c candidate) bool) []candidate {
		return slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return !yes(c) })
	}
	how := "have the name"
	matches := meant(func(c candidate) bool { return c.name != "" && c.name == text })
	if len(matches) == 0 && k.sameName != nil {
		matches = meant(func(c candidate) bool { return c.name != "" && k.sameName(c.name, text) })
	}
	if len(matches) == 0 && len(begin) >= len(k.prefix)+shortest {
		how = "have ids that begin with"
		matches = meant(func(c candidate) bool { return strings.HasPrefix(c.id, begin) })
	}
	switch len(matches) {
	case 0:
		return text, nil
	case 1:
		return matches[0].id, nil
	}
	return "", fmt.Errorf("%s %s %.64q: %s; %w", Number(len(matches), strings.TrimSuffix(k.plural, "s")), how, text,
		several(matches), errManyMeant)
}

// suggest adds the nearest name to the error of a command that found no record.
func (k *kind) suggest(s *Stores, text string, failed error) error {
	if k.sameName == nil || !errors.Is(failed, k.unknown) {
		return failed
	}
	list, err := k.find(s, "")
	if err != nil || len(list) == 0 {
		return failed
	}
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.name
	}
	return fmt.Errorf("%w: %.64q; the nearest name is %q", failed, text, fold.Nearest(text, names))
}

// several lists candidates for an error, the first mostNamed of them.
func several(list []candidate) string {
	var texts []string
	for _, c := range list[:min(len(list), mostNamed)] {
		texts = append(texts, c.String())
	}
	text := strings.Join(texts, ", ")
	if more := len(list) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
