package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/api/view"
	"relais/auth/account"
	"relais/community"
	"relais/market"
	"relais/measure"
	"relais/outage"
)

// A person submits so much in an hour; what is refused or repeated does not count.
func TestSubmitLimit(t *testing.T) {
	w := newTown(t)
	w.at = w.at.Truncate(time.Hour)
	ann, bob := w.someone("Annabel"), w.someone("Bobby")
	say := func(who account.Person, token, subject string) error {
		key, _, _ := w.site(3)
		_, err := call(w.as(who), "community_submit_validation",
			fmt.Sprintf(`{"clientToken":%q,"siteId":%q,"subject":"pci","value":%q}`, token, key, subject))
		return err
	}
	for i := range hourlyLimit {
		if err := errors.Join(say(ann, fmt.Sprint(i), fmt.Sprint(i)),
			say(ann, fmt.Sprint(i), fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if err := say(ann, "bad", "x"); err == nil {
			t.Error("x is a PCI")
		}
	}
	if err := say(ann, "more", "900"); err == nil ||
		!strings.Contains(err.Error(), "over the limit of 30 submissions an hour: come back in 61 minutes") {
		t.Errorf("got %v, want an error with %q", err,
			"over the limit of 30 submissions an hour: come back in 61 minutes")
	}
	if err := errors.Join(say(ann, "3", "3"), say(bob, "more", "900")); err != nil {
		t.Error(err)
	}
	if left := []any{mustCall(t, w.as(ann), "me_whoami", `{}`)["submissionsLeft"],
		mustCall(t, w.as(bob), "me_whoami", `{}`)["submissionsLeft"]}; fmt.Sprint(left) != "[0 29]" {
		t.Errorf("got %v, want [0 29]", left)
	}
	w.at = w.at.Add(time.Hour)
	if err := say(ann, "more", "900"); err != nil {
		t.Error(err)
	}
}

// submittedByAll submits all kinds of things for everyone and returns the tokens by tool and person.
func submittedByAll(t *testing.T, w *town, key, operator string, people ...account.Person) map[string]string {
	t.Helper()
	tokens := map[string]string{}
	for i, who := range people {
		for _, tt := range []struct{ tool, fields string }{
			{"community_submit_report", fmt.Sprintf(`"siteId":%q,"operator":%q`, key, operator)},
			{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"exists"`, key)},
			{"community_submit_speedtest",
				fmt.Sprintf(`"measuredAt":%q,"lat":48.85,"lon":2.29,"downloadMbps":%d`, w.at.Format(time.RFC3339),
					i+1)},
			{"bug_submit", `"title":"wrong","text":"all of it"`},
		} {
			t.Run(tt.tool, func(t *testing.T) {
				tokens[tt.tool+who.ID] = "token-" + tt.tool + who.Name
				mustCall(t, w.as(who), tt.tool, fmt.Sprintf(`{"clientToken":%q,%s}`, tokens[tt.tool+who.ID], tt.fields))
			})
		}
	}
	return tokens
}

// traces are all forms in which a file may name a person.
func traces(t *testing.T, tokens map[string]string, who account.Person) (list [][]byte) {
	t.Helper()
	raw := strings.ReplaceAll(who.ID, "-", "")
	bits, err := hex.DecodeString(raw)
	if err != nil {
		t.Fatal(err)
	}
	list = [][]byte{[]byte(who.Name), []byte(who.ID), []byte(raw), bits,
		[]byte(base64.StdEncoding.EncodeToString(bits))}
	for key, token := range tokens {
		if strings.HasSuffix(key, who.ID) {
			list = append(list, []byte(token))
		}
	}
	return list
}

// wantDeleted checks that what she had under way is refused, and leaves nothing of her either.
func wantDeleted(t *testing.T, w *town, stale *Reading) {
	t.Helper()
	other, operator2, _ := w.site(900)
	for _, tt := range []struct{ tool, fields string }{
		{"community_submit_report", fmt.Sprintf(`"siteId":%q,"operator":%q`, other, operator2)},
		{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"gone"`, other)},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if _, err := call(stale, tt.tool, `{"clientToken":"late",`+tt.fields+`}`); err == nil ||
				!strings.Contains(err.Error(), "deleted") {
				t.Errorf("%s: %v, want an error with deleted", tt.tool, err)
			}
		})
	}
	if _, err := call(stale, "me_whoami", `{}`); err == nil || !strings.Contains(err.Error(), "deleted") {
		t.Errorf("got %v, want an error with deleted", err)
	}
}

// What is submitted is nobody's in any file but users.db; when the person is deleted it
// stays, and nobody's in that one too.
func TestNobodyIsNamed(t *testing.T) {
	w := newTown(t)
	ann, bob := w.someone("Annabel-Xq"), w.someone("Bobby-Xq")
	key, operator, _ := w.site(9)
	tokens := submittedByAll(t, w, key, operator, ann, bob)
	look := func(when string, also bool, who account.Person) {
		t.Helper()
		for name, text := range w.files() {
			for i, trace := range traces(t, tokens, who) {
				if own := name == "users.db" && !also && i < 2; bytes.Contains(text, trace) && !own {
					t.Errorf("%s: %s has %q, want no trace of her", when, name, trace)
				}
			}
		}
	}
	if users := w.files()["users.db"]; !bytes.Contains(users, []byte(ann.Name)) ||
		!bytes.Contains(users, []byte(ann.ID)) {
		t.Error("users.db does not know her")
	}
	look("all is there", false, ann)
	look("all is there", false, bob)
	shown := func() []any {
		return []any{apiAnswer(t, w.as(bob), "outages.list", map[string]string{"source": "community"})["data"],
			mustCall(t, w.as(bob), "sites_get_validations", fmt.Sprintf(`{"siteId":%q}`, key)),
			apiAnswer(t, w.as(bob), "speedtests.list", map[string]string{})["data"]}
	}
	before := shown()
	stale := w.as(ann)
	forget := func() {
		t.Helper()
		if err := w.submissions.forget(ann.ID); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	if err := w.people.Delete(ann.ID); err != nil {
		t.Fatal(err)
	}
	forget()
	wantDeleted(t, w, stale)
	for _, db := range w.open {
		if _, _, err := db.Compact(); err != nil {
			t.Fatal(err)
		}
	}
	w.reopen()
	look("she is deleted", true, ann)
	if n, err := w.community.Forget(ann.ID); n != 0 || err != nil {
		t.Errorf("%d reports and validations know her, %v, want 0 and no error", n, err)
	}
	if after := shown(); fmt.Sprint(after) != fmt.Sprint(before) || len(before[2].([]any)) != 2 {
		t.Errorf("got %v\nwant %v as before, with two speedtests", after, before)
	}
	if bugs, total, err := w.community.Bugs(true, 10, 0); total != 2 || err != nil {
		t.Errorf("got %v, %v, want two bugs and no error", bugs, err)
	}
}

// A write that a deletion overtakes leaves nothing of the person.
func TestDeletedWhileSubmitting(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	key, _, at := w.site(11)
	_, err := submit(w.as(ann), "test", account.Validation, "1",
		0, func(string) (*ValidationReceipt, account.Fact, error) {
			if err := errors.Join(w.submissions.forget(ann.ID), w.people.Delete(ann.ID), w.submissions.forget(ann.ID)); err != nil {
				t.Error(err)
			}
			v, _, err := w.community.Validate(community.NewValidation{Market: market.FR, SiteKey: key, At: at,
				Subject: community.Exists, User: ann.ID})
			return &ValidationReceipt{}, account.Fact{Kind: account.Validation, Ref: v.ID}, err
		})
	if err == nil || !strings.Contains(err.Error(), "deleted") {
		t.Errorf("got %v, want an error with deleted", err)
	}
	if n, err := w.community.Forget(ann.ID); n != 0 || err != nil {
		t.Errorf("got %d, %v, want 0 and no error", n, err)
	}
}

// A crash between what is written and its note does not count anything twice.
func TestSubmitAgainAfterCrash(t *testing.T) {
	w := newTown(t)
	ann := w.someone("Annabel")
	key, operator, at := w.site(13)
	// As submit had done it when the process ended:
	made, _, err := w.community.ReportOrConfirm(community.NewReport{Market: market.FR, Operator: operator, At: at, User: ann.ID,
		Token: "community_submit_report 1"})
	v, _, err2 := w.community.Validate(community.NewValidation{Market: market.FR, SiteKey: key, At: at,
		Subject: community.Exists, User: ann.ID})
	b, _, err3 := w.community.Submit(community.NewBug{Title: "x", Text: "y", User: ann.ID, Token: "bug_submit 1"})
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	w.reopen()
	other, otherOperator, _ := w.site(14)
	for _, tt := range []struct{ tool, arguments string }{
		{"community_submit_report", fmt.Sprintf(`{"clientToken":"1","siteId":%q,"operator":%q}`, other, otherOperator)},
		{"bug_submit", `{"clientToken":"1","title":"x","text":"another"}`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if _, err := call(w.as(ann), tt.tool, tt.arguments); err == nil ||
				!strings.Contains(err.Error(), "another submission") {
				t.Errorf("%s with the token of another: %v, want an error with another submission", tt.tool, err)
			}
		})
	}
	report := mustCall(t, w.as(ann), "community_submit_report",
		fmt.Sprintf(`{"clientToken":"1","siteId":%q,"operator":%q}`, key, operator))
	if report["id"] != made.ID ||
		mustCall(t, w.as(ann), "me_reports_status", `{}`)["items"].([]any)[0].(object)["role"] != "reported" {
		t.Errorf("got %v, want id = %v and role = reported", report, made.ID)
	}
	if a := mustCall(t, w.as(ann), "community_submit_validation",
		fmt.Sprintf(`{"clientToken":"1","siteId":%q,"subject":"exists"}`, key)); a["id"] != v.ID ||
		a["validation"].(object)["count"] != 1.0 {
		t.Errorf("got %v, want id = %v and count = 1.0", a, v.ID)
	}
	if a := mustCall(t, w.as(ann), "bug_submit", `{"clientToken":"1","title":"x","text":"y"}`); a["id"] != b.ID {
		t.Errorf("got %v, want id = %v", a, b.ID)
	}
	if list := w.community.Outages().Reports(outage.Query{Market: market.FR}); len(list) != 1 {
		t.Errorf("%d reports, want 1", len(list))
	}
}

func wantNothingSubmitted(t *testing.T, w *town, who account.Person) {
	t.Helper()
	if me := mustCall(t, w.as(who), "me_whoami",
		`{}`); fmt.Sprint(me["submitted"]) != "map[bugs:0 outages:0 speedtests:0 validations:0]" ||
		me["submissionsLeft"] != 30.0 {
		t.Errorf("got %v, want submitted = map[bugs:0 outages:0 speedtests:0 validations:0] and submissionsLeft = "+
			"30.0", me)
	}
}

func TestSubmitAtOnce(t *testing.T) {
	w := newTown(t)
	people := []account.Person{w.someone("Annabel"), w.someone("Bobby"), w.someone("Cyril")}
	key, operator, _ := w.site(15)
	inCountry(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			r := w.as(people[i%3])
			for _, tt := range []struct{ tool, fields string }{
				{"community_submit_report", fmt.Sprintf(`"siteId":%q,"operator":%q`, key, operator)},
				{"community_submit_validation", fmt.Sprintf(`"siteId":%q,"subject":"exists"`, key)},
				{"community_submit_speedtest",
					fmt.Sprintf(`"measuredAt":%q,"lat":48.85,"lon":2.29,"downloadMbps":5`, w.at.Format(time.RFC3339))},
				{"bug_submit", `"title":"wrong","text":"all of it"`},
			} {
				t.Run(tt.tool, func(t *testing.T) {
					if _, err := call(r, tt.tool, `{"clientToken":"1",`+tt.fields+`}`); err != nil {
						t.Errorf("%s: %v, want no error", tt.tool, err)
					}
				})
			}
			if _, err := call(r, "me_gamification_stats", `{}`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	reports := w.community.Outages().Reports(outage.Query{Market: market.FR})
	_, bugs, err := w.community.Bugs(true, 10, 0)
	if list := w.community.OfSite(key); err != nil || len(reports) != 1 || reports[0].Confirms != 3 || len(list) != 1 ||
		list[0].Count != 3 || bugs != 3 || w.measures.Count(market.FR, measure.Speedtest) != 1 {
		t.Errorf("got %+v, %+v, %d bugs, %v; want an outage and a validation of 3 each, 3 bugs and a speedtest",
			reports, list, bugs, err)
	}
	if text, err := view.JSON(reports); err != nil || bytes.Contains(text, []byte(people[0].ID)) {
		t.Errorf("got %s, %v, want no %q in it and no error", text, err, []byte(people[0].ID))
	}
}
