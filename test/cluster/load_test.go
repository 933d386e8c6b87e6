//go:build linux

package cluster

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"relais/market"
)

// A load is what many callers do at once until it is stopped.
type load struct {
	*world
	ledger  *ledger
	clients *history
	tokens  *history
	reports *history
	figures *figures
	stop    chan struct{}
	running sync.WaitGroup
	scratch string // folder for files
	// Of the one caller that ingests:
	edition  int
	editions editions

	mu     sync.Mutex
	keys   []*keyOf    // the latest ones
	hot    *hotReport  // that is confirmed at the moment
	opened []time.Time // when reports were acknowledged
	away   bool        // reads may be old: the engine is, or a link is cut
	errors []string
}

// newLoad returns a load in which nobody calls yet.
func (w *world) newLoad() *load {
	return &load{world: w, ledger: newLedger(), clients: newHistory(), tokens: newHistory(), reports: newHistory(),
		figures: newFigures(), stop: make(chan struct{}), scratch: w.t.TempDir()}
}

// beginLoad lets all callers call until end.
func (w *world) beginLoad() *load {
	l := w.newLoad()
	for range 4 {
		l.every(5*time.Millisecond, l.read)
	}
	for _, n := range w.nodes {
		var seen int
		l.every(20*time.Millisecond, func() { l.readLocal(n, &seen) })
	}
	for range 4 {
		l.every(120*time.Millisecond, l.createClient)
		l.every(40*time.Millisecond, l.useClient)
		l.every(120*time.Millisecond, l.confirm)
	}
	l.every(100*time.Millisecond, l.revokeClient)
	l.every(100*time.Millisecond, l.report)
	l.every(200*time.Millisecond, l.upload)
	l.every(300*time.Millisecond, l.submit)
	l.every(5*time.Second, l.ingest)
	for i := range w.country.people {
		l.session(i)
	}
	return l
}

// every does something again and again, with pauses.
func (l *load) every(pause time.Duration, do func()) {
	l.running.Go(func() {
		for {
			select {
			case <-l.stop:
				return
			case <-time.After(pause/2 + rand.N(pause)):
			}
			do()
		}
	})
}

// end stops all callers.
func (l *load) end() {
	close(l.stop)
	l.running.Wait()
}

// wrong notes what must not be, unless acknowledged writes are lost on purpose.
func (l *load) wrong(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors = append(l.errors, fmt.Sprintf(format, args...))
}

// node chooses one that a caller happens to reach, mostly one that is not known to be broken.
func (w *world) node() *node {
	n := w.nodes[rand.N(len(w.nodes))]
	for range 10 {
		if n.lives.Load() || rand.N(50) == 0 {
			break
		}
		n = w.nodes[rand.N(len(w.nodes))]
	}
	return n
}

// wrote counts a write that was tried at a time, and why it was not acknowledged.
func (l *load) wrote(kind string, since time.Time, o outcome, err error) bool {
	l.problems.add(kind, o, err)
	if o != answered || err != nil {
		return false
	}
	l.figures.write(kind, since)
	return true
}

// read reads through the proxy, as most callers do.
func (l *load) read() {
	start := time.Now()
	path := fmt.Sprintf("/external/v1/antennas?market=FR&limit=5&offset=%d", rand.N(100))
	a, _, err := call(l.http, http.MethodGet, l.base+path, nil, "X-API-Key", l.country.reader.APIKey)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("%s: got %s", path, a)
	}
	if err != nil {
		l.problems.add("read", unknown, err)
	}
	l.figures.read(start, err == nil)
}

// staleAfter is how long a node's lists may be old while the engine answers, and its processors have
// time. After tooOld a node must not be ready.
const (
	staleAfter = 1100 * time.Millisecond
	tooOld     = 5 * time.Second
)

// readLocal reads a list of one node, which must not go back, nor be old.
func (l *load) readLocal(n *node, seen *int) {
	l.mu.Lock()
	now := time.Now()
	least, _ := slices.BinarySearchFunc(l.opened, now.Add(-staleAfter), time.Time.Compare)
	atLeast, _ := slices.BinarySearchFunc(l.opened, now.Add(-tooOld), time.Time.Compare)
	l.mu.Unlock()
	lived, offset := n.lives.Load(), max(0, *seen-1)
	list, err := l.list(n, fmt.Sprintf("/external/v1/outages?market=FR&source=community&limit=500&offset=%d", offset))
	if err != nil {
		return // the node is dead, or stopped
	}
	if len(list) == 0 && *seen > 0 {
		l.figures.wentBack(n.name)
		*seen = 0
		return
	}
	*seen = offset + len(list)
	l.mu.Lock()
	stale := !l.away && lived && n.lives.Load() && *seen < least && len(list) < 500
	l.mu.Unlock()
	if stale {
		l.figures.wasOld(n.name, *seen < atLeast)
	}
}

// setAway says that reads may be old from now on, or are new again.
func (l *load) setAway(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
	if away {
		l.opened = nil
	}
}

// mayBeOld reports whether setAway said so.
func (l *load) mayBeOld() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away
}

// report reports an outage where there is not one yet: 0.01 degrees are over 300 m, within which
// reports are one.
func (l *load) report() {
	number := l.numbers()
	start := time.Now()
	made, o, err := l.newReport(l.node(), number)
	if !l.wrote("report", start, o, err) {
		return
	}
	l.ledger.add("report", made, "")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = append(l.opened, time.Now())
	slices.SortFunc(l.opened, time.Time.Compare)
	if l.hot == nil || l.hot.next >= maxConfirmations {
		l.hot = &hotReport{id: made}
	}
}

// place is where the report with a number is.
func place(number int64) (lat, lon float64) {
	return 43 + float64(number%500)/100, float64(number/500%500) / 100
}

// submit submits what needs a person: each person may do so 30 times an hour.
func (l *load) submit() {
	number := l.numbers()
	by := l.country.assistants[number%int64(len(l.country.assistants))]
	token, start := fmt.Sprint("token", number), time.Now()
	var made struct{ ID string }
	site := l.country.sites[number%int64(len(l.country.sites))]
	switch number % 3 {
	case 0:
		o, err := tool(l.http, l.base, by.APIKey, "bug_submit", object{"clientToken": token,
			"title": fmt.Sprint("bug ", number), "text": "It does not work."}, &made)
		if l.wrote("bug", start, o, err) {
			l.ledger.add("bug", made.ID, "")
		}
	case 1:
		lon, at := 1+float64(number%10000)/1e4, start.Add(-time.Duration(number)*time.Second).UTC().Format(time.RFC3339)
		o, err := tool(l.http, l.base, by.APIKey, "community_submit_speedtest", object{"clientToken": token, "measuredAt": at,
			"lat": 46.5, "lon": lon, "downloadMbps": 50}, &made)
		if l.wrote("speedtest", start, o, err) {
			l.ledger.add("speedtest", fmt.Sprintf("%.4f", lon), "")
		}
	case 2:
		value := fmt.Sprint(100000 + number%900000)
		o, err := tool(l.http, l.base, by.APIKey, "community_submit_validation", object{"clientToken": token, "siteId": site,
			"subject": "enb", "value": value, "operator": "ORANGE"}, &made)
		if l.wrote("validation", start, o, err) {
			l.ledger.add("validation", value, site)
		}
	}
}

// upload uploads a photo through the proxy.
func (l *load) upload() {
	number, start := l.numbers(), time.Now()
	site := l.country.sites[number%int64(len(l.country.sites))]
	body, kind := photoForm(picture(16+int(number%16), 12), fmt.Sprint("photo ", number))
	address := l.base + "/external/v1/sites/" + url.PathEscape(site) + "/photos"
	a, o, err := post(l.http, address, l.country.photographer.APIKey, kind, body)
	if err == nil && a.status != http.StatusCreated {
		err = fmt.Errorf("got %s, want 201", a)
	}
	if !l.wrote("photo", start, o, err) {
		return
	}
	data, _ := a.object()["data"].(object)
	id, _ := data["id"].(string)
	thumb, _ := data["thumbnailUrl"].(string)
	l.ledger.add("photo", id, site+" "+thumb)
}

// settle waits until all nodes are ready, and lets followers follow.
func (l *load) settle(t *testing.T) {
	t.Helper()
	for _, n := range l.nodes {
		if n.cmd == nil {
			n.start(t)
		}
		n.waitReady(t)
	}
}

const ofReports = market.FR
