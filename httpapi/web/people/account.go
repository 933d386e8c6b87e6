package people

import "net/http"

// account shows the account of a person.
func (p *People) account(w http.ResponseWriter, r *http.Request, v *Visit) {
	p.render(w, r, v, http.StatusOK, v.Words["account"], "account.html", nil)
}
