package httpapi

import "net/http"

// legacyPath is where the API was before it had versions. api.md retired it on
// 1 August 2026.
const legacyPath = "/api/public/antennas"

// retired answers the retired API, whatever the method: no key is needed to learn
// where the antennas are now.
func retired(s *Server, x *exchange) {
	h := x.w.Header()
	h["Deprecation"] = []string{"@1778371200"}
	h["Sunset"] = []string{"Sat, 01 Aug 2026 00:00:00 GMT"}
	h["Link"] = []string{"<" + s.BaseURL + Mounts[1] + `/antennas>; rel="successor-version"`}
	s.writeJSON(x, http.StatusGone, struct {
		Error     string `json:"error"`
		RequestID string `json:"requestId"`
	}{"this address was retired; the header Link names its successor", x.id})
}
