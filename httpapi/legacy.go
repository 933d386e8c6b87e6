package httpapi

import "net/http"

// legacyPath is the path of the API before it had versions. It was retired on 1 August
// 2026 (api.md).
const legacyPath = "/api/public/antennas"

// retired answers requests to the retired API. It asks for no key.
func retired(w *answer, r *request) {
	h := w.Header()
	h["Deprecation"] = []string{"@1778371200"}
	h["Sunset"] = []string{"Sat, 01 Aug 2026 00:00:00 GMT"}
	h["Link"] = []string{"<" + r.server.BaseURL + mounts[1] + `/antennas>; rel="successor-version"`}
	w.writeJSON(http.StatusGone, struct {
		Error     string `json:"error"`
		RequestID string `json:"requestId"`
	}{"this address was retired; the header Link names its successor", r.id})
}
