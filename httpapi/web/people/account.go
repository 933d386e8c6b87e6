package people

import (
	"net/http"
	"slices"
	"time"

	"relais/auth/account"
	"relais/httpapi/web"
)

// An accountPage is the data of account.html.
type accountPage struct {
	Notice   string
	Role     string
	Created  string
	Programs []program
	Sent     []sentCount
}

// A program is a program that may act for the person.
type program struct {
	ID, Name    string
	Read, Write bool
	Since, Used string
}

// A sentCount is how much of a kind the person sent.
type sentCount struct {
	Name, Link string
	Count      int
}

// notices are the names of the texts that an address may ask the page of the account to show.
var notices = map[string]string{"password": "passwordChanged", "revoked": "programRevoked"}

// account shows the account of a person.
func (p *People) account(w http.ResponseWriter, r *http.Request, v *Visit) {
	if r.Method == http.MethodPost {
		p.Redirect(w, web.Link(r, AccountPath))
		return
	}
	a, err := p.Accounts.Find(v.ID)
	if err != nil {
		p.failWith(w, r, v, err)
		return
	}
	data := accountPage{Notice: v.Words[notices[r.URL.Query().Get("done")]], Role: v.Words["role."+string(v.Role)],
		Created: day(v.Words, a.Created)}
	for _, x := range p.Accounts.Programs(v.ID) {
		data.Programs = append(data.Programs, program{ID: x.Client, Name: x.Name,
			Read: slices.Contains(x.Scopes, account.Read), Write: slices.Contains(x.Scopes, account.Write),
			Since: day(v.Words, x.Since), Used: day(v.Words, x.Used)})
	}
	for _, kind := range sentKinds {
		n, err := p.Accounts.Count(v.ID, kind)
		if err != nil {
			p.failWith(w, r, v, err)
			return
		}
		data.Sent = append(data.Sent, sentCount{v.Words["sent."+string(kind)],
			web.Link(r, sentPath, "kind", string(kind)), n})
	}
	p.render(w, r, v, http.StatusOK, v.Words["account"], "account.html", data)
}

func day(w web.Words, t time.Time) string { return w.Date(t.Format(time.DateOnly)) }

// revoke ends what the person let a program do.
func (p *People) revoke(w http.ResponseWriter, r *http.Request, v *Visit) {
	if r.Method != http.MethodPost {
		p.Redirect(w, web.Link(r, AccountPath))
		return
	}
	if err := p.Accounts.RevokeProgram(v.ID, v.Values.Get("program")); err != nil {
		p.failWith(w, r, v, err)
		return
	}
	p.Redirect(w, web.Link(r, AccountPath, "done", "revoked"))
}
