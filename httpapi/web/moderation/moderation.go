// Package moderation serves the pages on which moderators decide about what people sent: photos and
// reports of photos, reports of outages, bugs, and accounts. Every decision is a command of package
// admin, as on the command line. All pages work without scripts.
package moderation

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"relais/admin"
	"relais/auth/account"
	"relais/community/audit"
	"relais/httpapi/web"
	"relais/httpapi/web/people"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/system"
)

// Path is that of the queue. Those of the other pages follow it.
const Path = "/moderation"

//go:embed words/*.json *.html
var files embed.FS

var texts = web.ReadTexts(files)

// A scoped page is the data of the template of one item.
type scoped struct {
	page
	Item any
}

func scopedOn(p, item any) scoped {
	if s, ok := p.(scoped); ok {
		return scoped{s.page, item}
	}
	return scoped{p.(page), item}
}

// Options say what the pages show.
type Options struct {
	Stores *admin.Stores
	People *people.People // knows who asks
	Log    *slog.Logger
}

// Moderation answers the pages.
type Moderation struct {
	Options
	templates *template.Template
}

// New makes the pages.
func New(o Options) *Moderation {
	return &Moderation{o, o.People.Pages.ReadTemplates(files, template.FuncMap{"on": scopedOn})}
}

// Routes lists the routes of the pages.
func (m *Moderation) Routes() []web.Route {
	page := func(path string, role account.Role, serve func(*request)) web.Route {
		return web.Route{Path: Path + path, Handler: m.People.Page(role,
			func(w http.ResponseWriter, r *http.Request, v *people.Visit) {
				serve(&request{Moderation: m, w: w, r: r, visit: v, words: texts.For(r)})
			})}
	}
	shown := func(path string, role account.Role, tab, title, template string, read func(*request) (any, error)) web.Route {
		return page(path, role, func(q *request) {
			if data, err := read(q); err != nil {
				q.fail(err)
			} else {
				q.show(http.StatusOK, tab, q.words[title], template+".html", data)
			}
		})
	}
	list := func(path string, role account.Role, tab string, read func(*request) (any, error)) web.Route {
		return shown(path, role, tab, "tab."+tab, tab, read)
	}
	return []web.Route{
		list("", account.Moderator, "queue", (*request).queue),
		list("/photos", account.Moderator, "photos", (*request).photos),
		shown("/photos/{id}", account.Moderator, "photos", "photo", "photo", (*request).photo),
		page("/images/{id}/{name}", account.Moderator, (*request).image),
		list("/reports", account.Moderator, "reports", (*request).reports),
		list("/outages", account.Moderator, "outages", (*request).outages),
		list("/bugs", account.Moderator, "bugs", (*request).bugs),
		list("/log", account.Moderator, "log", (*request).log),
		list("/users", account.Admin, "users", (*request).users),
		page("/decide", account.Moderator, (*request).decide),
		page("/decide-user", account.Admin, (*request).decide),
	}
}

// A request is one of a moderator.
type request struct {
	*Moderation
	w     http.ResponseWriter
	r     *http.Request
	visit *people.Visit
	words web.Words
}

// A page is the data of all templates.
type page struct {
	W      web.Words
	Lang   string // that the address states, or ""
	Form   string // of the session
	Tab    string // the last part of the path
	Admin  bool
	Queue  int    // photos and reports that wait for a decision
	Back   string // address of the page, to which a decision returns
	Notice *notice
	Data   any
}

// show writes a page.
func (q *request) show(status int, tab, title, name string, data any) {
	p := page{W: q.words, Lang: web.StatedLanguage(q.r), Form: q.visit.Form, Tab: tab,
		Admin: q.visit.Role.May(account.Admin), Back: q.back(), Notice: q.notice(), Data: data}
	p.Queue = q.waiting()
	q.People.Render(q.w, q.r, q.visit, status, title+" · "+q.words["moderation"], q.templates, name, p)
}

// fail answers an error. Errors that are not known are logged, and not shown.
func (q *request) fail(err error) {
	status, name, after := failure(err)
	if status >= http.StatusInternalServerError {
		q.Log.Error("a page for moderators failed", "path", q.r.URL.Path, "error", err)
	}
	if after > 0 {
		q.w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
	}
	q.show(status, "", q.words["refusedTitle"], "failed.html", q.words[name])
}

// failure returns the status and the name of the text for an error, and when it is worth asking again.
func failure(err error) (status int, name string, after time.Duration) {
	switch {
	case gone(err):
		return http.StatusNotFound, "gone", 0
	case system.Full(err):
		return http.StatusServiceUnavailable, "diskFull", time.Minute
	case folder.ReadOnly(err):
		return http.StatusServiceUnavailable, "readOnly", time.Minute
	case errors.Is(err, store.ErrAway), errors.Is(err, store.ErrRewound), errors.Is(err, store.ErrUnknown):
		return http.StatusServiceUnavailable, "awayNow", 2 * time.Second
	}
	return http.StatusInternalServerError, "failed", 0
}

// ask runs a command that lists something.
func ask[T any](q *request, c admin.Command) (answer T, err error) {
	result, err := admin.NewCommands(q.Stores).Do(q.context(), c)
	if err != nil {
		return answer, err
	}
	return result.(T), nil
}

// context returns the context of commands of the moderator.
func (q *request) context() context.Context { return admin.As(q.r.Context(), q.visit.Name) }

// waiting counts the photos and reports that wait for a decision.
func (q *request) waiting() int {
	_, reports, err := q.Stores.Photos.Reports(reportsWaiting, 0, 0)
	held, err2 := q.Stores.Photos.Held()
	if err != nil || err2 != nil {
		return 0 // the list says why
	}
	return reports + held
}

// back returns the address of the page, without the last decision.
func (q *request) back() string {
	if q.r.Method == http.MethodPost {
		return ownPage(q.visit.Values.Get("back"))
	}
	values := q.r.URL.Query()
	values.Del("about")
	if len(values) == 0 {
		return q.r.URL.Path
	}
	return q.r.URL.Path + "?" + values.Encode()
}

const maxBack = 500 // bytes

// ownPage returns an address of these pages that a form states, or that of the queue.
func ownPage(address string) string {
	rest, ok := strings.CutPrefix(address, Path)
	plain := func(c rune) bool { return c > ' ' && c <= '~' && c != '\\' && c != '#' }
	if !ok || len(address) > maxBack || rest != "" && rest[0] != '/' && rest[0] != '?' ||
		strings.ContainsFunc(rest, func(c rune) bool { return !plain(c) }) || strings.Contains(rest, "//") ||
		strings.Contains(rest, "..") {
		return Path
	}
	return address
}

// perPage is how many items a page of a list has.
const perPage = 20

// A paging is the place of a page in a list, with links to its neighbours.
type paging struct {
	Total, Page, Pages int
	Previous, Next     string // addresses, or ""
}

// part returns the wanted part of a list.
func (q *request) part() admin.Page {
	n, err := strconv.Atoi(q.r.URL.Query().Get("page"))
	if err != nil || n < 1 || n > 1_000_000 {
		n = 1
	}
	return admin.Page{Limit: perPage, Offset: (n - 1) * perPage}
}

func (q *request) paging(total int) paging {
	n := q.part().Offset/perPage + 1
	p := paging{Total: total, Page: n, Pages: max(1, (total+perPage-1)/perPage)}
	address := func(n int) string {
		values := q.r.URL.Query()
		values.Del("about")
		values.Set("page", strconv.Itoa(n))
		return q.r.URL.Path + "?" + values.Encode()
	}
	if n > 1 {
		p.Previous = address(min(n-1, p.Pages))
	}
	if n < p.Pages {
		p.Next = address(n + 1)
	}
	return p
}

// A notice is the last decision about a record, with the form that takes it back.
type notice struct {
	Text string
	Undo *form // nil if it cannot be taken back
}

// notice returns the notice of the decision that led to this page, nil without one.
func (q *request) notice() *notice {
	about := q.r.URL.Query().Get("about")
	if about == "" || len(about) > maxSubject {
		return nil
	}
	last, err := q.Stores.Audit.Last(audit.Filter{Subject: about, Own: true})
	if err != nil || last == nil {
		return nil
	}
	return &notice{q.sentence(last), q.undo(last)}
}
