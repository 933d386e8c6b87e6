package cli

import (
	"net/http"
	"net/netip"
	"time"

	"relais/admin"
	"relais/httpapi"
	"relais/httpapi/web"
	"relais/httpapi/web/moderation"
	"relais/httpapi/web/people"
)

// mountPeople adds the pages of people who sign in, and those of moderators, which use their sessions.
func mountPeople(server *httpapi.Server, pages *web.Pages, stores *admin.Stores,
	address func(*http.Request) netip.Addr) error {
	signedIn, err := people.New(people.Options{Accounts: stores.Accounts, Community: stores.Community, Pages: pages,
		BaseURL: server.BaseURL, Proxies: server.Proxies, Address: address, Now: time.Now, Log: server.Log,
		Delete: stores.DeleteUser, Unusable: stores.Broken(admin.UsersFile), Moderation: true})
	if err != nil {
		return err
	}
	moderators := moderation.New(moderation.Options{Stores: stores, People: signedIn, Log: server.Log})
	for _, route := range append(signedIn.Routes(), moderators.Routes()...) {
		server.Mount(route.Path, route.Handler)
	}
	return nil
}
