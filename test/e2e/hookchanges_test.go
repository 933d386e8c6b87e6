//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A hook is told once what the newest edition of a market changed, under its filter, also when the
// edition came while no server ran.
func TestHookOfChanges(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	all, added, none, phone := newHookReceiver(t), newHookReceiver(t), newHookReceiver(t), newHookReceiver(t)
	s := serve(t, dir, "--hook-private")
	add := func(p *publication) { run(t, "archive", "add", "--data", dir, p.write(t)) }
	add(newPublication("2026-08-13", 400))
	h := createHook(t, dir, all.URL, "changes,bug")
	createHook(t, dir, added.URL, "changes", "--filter", "kind=site-added,system-added&operator=sfr&department=63")
	createHook(t, dir, none.URL, "changes", "--filter", "market=DROM")
	createHook(t, dir, none.URL, "changes", "--filter", "operator=ORANGE")
	createHook(t, dir, none.URL, "changes", "--filter", "province=QC&operator=BELL")
	createHook(t, dir, phone.URL+"/relais-2f7c", "changes", "--format", "ntfy", "--filter", "operator=sfr&department=63")
	fails(t, 2, "--url", "hook", "create", "--data", dir, "--url", phone.URL, "--events", "changes", "--format", "ntfy")
	fails(t, 2, "the nearest is technology", "hook", "create", "--data", dir, "--url", none.URL, "--events", "changes",
		"--filter", "tecnology=4G")
	fails(t, 2, "bbox", "hook", "create", "--data", dir, "--url", none.URL, "--events", "changes", "--filter", "bbox=1,2")
	fails(t, 2, "the nearest is market", "hook", "create", "--data", dir, "--url", none.URL, "--events", "photo",
		"--filter", "kind=site-added")
	add(newPublication("2026-08-20", 404)) // another support, with four systems of SFR
	s.waitUntil("both are told", func() bool { return len(all.messages()) > 0 && len(added.messages()) > 0 })
	m := all.messages()[0]
	m.verify(t, h.Secret)
	if m.Type != "changes.noted" {
		t.Errorf("got the type %s, want changes.noted", m.Type)
	}
	want := object{"market": "FR", "date": "2026-08-20", "previousDate": "2026-08-13", "total": 6., "totalMatched": 6.,
		"kinds": object{"site-added": 1., "site-removed": 0., "operator-added": 1., "operator-removed": 0.,
			"system-added": 4., "system-removed": 0., "status-changed": 0., "moved": 0.}}
	if diff := differs(m.Data, want); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	address := fmt.Sprint(m.Data["url"])
	_, path, _ := strings.Cut(address, "/external/v1")
	if diff := cmp.Diff(s.list(path), m.Data["changes"]); diff != "" || len(m.Data["changes"].([]any)) != 6 {
		t.Errorf("the answer of %s (-), the message (+):\n%s", address, diff)
	}
	some := added.messages()[0].Data
	if diff := differs(some, object{"total": 6., "totalMatched": 4.}); diff != "" {
		t.Errorf("with a filter: want (-), got (+):\n%s", diff)
	}
	s.waitUntil("a phone is told", func() bool { return len(phone.messages()) > 0 })
	var notice struct{ Topic, Title, Message, Click string }
	must(t, json.Unmarshal([]byte(phone.messages()[0].body), &notice))
	if notice.Topic != "relais-2f7c" || notice.Title != "FR, edition of 2026-08-20: 5 changes" ||
		strings.Count(notice.Message, "\n") != 4 || !strings.Contains(notice.Message, "system-added: ") {
		t.Errorf("a phone is told %+v", notice)
	}
	page := string(s.get(notice.Click[strings.Index(notice.Click, "/news/"):]).body)
	if !strings.Contains(page, "Puy-de-Dôme (63)") || !strings.Contains(page, "What’s new in the edition of") {
		t.Errorf("the page of a notice, %s, has another selection: %s", notice.Click, page)
	}
	add(newPublication("2026-08-06", 396)) // not the newest
	s.stop()
	last := newPublication("2026-08-27", 404)
	last.rows[0]["statut"] = "Projet approuvé"
	add(last)
	s = serve(t, dir, "--hook-private")
	s.waitUntil("the last is told", func() bool { return len(all.messages()) > 1 })
	got := all.messages()
	if diff := differs(got[1].Data, object{"date": "2026-08-27", "total": 1., "totalMatched": 1., "corrects": false}); diff != "" ||
		len(got) != 2 {
		t.Errorf("got %d messages, want 2; want (-), got (+):\n%s", len(got), diff)
	}
	// A corrected file of the newest date: what it changed is told, once, and not the week again.
	last.rows[0]["statut"], last.rows[1]["statut"] = "Projet approuvé", "Projet approuvé"
	ingested := run(t, "ingest", "--data", dir, "FR,DROM", last.write(t))
	if !strings.Contains(ingested, "replaced: the file has other rows of that date") {
		t.Errorf("ingest does not say that it replaces the edition: %s", ingested)
	}
	run(t, "ingest", "--data", dir, "FR,DROM", last.write(t)) // the same rows
	s.waitUntil("the correction is told", func() bool { return len(all.messages()) > 2 })
	told := all.messages()[2].Data
	if diff := differs(told, object{"date": "2026-08-27", "previousDate": "2026-08-27", "total": 1., "corrects": true}); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	change := told["changes"].([]any)[0].(object)
	if diff := differs(change, object{"technology": "LTE 1", "kind": "status-changed"}); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if n := len(s.list("/changes?market=FR")); n != 2 {
		t.Errorf("/changes has %d changes of the corrected edition, want 2", n)
	}
	s.stop()
	if n, m := len(none.messages()), len(added.messages()); n != 0 || m != 1 {
		t.Errorf("got %d messages that filters do not select, want none; %d of the other filter, want 1", n, m)
	}
}
