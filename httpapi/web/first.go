package web

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"relais/api"
	"relais/market"
)

// Seconds after which it is worth asking again: while the folder is being loaded, and while it has
// nothing to load.
const (
	loadingRetry = 2
	emptyRetry   = 30
)

// genericFolder stands for the data folder on pages for people who need not know where it is.
const genericFolder = "DIR"

// A firstData is the data of first.html.
type firstData struct {
	Title    string
	Folder   string           // of the data, as a shell reads it
	Local    bool             // the reader is the operator, on the server's machine
	Updating bool             // an update is running
	Damaged  []string         // registers whose snapshots cannot be loaded
	Markets  []*market.Market // that have registers
}

// withoutData answers / while no register is loaded: it says what to do next. It reports whether it
// did.
func (p *Pages) withoutData(w http.ResponseWriter, r *http.Request, env *api.Env) bool {
	if env.Set == nil {
		w.Header().Set("Retry-After", strconv.Itoa(loadingRetry))
		w.Header().Set("Refresh", strconv.Itoa(loadingRetry))
		p.failWith(w, r, http.StatusServiceUnavailable, wordsFor(r)["dataLoading"])
		return true
	}
	for range env.Set.Loaded() {
		return false
	}
	data := firstData{Title: wordsFor(r)["firstTitle"], Folder: genericFolder}
	if p.Folder != nil {
		if path := p.Folder(r); path != "" {
			data.Folder, data.Local = quoted(path), true
		}
	}
	if p.Updating != nil {
		data.Updating = p.Updating()
	}
	for _, m := range market.All {
		if _, damaged := env.Set.Problems[m.Code]; damaged {
			data.Damaged = append(data.Damaged, string(m.Code))
		}
		if m.HasInventory() {
			data.Markets = append(data.Markets, m)
		}
	}
	w.Header().Set("Retry-After", strconv.Itoa(emptyRetry))
	w.Header().Set("Cache-Control", "no-store")
	p.render(w, r, http.StatusServiceUnavailable, "first.html", data)
	return true
}

// DamagedList lists the registers whose snapshots cannot be loaded.
func (d firstData) DamagedList() string { return strings.Join(d.Damaged, ", ") }

var plainPath = regexp.MustCompile(`^[\pL\pN_./@%+,:=-]+$`)

// quoted returns a path as a shell reads it as one word.
func quoted(path string) string {
	if plainPath.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
