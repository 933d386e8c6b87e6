package people

import (
	"errors"
	"net/http"

	"relais/auth/account"
	"relais/httpapi/web"
)

// A problem is a message about a field of a form.
type problem struct{ Field, Text string }

// A passwordPage is the data of password.html and delete.html.
type passwordPage struct {
	Problem   *problem // nil for none
	Name      string   // of the account, for password managers
	Least     int      // characters of a password
	MaxSecret int
}

// Wrong reports whether the problem is that of a field.
func (d passwordPage) Wrong(field string) bool { return d.Problem != nil && d.Problem.Field == field }

// showPasswordPage writes a page whose form asks for the password.
func (p *People) showPasswordPage(w http.ResponseWriter, r *http.Request, v *Visit, status int, name string,
	wrong *problem) {
	title := v.Words[name+"Title"]
	if wrong != nil {
		title = v.Words["problemTitle"] + title
	}
	p.render(w, r, v, status, title, name+".html", passwordPage{wrong, v.Name, account.MinPassword, maxPassword})
}

// password changes the password of a person, who stays signed in here and nowhere else.
func (p *People) password(w http.ResponseWriter, r *http.Request, v *Visit) {
	if r.Method != http.MethodPost {
		p.showPasswordPage(w, r, v, http.StatusOK, "password", nil)
		return
	}
	next := v.Values.Get("new")
	switch {
	case account.CheckPassword(next) != nil:
		p.showPasswordPage(w, r, v, http.StatusBadRequest, "password", &problem{"new", v.Words["badPassword"]})
		return
	case next != v.Values.Get("again"):
		p.showPasswordPage(w, r, v, http.StatusBadRequest, "password", &problem{"again", v.Words["otherPassword"]})
		return
	}
	person, err := p.signInAgain(r, v)
	if err != nil {
		status, text := p.loginFailure(w, r, err, "wrongPassword")
		p.showPasswordPage(w, r, v, status, "password", &problem{"password", text})
		return
	}
	if person, err = p.Accounts.ChangePassword(r.Context(), person, next, p.Address(r)); err != nil {
		p.failChange(w, r, v, err)
		return
	}
	token, err := p.Accounts.StartSession(person, "")
	if err != nil { // the password is changed: the person signs in with it
		p.keep(w, "")
		p.afterwards(w, r, "password")
		return
	}
	p.keep(w, token)
	p.Redirect(w, web.Link(r, AccountPath, "done", "password"))
}

// signInAgain checks the password of a form. The limits are those of the sign-in, so that a session
// that somebody took does not help to guess it.
func (p *People) signInAgain(r *http.Request, v *Visit) (account.SignedIn, error) {
	person, err := p.Accounts.Login(r.Context(), v.Name, v.Values.Get("password"), p.Address(r))
	if err == nil && person.ID != v.ID {
		err = account.ErrLogin
	}
	return person, err
}

// failChange answers an error of a change that needed the password. An account that was changed
// meanwhile has no session any more.
func (p *People) failChange(w http.ResponseWriter, r *http.Request, v *Visit, err error) {
	if errors.Is(err, account.ErrLogin) || errors.Is(err, account.ErrNoAccount) || errors.Is(err, account.ErrDisabled) {
		p.refuse(w, r, nil, http.StatusForbidden, "sessionOver")
		return
	}
	p.failWith(w, r, v, err)
}

// deleteAccount removes the account of a person, after a page that explains the consequences.
func (p *People) deleteAccount(w http.ResponseWriter, r *http.Request, v *Visit) {
	if r.Method != http.MethodPost {
		p.showPasswordPage(w, r, v, http.StatusOK, "delete", nil)
		return
	}
	if _, err := p.signInAgain(r, v); err != nil {
		status, text := p.loginFailure(w, r, err, "wrongPassword")
		p.showPasswordPage(w, r, v, status, "delete", &problem{"password", text})
		return
	}
	if err := p.Delete(v.ID); err != nil {
		p.failChange(w, r, v, err)
		return
	}
	p.keep(w, "")
	p.afterwards(w, r, "deleted")
}
