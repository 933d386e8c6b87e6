package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/auth/account"
	"relais/community"
	"relais/community/audit"
	"relais/geo"
	"relais/index"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/market"
	"relais/measure"
	"relais/outage"
	"relais/site"
)

// A town is the country with people in it, who submit things.
type town struct {
	t           *testing.T
	dir         string
	open        []*store.DB
	at          time.Time
	people      *account.Store
	community   *community.Store
	measures    *measure.Store
	submissions *SubmissionStores
}

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{t: t, dir: t.TempDir(), at: time.Now().UTC().Truncate(time.Second)}
	w.reopen()
	t.Cleanup(w.close)
	return w
}

func (w *town) close() {
	for _, db := range w.open {
		db.Close()
	}
	w.open = nil
}

// reopen ends the process and begins another.
func (w *town) reopen() {
	w.t.Helper()
	w.close()
	file := func(name string, buckets []string) *store.DB {
		db := storetest.Open(w.t, filepath.Join(w.dir, name), buckets...)
		w.open = append(w.open, db)
		return db
	}
	db, now := file("community.db",
		append(append([]string{}, outage.Buckets...), community.Buckets...)), func() time.Time { return w.at }
	var err2, err3, err4 error
	feeds, err1 := outage.Open(db, now)
	w.community, err2 = community.Open(db, feeds, now)
	w.people, err3 = account.Open(file("users.db", account.Buckets), now)
	w.measures, err4 = measure.New(folder.Dir(w.dir), file(measure.DatabaseName, measure.Buckets), now)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		w.t.Fatal(err)
	}
	w.submissions = NewSubmissionStores(w.community, nil)
}

// someone makes an account.
func (w *town) someone(name string) account.Person {
	w.t.Helper()
	a, err := w.people.Create(context.Background(), name, "correct horse battery")
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Person
}

// as is what a person's tools work on, at this moment.
func (w *town) as(p account.Person) *Reading {
	r := inCountry(w.t)
	r.Outages, r.Measures, r.Now = w.community.Outages(), w.measures, w.at
	r.People, r.Person, r.Submissions = w.people, &p, w.submissions
	return r
}

// site is a site of the FR register with its first operator.
func (w *town) site(i int) (key, operator string, at geo.Point) {
	w.t.Helper()
	set, err := country()
	if err != nil {
		w.t.Fatal(err)
	}
	m, s := set.Market(market.FR), site.Site{}
	m.Site(uint32(i), &s)
	return index.Key(market.FR, s.ID), m.Table.Operators[s.Stations[0].Operator].Key, s.Position
}

// files are all that is on disk, by name.
func (w *town) files() map[string][]byte {
	all := map[string][]byte{}
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		all[e.Name()], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// sameExceptRepeated reports whether two answers are equal without their member repeated.
func sameExceptRepeated(a, b object) bool {
	delete(a, "repeated")
	delete(b, "repeated")
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// What two people report of one place is one outage that one of them confirmed, in the
// API at once, and their own.
func TestSubmitReport(t *testing.T) {
	w := newTown(t)
	ann, bob := w.someone("Annabel"), w.someone("Bobby")
	key, operator, at := w.site(5)
	first := fmt.Sprintf(`{"clientToken":"a-1","siteId":%q,"operator":%q,"services":"voice, DATA","technologies":"5g,4g","reason":"storm"}`, key, operator)
	made := mustCall(t, w.as(ann), "community_submit_report", first)
	wantMembers(t, made, object{"new": true, "repeated": false, "state": "reported"}, "the report")
	shown := func() []any {
		return apiAnswer(t, w.as(ann), "outages.list",
			map[string]string{"operator": operator, "source": "community"})["data"].([]any)
	}
	if list := shown(); len(list) != 1 || !sameOutageShown(list[0].(object), made["outage"].(object)) ||
		list[0].(object)["id"] != made["id"] || list[0].(object)["confirmCount"] != 1.0 ||
		fmt.Sprint(list[0].(object)["affectedServices"], list[0].(object)["affectedTechnologies"],
			list[0].(object)["siteName"]) != "[data voice] [4g 5g]"+key {
		t.Errorf("got %v, want the outage %v alone, with one confirmation", list, made)
	}
	for range 2 { // once more, also after another start
		again := mustCall(t, w.as(ann), "community_submit_report", first)
		if again["repeated"] != true || !sameExceptRepeated(again, made) {
			t.Errorf("got %v, want %v repeated", again, made)
		}
		w.reopen()
	}
	confirmed := mustCall(t, w.as(bob), "community_submit_report",
		fmt.Sprintf(`{"clientToken":"a-1","lat":%v,"lon":%v,"operator":%q}`, at.Lat+0.001, at.Lng,
			strings.ToLower(operator)))
	if list := shown(); confirmed["new"] != false || confirmed["id"] != made["id"] || len(list) != 1 ||
		list[0].(object)["confirmCount"] != 2.0 || list[0].(object)["confirmationsRemaining"] != 1.0 {
		t.Errorf("got %v\n%v, want new = false, id = %v, len(list) = 1, confirmCount = 2.0 and confirmationsRemaining = 1.0",
			confirmed, list, made["id"])
	}
	if _, err := call(w.as(ann), "community_submit_report", strings.Replace(first, "storm", "fire", 1)); err == nil ||
		!strings.Contains(err.Error(), "clientToken") {
		t.Errorf("another report with the token: %v, want an error with clientToken", err)
	}
	for _, tt := range []struct {
		who    account.Person
		role   string
		points float64
	}{{ann, "reported", 5}, {bob, "confirmed", 2}} {
		list := mustCall(t, w.as(tt.who), "me_reports_status", `{}`)["items"].([]any)
		if len(list) != 1 || list[0].(object)["role"] != tt.role || list[0].(object)["state"] != "reported" ||
			list[0].(object)["shown"] != true ||
			!sameOutageShown(shown()[0].(object), list[0].(object)["outage"].(object)) {
			t.Errorf("%s: got %v, want that role and the outage that is shown", tt.role, list)
		}
		if p := mustCall(t, w.as(tt.who), "me_gamification_stats", `{}`); p["points"] != tt.points {
			t.Errorf("%s: %v, want points = %v", tt.role, p, tt.points)
		}
	}
}

func TestPointsOfReport(t *testing.T) {
	w := newTown(t)
	ann, bob := w.someone("Annabel"), w.someone("Bobby")
	key, operator, _ := w.site(5)
	report := fmt.Sprintf(`{"clientToken":"a-1","siteId":%q,"operator":%q}`, key, operator)
	made := mustCall(t, w.as(ann), "community_submit_report", report)
	mustCall(t, w.as(bob), "community_submit_report", report)
	for _, user := range []string{"x", "y"} {
		if _, err := w.community.Confirm(made["id"].(string), user); err != nil {
			t.Fatal(err)
		}
	}
	if p := mustCall(t, w.as(ann), "me_gamification_stats", `{}`); p["points"] != 10.0 {
		t.Errorf("confirmed by three: %v, want points = 10.0", p)
	}
	if _, err := w.community.Reject(made["id"].(string), audit.Decision{Why: "no such outage"}); err != nil {
		t.Fatal(err)
	}
	if p, list := mustCall(t, w.as(ann), "me_gamification_stats", `{}`), mustCall(t, w.as(ann), "me_reports_status",
		`{}`)["items"].([]any); p["points"] != 0.0 || list[0].(object)["state"] != "rejected" ||
		list[0].(object)["shown"] != false {
		t.Errorf("rejected: %v, %v, want points = 0.0, state = rejected and shown = false", p, list)
	}
	w.at = w.at.Add(400 * 24 * time.Hour)
	if _, _, err := w.community.Retain(community.Keep); err != nil {
		t.Fatal(err)
	}
	if list := mustCall(t, w.as(ann), "me_reports_status",
		`{}`)["items"].([]any); list[0].(object)["state"] != "removed" || list[0].(object)["outage"] != nil {
		t.Errorf("a year later: %v, want state = removed and no outage", list)
	}
}

// A speedtest that is submitted is what an import of it gives, in the API at once, and is
// there once.
func TestSubmitSpeedtest(t *testing.T) {
	w := newTown(t)
	ann, bob := w.someone("Annabel"), w.someone("Bobby")
	arguments := fmt.Sprintf(`{"clientToken":"s-1","measuredAt":%q,"lat":48.8584,"lon":2.2945,"downloadMbps":123.4567,"uploadMbps":10,"pingMs":20.5,"mcc":208,"mnc":1,"technology":"lte","networkType":"cellular","deviceType":"phone","enb":1009,"pci":0,"rsrp":-90.25}`,
		w.at.Add(-time.Hour).Format(time.RFC3339))
	made := mustCall(t, w.as(ann), "community_submit_speedtest", arguments)
	list := apiAnswer(t, w.as(ann), "speedtests.list",
		map[string]string{"market": "FR", "operator": "ORANGE"})["data"].([]any)
	if len(list) != 1 || fmt.Sprint(list[0]) != fmt.Sprint(made["speedtest"]) || list[0].(object)["id"] != made["id"] ||
		list[0].(object)["downloadSpeed"] != 123.457 || list[0].(object)["connectionType"] != "LTE" ||
		made["new"] != true {
		t.Fatalf("got %v\n%v, want the new LTE speedtest of 123.457 alone in the list", made, list)
	}
	w.reopen()
	if again := mustCall(t, w.as(ann), "community_submit_speedtest", arguments); again["repeated"] != true ||
		!sameExceptRepeated(again, made) {
		t.Errorf("got %v, want %v repeated", again, made)
	}
	wantMembers(t, mustCall(t, w.as(bob), "community_submit_speedtest", arguments), object{"new": false,
		"id": made["id"]}, "the same of another")
	for _, who := range []account.Person{ann, bob} {
		own := mustCall(t, w.as(who), "me_speedtests_list", `{}`)["items"].([]any)
		if len(own) != 1 || own[0].(object)["state"] != "shown" || own[0].(object)["market"] != "FR" ||
			fmt.Sprint(own[0].(object)["speedtest"]) != fmt.Sprint(list[0]) {
			t.Errorf("got %v, want len(own) = 1, state = shown, market = FR and speedtest = %v", own, list[0])
		}
	}
	if n := w.measures.Count(market.FR, measure.Speedtest); n != 1 {
		t.Errorf("%d speedtests, want 1", n)
	}
	w.at = w.at.Add(2 * time.Hour)
	if _, err := w.measures.Retain(time.Hour); err != nil {
		t.Fatal(err)
	}
	if own := mustCall(t, w.as(ann), "me_speedtests_list",
		`{}`)["items"].([]any); own[0].(object)["state"] != "removed" {
		t.Errorf("got %v, want state = removed", own)
	}
}

// Equal validations of several people are counted, and bugs are answered.
func TestSubmitValidationsAndBugs(t *testing.T) {
	w := newTown(t)
	ann, bob := w.someone("Annabel"), w.someone("Bobby")
	key, operator, _ := w.site(7)
	say := func(who account.Person, token, fields string) object {
		return mustCall(t, w.as(who), "community_submit_validation",
			fmt.Sprintf(`{"clientToken":%q,"siteId":%q,%s}`, token, key, fields))
	}
	lte := fmt.Sprintf(`"subject":"technology","value":"LTE 800","operator":%q`, operator)
	if a := say(ann, "1", lte); a["new"] != true || a["validation"].(object)["count"] != 1.0 {
		t.Errorf("got %v, want new = true and count = 1.0", a)
	}
	if a := say(ann, "2", lte); a["new"] != false || a["validation"].(object)["count"] != 1.0 {
		t.Errorf("got %v, want new = false and count = 1.0", a)
	}
	if a := say(bob, "1", lte+`,"day":"`+w.at.AddDate(0, 0, -3).Format(time.DateOnly)+`"`); a["new"] != true ||
		a["validation"].(object)["count"] != 2.0 {
		t.Errorf("got %v, want new = true and count = 2.0", a)
	}
	say(bob, "2", `"subject":"gone"`)
	w.reopen()
	list := mustCall(t, w.as(ann), "sites_get_validations", fmt.Sprintf(`{"siteId":%q}`, key))
	got := ""
	for _, item := range list["items"].([]any) {
		o := item.(object)
		got += fmt.Sprint(o["subject"], " ", o["operator"], " ", o["value"], " ", o["count"], " ", o["lastDay"], "; ")
	}
	today := w.at.Format(time.DateOnly)
	if want := fmt.Sprintf("gone   1 %s; technology %s LTE 800 2 %s; ", today, operator, today); got != want ||
		list["site"].(object)["siteKey"] != key || !strings.Contains(fmt.Sprint(list["sources"]), "SYNTHETIC") {
		t.Errorf("%s, want %s\n%v", got, want, list)
	}
	filed := mustCall(t, w.as(ann), "bug_submit", `{"clientToken":"1","title":"It hangs","text":"First\r\nthen"}`)
	w.reopen()
	if again := mustCall(t, w.as(ann), "bug_submit",
		`{"clientToken":"1","title":"It hangs","text":"First\r\nthen"}`); again["repeated"] != true ||
		!sameExceptRepeated(again, filed) {
		t.Errorf("got %v, want %v repeated", again, filed)
	}
	if other := mustCall(t, w.as(bob), "bug_submit",
		`{"clientToken":"1","title":"It hangs","text":"First\r\nthen"}`); other["id"] == filed["id"] {
		t.Error("two people have one bug")
	}
	if _, err := w.community.CloseBug(filed["id"].(string), audit.Decision{Why: "mended"}); err != nil {
		t.Fatal(err)
	}
	bugs := mustCall(t, w.as(ann), "me_bugs_status", `{}`)["items"].([]any)
	if len(bugs) != 1 {
		t.Fatalf("got %v, want len(bugs) = 1", bugs)
	}
	bug := bugs[0].(object)
	wantMembers(t, bug, object{"titleByUser": "It hangs", "state": "closed", "answer": "mended",
		"closedAt": w.at.UTC().Format("2006-01-02T15:04:05.000Z")}, "bug")
	me := mustCall(t, w.as(bob), "me_whoami", `{}`)
	if me["name"] != "Bobby" || me["kind"] != "person" ||
		fmt.Sprint(me["submitted"]) != "map[bugs:1 outages:0 speedtests:0 validations:2]" {
		t.Errorf("got %v, want name = Bobby, kind = person and submitted = map[bugs:1 outages:0 speedtests:0 "+
			"validations:2]", me)
	}
	wantMembers(t, mustCall(t, w.as(bob), "me_gamification_stats", `{}`), object{"points": 5.0, "activeDays": 1.0},
		"answer")
	w.at = w.at.Add(24 * time.Hour)
	say(bob, "3", `"subject":"pci","value":"0"`)
	days := mustCall(t, w.as(bob), "me_sessions_list", `{"limit":1}`)
	if day := days["items"].([]any)[0].(object); days["total"] != 2.0 || days["nextOffset"] != 1.0 ||
		day["day"] != w.at.Format(time.DateOnly) || day["submitted"].(object)["validations"] != 1.0 {
		t.Errorf("got %v, want total = 2.0, nextOffset = 1.0, day = %v and validations = 1.0", days,
			w.at.Format(time.DateOnly))
	}
}
