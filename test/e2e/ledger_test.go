//go:build lossfs

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A ledger holds what writers tried and what was acknowledged. It outlives servers.
type ledger struct {
	mu           sync.Mutex
	acknowledged map[string]map[string]bool // by kind: ids
	gone         map[string]bool            // ids of clients whose deletion was acknowledged
	going        map[string]bool            // ids of clients whose deletion was tried
	speedtests   int                        // acknowledged; they have no id that lists show
	tried        atomic.Int64
}

func newLedger() *ledger {
	return &ledger{acknowledged: map[string]map[string]bool{}, gone: map[string]bool{}, going: map[string]bool{}}
}

func (l *ledger) add(kind, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.acknowledged[kind] == nil {
		l.acknowledged[kind] = map[string]bool{}
	}
	l.acknowledged[kind][id] = true
}

// snapshot is a copy of what is acknowledged by now.
func (l *ledger) snapshot() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := newLedger()
	for kind, ids := range l.acknowledged {
		c.acknowledged[kind] = maps.Clone(ids)
	}
	c.gone, c.speedtests = maps.Clone(l.gone), l.speedtests
	return c
}

// String is how many of what were acknowledged.
func (l *ledger) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf("%d speedtests, %d deletions", l.speedtests, len(l.gone))
	for _, kind := range slices.Sorted(maps.Keys(l.acknowledged)) {
		text += fmt.Sprintf(", %d %ss", len(l.acknowledged[kind]), kind)
	}
	return text
}

// A writing is a server under writers.
type writing struct {
	t      *testing.T
	ledger *ledger
	s      *server
	dir    string
	loss   *lossFolder
	number *atomic.Int64 // of what is written next: nothing is written twice
}

// errNotDone is a write that was not acknowledged.
var errNotDone = errors.New("not acknowledged")

// command runs a command and reads its answer; an error when it was not acknowledged.
func (w *writing) command(answer any, args ...string) error {
	out, err := prepared(w.t, append(args, "--data", w.dir, "--json")...).Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, answer)
}

// call calls a tool and reads its answer.
func (w *writing) call(tool string, arguments object, answer any) error {
	body, headers, err := mcp("tools/call", tool, object{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	a, err := w.post("/mcp", w.loss.assistant, body, headers...)
	if err != nil {
		return err
	}
	var result toolAnswer
	if err := a.result(&result); err != nil || result.IsError || result.StructuredContent == nil {
		return errors.Join(errNotDone, err)
	}
	return json.Unmarshal(result.StructuredContent, answer)
}

// post sends what must be answered with success, or an error is returned.
func (w *writing) post(path, key string, body []byte, headers ...string) (answer, error) {
	a, err := exchange(http.DefaultClient, http.MethodPost, w.s.base+path, body,
		append(headers, "Authorization", "Bearer "+key)...)
	if err == nil && a.status/100 != 2 {
		err = fmt.Errorf("%w: %s", errNotDone, a)
	}
	return a, err
}

// writers write one thing each, the n-th of all.
var writers = map[string]func(w *writing, n int64) error{
	"client":  (*writing).client,
	"account": (*writing).account,
	"report":  (*writing).report,
	"import":  (*writing).speedtest,
	"submit":  (*writing).submission,
	"photo":   (*writing).photo,
	"archive": (*writing).archive,
}

// identified is an answer with an id.
type identified struct{ ID string }

func (w *writing) client(n int64) error {
	var made identified
	if err := w.command(&made, "client", "create", "--name", fmt.Sprint("client ", n), "--mode", "server", "--cidr",
		"127.0.0.1/32", "--scopes", "antennas:read"); err != nil {
		return err
	}
	w.ledger.add("client", made.ID)
	if n%3 != 0 {
		return nil
	}
	w.ledger.mu.Lock()
	w.ledger.going[made.ID] = true
	delete(w.ledger.acknowledged["client"], made.ID) // it may be there or not until the end is acknowledged
	w.ledger.mu.Unlock()
	if err := w.command(&struct{}{}, "client", "delete", made.ID); err != nil {
		return err
	}
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	w.ledger.gone[made.ID] = true
	return nil
}

func (w *writing) account(n int64) error {
	var made identified
	if err := w.command(&made, "user", "create", fmt.Sprint("person", n), "--generate"); err != nil {
		return err
	}
	w.ledger.add("account", made.ID)
	return nil
}

func (w *writing) report(n int64) error {
	var made identified
	// 0.01 degrees are over 300 m, within which reports are one.
	lat, lon := 43+float64(n%500)/100, float64(n/500%400)/100
	err := w.command(&made, "outage", "report", "--market", "FR", "--operator", "SFR", fmt.Sprintf("--lat=%.2f", lat),
		fmt.Sprintf("--lon=%.2f", lon), "--user", fmt.Sprint("u", n))
	if err != nil {
		return err
	}
	w.ledger.add("report", made.ID)
	return nil
}

func (w *writing) tested() {
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	w.ledger.speedtests++
}

func (w *writing) speedtest(n int64) error {
	path := filepath.Join(w.loss.files, fmt.Sprint("speedtest", n, ".csv"))
	text := fmt.Sprintf("timestamp,lat,lng,operator,technology,download_mbps,upload_mbps,ping_ms\n%s,%.4f,2.3488,ORANGE,LTE,100,20,15\n", ago(time.Duration(n)*time.Second), 45+float64(n%10000)/1e4)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Error(err)
		return err
	}
	defer os.Remove(path)
	if err := w.command(&struct{}{}, "speedtest", "import", "--market", "FR", path); err != nil {
		return err
	}
	w.tested()
	return nil
}

// submission submits a speedtest or a bug. People may submit some in an hour only, and
// then nothing is written.
func (w *writing) submission(n int64) error {
	token := fmt.Sprint("token", n)
	if n%2 == 0 {
		var made identified
		if err := w.call("bug_submit",
			object{"clientToken": token, "title": fmt.Sprint("bug ", n), "text": "It does not work."},
			&made); err != nil {
			return err
		}
		w.ledger.add("bug", made.ID)
		return nil
	}
	err := w.call("community_submit_speedtest",
		object{"clientToken": token, "measuredAt": ago(time.Duration(n) * time.Second), "lat": 46.5,
			"lon": 1 + float64(n%10000)/1e4, "downloadMbps": 50}, &identified{})
	if err != nil {
		return err
	}
	w.tested()
	return nil
}

func (w *writing) photo(n int64) error {
	up, err := sendPhoto(w.s, w.loss.photographer, picture(16+int(n%16), 12),
		map[string]string{"description": fmt.Sprint("photo ", n)})
	if err != nil || up.status != http.StatusCreated {
		return errors.Join(errNotDone, err)
	}
	w.ledger.add("photo", up.Data.ID)
	if n%4 != 0 {
		return nil
	}
	_, err = w.post("/external/v1/photos/"+up.Data.ID+"/report", w.loss.photographer, []byte(`{"reason":"quality"}`),
		"Content-Type", "application/json")
	if err == nil {
		w.ledger.add("photo report", up.Data.ID)
	}
	return err
}

func (w *writing) archive(n int64) error {
	day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n%12000)).Format(time.DateOnly)
	p := newPublication(day, 1)
	p.rows[0]["sup_id"], p.rows[0]["sta_nm_anfr"] = fmt.Sprint(n), fmt.Sprintf("06322%05d", n%1e5)
	path := filepath.Join(w.loss.files, fmt.Sprint("archive", n, ".csv"))
	if err := os.WriteFile(path, []byte(p.text()), 0o600); err != nil {
		w.t.Error(err)
		return err
	}
	defer os.Remove(path)
	if err := w.command(&struct{}{}, "archive", "add", path); err != nil {
		return err
	}
	w.ledger.add("archive", day)
	return nil
}

// begin lets all writers write until the answer's function is called, which waits for
// them.
func (w *writing) begin() (end func()) {
	var work load
	for _, write := range writers {
		work.add(func() error {
			w.ledger.tried.Add(1)
			if write(w, w.number.Add(1)) != nil {
				time.Sleep(20 * time.Millisecond) // the server may be dead
			}
			return nil
		})
	}
	return func() { work.stop() }
}
