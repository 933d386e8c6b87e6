package moderation

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"relais/admin"
	"relais/auth/account"
	"relais/community"
	"relais/community/audit"
	"relais/photos"
)

// Bounds of the fields of a form, in bytes.
const (
	maxSubject = 200
	maxVersion = 64
)

// A decision has the fields of a form.
type decision struct {
	act, id, on, why, role string
	visitor                string // id of the account
}

// commands make the command of each act. Its name is that in the audit log, unless undoing has another.
var commands = map[string]func(d decision) admin.Command{
	"photo.show":   func(d decision) admin.Command { return admin.ShowPhoto{Photo: d.id, On: d.on} },
	"photo.hide":   func(d decision) admin.Command { return admin.HidePhoto{Photo: d.id, Why: d.why, On: d.on} },
	"photo.hold":   func(d decision) admin.Command { return admin.HoldPhoto{Photo: d.id, On: d.on} },
	"photo.delete": func(d decision) admin.Command { return admin.DeletePhoto{Photo: d.id, Why: d.why, On: d.on} },
	"report.accept": func(d decision) admin.Command {
		return admin.DecideReport{Report: d.id, Accept: true, Why: d.why, On: d.on}
	},
	"report.dismiss": func(d decision) admin.Command { return admin.DecideReport{Report: d.id, Why: d.why, On: d.on} },
	"report.reopen": func(d decision) admin.Command {
		return admin.DecideReport{Report: d.id, Undo: true, Why: d.why, On: d.on}
	},
	"outage.confirm": func(d decision) admin.Command { return d.outage(admin.ConfirmOutage) },
	"outage.resolve": func(d decision) admin.Command { return d.outage(admin.ResolveOutage) },
	"outage.reject":  func(d decision) admin.Command { return d.outage(admin.RejectOutage) },
	"bug.close":      func(d decision) admin.Command { return admin.CloseBug{Bug: d.id, Answer: d.why, On: d.on} },
}

// userCommands are those of an admin.
var userCommands = map[string]func(d decision) admin.Command{
	"user.disable": func(d decision) admin.Command { return admin.DisableUser{User: d.id, On: d.on, Why: d.why} },
	"user.enable":  func(d decision) admin.Command { return admin.DisableUser{User: d.id, Undo: true, On: d.on, Why: d.why} },
	"user.role": func(d decision) admin.Command {
		return admin.SetUserRole{User: d.id, Role: account.Role(d.role), On: d.on, Why: d.why}
	},
}

func (d decision) outage(how admin.Decision) admin.Command {
	return admin.DecideOutage{Report: d.id, Decision: how, User: d.visitor, Why: d.why, On: d.on}
}

// decide runs the command of a form, and returns to the page of the form. Each form names the version that its
// moderator saw: the second of two moderators is told of the first decision.
func (q *request) decide() {
	if q.r.Method != http.MethodPost {
		q.People.Redirect(q.w, Path)
		return
	}
	values := q.visit.Values
	d := decision{act: values.Get("act"), id: values.Get("id"), on: values.Get("on"), why: values.Get("why"),
		role: values.Get("role"), visitor: q.visit.ID}
	known := commands
	if q.r.URL.Path == Path+"/decide-user" {
		known = userCommands
	}
	command := known[d.act]
	if command == nil || d.id == "" || len(d.id) > maxSubject || d.on == "" || len(d.on) > maxVersion ||
		d.act == "user.role" && !slices.Contains(account.Roles, account.Role(d.role)) {
		q.show(http.StatusBadRequest, "", q.words["failedTitle"], "failed.html", q.words["badForm"])
		return
	}
	if len(d.why) > audit.MaxWhy {
		q.show(http.StatusBadRequest, "", q.words["failedTitle"], "failed.html", q.words["tooLong"])
		return
	}
	answer, err := q.Stores.Do(q.context(), command(d))
	if changed, ok := errors.AsType[*admin.ChangedError](err); ok {
		q.changed(d, changed.Last)
		return
	}
	if err != nil {
		q.fail(err)
		return
	}
	back := q.back()
	if d.act == "photo.delete" && strings.HasPrefix(back, Path+"/photos/") {
		back = Path
	}
	about := d.id
	if a, ok := answer.(*account.Account); ok {
		about = a.Name // as in the log
	}
	q.People.Redirect(q.w, withAbout(back, about))
}

// withAbout returns the address of a page, with the id of the record that was decided about.
func withAbout(back, id string) string {
	u, err := url.Parse(back)
	if err != nil {
		return Path
	}
	values := u.Query()
	values.Set("about", id)
	u.RawQuery = values.Encode()
	return u.RequestURI()
}

// changed writes the page for a record that was changed before. last is the last decision, nil if the record
// changed in another way.
func (q *request) changed(d decision, last *audit.Entry) {
	data := struct {
		Text, Photo, Why string
	}{Text: q.words["changedOtherwise"], Why: d.why}
	if last != nil {
		data.Text = q.sentence(last)
		data.Photo = photoLink(last)
	}
	q.show(http.StatusConflict, "", q.words["changedTitle"], "changed.html", data)
}

// gone reports whether an error says that a record was removed.
func gone(err error) bool {
	return slices.ContainsFunc([]error{photos.ErrNoPhoto, photos.ErrNoReport, community.ErrNoReport, community.ErrNoBug,
		account.ErrNoAccount}, func(e error) bool { return errors.Is(err, e) })
}

// A form is a decision with one button.
type form struct{ Path, Act, ID, On, Label, Role string }

// undo returns the form that takes a decision back. It returns nil for decisions that cannot be taken back,
// and if the record was changed since.
func (q *request) undo(e *audit.Entry) *form {
	f := &form{Path: Path + "/decide", ID: e.Subject, Label: q.words["undo"]}
	switch kind := kindOf(e.Act); {
	case kind == "photo":
		p, err := q.Stores.Photos.Photo(e.Subject)
		if err != nil || string(p.State()) != e.After {
			return nil
		}
		f.Act, f.On = toPhotoState[e.Before], p.Version()
	case e.Act == "report.accept" || e.Act == "report.dismiss":
		r, err := q.Stores.Photos.PhotoReport(e.Subject)
		if err != nil || string(r.Status) != e.After {
			return nil
		}
		f.Act, f.On = "report.reopen", r.Version()
	case (e.Act == "user.disable" || e.Act == "user.enable") && q.visit.Role.May(account.Admin):
		a, err := q.Stores.Accounts.Find(e.Subject)
		if err != nil || a.Name != e.Subject || a.Disabled != (e.Act == "user.disable") {
			return nil
		}
		f.Act, f.ID, f.On, f.Path = "user.enable", a.ID, a.Version(), Path+"/decide-user"
		if !a.Disabled {
			f.Act = "user.disable"
		}
	}
	if f.Act == "" {
		return nil
	}
	return f
}

// toPhotoState are the acts that lead to a state of a photo.
var toPhotoState = map[string]string{string(photos.Shown): "photo.show", string(photos.Concealed): "photo.hide",
	string(photos.Held): "photo.hold"}
