// Package people serves the pages of people who sign in: the sign-in itself and their account. Pages of other
// packages learn from it who asks. The cookie has a random token; package account knows
// whose it is. All pages work without scripts.
package people

import (
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"relais/api/view"
	"relais/auth/access"
	"relais/auth/account"
	"relais/community"
	"relais/httpapi/web"
	"relais/internal/admit"
)

// Paths of the pages.
const (
	SignInPath  = "/sign-in"
	SignOutPath = "/sign-out"
	AccountPath = "/account"
)

// Requests that an address has in a minute: those without a session, and all.
const (
	strangersPerMinute = 60
	mostPerMinute      = 1200
)

//go:embed words/*.json *.html
var files embed.FS

var texts = web.ReadTexts(files)

// Options are what the pages need.
type Options struct {
	Accounts  *account.Store
	Community *community.Store
	Pages     *web.Pages // have the frame
	// BaseURL is where browsers reach the service. Proxies are those whose headers are believed.
	BaseURL string
	Proxies access.Proxies
	Address func(*http.Request) netip.Addr // of the caller, also behind proxies
	Now     func() time.Time
	Log     *slog.Logger
	// Delete removes an account, with all links between it and what it submitted.
	Delete func(id string) error
	// Unusable says that the accounts cannot be read: nobody can sign in.
	Unusable bool
	// Moderation says that there are pages for moderators.
	Moderation bool
}

// People answers the pages.
type People struct {
	Options
	base       *url.URL
	cookie     http.Cookie // of a session, without its token
	templates  *template.Template
	protection *http.CrossOriginProtection
	strangers  *admit.Rate
	all        *admit.Rate
}

// New makes the pages. It fails for an invalid base URL.
func New(o Options) (*People, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	p := &People{Options: o, base: base, cookie: sessionCookie(view.BasePath(o.BaseURL)),
		templates: o.Pages.ReadTemplates(files, nil), protection: http.NewCrossOriginProtection(),
		strangers: admit.NewRate(time.Minute), all: admit.NewRate(time.Minute)}
	if err := p.protection.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, fmt.Errorf("%q is not a base URL: %w", o.BaseURL, err)
	}
	return p, nil
}

// Routes lists the routes of the pages.
func (p *People) Routes() []web.Route {
	return []web.Route{
		{Path: SignInPath, Handler: p.open(p.signIn)},
		{Path: SignOutPath, Handler: p.open(p.signOut)},
		{Path: AccountPath, Handler: p.Page(account.Member, p.account)},
		{Path: AccountPath + "/password", Handler: p.Page(account.Member, p.password)},
		{Path: AccountPath + "/programs", Handler: p.Page(account.Member, p.revoke)},
		{Path: AccountPath + "/delete", Handler: p.Page(account.Member, p.deleteAccount)},
		{Path: sentPath, Handler: p.Page(account.Member, p.sent)},
	}
}
