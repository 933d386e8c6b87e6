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

// acts are those of a moderator and, true, those of an admin.
var acts = map[string]bool{
	"photo.show": false, "photo.hide": false, "photo.hold": false, "photo.delete": false,
	"report.accept": false, "report.dismiss": false, "report.reopen": false,
	"outage.confirm": false, "outage.resolve": false, "outage.reject": false, "bug.close": false,
	"user.disable": true, "user.enable": true, "user.role": true,
}

// decide makes the decision of a form, and returns to the page of the form. Each form names the version that its
// moderator saw: the second of two moderators is told of the first decision.
func (q *request) decide() {
	if q.r.Method != http.MethodPost {
		q.People.Redirect(q.w, Path)
		return
	}
	values := q.visit.Values
	d := admin.Decide{Act: values.Get("act"), ID: values.Get("id"), On: values.Get("on"), Why: values.Get("why"),
		Role: account.Role(values.Get("role")), User: q.visit.ID}
	ofAdmin, known := acts[d.Act]
	if !known || ofAdmin != (q.r.URL.Path == Path+"/decide-user") || d.ID == "" || len(d.ID) > maxSubject || d.On == "" ||
		len(d.On) > maxVersion || d.Act == "user.role" && !slices.Contains(account.Roles, d.Role) {
		q.show(http.StatusBadRequest, "", q.words["refusedTitle"], "failed.html", q.words["badForm"])
		return
	}
	if len(d.Why) > audit.MaxWhy {
		q.show(http.StatusBadRequest, "", q.words["refusedTitle"], "failed.html", q.words["tooLong"])
		return
	}
	answer, err := admin.NewCommands(q.Stores).Do(q.context(), d)
	if changed, ok := errors.AsType[*admin.ChangedError](err); ok {
		q.changed(d.Why, changed.Last)
		return
	}
	if err != nil {
		q.fail(err)
		return
	}
	back := q.back()
	if d.Act == "photo.delete" && strings.HasPrefix(back, Path+"/photos/") {
		back = Path
	}
	about := d.ID
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
func (q *request) changed(why string, last *audit.Entry) {
	data := struct {
		Text, Photo, Why string
	}{Text: q.words["changedOtherwise"], Why: why}
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
