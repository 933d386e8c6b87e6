package oauth

import (
	"net/http"

	"relais/auth/account"
	"relais/internal/lang"
)

// serverMetadata implements RFC 8414, with the members of RFC 9207 and RFC 9728.
func (h *Handler) serverMetadata(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{
		"issuer":                                         h.BaseURL,
		"authorization_endpoint":                         h.BaseURL + authorizePath,
		"token_endpoint":                                 h.BaseURL + tokenPath,
		"revocation_endpoint":                            h.BaseURL + revokePath,
		"registration_endpoint":                          h.BaseURL + registerPath,
		"scopes_supported":                               account.Scopes,
		"response_types_supported":                       responseTypes,
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          grantTypes,
		"token_endpoint_auth_methods_supported":          authMethods,
		"revocation_endpoint_auth_methods_supported":     authMethods,
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
		"ui_locales_supported":                           lang.Tags(),
		"protected_resources":                            []string{h.resource},
	})
}

// resourceMetadata implements RFC 9728.
func (h *Handler) resourceMetadata(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{
		"resource":                 h.resource,
		"authorization_servers":    []string{h.BaseURL},
		"scopes_supported":         account.Scopes,
		"bearer_methods_supported": []string{"header"},
	})
}
